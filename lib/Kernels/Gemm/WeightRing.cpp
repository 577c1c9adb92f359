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
  isFirst = b.equal(e.thread, 0);
  barriers.setUp(b.offset(shared, stages * layout.chunkBytes()), /*fills=*/1,
                 e.config.warps, isFirst);
}

/// Copies the chunk `put`, if there is one, into the stage of a turn.
void WeightRing::copy(ChunkWalk &put, const Place &turn, bool isEmpty) {
  b.ifThen(b.andBits(b.greaterEqual(put.offset, 0), isFirst), [&] {
    if (!isEmpty)
      barriers.waitUntilEmpty(turn);
    Value source = e.chunkAddress(put.offset, put.chunk);
    Value target = b.offset(shared, b.mul(turn.stage, layout.chunkBytes()));
    Value bytes = b.i32(layout.chunkBytes());
    b.arriveExpecting(barriers.getFull(turn), bytes);
    b.copyBulk(target, source, bytes, barriers.getFull(turn));
  });
  e.moveToNextChunk(put);
}

WeightRing::State WeightRing::fill(const OffsetWalk &walk, const Place &turn) {
  State at;
  at.put = e.startChunks(walk);
  at.offset = at.put.offset;
  at.walk = at.put.walk;
  at.turn = turn;
  for (int64_t ahead : llvm::seq(stages - 2))
    copy(at.put, barriers.getAhead(turn, ahead), /*isEmpty=*/true);
  return at;
}

/// Fills the stage that was used two chunks ago: by then all warpgroups are
/// done with it, as a rule.
void WeightRing::acquire(State &at) {
  copy(at.put, barriers.getAhead(at.turn, stages - 2), /*isEmpty=*/false);
  b.syncWarp();
  barriers.waitUntilFull(at.turn);
}

void WeightRing::release(State &at) {
  barriers.release(at.turn, e.lane);
  barriers.advance(at.turn);
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
