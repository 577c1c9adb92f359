//===- RunOptions.cpp - the command line of sparseconv-run ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunOptions.h"
#include "sparseconv/Execution/CudaExecutable.h"
#include "sparseconv/Tools/CommandLine.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;
namespace cl = llvm::cl;

/// Of --rest.
static constexpr unsigned kMostRest = 1000;

RunOptions::RunOptions()
    : inputFile(cl::Positional, cl::Required, cl::desc("FILE"),
                cl::cat(runCategory)),
      targetName(
          "target",
          cl::desc("what runs the function: 'cpu' (default; compiled for "
                   "this machine), 'cpu:LEVEL' (sse2, avx2, avx512), 'cuda' "
                   "(compiled for the GPU that is there), 'cuda:CHIP' "
                   "(sm_80, ...), 'reference' (the interpreter, in "
                   "float64)"),
          cl::init("cpu"), cl::value_desc("name"), cl::cat(runCategory)),
      entry("entry",
            cl::desc("function to call (the only public "
                     "one, or 'main')"),
            cl::value_desc("name"), cl::cat(runCategory)),
      threads("num-threads", cl::desc("threads of the CPU target (0: all)"),
              cl::init(0), cl::cat(runCategory)),
      streams(
          "streams",
          cl::desc("CUDA streams over which a GPU target may spread kernels "
                   "that do not depend on each other (default 4)"),
          cl::init(kDefaultStreams), cl::cat(runCategory)),
      exact("exact",
            cl::desc("let a GPU target count the rows of sets first, and then "
                     "take memory for these alone"),
            cl::cat(runCategory)),
      allowKernels(
          "allow-kernel-operations",
          cl::desc("take operations of the kernel level, whose operands nobody "
                   "checks; only for IR that you trust"),
          cl::cat(runCategory)),
      precision("precision",
                cl::desc("how the reference rounds: 'rounded' (default) to the "
                         "types that are stored, 'exact' never"),
                cl::init("rounded"), cl::cat(runCategory)),
      check("check", cl::desc("compare every result with the reference"),
            cl::cat(runCategory)),
      checkThreads(
          "check-threads", cl::CommaSeparated,
          cl::desc("run again on each of these numbers of threads, and "
                   "compare the bits"),
          cl::value_desc("1,..."), cl::cat(runCategory)),
      timeRuns(
          "time", cl::ValueOptional,
          cl::desc("time the function (default 10 runs after 3 to warm up)"),
          cl::value_desc("runs"), cl::cat(runCategory)),
      rest("rest",
           cl::desc("with --time: rest so many times as long as each run "
                    "took (default 0)"),
           cl::init(0), cl::value_desc("times"), cl::cat(runCategory)),
      profile("profile",
              cl::desc("write when each kernel ran, for ui.perfetto.dev, and "
                       "print a table"),
              cl::value_desc("FILE.json"), cl::cat(runCategory)),
      tuningDatabase(
          "tuning-database",
          cl::desc("measured choices, as sparseconv-tune writes them; "
                   "'none', or 'default': those of the project"),
          cl::init("default"), cl::value_desc("FILE.json"),
          cl::cat(runCategory)),
      explain("explain",
              cl::desc("print what is chosen for each layer, "
                       "and why"),
              cl::cat(runCategory)),
      quiet("quiet", cl::desc("print no summary"), cl::cat(runCategory)),
      progress(runCategory), arguments(inputCategory, scanCategory),
      outputs(
          "output",
          cl::desc("write a result: [name=]FILE.npy; without a name, in order"),
          cl::value_desc("where"), cl::cat(inputCategory)),
      print("print",
            cl::desc("print the elements of every result, one "
                     "line for each row"),
            cl::cat(inputCategory)),
      picture("picture", cl::desc("draw the voxels of the result"),
              cl::value_desc("FILE.png"), cl::cat(inputCategory)),
      pictureColumn("picture-column",
                    cl::desc("column that colours the picture "
                             "(-1: the largest of each row)"),
                    cl::init(-1), cl::cat(inputCategory)) {}

llvm::Error RunOptions::checkTarget(const std::optional<Target> &target) const {
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

llvm::Error RunOptions::checkValues() const {
  if (rest.getNumOccurrences() && !timeRuns.getNumOccurrences())
    return llvm::createStringError("--rest is for --time");
  if (rest > kMostRest)
    return llvm::createStringError("--rest=" + Twine(rest.getValue()) +
                                   ": expected at most " + Twine(kMostRest) +
                                   " times");
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
    return error;
  for (unsigned number : checkThreads) {
    if (number == 0)
      return llvm::createStringError("--check-threads takes numbers of at "
                                     "least 1");
    if (llvm::Error error =
            ::sparseconv::checkNumThreads("--check-threads", number))
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<std::optional<Target>> RunOptions::readTarget() const {
  if (llvm::Error error = checkValues())
    return std::move(error);
  std::optional<Target> target;
  if (targetName != "reference") {
    llvm::Expected<Target> named = parseTarget(targetName);
    if (!named)
      return llvm::createStringError(
          "--target: " + llvm::toString(named.takeError()) +
          "; or 'reference'");
    target = *named;
  }
  if (llvm::Error error = checkTarget(target))
    return std::move(error);
  return target;
}

llvm::Expected<std::optional<Timing>> RunOptions::getTiming() const {
  if (!timeRuns.getNumOccurrences())
    return std::nullopt;
  Timing timing;
  timing.rest = rest;
  if (!timeRuns.empty() &&
      (StringRef(timeRuns).getAsInteger(10, timing.repeats) ||
       timing.repeats == 0))
    return llvm::createStringError(
        "--time takes a number of runs, but found '" + timeRuns + "'");
  return timing;
}

llvm::Error RunOptions::checkFor(const Program &program,
                                 const std::optional<Target> &target) const {
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
