//===- ScheduleSteps.h - which steps of a plan may overlap ------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TARGET_PLAN_SCHEDULESTEPS_H
#define SPARSECONV_TARGET_PLAN_SCHEDULESTEPS_H

#include "sparseconv/Runtime/Plan.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::sparseconv {

/// Over how many streams plans spread their steps if nothing else is said.
constexpr unsigned kDefaultStreams = 4;

/// What a kernel does through a parameter.
struct ParamAccess {
  bool reads = true, writes = true;
};

struct KernelTraits {
  llvm::SmallVector<ParamAccess> params;
  /// How long a launch takes beside others, at least 1.
  unsigned cost = 1;
};

/// A buffer, a slot or the status record, as a step uses it.
struct StepAccess {
  /// Buffers count from 0; slots follow, and the status record is last.
  uint32_t memory = 0;
  ParamAccess access;
};

/// One entry for each piece of memory that the step uses.
llvm::SmallVector<StepAccess>
getAccesses(const ::sparseconv::plan::Function &function,
            const ::sparseconv::plan::Step &step,
            llvm::ArrayRef<KernelTraits> kernels);

/// Spreads the steps of a function, which are in the order of the program, over
/// at most `maxStreams` streams: of two steps that use the same memory, one of
/// them writing it, the second comes after the first. The steps are put in the
/// order in which they are expected to start, and the lifetimes of buffers
/// follow. `kernels` has an entry for each kernel of the plan.
///
/// Where several kernels report to the status record, the report that stays is
/// the one that stays in the order of the program, as the record is memory like
/// any other.
void scheduleSteps(::sparseconv::plan::Function &function,
                   llvm::ArrayRef<KernelTraits> kernels, unsigned maxStreams);

} // namespace mlir::sparseconv

#endif // SPARSECONV_TARGET_PLAN_SCHEDULESTEPS_H
