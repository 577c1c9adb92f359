//===- sparseconv-sweep.cpp - scan a made-up street -----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the scan of a made-up street, for tests and demonstrations that need
// a LiDAR sweep and may not ship a recorded one.
//
//===----------------------------------------------------------------------===//

#include "sparseconv/IO/SyntheticSweep.h"
#include "sparseconv/Tools/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sparseconv;

namespace {
/// Registered when the tool starts, as it may share a program with others.
struct Options {
  cl::OptionCategory category{"Options"};
  cl::opt<std::string> outputPath{
      "o",
      cl::desc("The .bin file to write (f32 rows of x, y, z, intensity, as "
               "KITTI has them)"),
      cl::value_desc("file"), cl::cat(category)};
  cl::alias outputAlias{"output", cl::desc("the same as -o"),
                        cl::aliasopt(outputPath), cl::cat(category)};
  cl::opt<uint64_t> seed{
      "seed", cl::desc("chooses the street and the noise (default 1)"),
      cl::init(SweepOptions().seed), cl::cat(category)};
  cl::opt<unsigned> beams{"beams",
                          cl::desc("lasers, one above the other (default 64)"),
                          cl::init(SweepOptions().beams), cl::cat(category)};
  cl::opt<unsigned> azimuths{
      "azimuths", cl::desc("shots of each laser in a turn (default 2000)"),
      cl::init(SweepOptions().azimuths), cl::cat(category)};
};
} // namespace

static Error run(const Options &given) {
  if (given.outputPath.empty())
    return createStringError("-o FILE is missing, the .bin file to write");
  if (getScanFormat(given.outputPath).value_or(ScanFormat::Bin) !=
      ScanFormat::Bin)
    return createStringError("'" + given.outputPath +
                             "' is no name for the .bin file to write");
  SweepOptions options;
  options.seed = given.seed;
  options.beams = given.beams;
  options.azimuths = given.azimuths;
  Expected<Scan> scan = makeSyntheticSweep(options);
  if (!scan)
    return scan.takeError();
  if (Error error = writeBinScan(given.outputPath, *scan))
    return error;
  outs() << given.outputPath << ": " << scan->getNumPoints() << " points\n";
  return Error::success();
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  Options options;
  parseCommandLine(
      argc, argv,
      "writes the scan of a made-up street\n\n"
      "Example: a sweep of the size of a KITTI one, and another street\n\n"
      "  sparseconv-sweep -o street.bin\n"
      "  sparseconv-sweep --seed=7 --beams=32 --azimuths=1000 -o other.bin\n\n"
      "One seed gives the same file on every machine.\n",
      &options.category);
  if (Error error = run(options)) {
    WithColor::error(errs(), "sparseconv-sweep")
        << toString(std::move(error)) << "\n";
    return 1;
  }
  return finishOutput("sparseconv-sweep", 0);
}
