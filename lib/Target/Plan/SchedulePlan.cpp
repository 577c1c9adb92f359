//===- SchedulePlan.cpp - over which streams steps are spread -------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchTraits.h"
#include "sparseconv/Runtime/Plan.h"
#include "sparseconv/Target/Plan/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVSCHEDULEPLAN
#include "sparseconv/Target/Plan/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
struct SchedulePlan
    : mlir::sparseconv::impl::SparseConvSchedulePlanBase<SchedulePlan> {
  using SparseConvSchedulePlanBase::SparseConvSchedulePlanBase;
  void runOnOperation() override;

private:
  LogicalResult schedule(PlanFuncOp function, LaunchTraits &traits);
};
} // namespace

LogicalResult SchedulePlan::schedule(PlanFuncOp function,
                                     LaunchTraits &traits) {
  SmallVector<PlanLaunchOp> launches(function.getOps<PlanLaunchOp>());
  SmallVector<StepTraits> steps;
  for (PlanLaunchOp op : launches) {
    FailureOr<StepTraits> step = traits.get(op);
    if (failed(step))
      return failure();
    steps.push_back(std::move(*step));
  }
  Block &body = function.getBody().front();
  SmallVector<Value> done;
  uint32_t numStreams = 1;
  for (const ScheduledStep &place : scheduleSteps(steps, streams)) {
    PlanLaunchOp op = launches[place.step];
    op->moveBefore(&body, body.end());
    op.setStream(place.stream);
    op.setPrologue(steps[place.step].hasPrologue);
    SmallVector<Value> after;
    for (uint32_t other : place.dependencies)
      after.push_back(done[other]);
    op.getAfterMutable().assign(after);
    done.push_back(op.getDone());
    numStreams = std::max(numStreams, place.stream + 1);
  }
  function.setStreams(numStreams);
  return success();
}

void SchedulePlan::runOnOperation() {
  if (streams < 1 || streams > ::sparseconv::plan::kMaxStreams) {
    getOperation().emitError("expected 1 to ")
        << ::sparseconv::plan::kMaxStreams << " streams, but found "
        << streams.getValue();
    return signalPassFailure();
  }
  LaunchTraits traits;
  for (auto function : getOperation().getOps<PlanFuncOp>())
    if (failed(schedule(function, traits)))
      return signalPassFailure();
}
