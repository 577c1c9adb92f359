//===- Exact.cpp - runs with exact sizes ----------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps that count run first, in memory for capacities. Then the host reads
// all counts at once, and the other steps get memory and grids of these sizes.
// When the counts are there all earlier runs are done, since runs of an
// instance are in order: their memory may be used again.
//
//===----------------------------------------------------------------------===//

#include "Instance.h"

using namespace sparseconv;
using namespace sparseconv::cuda;

Error Instance::refuseExact(const std::string &what) const {
  return invalidArgument(function.describe() +
                         " runs with exact sizes, which differ from run to "
                         "run; " +
                         what + " needs an instance without SPARSECONV_EXACT");
}

/// Waits for the steps that count. Pinned memory that is in use anyway takes
/// what they have written.
Error Instance::readCounts(CUstream stream, std::vector<int64_t> &counts) {
  int64_t *down = staging[latest].down;
  if (Error error = check(
          driver.cuMemcpyDtoHAsync(down, arena, layout.scalarBytes, stream),
          "reading the counts"))
    return error;
  if (Error error =
          check(driver.cuStreamSynchronize(stream), "waiting for the counts"))
    return error;
  counts.assign(down + kStatusWords,
                down + kStatusWords + function.slots.size());
  return Error::success();
}

void Instance::releaseRest() {
  context.free(restArena);
  restArena = 0;
  restBytes = 0;
  restCounts.clear();
}

/// Sizes, memory and launches of the steps that do not count.
Error Instance::placeRest(std::vector<int64_t> counts) {
  if (restArena && counts == restCounts)
    return Error::success();
  plan::Capacities sizes = capacities;
  sizes.growables.clear();
  for (const plan::GrowableSizes &growable : layout.growables)
    sizes.growables.push_back(growable.capacity);
  sizes.slots = counts;
  std::string reason;
  std::optional<plan::Layout> rest =
      plan::layOut(function, *restSchedule, sizes, reason);
  if (!rest)
    return invalidArgument(reason);
  // Memory that is far too large goes as well.
  auto needed = uint64_t(rest->arenaBytes);
  if (!restArena || needed > restBytes || needed < restBytes / 2) {
    releaseRest();
    if (Error error = context.allocate(
            needed, "the memory of this run of " + function.describe(),
            restArena))
      return error;
    restBytes = needed;
  }
  for (uint32_t b = 0; b != function.buffers.size(); ++b) {
    if (rest->bufferOffsets[b] < 0)
      continue;
    layout.bufferBytes[b] = rest->bufferBytes[b];
    addresses[b] = restArena + rest->bufferOffsets[b];
  }
  for (uint32_t i = 0; i != function.steps.size(); ++i) {
    if (restSchedule->leavesOut(i))
      continue;
    layout.steps[i] = std::move(rest->steps[i]);
    prepareLaunch(i);
  }
  restCounts = std::move(counts);
  return Error::success();
}

/// All steps of a run. What they report is in the status record, after an error
/// in the first part too: sets that failed are empty.
Error Instance::runExact(CUstream stream) {
  if (Error error = issue(schedule, stream))
    return error;
  std::vector<int64_t> counts;
  if (Error error = readCounts(stream, counts))
    return error;
  if (Error error = placeRest(std::move(counts)))
    return error;
  return issue(*restSchedule, stream);
}
