//===- ScheduleSteps.cpp - which steps of a plan may overlap --------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// List scheduling. Steps are taken in the order of the longest path from them
// to the end, and each goes to the stream where it can start first. A step that
// waits for one of another stream starts later than in that stream, so that
// chains stay together and only work that has time to spare moves aside.
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Target/Plan/ScheduleSteps.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace mlir::sparseconv;
using llvm::ArrayRef;
using llvm::SmallVector;

static constexpr uint32_t kNone = ~uint32_t(0);
/// What it takes one stream to learn of the end of a step in another.
static constexpr uint64_t kHandover = 1;

namespace {
class Scheduler {
public:
  Scheduler(ArrayRef<StepTraits> steps, unsigned maxStreams);

  std::vector<ScheduledStep> run();

private:
  void rankSteps();
  void placeSteps();
  void placeStep(uint32_t step);
  std::vector<ScheduledStep> getResult();

  ArrayRef<StepTraits> steps;
  unsigned maxStreams;
  uint32_t numSteps;
  /// Per step, in the order of the program.
  std::vector<SmallVector<uint32_t>> before, after;
  std::vector<uint64_t> costs;
  /// The longest paths: from the beginning of a step to the end of all, and
  /// from the beginning of all to that of the step.
  std::vector<uint64_t> ranks, depths;
  std::vector<uint64_t> starts;
  std::vector<uint32_t> streams;
  /// Per stream: when its last step ends, and which that is.
  SmallVector<uint64_t> ends;
  SmallVector<uint32_t> lasts;
};
} // namespace

Scheduler::Scheduler(ArrayRef<StepTraits> steps, unsigned maxStreams)
    : steps(steps), maxStreams(maxStreams), numSteps(steps.size()),
      before(findDependencies(steps)), after(numSteps), ranks(numSteps),
      depths(numSteps), starts(numSteps), streams(numSteps),
      ends(maxStreams, 0), lasts(maxStreams, kNone) {
  for (const StepTraits &step : steps)
    costs.push_back(std::max(step.cost, 1u));
  for (uint32_t i = 0; i != numSteps; ++i)
    for (uint32_t other : before[i])
      after[other].push_back(i);
}

std::vector<SmallVector<uint32_t>>
mlir::sparseconv::findDependencies(ArrayRef<StepTraits> steps) {
  struct Uses {
    uint32_t writer = kNone;
    SmallVector<uint32_t> readers; ///< of what `writer` wrote
  };
  std::vector<SmallVector<uint32_t>> before(steps.size());
  llvm::DenseMap<uint32_t, Uses> uses;
  for (uint32_t i = 0; i != steps.size(); ++i) {
    for (auto [memory, access] : steps[i].accesses) {
      if (!access.reads && !access.writes)
        continue;
      Uses &use = uses[memory];
      if (use.writer != kNone)
        before[i].push_back(use.writer);
      if (!access.writes) {
        use.readers.push_back(i);
        continue;
      }
      before[i].append(use.readers);
      use.writer = i;
      use.readers.clear();
    }
    llvm::sort(before[i]);
    before[i].erase(llvm::unique(before[i]), before[i].end());
  }
  return before;
}

void Scheduler::rankSteps() {
  for (uint32_t i = 0; i != numSteps; ++i)
    for (uint32_t other : before[i])
      depths[i] = std::max(depths[i], depths[other] + costs[other]);
  for (uint32_t i = numSteps; i-- != 0;) {
    ranks[i] = costs[i];
    for (uint32_t other : after[i])
      ranks[i] = std::max(ranks[i], costs[i] + ranks[other]);
  }
}

void Scheduler::placeStep(uint32_t step) {
  uint32_t best = 0;
  uint64_t bestStart = ~uint64_t(0);
  bool bestContinues = false;
  for (uint32_t s = 0; s != maxStreams; ++s) {
    uint64_t start = ends[s];
    for (uint32_t other : before[step])
      start = std::max(start, starts[other] + costs[other] +
                                  (streams[other] == s ? 0 : kHandover));
    bool continues = llvm::is_contained(before[step], lasts[s]);
    if (start < bestStart ||
        (start == bestStart && continues && !bestContinues)) {
      best = s;
      bestStart = start;
      bestContinues = continues;
    }
  }
  streams[step] = best;
  starts[step] = bestStart;
  ends[best] = bestStart + costs[step];
  lasts[best] = step;
}

void Scheduler::placeSteps() {
  // A step ranks above all that come after it. Of equals, the one with the
  // longer path to it has less time to spare.
  std::vector<uint32_t> order(numSteps);
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](uint32_t a, uint32_t b) {
    return std::tuple(ranks[b], depths[b], a) <
           std::tuple(ranks[a], depths[a], b);
  });
  for (uint32_t step : order)
    placeStep(step);
}

std::vector<ScheduledStep> Scheduler::getResult() {
  std::vector<uint32_t> order(numSteps), position(numSteps);
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](uint32_t a, uint32_t b) {
    return std::tuple(starts[a], ranks[b], a) <
           std::tuple(starts[b], ranks[a], b);
  });
  for (auto [place, step] : llvm::enumerate(order))
    position[step] = place;

  std::vector<ScheduledStep> result;
  SmallVector<uint32_t> number(maxStreams, kNone);
  // By stream, the last place of a step that counts, and of another.
  std::vector<uint32_t> last(maxStreams, kNone), lastCount(maxStreams, kNone);
  // By place: the places that are done when it is. Where steps that count run
  // ahead of the rest, these wait for none of the others.
  std::vector<llvm::BitVector> done;
  uint32_t numStreams = 0;
  for (auto [place, step] : llvm::enumerate(order)) {
    uint32_t &stream = number[streams[step]];
    if (stream == kNone)
      stream = numStreams++;
    ScheduledStep &placed = result.emplace_back();
    placed.step = step;
    placed.stream = stream;
    llvm::BitVector inherited(numSteps);
    if (lastCount[stream] != kNone)
      inherited |= done[lastCount[stream]];
    if (last[stream] != kNone && !steps[step].counts)
      inherited |= done[last[stream]];
    llvm::BitVector known = inherited;
    auto wait = [&](uint32_t other) {
      if (steps[order[other]].prepares)
        known.set(other);
      else
        known |= done[other];
    };
    SmallVector<uint32_t> others;
    for (uint32_t other : before[step])
      others.push_back(position[other]);
    // The latest first: it may imply the others.
    llvm::sort(others, std::greater<>());
    for (uint32_t other : others)
      if (!known.test(other)) {
        wait(other);
        placed.dependencies.push_back(other);
      }
    llvm::sort(placed.dependencies);
    (steps[step].counts ? lastCount : last)[stream] = place;
    // A run may leave out a step that prepares. Then nobody waits for what it
    // waits for, and waiting for it says nothing of its stream.
    done.push_back(steps[step].prepares ? inherited : known);
    done.back().set(place);
  }
  return result;
}

std::vector<ScheduledStep> Scheduler::run() {
  rankSteps();
  placeSteps();
  return getResult();
}

std::vector<ScheduledStep>
mlir::sparseconv::scheduleSteps(ArrayRef<StepTraits> steps,
                                unsigned maxStreams) {
  if (maxStreams > 1)
    return Scheduler(steps, maxStreams).run();
  std::vector<ScheduledStep> program;
  for (uint32_t step = 0; step < steps.size(); ++step)
    program.push_back({step, 0, {}});
  return program;
}
