//===- sparseconv-translate.cpp - IR to other forms -----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `--mlir-to-llvmir` writes the LLVM IR of a module that the pipeline
// `sparseconv-lower-to-cpu` has lowered; `--mlir-to-plan` the plan of one that
// `sparseconv-lower-to-kernels` has. `--plan-to-text` and `--plan-to-ptx` show
// what is in a plan.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "sparseconv/Pipelines/Registration.h"
#include "sparseconv/Target/LLVMIR/LLVMIRTranslation.h"
#include "sparseconv/Target/PTX/ToPtx.h"
#include "sparseconv/Target/Plan/TranslateToPlan.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
namespace plan = ::sparseconv::plan;

static LogicalResult writeLLVMIR(Operation *op, llvm::raw_ostream &os) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = translateModuleToLLVMIR(op, context);
  if (!module)
    return failure();
  module->print(os, nullptr);
  return success();
}

/// Registered when the tool starts, as it may share a program with others.
static llvm::cl::list<std::string> &getChips() {
  static llvm::cl::list<std::string> chips(
      "chip", llvm::cl::CommaSeparated, llvm::cl::value_desc("sm_80,..."),
      llvm::cl::desc(
          "chips that a plan gets PTX for (default sm_90a), or whose "
          "PTX is shown (default all)"));
  return chips;
}

static LogicalResult writePlan(Operation *op, llvm::raw_ostream &os) {
  SmallVector<StringRef> names(getChips().begin(), getChips().end());
  if (names.empty())
    names.push_back("sm_90a");
  auto result = mlir::sparseconv::translateToPlan(cast<ModuleOp>(op), names);
  if (failed(result))
    return failure();
  os << plan::serialise(*result);
  return success();
}

/// A problem with a file as a whole.
static LogicalResult refuse(llvm::SourceMgr &sources, const llvm::Twine &why) {
  StringRef name =
      sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier();
  llvm::errs() << name << ": error: " << why << '\n';
  return failure();
}

static std::optional<plan::Plan> readPlan(llvm::SourceMgr &sources) {
  std::string error;
  StringRef file =
      sources.getMemoryBuffer(sources.getMainFileID())->getBuffer();
  std::optional<plan::Plan> result = plan::parse(file, error);
  if (!result)
    (void)refuse(sources, error);
  return result;
}

static LogicalResult
writePlanText(const std::shared_ptr<llvm::SourceMgr> &sources,
              llvm::raw_ostream &os, MLIRContext *) {
  std::optional<plan::Plan> read = readPlan(*sources);
  if (!read)
    return failure();
  os << plan::dump(*read);
  return success();
}

static LogicalResult
writePlanPtx(const std::shared_ptr<llvm::SourceMgr> &sources,
             llvm::raw_ostream &os, MLIRContext *) {
  std::optional<plan::Plan> read = readPlan(*sources);
  if (!read)
    return failure();
  llvm::cl::list<std::string> &chips = getChips();
  bool isFound = false;
  for (const plan::Module &module : read->modules)
    for (const plan::Image &image : module.images)
      if (image.kind == plan::Image::Kind::Ptx &&
          (chips.empty() || llvm::is_contained(chips, image.chip))) {
        os << image.bytes;
        isFound = true;
      }
  return isFound
             ? success()
             : refuse(*sources, "the plan holds no PTX for " +
                                    (chips.empty() ? "any chip"
                                                   : llvm::join(chips, ", ")));
}

static void registerPlanDialects(DialectRegistry &registry) {
  mlir::sparseconv::registerDialects(registry);
  mlir::sparseconv::registerPtxTarget(registry);
}

static void registerTranslationDialects(DialectRegistry &registry) {
  mlir::sparseconv::registerDialects(registry);
  mlir::sparseconv::registerLLVMIRTranslation(registry);
}

int main(int argc, char **argv) {
  getChips();
  TranslateFromMLIRRegistration toLLVMIR(
      "mlir-to-llvmir", "the LLVM IR of a module in the LLVM dialect",
      writeLLVMIR, registerTranslationDialects);
  TranslateFromMLIRRegistration toPlan(
      "mlir-to-plan", "the plan of a module of kernels and host functions",
      writePlan, registerPlanDialects);
  TranslateRegistration toText("plan-to-text", "a plan as readable text",
                               writePlanText);
  TranslateRegistration toPtx("plan-to-ptx", "the PTX in a plan", writePlanPtx);
  return failed(mlirTranslateMain(argc, argv, "sparseconv translation tool"));
}
