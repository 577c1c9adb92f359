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
#include "RunOptions.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Execution/CpuExecutable.h"
#include "sparseconv/Execution/CudaExecutable.h"
#include "sparseconv/IO/Npy.h"
#include "sparseconv/Pipelines/Registration.h"
#include "sparseconv/Reference/Reference.h"
#include "sparseconv/Support/Shorten.h"
#include "sparseconv/Tools/CommandLine.h"
#include "sparseconv/Tools/Progress.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::HostTensor;

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

static void printResults(const RunOptions &given, const Signature &signature,
                         ArrayRef<HostTensor> results) {
  for (auto [parameter, result] : llvm::zip(signature.results, results)) {
    if (!given.quiet)
      printSummary(parameter.name, result, llvm::outs());
    if (given.print)
      printElements(result, llvm::outs());
  }
}

/// The program compiled for the target; null for the reference.
static llvm::Expected<std::unique_ptr<Executable>>
compile(const RunOptions &given, Program &program,
        const std::optional<Target> &target, MLIRContext &context) {
  if (!target)
    return nullptr;
  // A chip that is not named is that of this machine.
  std::string chip = StringRef(given.targetName).split(':').second.str();
  if (!target->info->isGpu) {
    CpuOptions options;
    options.level = chip;
    options.numThreads = given.threads;
    options.instrument = !given.profile.empty();
    options.allowKernels = given.allowKernels;
    options.selection = {given.tuningDatabase, given.explain};
    if (program.plan)
      return CpuExecutable::load(program.file, &context, options);
    return CpuExecutable::compile(*program.module, options);
  }
  CudaOptions options;
  if (given.streams < 1 || given.streams > ::sparseconv::plan::kMaxStreams)
    return llvm::createStringError(
        "--streams=" + Twine(given.streams.getValue()) + ": expected 1 to " +
        Twine(::sparseconv::plan::kMaxStreams));
  options.streams = given.streams;
  options.exact = given.exact;
  options.allowKernels = given.allowKernels;
  options.selection = {given.tuningDatabase, given.explain};
  options.chip = chip;
  if (program.plan)
    return CudaExecutable::load(*program.plan, program.file, &context, options);
  return CudaExecutable::compile(*program.module, options);
}

static llvm::Error drawPicture(const RunOptions &given, StringRef name,
                               const BoundArguments &bound,
                               ArrayRef<HostTensor> results,
                               const ArgumentSources &sources) {
  if (given.picture.empty())
    return llvm::Error::success();
  PictureRequest request;
  request.path = given.picture;
  request.column = given.pictureColumn;
  request.title =
      (llvm::sys::path::filename(given.inputFile) + " @" + name).str();
  const HostTensor *points = nullptr;
  if (bound.pointsArgument >= 0) {
    request.metresPerCell = sources.quantise.voxelSize[0];
    points = &bound.values[bound.pointsArgument];
  }
  if (llvm::Error error = drawResults(results, points, request))
    return error;
  llvm::outs() << "picture: " << given.picture << '\n';
  return llvm::Error::success();
}

/// Does what --profile says. The layers of IR have their work beside their
/// times; a plan does not tell it.
static llvm::Error profileFunction(StringRef path, Executable *executable,
                                   ModuleOp module, StringRef name,
                                   ArrayRef<HostTensor> arguments) {
  if (path.empty())
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
  if (llvm::Error error = writeProfile(path, *events, works))
    return error;
  printProfile(*events, llvm::outs());
  return llvm::Error::success();
}

static llvm::Error timeFunction(Executable *executable, StringRef name,
                                ArrayRef<HostTensor> arguments,
                                const std::optional<Timing> &timing,
                                ::sparseconv::Progress &progress) {
  if (!timing)
    return llvm::Error::success();
  auto seconds = progress.during(
      "timing", [&] { return executable->time(name, arguments, *timing); });
  if (!seconds)
    return seconds.takeError();
  printTimes(std::move(*seconds), llvm::outs());
  return llvm::Error::success();
}

/// Runs again on the numbers of threads of --check-threads. Returns whether all
/// give the bits of `results`.
static llvm::Expected<bool>
checkOnThreads(ArrayRef<unsigned> numbers, Executable *executable,
               StringRef name, const Signature &signature,
               ArrayRef<HostTensor> arguments, ArrayRef<HostTensor> results) {
  bool ok = true;
  for (unsigned number : numbers) {
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

/// Returns whether the results are those of the reference.
static llvm::Expected<bool> checkResults(ModuleOp module, StringRef name,
                                         const Signature &signature,
                                         ArrayRef<HostTensor> arguments,
                                         ArrayRef<HostTensor> results,
                                         ::sparseconv::Progress &progress) {
  auto expected = progress.during("computing the reference", [&] {
    return runReferenceWithBounds(module, name, arguments);
  });
  if (!expected)
    return llvm::createStringError("reference: " +
                                   llvm::toString(expected.takeError()));
  return compareAll(module, signature, results, *expected, llvm::outs());
}

/// Values for the arguments, and where the options say that they come from.
static llvm::Expected<BoundArguments> bind(const ArgumentOptions &options,
                                           const Signature &signature,
                                           ArgumentSources &sources) {
  auto given = options.getSources();
  if (!given)
    return given.takeError();
  sources = std::move(*given);
  auto bound = bindArguments(signature, sources);
  if (!bound)
    return bound;
  if (llvm::Error error = options.check(*bound, sources))
    return std::move(error);
  // Before anything is compiled.
  if (llvm::Error error = checkArguments(signature, bound->values))
    return std::move(error);
  return bound;
}

/// Runs what was compiled, or the reference where there is none.
static llvm::Expected<std::vector<HostTensor>>
run(const RunOptions &given, Executable *executable, ModuleOp module,
    StringRef name, ArrayRef<HostTensor> arguments) {
  if (executable)
    return executable->run(name, arguments);
  ReferenceOptions options;
  options.exact = given.precision == "exact";
  return runReference(module, name, arguments, options);
}

static int runTool(int argc, char **argv) {
  RunOptions given;
  registerMLIRContextCLOptions();
  ::sparseconv::parseCommandLine(
      argc, argv, overview,
      {&given.runCategory, &given.inputCategory, &given.scanCategory});
  auto target = given.readTarget();
  if (!target)
    return fail(target.takeError());
  auto timing = given.getTiming();
  if (!timing)
    return fail(timing.takeError());

  DialectRegistry registry;
  registerDialects(registry);
  registerBriefDiagnostics(registry);
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  auto program = Program::read(given.inputFile, sources, context);
  if (!program)
    return fail(program.takeError());
  ModuleOp module = program->module.get();
  if (llvm::Error error = given.checkFor(*program, *target))
    return fail(std::move(error));

  auto name = chooseEntry(given.entry, program->getEntries());
  if (!name)
    return fail(name.takeError());
  auto signature = program->getSignature(*name, context);
  if (!signature)
    return fail(signature.takeError());
  auto outputs = readOutputs(given.outputs, *signature);
  if (!outputs)
    return fail(outputs.takeError());
  program->keepOnly(*name);
  ArgumentSources argumentSources;
  auto bound = bind(given.arguments, *signature, argumentSources);
  if (!bound)
    return fail(bound.takeError());

  // What is explained would come between.
  ::sparseconv::Progress progress(given.progress.isOn() && !given.explain);
  ScopedDiagnosticHandler clearsProgress(&context, [&](Diagnostic &) {
    progress.clear();
    return failure();
  });
  auto executable = progress.during(
      (program->plan ? "loading for " : "compiling for ") + given.targetName,
      [&] { return compile(given, *program, *target, context); });
  if (!executable)
    return fail(executable.takeError());
  auto results = progress.during("running", [&] {
    return run(given, executable->get(), module, *name, bound->values);
  });
  if (!results)
    return fail(addRowCounts(results.takeError(), *signature, bound->values));

  printResults(given, *signature, *results);
  if (llvm::Error error = writeResults(*outputs, *results))
    return fail(std::move(error));
  if (llvm::Error error =
          drawPicture(given, *name, *bound, *results, argumentSources))
    return fail(std::move(error));
  if (llvm::Error error = profileFunction(given.profile, executable->get(),
                                          module, *name, bound->values))
    return fail(std::move(error));
  if (llvm::Error error = timeFunction(executable->get(), *name, bound->values,
                                       *timing, progress))
    return fail(std::move(error));
  auto sameBits = checkOnThreads(given.checkThreads, executable->get(), *name,
                                 *signature, bound->values, *results);
  auto isRight = given.check ? checkResults(module, *name, *signature,
                                            bound->values, *results, progress)
                             : llvm::Expected<bool>(true);
  if (!sameBits || !isRight)
    return fail(joinErrors(sameBits.takeError(), isRight.takeError()));
  return !(*sameBits && *isRight);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  return ::sparseconv::finishOutput("sparseconv-run", runTool(argc, argv));
}
