//===- ScheduleSteps.h - which steps of a plan may overlap ------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TARGET_PLAN_SCHEDULESTEPS_H
#define SPARSECONV_TARGET_PLAN_SCHEDULESTEPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <vector>

namespace mlir::sparseconv {

/// Over how many streams plans spread their steps if nothing else is said.
constexpr unsigned kDefaultStreams = 4;

/// What a kernel does through a parameter.
struct ParamAccess {
  bool reads = true, writes = true;
  /// Whether all that it writes is again as it was when the kernel ends.
  bool restores = false;
};

struct KernelTraits {
  llvm::SmallVector<ParamAccess> params;
  /// How long a launch takes beside others, at least 1.
  unsigned cost = 1;
  /// Whether it computes products of matrices.
  bool multiplies = false;
  /// Whether it reads memory before it waits for the kernel before it.
  bool hasPrologue = false;
};

/// A piece of memory, by any number, as a step uses it.
struct StepAccess {
  uint32_t memory = 0;
  ParamAccess access;
};

/// What a step does, in the order of the program.
struct StepTraits {
  llvm::SmallVector<StepAccess> accesses;
  unsigned cost = 1;
  /// Whether it computes products of matrices.
  bool multiplies = false;
  /// Whether a run may leave it out, because it was done ahead of all runs.
  bool prepares = false;
  /// Whether a run may carry it out with others of the kind ahead of the rest.
  /// It comes after such steps alone.
  bool counts = false;
  /// Whether its kernel reads memory before it waits for the one before it.
  bool hasPrologue = false;
};

/// Where a step is put.
struct ScheduledStep {
  uint32_t step; ///< its number in the program
  uint32_t stream;
  /// Places in the schedule, of steps in other streams, that have to be done
  /// first.
  llvm::SmallVector<uint32_t> dependencies;
};

/// By step, those before it that have to be done first: where two steps use the
/// same memory and one of them writes it, the second comes after the first.
/// Some that others imply are missing.
std::vector<llvm::SmallVector<uint32_t>>
findDependencies(llvm::ArrayRef<StepTraits> steps);

/// Spreads steps over at most `maxStreams` streams, numbered from 0 in the
/// order in which they begin. Where two steps use the same memory and one of
/// them writes it, the second comes after the first. Steps are returned in the
/// order in which they are expected to start; with one stream that is the order
/// of the program.
///
/// Where several kernels report to the status record, the report that stays is
/// the one that stays in the order of the program, as the record is memory like
/// any other.
std::vector<ScheduledStep> scheduleSteps(llvm::ArrayRef<StepTraits> steps,
                                         unsigned maxStreams);

} // namespace mlir::sparseconv

#endif // SPARSECONV_TARGET_PLAN_SCHEDULESTEPS_H
