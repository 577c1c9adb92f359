//===- RingBarriers.cpp - barriers of a ring of stages --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RingBarriers.h"

using namespace mlir;
using namespace mlir::sparseconv;

void RingBarriers::setUp(Value memory, int64_t fills, int64_t users,
                         Value isFirst) {
  full = memory;
  empty = b.offset(full, stages * 8);
  b.ifThen(isFirst, [&] {
    for (int64_t stage : llvm::seq(stages)) {
      b.initBarrier(b.offset(full, stage * 8), fills);
      b.initBarrier(b.offset(empty, stage * 8), users);
    }
    b.fenceBarrierInit();
  });
}

void RingBarriers::advance(Place &at) { at = getAhead(at, 1); }

RingBarriers::Place RingBarriers::getAhead(const Place &at, int64_t distance) {
  Value after = b.add(at.stage, distance);
  Value isInside = b.lessUnsigned(after, b.i32(stages));
  return {b.select(isInside, after, b.sub(after, stages)),
          b.select(isInside, at.parity, b.xorBits(at.parity, 1))};
}

void RingBarriers::release(const Place &at, Value lane) {
  b.syncWarp();
  b.ifThen(b.equal(lane, 0), [&] { b.arrive(getEmpty(at)); });
}
