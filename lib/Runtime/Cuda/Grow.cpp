//===- Grow.cpp - capacities that grow from run to run --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bound of a set that others were made from several times over is far above
// what most inputs need. Its memory starts small, kernels report how many rows
// they would have written, and a run that had too little memory is repeated. A
// set that was too large counts as empty, so that those made from it show what
// they need in the next run only.
//
//===----------------------------------------------------------------------===//

#include "Instance.h"
#include <algorithm>

using namespace sparseconv;
using namespace sparseconv::cuda;
using std::to_string;

/// The next scene may need a little more than this one.
static int64_t addSlack(int64_t rows) { return rows + rows / 4; }

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

void Instance::describe(sparseconv_instance_info &info) const {
  std::lock_guard<std::mutex> lock(mutex);
  int32_t tells = reports | (isExact() ? SPARSECONV_REPORTS_SIZES : 0);
  info = {uint64_t(layout.arenaBytes) + restBytes,
          uint64_t(layout.scratchBytes),
          int64_t(function.steps.size()),
          int32_t(function.numStreams),
          tells,
          int64_t(function.growables.size())};
}

Error Instance::describeGrowable(int64_t index,
                                 sparseconv_growable_info &info) const {
  std::lock_guard<std::mutex> lock(mutex);
  if (index < 0 || index >= int64_t(function.growables.size()))
    return invalidArgument(function.describe() + " has no growable capacity " +
                           to_string(index));
  const plan::Op &op = function.ops[function.growables[index].op];
  const plan::GrowableSizes &sizes = layout.growables[index];
  info = {op.name.c_str(), op.location.c_str(), sizes.capacity, sizes.bound};
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Growing
//===----------------------------------------------------------------------===//

/// Gives back all memory whose size depends on growable capacities.
void Instance::releaseMemory() {
  isPlaced = false;
  resetKnown();
  dropGraphs();
  for (CUdeviceptr &pointer : ownOutputs) {
    context.free(pointer);
    pointer = 0;
  }
  context.free(arena);
  arena = 0;
  releaseRest();
}

Error Instance::waitForRuns() {
  for (Staging &entry : staging) {
    if (!entry.inFlight)
      continue;
    if (Error error = check(waitForEnd(entry), "waiting for an earlier run"))
      return error;
    finishUnread(entry);
  }
  return Error::success();
}

/// Sets memory aside for other capacities. If there is none, the instance stays
/// as it was.
Error Instance::growTo(std::vector<int64_t> wanted) {
  if (Error error = waitForRuns())
    return error;
  std::swap(capacities.growables, wanted);
  Error error = placeMemory();
  if (!error)
    return error;
  std::swap(capacities.growables, wanted);
  // Should there be no memory any more, the next run asks for it again.
  if (Error again = placeMemory())
    releaseMemory();
  return error;
}

/// The growable capacities with which what `record` reports does not happen
/// again; nothing where there are none.
std::vector<int64_t> Instance::getGrown(const StatusRecord &record) const {
  std::vector<int64_t> wanted;
  bool grows = false;
  for (size_t i = 0; i != layout.growables.size(); ++i) {
    const plan::GrowableSizes &sizes = layout.growables[i];
    int64_t &rows = wanted.emplace_back(sizes.capacity);
    if (function.growables[i].op != record.opId ||
        record.upper != sizes.capacity || record.value <= sizes.capacity)
      continue;
    rows = std::min(addSlack(std::min(record.value, sizes.bound)), sizes.bound);
    grows |= rows > sizes.capacity;
  }
  if (!grows || (flags & SPARSECONV_FIXED_CAPACITIES))
    wanted.clear();
  return wanted;
}

/// What becomes of a run that ended with `record`, which is the error
/// `overflow`: SPARSECONV_REPEAT where there is memory for more rows now.
Error Instance::grow(const StatusRecord &record, Error overflow) {
  std::vector<int64_t> wanted = getGrown(record);
  if (wanted.empty())
    return overflow;
  if (Error error = growTo(std::move(wanted)))
    return std::move(error).within(overflow.getText());
  return Error(SPARSECONV_REPEAT, overflow.getText() +
                                      "; there is memory for more now, so it "
                                      "has to run again");
}

Error Instance::reserve(const int64_t *wanted, int64_t numWanted) {
  std::lock_guard<std::mutex> lock(mutex);
  if (numWanted != int64_t(function.growables.size()))
    return invalidArgument(
        function.describe() + " has " + to_string(function.growables.size()) +
        " growable capacities, but " + to_string(numWanted) + " are given");
  std::vector<int64_t> rows;
  bool grows = false;
  for (int64_t i = 0; i != numWanted; ++i) {
    if (wanted[i] < 0)
      return invalidArgument("a capacity is " + to_string(wanted[i]));
    const plan::GrowableSizes &sizes = layout.growables[i];
    rows.push_back(std::max(sizes.capacity, wanted[i]));
    grows |= wanted[i] > sizes.capacity && sizes.capacity < sizes.bound;
  }
  if (!grows)
    return Error::success();
  CurrentContext current(context);
  if (Error error = current.take())
    return error;
  state = State::NotRun;
  return growTo(std::move(rows));
}

/// Calls what waits for one run until memory has not grown. That has an end, as
/// each capacity has a bound.
Error Instance::repeat(const std::function<Error()> &once) {
  Error error = once();
  while (error.getCode() == SPARSECONV_REPEAT)
    error = once();
  return error;
}
