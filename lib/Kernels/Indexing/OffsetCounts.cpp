//===- OffsetCounts.cpp - how many rows have each offset ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OffsetCounts.h"
#include "sparseconv/Dialect/SparseConv/IR/SearchColumns.h"
#include "sparseconv/Kernels/Builders/WarpOps.h"

using namespace mlir;
using namespace mlir::sparseconv;

OffsetCounts::OffsetCounts(LoopBuilder &b, Value counts, Value numRows,
                           int64_t threads)
    : counts(counts), numBlocks(b.ceilDiv(numRows, threads)),
      blockThreads(threads) {}

Value OffsetCounts::alloc(LoopBuilder &b) {
  return b.alloc({kMaxSample, kMaxHits}, b.getI32Type());
}

MemRefType OffsetCounts::getSharedType(LoopBuilder &b) const {
  return b.getSharedType({blockThreads / kWarpLanes, kMaxHits}, b.getI32Type());
}

Value OffsetCounts::getShift(LoopBuilder &b) const {
  Value most = b.cast(b.ceilDiv(numBlocks, kMaxSample), b.getI32Type());
  Value above = b.sub(b.max(most, b.i32(1)), 1);
  return b.sub(b.i32(32), b.countLeadingZeros(above));
}

void OffsetCounts::add(LoopBuilder &b, const LoopBuilder::Thread &t, Value mask,
                       int64_t offsets, Value shared) const {
  Type i32 = b.getI32Type();
  Value shift = getShift(b), block = b.cast(t.block, i32), zero = b.i32(0);
  Value number = b.shiftRight(block, shift);
  Value first = b.shiftLeft(number, shift);
  b.ifThen(b.equal(first, block), [&] {
    Value lane = b.andBits(t.thread, b.index(kWarpLanes - 1)), own = zero;
    for (int64_t k = 0; k < offsets; ++k) {
      Value isSet = b.notEqual(b.andBits(mask, b.bit(k)), zero);
      Value votes = ballot(b, isSet);
      // Lane k has what the warp has of offset k.
      own = b.select(b.equal(lane, b.index(k)), votes, own);
    }
    b.store(b.popCount(own), shared, {b.floorDiv(t.thread, kWarpLanes), lane});
    b.barrier();
    b.ifThen(b.less(t.thread, b.index(kMaxHits)), [&] {
      Value sum = zero;
      for (int64_t warp = 0; warp < blockThreads / kWarpLanes; ++warp)
        sum = b.add(sum, b.load(shared, {b.index(warp), t.thread}));
      b.store(sum, counts, {b.toIndex(number), t.thread});
    });
  });
}

void OffsetCounts::sum(LoopBuilder &b, Value thread, int64_t threads,
                       Value sums) const {
  Type i32 = b.getI32Type();
  b.ifThen(b.less(thread, b.index(kMaxHits)),
           [&] { b.store(b.i32(0), sums, thread); });
  b.barrier();
  Value last = b.shiftRight(b.sub(b.cast(numBlocks, i32), 1), getShift(b));
  Value numCounts = b.toIndex(b.mul(b.add(last, 1), kMaxHits));
  b.forLoop(thread, numCounts, threads, [&](Value item) {
    Value k = b.andBits(item, b.index(kMaxHits - 1));
    Value found = b.load(counts, {b.floorDiv(item, kMaxHits), k});
    b.atomic(arith::AtomicRMWKind::addi, found, sums, ValueRange{k});
  });
  b.barrier();
}
