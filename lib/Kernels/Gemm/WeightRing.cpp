//===- WeightRing.cpp - weights that pass through shared memory -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightRing.h"

using namespace mlir;
using namespace mlir::sparseconv;

void WeightRing::setUp() {
  shared = b.dynamicShared();
  full = b.offset(shared, stages * layout.chunkBytes());
  empty = b.offset(full, stages * 8);
  isFirst = b.equal(e.thread, 0);
  b.ifThen(isFirst, [&] {
    for (int64_t stage : llvm::seq(stages)) {
      b.initBarrier(b.offset(full, stage * 8), 1);
      b.initBarrier(b.offset(empty, stage * 8), e.config.warps);
    }
    b.fenceBarrierInit();
  });
}

void WeightRing::startCopy(const State &at, Value stage) {
  Value source = e.chunkAddress(at.put.offset, at.put.chunk);
  Value target = b.offset(shared, b.mul(stage, layout.chunkBytes()));
  Value barrier = b.offset(full, b.mul(stage, 8));
  Value bytes = b.i32(layout.chunkBytes());
  b.arriveExpecting(barrier, bytes);
  b.copyBulk(target, source, bytes, barrier);
}

WeightRing::State WeightRing::fill(const OffsetWalk &walk, const Place &place) {
  State at;
  at.put = e.startChunks(walk);
  at.offset = at.put.offset;
  at.walk = at.put.walk;
  at.stage = place.stage;
  at.parity = place.parity;
  Value stage = place.stage;
  for (int64_t i = 0; i < stages - 2; ++i) {
    b.ifThen(b.andBits(isFirst, b.greaterEqual(at.put.offset, 0)),
             [&] { startCopy(at, stage); });
    e.moveToNextChunk(at.put);
    stage = getStageAfter(stage);
  }
  return at;
}

Value WeightRing::getStageAfter(Value stage) {
  Value after = b.add(stage, 1);
  return b.select(b.equal(after, stages), b.i32(0), after);
}

/// Fills the stage that was used two chunks ago: by then all warpgroups are
/// done with it, as a rule. The first two fills find it empty.
void WeightRing::refill(State &at) {
  Value wraps = b.lessUnsigned(at.stage, 2);
  Value stage = b.add(at.stage, b.select(wraps, b.i32(stages - 2), b.i32(-2)));
  Value parity = b.select(wraps, b.xorBits(at.parity, 1), at.parity);
  b.ifThen(b.andBits(b.greaterEqual(at.put.offset, 0), isFirst), [&] {
    b.waitParity(b.offset(empty, b.mul(stage, 8)), parity);
    startCopy(at, stage);
  });
  e.moveToNextChunk(at.put);
}

void WeightRing::acquire(State &at) {
  refill(at);
  b.syncWarp();
  b.waitParity(b.offset(full, b.mul(at.stage, 8)), at.parity);
}

void WeightRing::release(State &at) {
  b.syncWarp();
  b.ifThen(b.equal(e.lane, 0),
           [&] { b.arrive(b.offset(empty, b.mul(at.stage, 8))); });
  at.stage = getStageAfter(at.stage);
  at.parity =
      b.select(b.equal(at.stage, 0), b.xorBits(at.parity, 1), at.parity);
}

void WeightRing::skipTo(State &at, Value target) {
  at = whileLoop(
      b, at, [&](const State &now) { return b.notEqual(now.offset, target); },
      [&](State &now) {
        for (int64_t chunk = 0; chunk < layout.chunks; ++chunk) {
          acquire(now);
          release(now);
        }
        moveToNextOffset(now);
      });
}
