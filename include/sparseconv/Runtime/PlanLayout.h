//===- PlanLayout.h - sizes and places for given capacities -----*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is left of a plan's function once capacities are numbers: the size and
// place of every buffer, the grids, the parameters, and which step waits for
// which.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_RUNTIME_PLANLAYOUT_H
#define SPARSECONV_RUNTIME_PLANLAYOUT_H

#include "sparseconv/Runtime/Plan.h"

namespace sparseconv::plan {

/// Which steps of a run are meant: all, or with exact sizes first those that
/// count, and then the rest.
enum class Phase { Whole, Counts, Rest };

/// Order between the steps of several streams. Stream 0 is forked into the
/// others before the first step and joins them after the last.
struct Schedule {
  struct Waits {
    /// Steps of other streams to wait for.
    std::vector<uint32_t> steps;
    /// The first step of a stream but 0 waits for the fork.
    bool forFork = false;
  };
  std::vector<Waits> waits;
  /// Whether another stream waits for a step.
  std::vector<bool> signals;
  /// Last steps of other streams that stream 0 waits for at the end.
  std::vector<uint32_t> joins;

  /// `isPrepared` says of each step whether it is done ahead of all runs;
  /// where it is empty, none is.
  explicit Schedule(const Function &function, std::vector<bool> isPrepared = {},
                    Phase phase = Phase::Whole);

  Phase getPhase() const { return phase; }
  bool isStepPrepared(uint32_t step) const { return isPrepared[step]; }
  /// Whether a step is carried out ahead of all runs or in another phase.
  bool leavesOut(uint32_t step) const { return isLeftOut[step]; }
  /// Whether a buffer holds what prepared steps have written, or what the next
  /// phase reads as well. It shares its memory with no other.
  bool keepsBuffer(uint32_t buffer) const { return keeps[buffer]; }
  /// Whether the memory of a buffer is that of this phase: a buffer of both has
  /// that of the first.
  bool placesBuffer(uint32_t buffer) const { return places[buffer]; }

  /// Whether all uses of buffer `a` end before any of buffer `b` begins.
  bool endsBefore(uint32_t a, uint32_t b) const;

  /// The first step that may not be done when the uses of a buffer begin. A
  /// buffer whose last step is before it ends before this one.
  uint32_t getFirstOpen(uint32_t buffer) const;

private:
  std::vector<uint32_t>
  findDependencies(const Function &function, uint32_t step,
                   std::vector<uint32_t> &standsFor) const;
  void findPlaces(const Function &function);
  void findUses(const Function &function);

  Phase phase;
  std::vector<bool> isPrepared, isLeftOut, keeps, places;
  /// Number of steps of a stream that are known to be done: entry
  /// [i * streams + s] holds one more than the highest such step, when step i
  /// starts.
  std::vector<uint32_t> done;
  /// Per buffer and stream: one more than the last use, and `done` at the
  /// earliest use.
  std::vector<uint32_t> lastUse, doneAtUse;
  /// The steps of each stream, in order.
  std::vector<std::vector<uint32_t>> stepsOf;
  uint32_t streams;
};

/// The evaluated numbers of one step.
struct StepSizes {
  int64_t gridX = 1, gridY = 1;
  int64_t bytes = 0, targetOffset = 0, sourceOffset = 0;
  /// Offsets of Buffer and values of Capacity parameters, 0 for others.
  std::vector<int64_t> params;
};

/// What one of a function's growable capacities is, and may become.
struct GrowableSizes {
  int64_t capacity = 0, bound = 0;
};

struct Layout {
  std::vector<int64_t> bufferBytes;
  /// Scratch, prepared and persistent buffers: place in the arena.
  std::vector<int64_t> bufferOffsets;
  /// The status record and, behind it, the slots: at the arena's start.
  int64_t scalarBytes = 0;
  int64_t arenaBytes = 0;
  /// Sum over the scratch buffers, each rounded up: what reuse saves.
  int64_t scratchBytes = 0;
  /// Capacities of the outputs' dimensions.
  std::vector<std::vector<int64_t>> outputCapacities;
  std::vector<GrowableSizes> growables;
  std::vector<StepSizes> steps;
};

/// Evaluates and checks every size and packs the arena: first fit, from the
/// largest buffer down. Where there are thousands of buffers, the smaller ones
/// are put on top of those that live at the same time. `capacities` has an
/// entry for each input and dimension. Of the growable ones it says what they
/// have to be at least, where that is known: they are no less than their start,
/// and no more than their bound. Sizes that a run counts are capacities where
/// its `slots` are empty. The arena holds the buffers of the schedule's phase;
/// the record and the slots are not in that of the rest.
std::optional<Layout> layOut(const Function &function, const Schedule &schedule,
                             const Capacities &capacities, std::string &error);

} // namespace sparseconv::plan

#endif // SPARSECONV_RUNTIME_PLANLAYOUT_H
