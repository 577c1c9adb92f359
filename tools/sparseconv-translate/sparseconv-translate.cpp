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

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "sparseconv/Execution/CompileToPlan.h"
#include "sparseconv/Pipelines/ParseNetwork.h"
#include "sparseconv/Pipelines/Registration.h"
#include "sparseconv/Support/Shorten.h"
#include "sparseconv/Target/LLVMIR/LLVMIRTranslation.h"
#include "sparseconv/Target/PTX/ToPtx.h"
#include "sparseconv/Target/Plan/Assemble.h"
#include "sparseconv/Target/Plan/BindWeights.h"
#include "sparseconv/Target/Plan/TranslateToPlan.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
namespace plan = ::sparseconv::plan;

namespace {
/// Registered when the tool starts, as it may share a program with others.
struct PlanOptions {
  llvm::cl::list<std::string> chips{
      "chip", llvm::cl::CommaSeparated, llvm::cl::value_desc("sm_80,..."),
      llvm::cl::desc(
          "chips that a plan gets PTX for (default: that of the target; a "
          "network's plan has one), or whose PTX is shown (default: all)")};
  llvm::cl::opt<std::string> target{
      "target", llvm::cl::init("cuda"), llvm::cl::value_desc("name"),
      llvm::cl::desc("what a network is compiled for: cuda (default), or with "
                     "a chip, cuda:sm_80")};
  llvm::cl::opt<std::string> entry{
      "entry", llvm::cl::value_desc("name"),
      llvm::cl::desc("the only function of a network to compile")};
  llvm::cl::opt<std::string> inputName{
      "input-name", llvm::cl::value_desc("name"),
      llvm::cl::desc("what messages call a network (default: its file)")};
  llvm::cl::opt<unsigned> streams{
      "streams", llvm::cl::init(mlir::sparseconv::kDefaultStreams),
      llvm::cl::desc("streams over which a plan may spread its steps; with 1 "
                     "they run in the order of the program")};
  llvm::cl::opt<std::string> tuningDatabase{
      "tuning-database", llvm::cl::value_desc("file"),
      llvm::cl::desc("measured choices for a network, as sparseconv-tune "
                     "writes them")};
  llvm::cl::opt<bool> explain{
      "explain", llvm::cl::desc("prints what is chosen for each layer of a "
                                "network, and why")};
  llvm::cl::opt<bool> trustTables{
      "trust-tables", llvm::cl::desc("the neighbour tables that a network is "
                                     "given are right, and not checked")};
  llvm::cl::opt<bool> cubin{
      "cubin", llvm::cl::desc("puts machine code for the chips into a plan, "
                              "beside the PTX; needs NVIDIA's ptxas")};
  llvm::cl::opt<std::string> ptxas{
      "ptxas", llvm::cl::init("ptxas"), llvm::cl::value_desc("file"),
      llvm::cl::desc("the assembler for --cubin (default: the one in PATH, or "
                     "in /usr/local/cuda/bin)")};
  llvm::cl::opt<std::string> weights{
      "weights", llvm::cl::value_desc("file"),
      llvm::cl::desc("puts the tensors of an .npz or .safetensors file into a "
                     "plan, in place of the inputs of their names")};
  llvm::cl::opt<bool> convertWeights{
      "convert-weights",
      llvm::cl::desc("rounds the floats of --weights to the types of their "
                     "inputs; without this, other types are errors")};
  llvm::cl::opt<bool> weightsByReference{
      "weights-by-reference",
      llvm::cl::desc("leaves the data of --weights out of the plan: whoever "
                     "loads it has to bring the same")};
};
} // namespace

static PlanOptions &getPlanOptions() {
  static PlanOptions options;
  return options;
}

static llvm::cl::list<std::string> &getChips() {
  return getPlanOptions().chips;
}

using OptionList =
    std::initializer_list<std::reference_wrapper<const llvm::cl::Option>>;

/// Refuses options that say nothing to a translation, which reads `known`.
static LogicalResult checkOptions(StringRef translation, OptionList known) {
  PlanOptions &options = getPlanOptions();
  auto refuse = [](const llvm::cl::Option &option, const llvm::Twine &why) {
    llvm::errs() << "error: --" << option.ArgStr << ' ' << why << '\n';
    return failure();
  };
  for (const llvm::cl::Option &option : OptionList{
           options.chips, options.entry, options.inputName, options.streams,
           options.tuningDatabase, options.explain, options.cubin,
           options.ptxas, options.weights, options.weightsByReference})
    if (option.getNumOccurrences() &&
        llvm::none_of(known, [&](const llvm::cl::Option &other) {
          return &other == &option;
        }))
      return refuse(option, "is not for --" + translation);
  if (options.ptxas.getNumOccurrences() && !options.cubin)
    return refuse(options.ptxas, "is for --cubin");
  if (options.weightsByReference && options.weights.empty())
    return refuse(options.weightsByReference, "is for --weights");
  return success();
}

static LogicalResult writeLLVMIR(Operation *op, llvm::raw_ostream &os) {
  if (failed(checkOptions("mlir-to-llvmir", {})))
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = translateModuleToLLVMIR(op, context);
  if (!module)
    return failure();
  module->print(os, nullptr);
  return success();
}

/// Adds to a plan what options ask for.
static llvm::Error completePlan(plan::Plan &plan) {
  PlanOptions &options = getPlanOptions();
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

static LogicalResult writePlan(Operation *op, llvm::raw_ostream &os) {
  PlanOptions &options = getPlanOptions();
  if (failed(checkOptions("mlir-to-plan",
                          {options.chips, options.streams, options.cubin,
                           options.ptxas, options.weights,
                           options.weightsByReference})))
    return failure();
  SmallVector<StringRef> names(getChips().begin(), getChips().end());
  return finishPlan(mlir::sparseconv::translateToPlan(cast<ModuleOp>(op), names,
                                                      getPlanOptions().streams),
                    os);
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
rewritePlan(const std::shared_ptr<llvm::SourceMgr> &sources,
            llvm::raw_ostream &os, MLIRContext *) {
  PlanOptions &options = getPlanOptions();
  if (failed(checkOptions("plan-to-plan",
                          {options.cubin, options.ptxas, options.weights,
                           options.weightsByReference})))
    return failure();
  std::optional<plan::Plan> read = readPlan(*sources);
  if (!read)
    return failure();
  return finishPlan(std::move(*read), os);
}

static LogicalResult
writePlanText(const std::shared_ptr<llvm::SourceMgr> &sources,
              llvm::raw_ostream &os, MLIRContext *) {
  if (failed(checkOptions("plan-to-text", {})))
    return failure();
  std::optional<plan::Plan> read = readPlan(*sources);
  if (!read)
    return failure();
  os << plan::dump(*read);
  return success();
}

static LogicalResult
writePlanPtx(const std::shared_ptr<llvm::SourceMgr> &sources,
             llvm::raw_ostream &os, MLIRContext *) {
  llvm::cl::list<std::string> &chips = getChips();
  if (failed(checkOptions("plan-to-ptx", {chips})))
    return failure();
  std::optional<plan::Plan> read = readPlan(*sources);
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
                 : refuse(*sources,
                          "the plan holds no PTX for " +
                              (chips.empty()
                                   ? "any chip"
                                   : ::sparseconv::joinShort(chips, ", ")));
}

/// Parses the network itself, to name it as asked for.
static LogicalResult
writeNetworkPlan(const std::shared_ptr<llvm::SourceMgr> &given,
                 llvm::raw_ostream &os, MLIRContext *context) {
  PlanOptions &options = getPlanOptions();
  if (failed(checkOptions("network-to-plan",
                          {options.chips, options.entry, options.inputName,
                           options.streams, options.tuningDatabase,
                           options.explain, options.trustTables, options.cubin,
                           options.ptxas, options.weights,
                           options.weightsByReference})))
    return failure();
  if (options.chips.size() > 1)
    return refuse(*given, "a network is compiled for one chip, but found " +
                              ::sparseconv::joinShort(options.chips, ", "));
  const llvm::MemoryBuffer *buffer =
      given->getMemoryBuffer(given->getMainFileID());
  std::string name = options.inputName.empty()
                         ? buffer->getBufferIdentifier().str()
                         : options.inputName.getValue();
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(buffer->getBuffer(), name),
      llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(sources, context);
  DialectRegistry registry;
  mlir::sparseconv::registerDialects(registry);
  mlir::sparseconv::registerBriefDiagnostics(registry);
  context->appendDialectRegistry(registry);
  OwningOpRef<ModuleOp> module =
      mlir::sparseconv::parseNetwork(sources, *context);
  if (!module)
    return failure();
  std::string target = options.target;
  if (!options.chips.empty())
    target += ":" + options.chips[0];
  if (StringRef(target).starts_with("cpu") &&
      options.streams.getNumOccurrences())
    return refuse(*given, "--streams is for a plan for a GPU");
  return finishPlan(mlir::sparseconv::compileToPlan(
                        *module, target,
                        {options.entry,
                         options.streams,
                         /*allowKernels=*/false,
                         {options.tuningDatabase, options.explain},
                         options.trustTables}),
                    os);
}

static void registerPlanDialects(DialectRegistry &registry) {
  mlir::sparseconv::registerDialects(registry);
  mlir::sparseconv::registerBriefDiagnostics(registry);
  mlir::sparseconv::registerPtxTarget(registry);
}

static void registerTranslationDialects(DialectRegistry &registry) {
  mlir::sparseconv::registerDialects(registry);
  mlir::sparseconv::registerBriefDiagnostics(registry);
  mlir::sparseconv::registerLLVMIRTranslation(registry);
}

int main(int argc, char **argv) {
  getPlanOptions();
  TranslateFromMLIRRegistration toLLVMIR(
      "mlir-to-llvmir", "the LLVM IR of a module in the LLVM dialect",
      writeLLVMIR, registerTranslationDialects);
  TranslateFromMLIRRegistration toPlan(
      "mlir-to-plan", "the plan of a module of kernels and host functions",
      writePlan, registerPlanDialects);
  TranslateRegistration networkToPlan(
      "network-to-plan", "the plan of a network", writeNetworkPlan);
  TranslateRegistration planToPlan(
      "plan-to-plan", "a plan with weights or machine code added", rewritePlan);
  TranslateRegistration toText("plan-to-text", "a plan as readable text",
                               writePlanText);
  TranslateRegistration toPtx("plan-to-ptx", "the PTX in a plan", writePlanPtx);
  return failed(mlirTranslateMain(argc, argv, "sparseconv translation tool"));
}
