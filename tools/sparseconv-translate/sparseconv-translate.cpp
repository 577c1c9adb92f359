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
// `sparseconv-lower-to-gpu` has, and `--network-to-plan` that of a network.
// `--plan-to-text` and `--plan-to-ptx` show what is in a plan. Weights and
// machine code can be added to a plan when it is written, or later by
// `--plan-to-plan`.
//
//===----------------------------------------------------------------------===//

#include "TranslateOptions.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/ToolUtilities.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "sparseconv/Execution/CompileToPlan.h"
#include "sparseconv/Pipelines/ParseNetwork.h"
#include "sparseconv/Pipelines/Registration.h"
#include "sparseconv/Support/Shorten.h"
#include "sparseconv/Target/LLVMIR/LLVMIRTranslation.h"
#include "sparseconv/Target/PTX/ToPtx.h"
#include "sparseconv/Target/Plan/Assemble.h"
#include "sparseconv/Target/Plan/BindWeights.h"
#include "sparseconv/Target/Plan/TranslateToPlan.h"
#include "sparseconv/Tools/CommandLine.h"
#include "sparseconv/Tools/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using mlir::sparseconv::Form;
using mlir::sparseconv::TranslateOptions;
namespace plan = ::sparseconv::plan;

static const char overview[] =
    R"(writes a network as a plan, and shows or completes plans

Examples:
  sparseconv-translate net.mlir --network-to-plan --chip=sm_90a -o net.plan
      compiles a network ahead for a GPU; --target=cpu does so for CPUs
  sparseconv-translate net.plan --plan-to-plan --weights=net.npz -o full.plan
      puts the weights into it
  sparseconv-translate net.plan --plan-to-text
      shows what it takes, returns and runs
)";

static TranslateOptions &getOptions() {
  static TranslateOptions options;
  return options;
}

static LogicalResult fail(const llvm::Twine &message) {
  llvm::errs() << "sparseconv-translate: error: " << message << '\n';
  return failure();
}

/// The module in the main file of `sources`, with all that it may hold.
static OwningOpRef<ModuleOp>
parseModule(llvm::SourceMgr &sources, MLIRContext &context,
            void (*registerMore)(DialectRegistry &)) {
  DialectRegistry registry;
  mlir::sparseconv::registerDialects(registry);
  mlir::sparseconv::registerBriefDiagnostics(registry);
  registerMore(registry);
  context.appendDialectRegistry(registry);
  return parseSourceFile<ModuleOp>(sources, &context);
}

static LogicalResult writeLLVMIR(llvm::SourceMgr &sources,
                                 llvm::raw_ostream &os, MLIRContext &context) {
  OwningOpRef<ModuleOp> parsed = parseModule(
      sources, context, mlir::sparseconv::registerLLVMIRTranslation);
  if (!parsed)
    return failure();
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(*parsed, llvmContext);
  if (!module)
    return failure();
  module->print(os, nullptr);
  return success();
}

/// Adds to a plan what options ask for.
static llvm::Error completePlan(plan::Plan &plan) {
  TranslateOptions &options = getOptions();
  if (!options.weights.empty()) {
    llvm::Expected<::sparseconv::NamedTensors> weights =
        ::sparseconv::readNamedTensors(options.weights);
    if (!weights)
      return weights.takeError();
    if (llvm::Error error = mlir::sparseconv::bindWeights(
            plan, *weights,
            {/*inFile=*/!options.weightsByReference, options.convertWeights}))
      return llvm::createStringError(options.weights + ": " +
                                     llvm::toString(std::move(error)));
  }
  if (!options.cubin)
    return llvm::Error::success();
  if (plan.isForCpu())
    return llvm::createStringError("--cubin is for a plan for a GPU");
  ::sparseconv::Progress progress(options.progress.isOn());
  progress.begin("assembling");
  return mlir::sparseconv::addMachineCode(plan, options.ptxas);
}

static LogicalResult finishPlan(FailureOr<plan::Plan> plan,
                                llvm::raw_ostream &os) {
  if (failed(plan))
    return failure();
  if (llvm::Error error = completePlan(*plan)) {
    llvm::errs() << "error: " << llvm::toString(std::move(error)) << '\n';
    return failure();
  }
  os << plan::serialise(*plan);
  return success();
}

static LogicalResult writePlan(llvm::SourceMgr &sources, llvm::raw_ostream &os,
                               MLIRContext &context) {
  OwningOpRef<ModuleOp> parsed =
      parseModule(sources, context, mlir::sparseconv::registerPtxTarget);
  if (!parsed)
    return failure();
  TranslateOptions &options = getOptions();
  SmallVector<StringRef> chips(options.chips.begin(), options.chips.end());
  return finishPlan(
      mlir::sparseconv::translateToPlan(*parsed, chips, options.streams), os);
}

/// A problem with a file as a whole.
static LogicalResult refuse(llvm::SourceMgr &sources, const llvm::Twine &why) {
  StringRef name = getOptions().inputName;
  if (name.empty())
    name =
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

static LogicalResult rewritePlan(llvm::SourceMgr &sources,
                                 llvm::raw_ostream &os, MLIRContext &) {
  std::optional<plan::Plan> read = readPlan(sources);
  if (!read)
    return failure();
  return finishPlan(std::move(*read), os);
}

static LogicalResult writePlanText(llvm::SourceMgr &sources,
                                   llvm::raw_ostream &os, MLIRContext &) {
  std::optional<plan::Plan> read = readPlan(sources);
  if (!read)
    return failure();
  os << plan::dump(*read);
  return success();
}

static LogicalResult writePlanPtx(llvm::SourceMgr &sources,
                                  llvm::raw_ostream &os, MLIRContext &) {
  const llvm::cl::list<std::string> &chips = getOptions().chips;
  std::optional<plan::Plan> read = readPlan(sources);
  if (!read)
    return failure();
  bool isFound = false;
  for (const plan::Module &module : read->modules)
    for (const plan::Image &image : module.images)
      if (image.kind == plan::Image::Kind::Ptx &&
          (chips.empty() || llvm::is_contained(chips, image.chip))) {
        os << image.bytes;
        isFound = true;
      }
  return isFound ? success()
                 : refuse(sources, "the plan holds no PTX for " +
                                       (chips.empty() ? "any chip"
                                                      : ::sparseconv::joinShort(
                                                            chips, ", ")));
}

/// Parses the network itself, to name it as asked for.
static LogicalResult writeNetworkPlan(llvm::SourceMgr &given,
                                      llvm::raw_ostream &os,
                                      MLIRContext &context) {
  TranslateOptions &options = getOptions();
  if (!options.chips.empty() && StringRef(options.target).contains(':'))
    return refuse(given, "--target=" + options.target +
                             " names a chip, so that --chip=" +
                             options.chips[0] + " is one too many");
  if (options.chips.size() > 1)
    return refuse(given, "a network is compiled for one chip, but found " +
                             ::sparseconv::joinShort(options.chips, ", "));
  const llvm::MemoryBuffer *buffer =
      given.getMemoryBuffer(given.getMainFileID());
  if (plan::isPlan(buffer->getBuffer()))
    return refuse(given, "is a plan, and compiled already; give the network "
                         "that it was made of");
  std::string name = options.inputName.empty()
                         ? buffer->getBufferIdentifier().str()
                         : options.inputName.getValue();
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(buffer->getBuffer(), name),
      llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  DialectRegistry registry;
  mlir::sparseconv::registerDialects(registry);
  mlir::sparseconv::registerBriefDiagnostics(registry);
  context.appendDialectRegistry(registry);
  OwningOpRef<ModuleOp> module =
      mlir::sparseconv::parseNetwork(sources, context);
  if (!module)
    return failure();
  std::string target = options.target;
  if (!options.chips.empty())
    target += ":" + options.chips[0];
  if (StringRef(target).starts_with("cpu") &&
      options.streams.getNumOccurrences())
    return refuse(given, "--streams is for a plan for a GPU");
  // What is explained would come between.
  ::sparseconv::Progress progress(options.progress.isOn() && !options.explain);
  ScopedDiagnosticHandler clearsProgress(&context, [&](Diagnostic &) {
    progress.clear();
    return failure();
  });
  auto plan = progress.during("compiling for " + target, [&] {
    return mlir::sparseconv::compileToPlan(
        *module, target,
        {options.entry,
         options.streams,
         /*allowKernels=*/false,
         {options.tuningDatabase, options.explain},
         options.trustTables});
  });
  return finishPlan(std::move(plan), os);
}

static LogicalResult translate(llvm::SourceMgr &sources, llvm::raw_ostream &os,
                               MLIRContext &context) {
  switch (getOptions().form.getValue()) {
  case Form::NetworkToPlan:
    return writeNetworkPlan(sources, os, context);
  case Form::PlanToPlan:
    return rewritePlan(sources, os, context);
  case Form::PlanToText:
    return writePlanText(sources, os, context);
  case Form::PlanToPtx:
    return writePlanPtx(sources, os, context);
  case Form::MlirToPlan:
    return writePlan(sources, os, context);
  case Form::MlirToLLVMIR:
    return writeLLVMIR(sources, os, context);
  }
  llvm_unreachable("unknown form");
}

/// Translates a file, or one of the parts of a test.
static LogicalResult translate(std::unique_ptr<llvm::MemoryBuffer> file,
                               llvm::raw_ostream &os) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  MLIRContext context;
  context.printOpOnDiagnostic(!getOptions().verifyDiagnostics);
  if (!getOptions().verifyDiagnostics) {
    SourceMgrDiagnosticHandler diagnostics(sources, &context);
    return translate(sources, os, context);
  }
  SourceMgrDiagnosticVerifierHandler diagnostics(sources, &context);
  (void)translate(sources, os, context);
  return diagnostics.verify();
}

/// What `run` reads; null where it says what is wrong.
static std::unique_ptr<llvm::MemoryBuffer> readInput() {
  TranslateOptions &options = getOptions();
  if (!options.form.getNumOccurrences()) {
    (void)fail("what to write is not said, such as --network-to-plan or "
               "--plan-to-text; --help lists all");
    return nullptr;
  }
  if (failed(options.check()))
    return nullptr;
  std::string message;
  auto file = openInputFile(options.input, &message);
  if (!file)
    (void)fail(message);
  return file;
}

static int run() {
  TranslateOptions &options = getOptions();
  std::unique_ptr<llvm::MemoryBuffer> file = readInput();
  if (!file)
    return EXIT_FAILURE;
  return ::sparseconv::writeOutput(
      "sparseconv-translate", options.output, [&](llvm::raw_ostream &os) {
        return succeeded(splitAndProcessBuffer(
            std::move(file),
            [](std::unique_ptr<llvm::MemoryBuffer> part,
               llvm::raw_ostream &os) {
              return translate(std::move(part), os);
            },
            os, options.splitInput ? kDefaultSplitMarker : ""));
      });
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  registerMLIRContextCLOptions();
  TranslateOptions &options = getOptions();
  ::sparseconv::parseCommandLine(argc, argv, overview,
                                 {&options.generalCategory,
                                  &options.networkCategory,
                                  &options.planCategory});
  return run();
}
