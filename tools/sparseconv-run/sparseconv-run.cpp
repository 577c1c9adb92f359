//===- sparseconv-run.cpp - compiles and runs an IR file ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Comparison.h"
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
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include <cmath>

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

namespace {
/// What --target says: "cuda" may name a chip.
enum class Target { Cpu, Cuda, Reference };
} // namespace

static cl::opt<std::string> inputFile(cl::Positional, cl::Required,
                                      cl::desc("FILE.mlir"),
                                      cl::cat(runCategory));
static cl::opt<std::string>
    targetName("target",
               cl::desc("what runs the function: 'cpu' (compiled for this "
                        "machine), 'cuda' (compiled for a GPU), 'cuda:CHIP' "
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
                     "that do not depend on each other"),
            cl::init(kDefaultStreams), cl::cat(runCategory));
static cl::opt<CpuLevel> cpuLevel(
    "cpu-level", cl::desc("instructions that the CPU target may use"),
    cl::values(clEnumValN(CpuLevel::Native, "native", "all this machine has"),
               clEnumValN(CpuLevel::SSE2, "sse2", "x86-64"),
               clEnumValN(CpuLevel::AVX2, "avx2", "x86-64-v3"),
               clEnumValN(CpuLevel::AVX512, "avx512", "x86-64-v4")),
    cl::init(CpuLevel::Native), cl::cat(runCategory));
static cl::opt<std::string>
    precision("precision",
              cl::desc("of the reference: 'rounded' stores as the types say, "
                       "'exact' never rounds"),
              cl::init("rounded"), cl::cat(runCategory));
static cl::opt<bool> check("check",
                           cl::desc("compare every result with the reference"),
                           cl::cat(runCategory));
static cl::opt<std::string>
    timeRuns("time", cl::ValueOptional,
             cl::desc("time the function (default 10 runs after 3 to warm up)"),
             cl::value_desc("runs"), cl::cat(runCategory));
static cl::opt<std::string>
    profile("profile",
            cl::desc("write when each kernel ran, for ui.perfetto.dev, and "
                     "print a table"),
            cl::value_desc("FILE.json"), cl::cat(runCategory));
static cl::opt<bool> quiet("quiet", cl::desc("no summary"),
                           cl::cat(runCategory));

static cl::list<std::string>
    inputs("input",
           cl::desc("[name=]FILE.npy | scan file | name=const:V[:ROWS] | "
                    "name=random[:ROWS]; without a name, in order"),
           cl::value_desc("what"), cl::cat(inputCategory));
static cl::opt<std::string>
    weights("weights", cl::desc("binds the entries of a file by name"),
            cl::value_desc("FILE.npz|FILE.safetensors"),
            cl::cat(inputCategory));
static cl::opt<uint64_t> seed("seed", cl::desc("of random values"), cl::init(0),
                              cl::cat(inputCategory));
static cl::list<std::string>
    outputs("output",
            cl::desc("[name=]FILE.npy; without a name, results in order"),
            cl::value_desc("where"), cl::cat(inputCategory));
static cl::opt<std::string> picture("picture",
                                    cl::desc("draw the voxels of the result"),
                                    cl::value_desc("FILE.png"),
                                    cl::cat(inputCategory));
static cl::opt<int> pictureColumn("picture-column",
                                  cl::desc("column that colours the picture "
                                           "(-1: the largest of each row)"),
                                  cl::init(-1), cl::cat(inputCategory));

static cl::opt<unsigned> binColumns("bin-columns",
                                    cl::desc("floats in a row of a .bin scan: "
                                             "4 (KITTI), 5 (nuScenes)"),
                                    cl::init(4), cl::cat(scanCategory));
static cl::list<double> voxelSize("voxel-size",
                                  cl::desc("metres, one number or one an axis "
                                           "(default 0.05)"),
                                  cl::CommaSeparated, cl::cat(scanCategory));
static cl::list<double>
    range("range",
          cl::desc("xmin,ymin,zmin,xmax,ymax,zmax in metres; points outside "
                   "are dropped"),
          cl::CommaSeparated, cl::cat(scanCategory));
static cl::list<std::string> featureColumns(
    "features",
    cl::desc("feature columns of a scan, such as x,y,z,intensity "
             "(default: as many as the argument has)"),
    cl::CommaSeparated, cl::cat(scanCategory));

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

/// Fills `axes` from one number or three.
static bool spread(ArrayRef<double> numbers, std::array<double, 3> &axes) {
  if (numbers.size() != 1 && numbers.size() != 3)
    return false;
  for (unsigned axis = 0; axis < 3; ++axis)
    axes[axis] = numbers[numbers.size() == 1 ? 0 : axis];
  return true;
}

static std::optional<Target> parseTarget(StringRef name) {
  auto [kind, chip] = name.split(':');
  if (kind == "cuda" && (chip.empty() == (kind == name)))
    return Target::Cuda;
  return llvm::StringSwitch<std::optional<Target>>(name)
      .Case("cpu", Target::Cpu)
      .Case("reference", Target::Reference)
      .Default(std::nullopt);
}

static llvm::Expected<ArgumentSources> getSources() {
  ArgumentSources sources;
  sources.weights = weights;
  sources.inputs.assign(inputs.begin(), inputs.end());
  sources.seed = seed;
  sources.scan.binColumns = binColumns;
  if (!voxelSize.empty() &&
      !spread(SmallVector<double>(voxelSize.begin(), voxelSize.end()),
              sources.quantise.voxelSize))
    return llvm::createStringError("--voxel-size takes one number or three");
  if (!range.empty()) {
    if (range.size() != 6)
      return llvm::createStringError("--range takes six numbers, but found " +
                                     llvm::Twine(range.size()));
    for (unsigned axis = 0; axis < 3; ++axis) {
      sources.quantise.rangeMin[axis] = range[axis];
      sources.quantise.rangeMax[axis] = range[axis + 3];
    }
  }
  sources.quantise.featureColumns.assign(featureColumns.begin(),
                                         featureColumns.end());
  return sources;
}

/// The function to call: the one asked for, the only public one, or 'main'.
static llvm::Expected<std::string> chooseEntry(Program &program) {
  if (!entry.empty())
    return entry.getValue();
  SmallVector<StringRef> candidates = program.getEntries();
  if (candidates.size() == 1)
    return candidates[0].str();
  if (llvm::is_contained(candidates, "main"))
    return std::string("main");
  if (candidates.empty())
    return llvm::createStringError("the module has no public function");
  return llvm::createStringError("choose a function with --entry: " +
                                 llvm::join(candidates, ", "));
}

static void printSummary(StringRef name, const HostTensor &tensor) {
  llvm::outs() << "result '" << name << "': " << tensor.getTypeString();
  double low = INFINITY, high = -INFINITY, sum = 0;
  for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i) {
    double value = tensor.getDouble(i);
    low = std::fmin(low, value);
    high = std::fmax(high, value);
    sum += value;
  }
  if (int64_t count = tensor.getNumElements())
    llvm::outs() << llvm::format(", min %.6g, mean %.6g, max %.6g", low,
                                 sum / count, high);
  llvm::outs() << '\n';
}

static llvm::Error writeOutputs(const Signature &signature,
                                ArrayRef<HostTensor> results) {
  size_t next = 0;
  for (StringRef output : outputs) {
    size_t number = results.size();
    StringRef path = output;
    if (auto [name, rest] = output.split('='); name.size() != output.size()) {
      for (auto [i, parameter] : llvm::enumerate(signature.results))
        if (parameter.name == name) {
          number = i;
          path = rest;
        }
      // A file name may hold '=' too, but then it has a folder in front.
      if (number == results.size() && !name.contains('/'))
        return llvm::createStringError("--output " + output + ": '" + name +
                                       "' is no result of the function");
    }
    if (path.size() == output.size())
      number = next++;
    if (number >= results.size())
      return llvm::createStringError("--output " + output +
                                     ": the function has " +
                                     llvm::Twine(results.size()) + " results");
    if (llvm::Error error = ::sparseconv::writeNpy(path, results[number]))
      return error;
  }
  return llvm::Error::success();
}

static int checkResults(ModuleOp module, StringRef name,
                        const Signature &signature,
                        ArrayRef<HostTensor> arguments,
                        ArrayRef<HostTensor> results) {
  auto expected = runReferenceWithBounds(module, name, arguments);
  if (!expected)
    return fail("reference: " + llvm::toString(expected.takeError()));
  bool allowsTf32 = false;
  module.walk([&](Operation *op) {
    allowsTf32 |= TypeSwitch<Operation *, bool>(op)
                      .Case<ConvOp, InputGradOp, WeightGradOp>(
                          [](auto conv) { return conv.getAllowTf32(); })
                      .Default(false);
  });
  bool ok = true;
  for (auto [parameter, found, reference] :
       llvm::zip(signature.results, results, *expected))
    ok &= compareWithReference(parameter.name, found, reference, allowsTf32,
                               llvm::outs());
  return ok ? 0 : 1;
}

static int timeFunction(Executable &executable, StringRef name,
                        ArrayRef<HostTensor> arguments) {
  unsigned runs = 10;
  if (!timeRuns.empty() &&
      (StringRef(timeRuns).getAsInteger(10, runs) || runs == 0))
    return fail("--time takes a number of runs, but found '" + timeRuns + "'");
  auto seconds = executable.time(name, arguments, /*warmups=*/3, runs);
  if (!seconds)
    return fail(seconds.takeError());
  llvm::sort(*seconds);
  llvm::outs() << llvm::format(
      "time: median %.3f ms, fastest %.3f ms, slowest %.3f ms of %u runs\n",
      (*seconds)[seconds->size() / 2] * 1e3, seconds->front() * 1e3,
      seconds->back() * 1e3, runs);
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions({&runCategory, &inputCategory, &scanCategory});
  cl::ParseCommandLineOptions(argc, argv, overview);
  if (precision != "rounded" && precision != "exact")
    return fail("--precision is 'rounded' or 'exact'");
  std::optional<Target> target = parseTarget(targetName);
  if (!target)
    return fail("--target is 'cpu', 'cuda', 'cuda:CHIP' or 'reference', but "
                "found '" +
                targetName + "'");

  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  auto program = Program::read(inputFile, sources, context);
  if (!program)
    return fail(program.takeError());
  ModuleOp module = program->module.get();
  if (program->plan && *target != Target::Cuda)
    return fail("a plan runs on a GPU: --target=cuda");
  if (program->plan && check)
    return fail("--check is for IR: a plan does not say what it computes");
  if (program->plan && streams.getNumOccurrences())
    return fail("--streams is for IR: a plan has its streams");

  auto name = chooseEntry(*program);
  if (!name)
    return fail(name.takeError());
  auto signature = program->getSignature(*name, context);
  if (!signature)
    return fail(signature.takeError());
  auto argumentSources = getSources();
  if (!argumentSources)
    return fail(argumentSources.takeError());
  auto bound = bindArguments(*signature, *argumentSources);
  if (!bound)
    return fail(bound.takeError());

  std::unique_ptr<Executable> executable;
  std::vector<HostTensor> results;
  if (*target == Target::Cpu) {
    CpuOptions options;
    options.level = cpuLevel;
    options.numThreads = threads;
    options.instrument = !profile.empty();
    auto compiled = CpuExecutable::compile(module, options);
    if (!compiled)
      return fail(compiled.takeError());
    executable = std::move(*compiled);
  } else if (*target == Target::Cuda) {
    CudaOptions options;
    if (streams < 1 || streams > ::sparseconv::plan::kMaxStreams)
      return fail("--streams=" + Twine(streams.getValue()) +
                  ": expected 1 to " + Twine(::sparseconv::plan::kMaxStreams));
    options.streams = streams;
    options.chip = StringRef(targetName).split(':').second.str();
    auto compiled =
        program->plan ? CudaExecutable::load(*program->plan, &context, options)
                      : CudaExecutable::compile(module, options);
    if (!compiled)
      return fail(compiled.takeError());
    executable = std::move(*compiled);
  }
  ReferenceOptions referenceOptions;
  referenceOptions.exact = precision == "exact";
  auto run = executable
                 ? executable->run(*name, bound->values)
                 : runReference(module, *name, bound->values, referenceOptions);
  if (!run)
    return fail(run.takeError());
  results = std::move(*run);

  if (!quiet)
    for (auto [parameter, result] : llvm::zip(signature->results, results))
      printSummary(parameter.name, result);
  if (llvm::Error error = writeOutputs(*signature, results))
    return fail(std::move(error));
  if (!picture.empty()) {
    PictureRequest request;
    request.path = picture;
    request.column = pictureColumn;
    request.title = llvm::sys::path::filename(inputFile).str() + " @" + *name;
    if (bound->pointsArgument >= 0)
      request.metresPerCell = argumentSources->quantise.voxelSize[0];
    const HostTensor *points = bound->pointsArgument >= 0
                                   ? &bound->values[bound->pointsArgument]
                                   : nullptr;
    if (llvm::Error error = drawResults(results, points, request))
      return fail(std::move(error));
    llvm::outs() << "picture: " << picture << '\n';
  }
  if (!profile.empty()) {
    if (!executable)
      return fail("--profile is for --target=cpu and --target=cuda");
    auto events = executable->profile(*name, bound->values, /*warmups=*/2);
    if (!events)
      return fail(events.takeError());
    if (llvm::Error error = writeProfile(profile, *events))
      return fail(std::move(error));
    printProfile(*events, llvm::outs());
  }
  if (executable && timeRuns.getNumOccurrences())
    if (int code = timeFunction(*executable, *name, bound->values))
      return code;
  if (check)
    return checkResults(module, *name, *signature, bound->values, results);
  return 0;
}
