//===- sparseconv-fuzz-operations.cpp - random networks, checked ----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles random networks and compares each with the reference. Stops at the
// first that differs and prints it. Network i of a run has the seed `seed + i`,
// so `-runs=1 -seed=S` makes it again. As a libFuzzer program it takes the
// first choices from the bytes it is given.
//
//===----------------------------------------------------------------------===//

#include "CheckNetwork.h"
#include "RandomNetwork.h"
#include "mlir/IR/MLIRContext.h"
#include "sparseconv/Execution/CompileToPlan.h"
#include "sparseconv/IO/Npy.h"
#include "sparseconv/Pipelines/Registration.h"
#include "sparseconv/Runtime/Plan.h"
#include "sparseconv/Support/TargetInfo.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <chrono>

using namespace mlir;
using namespace mlir::sparseconv;
using namespace mlir::sparseconv::fuzz;
namespace cl = llvm::cl;

/// A context for a number of networks: it keeps every attribute it has seen.
static MLIRContext &getContext() {
  static std::unique_ptr<MLIRContext> context;
  static unsigned uses = 0;
  if (uses++ % 100 == 0) {
    DialectRegistry registry;
    registerDialects(registry);
    context = std::make_unique<MLIRContext>(registry,
                                            MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
  }
  return *context;
}

#ifdef SPARSECONV_LIBFUZZER

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ArrayRef<uint8_t> bytes(data, size);
  RandomNetwork network =
      createRandomNetwork(getContext(), bytes, llvm::xxh3_64bits(bytes));
  if (!network.module)
    abort();
  CheckResult result = NetworkChecker().check(network, CheckOptions());
  if (result.outcome == Outcome::Differs) {
    network.module->print(llvm::errs());
    llvm::errs() << result.text << '\n';
    abort();
  }
  return 0;
}

#else

namespace {
/// Registered when the program starts, as it may share one with others.
struct Options {
  cl::OptionCategory category{"Options"};
  cl::opt<unsigned> runs{"runs", cl::desc("networks to check (default 100)"),
                         cl::init(100), cl::cat(category)};
  cl::opt<uint64_t> seed{"seed",
                         cl::desc("seed of the first network (default 1)"),
                         cl::init(1), cl::cat(category)};
  cl::opt<std::string> target{
      "target", cl::desc("cpu, cpu:LEVEL, cuda or cuda:CHIP (default cpu)"),
      cl::init("cpu"), cl::value_desc("name"), cl::cat(category)};
  cl::opt<unsigned> streams{
      "streams", cl::desc("CUDA streams over which a network may spread"),
      cl::init(kDefaultStreams), cl::cat(category)};
  cl::opt<std::string> type{
      "type", cl::desc("of features: f32, tf32, f16 or bf16 (default: drawn)"),
      cl::cat(category)};
  cl::opt<unsigned> maxTime{"max_total_time",
                            cl::desc("seconds after which to end"), cl::init(0),
                            cl::cat(category)};
  cl::opt<std::string> savePrefix{
      "save",
      cl::desc("write each network to PREFIX.mlir, and its arguments beside "
               "it, and print how sparseconv-run takes them"),
      cl::value_desc("PREFIX"), cl::cat(category)};
  cl::opt<uint64_t> spoil{
      "spoil",
      cl::desc("change a number of this network's results, to see it found"),
      cl::value_desc("seed"), cl::init(0), cl::cat(category)};
  cl::opt<bool> compileOnly{
      "compile-only",
      cl::desc("make plans for the GPU of -target, which needs none"),
      cl::cat(category)};
  cl::opt<bool> verbose{"verbose", cl::desc("say what came of each network"),
                        cl::cat(category)};
};

/// What came of many networks.
struct Tally {
  unsigned networks = 0, errors = 0, skipped = 0;
  unsigned results = 0, uncompared = 0;

  void add(const CheckResult &result) {
    ++networks;
    errors += result.outcome == Outcome::AgreesInError;
    skipped += result.outcome == Outcome::Skipped;
    results += result.numResults;
    uncompared += result.numUncompared;
  }
};
} // namespace

static int fail(const llvm::Twine &message) {
  llvm::outs().flush();
  llvm::errs() << "sparseconv-fuzz-operations: error: " << message << '\n';
  return 1;
}

/// Writes the network and its arguments where `sparseconv-run` can read them.
static llvm::Error save(RandomNetwork &network, StringRef prefix) {
  std::string file = (prefix + ".mlir").str(), command;
  std::error_code code;
  llvm::raw_fd_ostream os(file, code);
  if (code)
    return llvm::createFileError(file, code);
  network.module->print(os);
  command = "sparseconv-run " + file + " --check";
  for (auto [i, argument] : llvm::enumerate(network.arguments)) {
    std::string array = (prefix + "." + Twine(i) + ".npy").str();
    if (llvm::Error error = ::sparseconv::writeNpy(array, argument))
      return error;
    command += " --input=" + array;
  }
  llvm::outs() << command << '\n';
  return llvm::Error::success();
}

static StringRef describe(Outcome outcome) {
  switch (outcome) {
  case Outcome::Agrees:
    return "agrees";
  case Outcome::AgreesInError:
    return "agrees in its run-time error";
  case Outcome::Skipped:
    return "skipped: ";
  case Outcome::Differs:
    return "differs: ";
  }
  llvm_unreachable("an outcome without a name");
}

/// The text of a number, or nothing where it is none of the four.
static std::optional<NumberType> parseType(StringRef name) {
  for (NumberType type :
       {NumberType::F32, NumberType::Tf32, NumberType::F16, NumberType::BF16})
    if (getName(type) == name)
      return type;
  return std::nullopt;
}

static llvm::Expected<CheckOptions> readOptions(const Options &given) {
  llvm::Expected<Target> target = parseTarget(given.target);
  if (!target)
    return llvm::createStringError("-target: " +
                                   llvm::toString(target.takeError()));
  if (given.streams < 1 || given.streams > ::sparseconv::plan::kMaxStreams)
    return llvm::createStringError(
        "-streams=" + llvm::Twine(given.streams) + ": expected 1 to " +
        llvm::Twine(::sparseconv::plan::kMaxStreams));
  CheckOptions options;
  options.onGpu = target->info->isGpu;
  options.chip = StringRef(given.target).split(':').second.str();
  options.streams = given.streams;
  return options;
}

/// Says what was compared. Few networks may be skipped, and few results:
/// otherwise agreement says nothing.
static int report(const Tally &tally) {
  constexpr unsigned maxPercent = 5;
  llvm::outs() << tally.networks - tally.skipped
               << " networks agree with the reference, " << tally.errors
               << " of them in their run-time error; " << tally.skipped
               << " skipped; of " << tally.results << " results "
               << tally.uncompared << " were compared by their shapes alone\n";
  if (tally.skipped * 100 > tally.networks * maxPercent ||
      tally.uncompared * 100 > tally.results * maxPercent)
    return fail("more than " + llvm::Twine(maxPercent) +
                " percent of the networks or of their results were not "
                "compared");
  return tally.networks == 0 ? fail("there was no time for a network") : 0;
}

/// The next network of a run, or nothing where the generator is at fault.
static std::optional<RandomNetwork> makeNetwork(const Options &given,
                                                uint64_t seed) {
  RandomNetwork network =
      createRandomNetwork(getContext(), {}, seed, parseType(given.type));
  if (network.module)
    return network;
  fail("seed " + llvm::Twine(seed) + ": the generator made a wrong network");
  return std::nullopt;
}

static int compileAll(const Options &given) {
  PlanOptions options;
  options.maxStreams = given.streams;
  for (unsigned i = 0; i < given.runs; ++i) {
    std::optional<RandomNetwork> network = makeNetwork(given, given.seed + i);
    if (!network)
      return 1;
    if (failed(compileToPlan(*network->module, given.target, options))) {
      network->module->print(llvm::errs());
      return fail("seed " + llvm::Twine(given.seed + i) + " does not compile");
    }
  }
  llvm::outs() << given.runs << " networks compile for " << given.target
               << '\n';
  return 0;
}

static int run(const Options &given) {
  auto options = readOptions(given);
  if (!options)
    return fail(llvm::toString(options.takeError()));
  if (!parseType(given.type) && !given.type.empty())
    return fail("-type=" + given.type + ": expected f32, tf32, f16 or bf16");
  if (given.compileOnly)
    return compileAll(given);

  NetworkChecker checker;
  Tally tally;
  auto start = std::chrono::steady_clock::now();
  for (unsigned i = 0; i < given.runs; ++i) {
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    if (given.maxTime && elapsed.count() >= given.maxTime)
      break;
    uint64_t seed = given.seed + i;
    std::optional<RandomNetwork> network = makeNetwork(given, seed);
    if (!network)
      return 1;
    if (!given.savePrefix.empty())
      if (llvm::Error error = save(*network, given.savePrefix))
        return fail(llvm::toString(std::move(error)));
    // Whole before it runs: the last line of a crash names its network.
    if (given.verbose) {
      llvm::outs() << "network " << seed << ", " << getName(network->type)
                   << ": ";
      llvm::outs().flush();
    }
    options->spoil = given.spoil.getNumOccurrences() && given.spoil == seed;
    CheckResult result = checker.check(*network, *options);
    if (given.verbose)
      llvm::outs() << describe(result.outcome) << result.text << '\n';
    if (result.outcome == Outcome::Differs) {
      llvm::outs().flush();
      network->module->print(llvm::errs());
      return fail("seed " + llvm::Twine(seed) + ": " + result.text);
    }
    tally.add(result);
  }
  return report(tally);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(
      argc, argv, "random networks, compiled and compared with the reference");
  return run(options);
}

#endif
