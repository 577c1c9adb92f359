//===- Replay.h - the order that a plan leaves its steps --------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TEST_UNIT_TARGET_REPLAY_H
#define SPARSECONV_TEST_UNIT_TARGET_REPLAY_H

#include "sparseconv/Runtime/PlanLayout.h"
#include "sparseconv/Target/Plan/ScheduleSteps.h"
#include <string>
#include <vector>

namespace mlir::sparseconv::test {

/// One entry for each piece of memory that a step uses: buffers count from 0,
/// slots follow, and the status record is last.
llvm::SmallVector<StepAccess>
getAccesses(const ::sparseconv::plan::Function &function,
            const ::sparseconv::plan::Step &step,
            llvm::ArrayRef<KernelTraits> kernels);

/// What the scheduler knows of the steps of a function.
llvm::SmallVector<StepTraits>
getTraits(const ::sparseconv::plan::Function &function,
          llvm::ArrayRef<KernelTraits> kernels);

/// Lets `step` count, and all that has to come before it.
void markCount(::sparseconv::plan::Function &function,
               llvm::ArrayRef<KernelTraits> kernels, uint32_t step);

/// Which steps are looked at: all; those that do not prepare, where these are
/// done ahead of runs; those that count, or do not, where sizes are exact.
enum class Part { All, Unprepared, Counts, Rest };
constexpr Part allParts[] = {Part::All, Part::Unprepared, Part::Counts,
                             Part::Rest};

/// Spreads the steps of a function over streams.
void schedule(::sparseconv::plan::Function &function,
              llvm::ArrayRef<KernelTraits> kernels, unsigned maxStreams);

/// Which steps are done for sure when a step starts, from nothing but its
/// stream and the dependencies that the plan lists.
class Replay {
public:
  explicit Replay(const ::sparseconv::plan::Function &function,
                  Part part = Part::All);
  bool comesBefore(uint32_t a, uint32_t b) const { return before[b][a]; }

private:
  std::vector<std::vector<bool>> before;
};

/// Two steps of `scheduled` that use the same memory, one of them writing it,
/// and may run at the same time or in another order than in `program`; empty if
/// there are none. Of the steps of a part alone.
std::string findRace(const ::sparseconv::plan::Function &program,
                     const ::sparseconv::plan::Function &scheduled,
                     llvm::ArrayRef<KernelTraits> kernels,
                     Part part = Part::All);

/// Two buffers that share bytes of the arena while both are in use; empty if
/// there are none.
std::string findSharedMemory(const ::sparseconv::plan::Function &function,
                             const ::sparseconv::plan::Layout &layout,
                             Part part = Part::All);

/// The most steps that run one after the other.
uint32_t getLongestChain(const ::sparseconv::plan::Function &function);

} // namespace mlir::sparseconv::test

#endif // SPARSECONV_TEST_UNIT_TARGET_REPLAY_H
