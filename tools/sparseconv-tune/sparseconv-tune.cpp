//===- sparseconv-tune.cpp - measures how to carry out a network ----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tuner.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Execution/CpuExecutable.h"
#include "sparseconv/IO/File.h"
#include "sparseconv/Pipelines/ParseNetwork.h"
#include "sparseconv/Pipelines/Registration.h"
#include "sparseconv/Runtime/CudaRuntime.h"
#include "sparseconv/Runtime/Plan.h"
#include "sparseconv/Support/Shorten.h"
#include "sparseconv/Target/Plan/Assemble.h"
#include "sparseconv/Tools/ArgumentOptions.h"
#include "sparseconv/Tools/CommandLine.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/LockFileManager.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::sparseconv;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
namespace cl = llvm::cl;

/// Characters of --note: a line of a database takes some more.
static constexpr size_t kMostNote = 1000;

static const char overview[] =
    R"(measures how to carry out a network on this machine

Examples:
  sparseconv-tune net.mlir --weights net.npz --scan sweep.bin -o tuned.json
      measures searches, dataflows, tilings and row orders on a scan
  sparseconv-run net.mlir --weights net.npz --input sweep.bin \
      --tuning-database=tuned.json --explain
      takes what was fastest, and says what that is
  sparseconv-tune --merge a.json b.json -o c.json
      adds two databases to c.json
)";

namespace {
/// Registered when the tool starts, as it may share a program with others.
struct TuneOptions {
  cl::OptionCategory category{"Tuning"};
  cl::list<std::string> files{cl::Positional, cl::OneOrMore,
                              cl::desc("FILE.mlir | --merge FILE.json..."),
                              cl::cat(category)};
  cl::opt<std::string> output{"o",
                              cl::desc("the database to write; one that is "
                                       "there is added to"),
                              cl::value_desc("FILE.json"), cl::cat(category)};
  cl::opt<bool> merge{"merge", cl::desc("only merge databases"),
                      cl::cat(category)};
  cl::list<std::string> scans{
      "scan", cl::desc("a scan to measure on; several are weighed alike"),
      cl::value_desc("FILE"), cl::cat(category)};
  cl::opt<std::string> target{
      "target",
      cl::desc("'cpu' (default), 'cpu:LEVEL', 'cuda' or 'cuda:CHIP'; without a "
               "chip what this machine has"),
      cl::init("cpu"), cl::value_desc("name"), cl::cat(category)};
  cl::opt<std::string> entry{"entry", cl::desc("function to tune"),
                             cl::value_desc("name"), cl::cat(category)};
  cl::opt<unsigned> jobs{
      "jobs",
      cl::desc("networks that are compiled at a time (default 0: as many as "
               "this machine has cores, up to 8)"),
      cl::init(0), cl::cat(category)};
  cl::opt<std::string> ptxas{
      "ptxas",
      cl::desc("NVIDIA's assembler, for machine code on a GPU (default: ptxas "
               "where it is found, otherwise the driver, one network after "
               "another)"),
      cl::value_desc("program"), cl::cat(category)};
  cl::opt<unsigned> choices{
      "choices",
      cl::desc(
          "the most choices of a class measured in one stage (default 16)"),
      cl::init(16), cl::cat(category)};
  cl::opt<std::string> note{
      "note", cl::desc("words about this run, for the database's provenance"),
      cl::value_desc("text"), cl::cat(category)};
  ::sparseconv::ProgressOption progress{category};
  ArgumentOptions arguments{category, category};
};
} // namespace

static int fail(const llvm::Twine &message) {
  llvm::errs() << "sparseconv-tune: error: " << message << '\n';
  return 1;
}
static int fail(Error error) { return fail(toString(std::move(error))); }

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// The database that is there, which is added to; else an empty one. Nothing is
/// read from where a device or a pipe is.
static Expected<TuningDatabase> readKnown(StringRef path) {
  if (!llvm::sys::fs::is_regular_file(path))
    return TuningDatabase();
  return TuningDatabase::read(path);
}

/// Waits until no other process adds to a database.
static Error takeLock(llvm::LockFileManager &lock, StringRef path) {
  constexpr std::chrono::seconds kLongest(60);
  while (true) {
    Expected<bool> isOurs = lock.tryLock();
    if (!isOurs)
      return createStringError(
          path + ": cannot be written: " + toString(isOurs.takeError()));
    if (*isOurs)
      return Error::success();
    switch (lock.waitForUnlockFor(kLongest)) {
    case llvm::WaitForUnlockResult::Success:
      break;
    case llvm::WaitForUnlockResult::OwnerDied:
      (void)lock.unsafeMaybeUnlock();
      break;
    case llvm::WaitForUnlockResult::Timeout:
      return createStringError(path + ": another process is writing it");
    }
  }
}

/// Adds to the database of a file, with what other processes have added since
/// this one started.
static Error addToDatabase(StringRef path, const TuningDatabase &added) {
  auto write = [&](const TuningDatabase &database) {
    return ::sparseconv::writeFile(path, [&](llvm::raw_ostream &os) {
      database.write(os);
      return Error::success();
    });
  };
  // A device or a pipe has nothing that is added to.
  if (llvm::sys::fs::exists(path) && !llvm::sys::fs::is_regular_file(path))
    return write(added);
  llvm::LockFileManager lock(path);
  if (Error error = takeLock(lock, path))
    return error;
  Expected<TuningDatabase> database = readKnown(path);
  if (!database)
    return database.takeError();
  database->merge(added);
  return write(*database);
}

static Error mergeFiles(const TuneOptions &options) {
  TuningDatabase merged;
  for (const std::string &path : options.files) {
    Expected<TuningDatabase> database = TuningDatabase::read(path);
    if (!database)
      return database.takeError();
    merged.merge(*database);
  }
  return addToDatabase(options.output, merged);
}

/// An error where a database cannot be read, or not be written later.
static Error checkOutput(StringRef path) {
  Expected<TuningDatabase> known = readKnown(path);
  if (!known)
    return known.takeError();
  StringRef folder = llvm::sys::path::parent_path(path);
  if (folder.empty())
    folder = ".";
  if (!llvm::sys::fs::is_directory(folder))
    return createStringError("-o: '" + folder + "' is no folder");
  if (std::error_code error =
          llvm::sys::fs::access(folder, llvm::sys::fs::AccessMode::Write))
    return createStringError("-o: nothing can be written to '" + folder +
                             "': " + error.message());
  return Error::success();
}

/// An error for an option that says nothing to --merge.
static Error checkMergeOptions(const TuneOptions &options) {
  for (const cl::Option &option :
       std::initializer_list<std::reference_wrapper<const cl::Option>>{
           options.scans, options.target, options.entry, options.jobs,
           options.ptxas, options.choices, options.note})
    if (option.getNumOccurrences())
      return createStringError("--merge measures nothing, and takes no --" +
                               option.ArgStr);
  return Error::success();
}

namespace {
/// What is tuned for, and what measures it.
struct TargetHere {
  /// "cuda:sm_90a".
  std::string target;
  /// "NVIDIA H200".
  std::string device;
};
} // namespace

/// What `text` names, with the chip of this machine where it names none.
static Expected<TargetHere> findTargetHere(StringRef text) {
  Expected<Target> target = parseTarget(text);
  if (!target)
    return target.takeError();
  bool isNamed = text.contains(':');
  if (!target->info->isGpu)
    return TargetHere{isNamed ? text.str() : ("cpu:" + getNativeLevel()).str(),
                      llvm::sys::getHostCPUName().str()};
  sparseconv_context *context = nullptr;
  if (sparseconv_context_create(0, &context) != SPARSECONV_OK)
    return createStringError(std::string(sparseconv_last_error()));
  std::string chip = sparseconv_context_chip(context);
  TargetHere here{isNamed ? text.str() : "cuda:" + chip,
                  sparseconv_context_device_name(context)};
  sparseconv_context_destroy(context);
  return here;
}

/// "2026-11-25, cuda:sm_90a on NVIDIA H200: net.mlir with sweep.bin".
static std::string describeRun(const TargetHere &here,
                               const TuneOptions &options) {
  constexpr size_t kMostName = 60;
  auto getName = [](const std::string &path) {
    return ::sparseconv::shorten(llvm::sys::path::filename(path), kMostName);
  };
  std::string line = llvm::formatv(
      "{0:%Y-%m-%d}, {1} on {2}: {3}", std::chrono::system_clock::now(),
      here.target, here.device, getName(options.files.front()));
  if (!options.scans.empty())
    line += " with " + ::sparseconv::joinShort(
                           llvm::map_range(options.scans, getName), ", ");
  if (!options.note.empty())
    line += "; " + options.note;
  return line;
}

/// The assembler that is named, or the usual one where it is there.
static Expected<std::string> findAssemblerHere(const TuneOptions &options) {
  if (!options.ptxas.empty())
    return findAssembler(options.ptxas);
  Expected<std::string> found = findAssembler();
  if (found)
    return found;
  llvm::consumeError(found.takeError());
  return std::string();
}

/// The arguments for each scan, or for what --input says alone.
static Expected<std::vector<Scene>> bindScenes(const Signature &signature,
                                               const TuneOptions &options) {
  auto sources = options.arguments.getSources();
  if (!sources)
    return sources.takeError();
  std::vector<std::string> scans(options.scans.begin(), options.scans.end());
  if (scans.empty())
    scans.emplace_back();
  std::vector<Scene> scenes;
  for (const std::string &scan : scans) {
    ArgumentSources all = *sources;
    if (!scan.empty())
      all.inputs.insert(all.inputs.begin(), scan);
    auto bound = bindArguments(signature, all);
    if (!bound)
      return bound.takeError();
    if (Error error = options.arguments.check(*bound, all))
      return std::move(error);
    Scene scene;
    scene.name =
        scan.empty() ? "inputs" : llvm::sys::path::filename(scan).str();
    if (llvm::any_of(scenes, [&](const Scene &other) {
          return other.name == scene.name;
        }))
      return createStringError("two scans have the name '" + scene.name + "'");
    scene.arguments = std::move(bound->values);
    scenes.push_back(std::move(scene));
  }
  return scenes;
}

/// The error that sums in another order may have in a whole network, relative
/// to the largest result: 32 roundings of the coarsest type, and in f32, whose
/// products are added up in f32, more.
static double getTolerance(ModuleOp module) {
  double tolerance = 0x1p-14;
  module.walk([&](ImplicitGemmOpInterface op) {
    Type element = op.getFeatures().getType().getElementType();
    if (element.isBF16())
      tolerance = std::max(tolerance, 0x1p-3);
    else if (element.isF16() || op.getAllowTf32())
      tolerance = std::max(tolerance, 0x1p-6);
  });
  return tolerance;
}

/// Adds what is measured to the database after each stage.
static Error tune(ModuleOp module, const TuneOptions &options) {
  SmallVector<StringRef> entries;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && function.isPublic())
      entries.push_back(function.getName());
  auto entry = chooseEntry(options.entry, entries);
  if (!entry)
    return entry.takeError();
  auto signature = getSignature(module, *entry);
  if (!signature)
    return signature.takeError();
  auto assembler = findAssemblerHere(options);
  if (!assembler)
    return assembler.takeError();
  auto target = findTargetHere(options.target);
  if (!target)
    return target.takeError();
  auto scenes = bindScenes(*signature, options);
  if (!scenes)
    return scenes.takeError();
  auto network = TunedNetwork::prepare(module, *entry, target->target);
  if (failed(network))
    return createStringError("the network could not be prepared");
  network->setAssembler(std::move(*assembler));
  TunerOptions tuning;
  tuning.entry = *entry;
  tuning.target = target->target;
  constexpr unsigned kMostJobs = 8;
  tuning.jobs = options.jobs;
  if (!options.jobs)
    tuning.jobs = std::min(kMostJobs,
                           llvm::hardware_concurrency().compute_thread_count());
  tuning.maxChoices = options.choices;
  tuning.tolerance = getTolerance(module);
  tuning.save = [&](const TuningDatabase &measured) {
    TuningDatabase database = measured;
    database.addProvenance(describeRun(*target, options));
    return addToDatabase(options.output, database);
  };
  ::sparseconv::Progress progress(options.progress.isOn());
  return Tuner(*network, std::move(*scenes), std::move(tuning), progress)
      .tune();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  TuneOptions options;
  ::sparseconv::parseCommandLine(argc, argv, overview, &options.category);
  if (options.output.empty())
    return fail("-o FILE.json is missing, the database to write");
  if (options.note.size() > kMostNote)
    return fail("--note takes at most " + llvm::Twine(kMostNote) +
                " characters");
  if (options.merge) {
    if (Error error = checkMergeOptions(options))
      return fail(std::move(error));
    if (Error error = mergeFiles(options))
      return fail(std::move(error));
    return 0;
  }
  if (options.files.size() != 1)
    return fail("expected one network; --merge takes several databases");
  // What is wrong with it is said before anything is measured, and so is a
  // place where nothing can be written.
  if (Error error = checkOutput(options.output))
    return fail(std::move(error));
  DialectRegistry registry;
  registerDialects(registry);
  registerBriefDiagnostics(registry);
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  auto file = ::sparseconv::readFile(options.files.front());
  if (!file)
    return fail(file.takeError());
  if (::sparseconv::plan::isPlan((*file)->getBuffer()))
    return fail(options.files.front() +
                ": is a plan, and compiled already; give "
                "the network that it was made of");
  sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
  auto module = mlir::sparseconv::parseNetwork(sources, context);
  if (!module)
    return fail("'" + options.files.front() + "' is no valid module");
  if (Error error = tune(*module, options))
    return fail(std::move(error));
  return ::sparseconv::finishOutput("sparseconv-tune", 0);
}
