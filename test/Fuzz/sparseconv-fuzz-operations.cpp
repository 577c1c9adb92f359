//===- sparseconv-fuzz-operations.cpp - random networks, checked ----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles random networks for the CPU and compares each with the reference.
// Stops at the first that differs, prints it and aborts. Network i of a run has
// the seed `seed + i`, so `-runs=1 -seed=S` makes it again. As a libFuzzer
// program it takes the first choices from the bytes it is given.
//
//===----------------------------------------------------------------------===//

#include "RandomNetwork.h"
#include "mlir/IR/MLIRContext.h"
#include "sparseconv/IO/Npy.h"
#include "sparseconv/Pipelines/Registration.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <chrono>

using namespace mlir;
using namespace mlir::sparseconv;
using namespace mlir::sparseconv::fuzz;

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

/// Writes the network and its arguments where `sparseconv-run` can read them.
static void save(RandomNetwork &network, StringRef prefix) {
  std::error_code code;
  llvm::raw_fd_ostream os((prefix + ".mlir").str(), code);
  network.module->print(os);
  for (auto [i, argument] : llvm::enumerate(network.arguments))
    if (llvm::Error error = ::sparseconv::writeNpy(
            (prefix + "." + Twine(i) + ".npy").str(), argument))
      llvm::errs() << llvm::toString(std::move(error)) << '\n';
}

/// Whether both ended with the same run-time error; aborts where they differ.
static bool checkOne(ArrayRef<uint8_t> bytes, uint64_t seed,
                     StringRef savePrefix = "") {
  RandomNetwork network = createRandomNetwork(getContext(), bytes, seed);
  if (network.module && !savePrefix.empty())
    save(network, savePrefix);
  bool failed = false;
  std::string difference = network.module
                               ? checkNetwork(network, failed)
                               : "the generator made a wrong network";
  if (difference.empty())
    return failed;
  if (network.module)
    network.module->print(llvm::errs());
  llvm::errs() << "seed " << seed << ": " << difference << '\n';
  abort();
}

#ifdef SPARSECONV_LIBFUZZER

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ArrayRef<uint8_t> bytes(data, size);
  checkOne(bytes, llvm::xxh3_64bits(bytes));
  return 0;
}

#else

static llvm::cl::opt<unsigned> runs("runs", llvm::cl::desc("networks to check"),
                                    llvm::cl::init(100));
static llvm::cl::opt<uint64_t>
    seed("seed", llvm::cl::desc("of the first network"), llvm::cl::init(1));
static llvm::cl::opt<unsigned>
    maxTime("max_total_time", llvm::cl::desc("seconds after which to end"),
            llvm::cl::init(0));
static llvm::cl::opt<std::string>
    savePrefix("save",
               llvm::cl::desc("write each network to PREFIX.mlir, and "
                              "its arguments beside it"),
               llvm::cl::value_desc("PREFIX"));
static llvm::cl::opt<bool> verbose("verbose",
                                   llvm::cl::desc("name each seed first"));

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(
      argc, argv, "random networks, compiled and compared with the reference");
  auto start = std::chrono::steady_clock::now();
  auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  };
  unsigned done = 0, failed = 0;
  for (; done < runs && (!maxTime || elapsed() < maxTime); ++done) {
    if (verbose)
      llvm::errs() << "seed " << seed + done << '\n';
    failed += checkOne({}, seed + done, savePrefix);
  }
  llvm::outs() << done << " networks agree with the reference, " << failed
               << " of them in their run-time error\n";
  return done == 0;
}

#endif
