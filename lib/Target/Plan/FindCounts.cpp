//===- FindCounts.cpp - which steps a run's sizes depend on ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A runtime that is asked for exact sizes carries out the steps that count,
// reads all counts at once, and then does the rest. So the steps that count
// wait for none of the rest.
//
//===----------------------------------------------------------------------===//

#include "LaunchTraits.h"
#include "llvm/ADT/BitVector.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVFINDCOUNTS
#include "sparseconv/Target/Plan/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
/// The launches of one function, and which of them count.
class Counts {
public:
  LogicalResult read(PlanFuncOp function, LaunchTraits &traits);
  /// Lets `size` be exact, unless its count depends on products.
  void add(PlanExactSizeOp size);
  void mark() const;

private:
  SmallVector<PlanLaunchOp> launches;
  std::vector<StepTraits> steps;
  std::vector<SmallVector<uint32_t>> before;
  /// By memory, the launches that write it.
  llvm::DenseMap<Value, SmallVector<uint32_t>> writers;
  llvm::BitVector counts;
};

struct FindCounts
    : mlir::sparseconv::impl::SparseConvFindCountsBase<FindCounts> {
  void runOnOperation() override;
};
} // namespace

LogicalResult Counts::read(PlanFuncOp function, LaunchTraits &traits) {
  for (auto op : function.getOps<PlanLaunchOp>()) {
    FailureOr<StepTraits> step = traits.get(op);
    if (failed(step))
      return failure();
    for (const StepAccess &use : step->accesses)
      if (use.access.writes)
        writers[traits.getMemory(use.memory)].push_back(launches.size());
    launches.push_back(op);
    steps.push_back(std::move(*step));
  }
  before = findDependencies(steps);
  counts.resize(launches.size());
  return success();
}

void Counts::add(PlanExactSizeOp size) {
  llvm::BitVector needed(launches.size());
  for (uint32_t writer : writers[size.getCount()])
    needed.set(writer);
  // What a launch waits for is before it.
  for (int i = needed.find_last(); i >= 0; i = needed.find_prev(i)) {
    if (steps[i].multiplies) {
      size.getResult().replaceAllUsesWith(size.getCapacity());
      size.erase();
      return;
    }
    for (uint32_t other : before[i])
      needed.set(other);
  }
  counts |= needed;
}

void Counts::mark() const {
  for (unsigned i : counts.set_bits())
    PlanLaunchOp(launches[i]).setCounts(true);
}

void FindCounts::runOnOperation() {
  LaunchTraits traits;
  for (auto function : getOperation().getOps<PlanFuncOp>()) {
    Counts counts;
    if (failed(counts.read(function, traits)))
      return signalPassFailure();
    for (auto size :
         llvm::make_early_inc_range(function.getOps<PlanExactSizeOp>()))
      counts.add(size);
    counts.mark();
  }
}
