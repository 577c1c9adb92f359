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

Value OffsetCounts::alloc(LoopBuilder &b, int64_t offsets) {
  return b.alloc({kMaxSample, getMaskWords(offsets) * kMaskBits},
                 b.getI32Type());
}

MemRefType OffsetCounts::getSharedType(LoopBuilder &b) const {
  return b.getSharedType({blockThreads / kWarpLanes, kMaskBits},
                         b.getI32Type());
}

Value OffsetCounts::getShift(LoopBuilder &b) const {
  Value most = b.cast(b.ceilDiv(numBlocks, kMaxSample), b.getI32Type());
  Value above = b.sub(b.max(most, b.i32(1)), 1);
  return b.sub(b.i32(32), b.countLeadingZeros(above));
}

Value OffsetCounts::countBlocks(LoopBuilder &b) const {
  Value last =
      b.shiftRight(b.sub(b.cast(numBlocks, b.getI32Type()), 1), getShift(b));
  return b.add(last, 1);
}

Value OffsetCounts::countRows(LoopBuilder &b) const {
  return b.mul(countBlocks(b), blockThreads);
}

void OffsetCounts::ifSampled(LoopBuilder &b, const LoopBuilder::Thread &t,
                             function_ref<void(Value)> body) const {
  Value shift = getShift(b), block = b.cast(t.block, b.getI32Type());
  Value number = b.shiftRight(block, shift);
  Value first = b.shiftLeft(number, shift);
  b.ifThen(b.equal(first, block), [&] { body(b.toIndex(number)); });
}

void OffsetCounts::store(LoopBuilder &b, const LoopBuilder::Thread &t,
                         Value number, Value word, Value own,
                         Value shared) const {
  Value lane = b.andBits(t.thread, b.index(kWarpLanes - 1));
  b.store(own, shared, {b.floorDiv(t.thread, kWarpLanes), lane});
  b.barrier();
  b.ifThen(b.less(t.thread, b.index(kMaskBits)), [&] {
    Value sum = b.i32(0);
    for (int64_t warp = 0; warp < blockThreads / kWarpLanes; ++warp)
      sum = b.add(sum, b.load(shared, {b.index(warp), t.thread}));
    b.store(sum, counts, {number, b.add(b.mul(word, kMaskBits), t.thread)});
  });
}

/// Bit j of what lane i gets is bit i of the `word` of lane j: halves of ever
/// smaller squares of bits change places.
static Value transposeBits(LoopBuilder &b, Value lane, Value word) {
  for (int64_t size = kWarpLanes / 2; size > 0; size /= 2) {
    // The lower columns of each square.
    int64_t low = 0;
    for (int64_t column = 0; column < kWarpLanes; ++column)
      if ((column & size) == 0)
        low |= int64_t(1) << column;
    Value lower = b.i32(static_cast<int32_t>(low));
    Value upper = b.i32(static_cast<int32_t>(~low));
    Value other = fromLaneAcross(b, word, size);
    Value isLower = b.equal(b.andBits(lane, size), 0);
    Value kept = b.andBits(word, b.select(isLower, lower, upper));
    Value fromUpper = b.shiftLeft(b.andBits(other, lower), size);
    Value fromLower = b.andBits(b.shiftRight(other, size), lower);
    word = b.orBits(kept, b.select(isLower, fromUpper, fromLower));
  }
  return word;
}

void OffsetCounts::add(LoopBuilder &b, const LoopBuilder::Thread &t,
                       ValueRange mask, Value shared) const {
  ifSampled(b, t, [&](Value number) {
    Value thread = b.cast(t.thread, b.getI32Type());
    Value lane = b.andBits(thread, kWarpLanes - 1);
    for (auto [word, bits] : llvm::enumerate(mask)) {
      // What came of the word before has been read.
      if (word != 0)
        b.barrier();
      // Lane i has what the warp has of offset i of the word.
      Value own = transposeBits(b, lane, bits);
      store(b, t, number, b.index(word), b.popCount(own), shared);
    }
  });
}

void OffsetCounts::sum(LoopBuilder &b, Value thread, int64_t threads,
                       Value sums) const {
  // Some threads share an offset, and each adds up its blocks of the sample.
  int64_t bits = getNumBits();
  int64_t side = std::min<int64_t>(llvm::PowerOf2Ceil(bits), threads);
  int64_t sharers = threads / side;
  Value first = b.floorDiv(thread, side), numBlocks = b.toIndex(countBlocks(b));
  Value k = b.andBits(thread, b.index(side - 1));
  b.forLoop(k, b.index(bits), side, [&](Value offset) {
    Value sum = b.i32(0);
    for (int64_t i = 0; i < kMaxSample; i += sharers) {
      Value block = b.add(first, i), last = b.sub(numBlocks, 1);
      Value count = b.load(counts, {b.min(block, last), offset});
      sum = b.add(sum, b.select(b.less(block, numBlocks), count, b.i32(0)));
    }
    b.atomic(arith::AtomicRMWKind::addi, sum, sums, ValueRange{offset});
  });
  b.barrier();
}
