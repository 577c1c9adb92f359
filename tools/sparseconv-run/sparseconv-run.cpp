//===- sparseconv-run.cpp - compiles and runs an IR file ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"
#include "PrintResult.h"
#include "Profile.h"
#include "Program.h"
#include "ResultPicture.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Execution/CpuExecutable.h"
#include "sparseconv/Execution/CudaExecutable.h"
#include "sparseconv/IO/Npy.h"
#include "sparseconv/Pipelines/Registration.h"
#include "sparseconv/Reference/Reference.h"
#include "sparseconv/Support/Shorten.h"
#include "sparseconv/Support/TargetInfo.h"
#include "sparseconv/Tools/ArgumentOptions.h"
#include "sparseconv/Tools/CommandLine.h"
#include "sparseconv/Tools/Progress.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::HostTensor;
namespace cl = llvm::cl;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static cl::OptionCategory runCategory("Running");
static cl::OptionCategory inputCategory("Arguments and results");
static cl::OptionCategory scanCategory("Scans");

static cl::opt<std::string> inputFile(cl::Positional, cl::Required,
                                      cl::desc("FILE"), cl::cat(runCategory));
static cl::opt<std::string> targetName(
    "target",
    cl::desc("what runs the function: 'cpu' (default; compiled for "
             "this machine), 'cpu:LEVEL' (sse2, avx2, avx512), 'cuda' "
             "(compiled for the GPU that is there), 'cuda:CHIP' "
             "(sm_80, ...), 'reference' (the interpreter, in "
             "float64)"),
    cl::init("cpu"), cl::value_desc("name"), cl::cat(runCategory));
static cl::opt<std::string> entry("entry",
                                  cl::desc("function to call (the only public "
                                           "one, or 'main')"),
                                  cl::value_desc("name"), cl::cat(runCategory));
static cl::opt<unsigned> threads("num-threads",
                                 cl::desc("threads of the CPU target (0: all)"),
                                 cl::init(0), cl::cat(runCategory));
static cl::opt<unsigned>
    streams("streams",
            cl::desc("CUDA streams over which a GPU target may spread kernels "
                     "that do not depend on each other (default 4)"),
            cl::init(kDefaultStreams), cl::cat(runCategory));
static cl::opt<bool>
    exact("exact",
          cl::desc("let a GPU target count the rows of sets first, and then "
                   "take memory for these alone"),
          cl::cat(runCategory));
static cl::opt<bool> allowKernels(
    "allow-kernel-operations",
    cl::desc("take operations of the kernel level, whose operands nobody "
             "checks; only for IR that you trust"),
    cl::cat(runCategory));
static cl::opt<std::string>
    precision("precision",
              cl::desc("how the reference rounds: 'rounded' (default) to the "
                       "types that are stored, 'exact' never"),
              cl::init("rounded"), cl::cat(runCategory));
static cl::opt<bool> check("check",
                           cl::desc("compare every result with the reference"),
                           cl::cat(runCategory));
static cl::list<unsigned>
    checkThreads("check-threads", cl::CommaSeparated,
                 cl::desc("run again on each of these numbers of threads, and "
                          "compare the bits"),
                 cl::value_desc("1,..."), cl::cat(runCategory));
static cl::opt<std::string>
    timeRuns("time", cl::ValueOptional,
             cl::desc("time the function (default 10 runs after 3 to warm up)"),
             cl::value_desc("runs"), cl::cat(runCategory));
static cl::opt<std::string>
    profile("profile",
            cl::desc("write when each kernel ran, for ui.perfetto.dev, and "
                     "print a table"),
            cl::value_desc("FILE.json"), cl::cat(runCategory));
static cl::opt<std::string>
    tuningDatabase("tuning-database",
                   cl::desc("measured choices, as sparseconv-tune writes them; "
                            "'none', or 'default': those of the project"),
                   cl::init("default"), cl::value_desc("FILE.json"),
                   cl::cat(runCategory));
static cl::opt<bool> explain("explain",
                             cl::desc("print what is chosen for each layer, "
                                      "and why"),
                             cl::cat(runCategory));
static cl::opt<bool> quiet("quiet", cl::desc("print no summary"),
                           cl::cat(runCategory));

static ::sparseconv::ProgressOption progressOption(runCategory);

static ArgumentOptions argumentOptions(inputCategory, scanCategory);
static cl::list<std::string> outputs(
    "output",
    cl::desc("write a result: [name=]FILE.npy; without a name, in order"),
    cl::value_desc("where"), cl::cat(inputCategory));
static cl::opt<bool> print("print",
                           cl::desc("print the elements of every result, one "
                                    "line for each row"),
                           cl::cat(inputCategory));
static cl::opt<std::string> picture("picture",
                                    cl::desc("draw the voxels of the result"),
                                    cl::value_desc("FILE.png"),
                                    cl::cat(inputCategory));
static cl::opt<int> pictureColumn("picture-column",
                                  cl::desc("column that colours the picture "
                                           "(-1: the largest of each row)"),
                                  cl::init(-1), cl::cat(inputCategory));

static const char overview[] = R"(runs a function of an IR file, or of a plan

Examples:
  sparseconv-run net.mlir --weights net.npz --input sweep.bin --picture out.png
      binds weights by name, the sweep's points and features to the arguments
      that are left, and draws the result
  sparseconv-run conv.mlir --input points.npy --input w=random --check
      compares the compiled function with the reference interpreter
  sparseconv-run conv.mlir --input points.npy --input w=const:1 --output y.npy \
      --target=reference
  sparseconv-run net.mlir --weights net.safetensors --input sweep.bin --time=20
  sparseconv-run net.mlir --weights net.npz --input sweep.npy
      [N, 4] floats are a scan, as the network takes integer points first
  sparseconv-run net.plan --target=cuda --input sweep.bin
)";

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static int fail(const llvm::Twine &message) {
  llvm::errs() << "sparseconv-run: error: " << message << '\n';
  return 1;
}
static int fail(llvm::Error error) {
  return fail(llvm::toString(std::move(error)));
}

/// An error for an option that says nothing to the target.
static llvm::Error checkTargetOptions(const std::optional<Target> &target) {
  struct {
    const cl::Option &option;
    bool onCpu, onCuda, onReference;
  } const rules[] = {
      {threads, true, false, false},   {checkThreads, true, false, false},
      {streams, false, true, false},   {exact, false, true, false},
      {precision, false, false, true}, {timeRuns, true, true, false},
      {profile, true, true, false},    {tuningDatabase, true, true, false},
      {explain, true, true, false},
  };
  for (const auto &[option, onCpu, onCuda, onReference] : rules) {
    bool isMeant = !target ? onReference : target->info->isGpu ? onCuda : onCpu;
    if (isMeant || !option.getNumOccurrences())
      continue;
    SmallVector<StringRef> names;
    if (onCpu)
      names.push_back("--target=cpu");
    if (onCuda)
      names.push_back("--target=cuda");
    if (onReference)
      names.push_back("--target=reference");
    return llvm::createStringError("--" + option.ArgStr + " is for " +
                                   llvm::join(names, " and "));
  }
  return llvm::Error::success();
}

/// The number of runs that --time asks for.
static llvm::Expected<unsigned> getTimeRuns() {
  unsigned runs = 10;
  if (!timeRuns.empty() &&
      (StringRef(timeRuns).getAsInteger(10, runs) || runs == 0))
    return llvm::createStringError(
        "--time takes a number of runs, but found '" + timeRuns + "'");
  return runs;
}

/// What --target names; nothing for the reference.
static llvm::Expected<std::optional<Target>> readTarget() {
  if (targetName == "reference")
    return std::nullopt;
  llvm::Expected<Target> target = parseTarget(targetName);
  if (target)
    return *target;
  return llvm::createStringError(
      "--target: " + llvm::toString(target.takeError()) + "; or 'reference'");
}

static void printResults(const Signature &signature,
                         ArrayRef<HostTensor> results) {
  for (auto [parameter, result] : llvm::zip(signature.results, results)) {
    if (!quiet)
      printSummary(parameter.name, result, llvm::outs());
    if (print)
      printElements(result, llvm::outs());
  }
}

/// What the options ask of a program that it cannot do.
static llvm::Error checkOptions(const Program &program,
                                const std::optional<Target> &target) {
  if (!program.plan)
    return llvm::Error::success();
  if (!target || target->info->isGpu == program.plan->isForCpu())
    return llvm::createStringError(
        program.plan->isForCpu() ? "the plan is for CPUs: --target=cpu"
                                 : "the plan is for a GPU: --target=cuda");
  for (const auto &constant : program.plan->constants)
    if (!constant.inFile)
      return llvm::createStringError(
          "the plan has '" + constant.name +
          "' by reference: sparseconv-translate " + inputFile +
          " --plan-to-plan --weights=FILE -o full.plan puts it in");
  if (!target->info->isGpu && !profile.empty())
    return llvm::createStringError(
        "--profile is for IR: the code of a plan has no marks for it");
  if (check)
    return llvm::createStringError(
        "--check is for IR: a plan does not say what it computes");
  if (streams.getNumOccurrences())
    return llvm::createStringError(
        "--streams is for IR: a plan has its streams");
  if (tuningDatabase.getNumOccurrences() || explain)
    return llvm::createStringError("--tuning-database and --explain are for "
                                   "IR: in a plan all is decided");
  if (allowKernels)
    return llvm::createStringError(
        "--allow-kernel-operations is for IR: a plan has kernels alone");
  return llvm::Error::success();
}

/// The program compiled for the target; null for the reference.
static llvm::Expected<std::unique_ptr<Executable>>
compile(Program &program, const std::optional<Target> &target,
        MLIRContext &context) {
  if (!target)
    return nullptr;
  // A chip that is not named is that of this machine.
  std::string chip = StringRef(targetName).split(':').second.str();
  if (!target->info->isGpu) {
    CpuOptions options;
    options.level = chip;
    options.numThreads = threads;
    options.instrument = !profile.empty();
    options.allowKernels = allowKernels;
    options.selection = {tuningDatabase, explain};
    if (program.plan)
      return CpuExecutable::load(program.file, &context, options);
    return CpuExecutable::compile(*program.module, options);
  }
  CudaOptions options;
  if (streams < 1 || streams > ::sparseconv::plan::kMaxStreams)
    return llvm::createStringError("--streams=" + Twine(streams.getValue()) +
                                   ": expected 1 to " +
                                   Twine(::sparseconv::plan::kMaxStreams));
  options.streams = streams;
  options.exact = exact;
  options.allowKernels = allowKernels;
  options.selection = {tuningDatabase, explain};
  options.chip = chip;
  if (program.plan)
    return CudaExecutable::load(*program.plan, program.file, &context, options);
  return CudaExecutable::compile(*program.module, options);
}

static llvm::Error drawPicture(StringRef name, const BoundArguments &bound,
                               ArrayRef<HostTensor> results,
                               const ArgumentSources &sources) {
  PictureRequest request;
  request.path = picture;
  request.column = pictureColumn;
  request.title = (llvm::sys::path::filename(inputFile) + " @" + name).str();
  const HostTensor *points = nullptr;
  if (bound.pointsArgument >= 0) {
    request.metresPerCell = sources.quantise.voxelSize[0];
    points = &bound.values[bound.pointsArgument];
  }
  if (llvm::Error error = drawResults(results, points, request))
    return error;
  llvm::outs() << "picture: " << picture << '\n';
  return llvm::Error::success();
}

/// Does what --profile says. The layers of IR have their work beside their
/// times; a plan does not tell it.
static llvm::Error profileFunction(Executable *executable, ModuleOp module,
                                   StringRef name,
                                   ArrayRef<HostTensor> arguments) {
  if (profile.empty())
    return llvm::Error::success();
  auto events = executable->profile(name, arguments, /*warmups=*/2);
  if (!events)
    return events.takeError();
  llvm::StringMap<Work> works;
  if (module) {
    auto counted = countWork(module, name, arguments);
    if (!counted)
      return counted.takeError();
    works = std::move(*counted);
  }
  if (llvm::Error error = writeProfile(profile, *events, works))
    return error;
  printProfile(*events, llvm::outs());
  return llvm::Error::success();
}

static llvm::Error timeFunction(Executable &executable, StringRef name,
                                ArrayRef<HostTensor> arguments, unsigned runs,
                                ::sparseconv::Progress &progress) {
  auto seconds = progress.during("timing", [&] {
    return executable.time(name, arguments, /*warmups=*/3, runs);
  });
  if (!seconds)
    return seconds.takeError();
  printTimes(std::move(*seconds), llvm::outs());
  return llvm::Error::success();
}

/// Runs again on the numbers of threads of --check-threads. Returns whether all
/// give the bits of `results`.
static llvm::Expected<bool> checkOnThreads(Executable *executable,
                                           StringRef name,
                                           const Signature &signature,
                                           ArrayRef<HostTensor> arguments,
                                           ArrayRef<HostTensor> results) {
  bool ok = true;
  for (unsigned number : checkThreads) {
    // No other target has the option.
    static_cast<CpuExecutable *>(executable)->setNumThreads(number);
    auto others = executable->run(name, arguments);
    if (!others)
      return others.takeError();
    ok &= compareBits(("on " + Twine(number) + " threads").str(), signature,
                      results, *others, llvm::outs());
  }
  return ok;
}

/// Returns whether the results are those of the reference, where --check asks.
static llvm::Expected<bool> checkResults(ModuleOp module, StringRef name,
                                         const Signature &signature,
                                         ArrayRef<HostTensor> arguments,
                                         ArrayRef<HostTensor> results,
                                         ::sparseconv::Progress &progress) {
  if (!check)
    return true;
  auto expected = progress.during("computing the reference", [&] {
    return runReferenceWithBounds(module, name, arguments);
  });
  if (!expected)
    return llvm::createStringError("reference: " +
                                   llvm::toString(expected.takeError()));
  return compareAll(module, signature, results, *expected, llvm::outs());
}

/// The target, or what is wrong with an option that needs no program.
static llvm::Expected<std::optional<Target>> readOptions() {
  if (precision != "rounded" && precision != "exact")
    return llvm::createStringError("--precision is 'rounded' or 'exact'");
  if (exact && !profile.empty())
    return llvm::createStringError(
        "--exact and --profile: a profile has sizes by capacity");
  if (pictureColumn.getNumOccurrences() && picture.empty())
    return llvm::createStringError("--picture-column is for --picture");
  if (!picture.empty() && !StringRef(picture).ends_with_insensitive(".png"))
    return llvm::createStringError("--picture writes a .png file, but found '" +
                                   picture + "'");
  if (llvm::Error error =
          ::sparseconv::checkNumThreads("--num-threads", threads))
    return std::move(error);
  for (unsigned number : checkThreads) {
    if (number == 0)
      return llvm::createStringError("--check-threads takes numbers of at "
                                     "least 1");
    if (llvm::Error error =
            ::sparseconv::checkNumThreads("--check-threads", number))
      return std::move(error);
  }
  auto target = readTarget();
  if (!target)
    return target;
  if (llvm::Error error = checkTargetOptions(*target))
    return std::move(error);
  return target;
}

/// Values for the arguments, and where the options say that they come from.
static llvm::Expected<BoundArguments> bind(const Signature &signature,
                                           ArgumentSources &sources) {
  auto given = argumentOptions.getSources();
  if (!given)
    return given.takeError();
  sources = std::move(*given);
  auto bound = bindArguments(signature, sources);
  if (!bound)
    return bound;
  if (llvm::Error error = argumentOptions.check(*bound, sources))
    return std::move(error);
  // Before anything is compiled.
  if (llvm::Error error = checkArguments(signature, bound->values))
    return std::move(error);
  return bound;
}

static int runTool(int argc, char **argv) {
  registerMLIRContextCLOptions();
  ::sparseconv::parseCommandLine(argc, argv, overview,
                                 {&runCategory, &inputCategory, &scanCategory});
  auto target = readOptions();
  if (!target)
    return fail(target.takeError());
  auto runs = getTimeRuns();
  if (!runs)
    return fail(runs.takeError());

  DialectRegistry registry;
  registerDialects(registry);
  registerBriefDiagnostics(registry);
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  auto program = Program::read(inputFile, sources, context);
  if (!program)
    return fail(program.takeError());
  ModuleOp module = program->module.get();
  if (llvm::Error error = checkOptions(*program, *target))
    return fail(std::move(error));

  auto name = chooseEntry(entry, program->getEntries());
  if (!name)
    return fail(name.takeError());
  auto signature = program->getSignature(*name, context);
  if (!signature)
    return fail(signature.takeError());
  program->keepOnly(*name);
  ArgumentSources argumentSources;
  auto bound = bind(*signature, argumentSources);
  if (!bound)
    return fail(bound.takeError());

  // What is explained would come between.
  ::sparseconv::Progress progress(progressOption.isOn() && !explain);
  ScopedDiagnosticHandler clearsProgress(&context, [&](Diagnostic &) {
    progress.clear();
    return failure();
  });
  auto executable = progress.during(
      (program->plan ? "loading for " : "compiling for ") + targetName,
      [&] { return compile(*program, *target, context); });
  if (!executable)
    return fail(executable.takeError());
  ReferenceOptions referenceOptions;
  referenceOptions.exact = precision == "exact";
  auto results = progress.during("running", [&] {
    return *executable
               ? (*executable)->run(*name, bound->values)
               : runReference(module, *name, bound->values, referenceOptions);
  });
  if (!results)
    return fail(addRowCounts(results.takeError(), *signature, bound->values));

  printResults(*signature, *results);
  if (llvm::Error error = writeResults(outputs, *signature, *results))
    return fail(std::move(error));
  if (!picture.empty())
    if (llvm::Error error =
            drawPicture(*name, *bound, *results, argumentSources))
      return fail(std::move(error));
  if (llvm::Error error =
          profileFunction(executable->get(), module, *name, bound->values))
    return fail(std::move(error));
  if (timeRuns.getNumOccurrences())
    if (llvm::Error error =
            timeFunction(**executable, *name, bound->values, *runs, progress))
      return fail(std::move(error));
  auto sameBits = checkOnThreads(executable->get(), *name, *signature,
                                 bound->values, *results);
  auto isRight = checkResults(module, *name, *signature, bound->values,
                              *results, progress);
  if (!sameBits || !isRight)
    return fail(joinErrors(sameBits.takeError(), isRight.takeError()));
  return !(*sameBits && *isRight);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  return ::sparseconv::finishOutput("sparseconv-run", runTool(argc, argv));
}
