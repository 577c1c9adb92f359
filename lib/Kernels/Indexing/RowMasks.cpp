//===- RowMasks.cpp - which offsets each row has --------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The masks of the rows of a table. Where a mask is a word, a thread looks
// through its row in shared memory. Longer rows have no room there: the lanes
// of a warp look at 32 entries of a row at once, and their votes are a word of
// its mask.
//
//===----------------------------------------------------------------------===//

#include "DigitCounts.h"
#include "OffsetCounts.h"
#include "RowOrder.h"
#include "SharedRows.h"
#include "sparseconv/Kernels/Builders/WarpOps.h"

using namespace mlir;
using namespace mlir::sparseconv;

static constexpr int64_t kThreads = 128;
/// Rows that a warp looks at side by side, so that their loads overlap.
static constexpr int64_t kSideBySide = 8;

namespace {
class MaskMaker {
public:
  MaskMaker(LoopBuilder &b, Value table, Value inRows)
      : b(b), table(table), inRows(inRows), numRows(b.dim(table, 0)),
        i32(b.getI32Type()),
        offsets(cast<MemRefType>(table.getType()).getDimSize(1)) {}

  RowMasks make(RowOrder order);

private:
  using Thread = LoopBuilder::Thread;

  Value isEntry(Value entry) {
    return b.lessUnsigned(b.toIndex(entry), inRows);
  }
  /// The masks of a thread block's rows, and their counts.
  void makeShort(const Thread &t);
  void makeLong(const Thread &t);
  /// A word of the masks of a warp's rows. Returns how many of these have this
  /// lane's offset.
  Value makeWord(const Thread &t, Value word);
  /// The same of `kSideBySide` rows from `firstRow` on.
  Value voteOnRows(Value firstRow, Value word, Value lane);

  LoopBuilder &b;
  Value table, inRows, numRows;
  Type i32;
  int64_t offsets;
  RowMasks made;
  OffsetCounts counts;
};
} // namespace

RowMasks MaskMaker::make(RowOrder order) {
  int64_t words = getMaskWords(offsets);
  bool isShort = words == 1;
  made = {offsets, b.alloc({words, ShapedType::kDynamic}, i32, numRows),
          OffsetCounts::alloc(b, offsets), kThreads, Value()};
  counts = OffsetCounts(b, made.counts, numRows, kThreads);
  made.sums = allocSortSums(b, getRowKeyBits(offsets, order));
  Value numBlocks = b.ceilDiv(numRows, kThreads);
  SmallVector<MemRefType> shared = {counts.getSharedType(b)};
  if (isShort)
    shared.push_back(b.getSharedType({kThreads * offsets}, i32));
  b.launch(numBlocks, kThreads, shared, [&](const Thread &t) {
    b.ifThen(b.equal(t.block, b.index(0)),
             [&] { clearSortSums(b, made.sums, t.thread, kThreads); });
    b.ifThen(b.less(t.block, numBlocks),
             [&] { isShort ? makeShort(t) : makeLong(t); });
  });
  return made;
}

void MaskMaker::makeShort(const Thread &t) {
  readWarpRows(b, t, kThreads, table, t.shared[1]);
  Value row = b.add(b.mul(t.block, kThreads), t.thread);
  Value isRow = b.less(row, numRows), mask = b.i32(0);
  for (int64_t k = 0; k < offsets; ++k) {
    Value place = b.add(b.mul(t.thread, offsets), k);
    Value present = b.andBits(isEntry(b.load(t.shared[1], place)), isRow);
    mask = b.orBits(mask, b.select(present, b.bit(k), b.i32(0)));
  }
  b.ifThen(isRow, [&] { b.store(mask, made.masks, {b.index(0), row}); });
  counts.add(b, t, mask, t.shared[0]);
}

Value MaskMaker::voteOnRows(Value firstRow, Value word, Value lane) {
  Value column = b.add(b.mul(word, kMaskBits), lane);
  Value isColumn = b.less(column, b.index(offsets));
  Value inside = b.min(column, b.index(offsets - 1));
  SmallVector<Value> isThere;
  for (int64_t i = 0; i < kSideBySide; ++i) {
    Value row = b.add(firstRow, i);
    Value entry = b.load(table, {b.min(row, b.sub(numRows, 1)), inside});
    Value isPair = b.andBits(isColumn, b.less(row, numRows));
    isThere.push_back(b.andBits(isEntry(entry), isPair));
  }
  Value own = b.i32(0), count = b.i32(0);
  for (auto [i, present] : llvm::enumerate(isThere)) {
    own = b.select(b.equal(lane, b.index(i)), ballot(b, present), own);
    count = b.add(count, b.select(present, b.i32(1), b.i32(0)));
  }
  // Lane i stores what all lanes say of row i.
  Value row = b.add(firstRow, lane);
  Value stores =
      b.andBits(b.less(lane, b.index(kSideBySide)), b.less(row, numRows));
  b.ifThen(stores, [&] { b.store(own, made.masks, {word, row}); });
  return count;
}

Value MaskMaker::makeWord(const Thread &t, Value word) {
  Value lane = b.andBits(t.thread, b.index(kWarpLanes - 1));
  Value ofWarp = b.add(b.mul(t.block, kThreads), b.sub(t.thread, lane));
  return b.forLoop(b.index(0), b.index(kWarpLanes), kSideBySide, b.i32(0),
                   [&](Value first, ValueRange carried) -> SmallVector<Value> {
                     Value count = voteOnRows(b.add(ofWarp, first), word, lane);
                     return {b.add(carried[0], count)};
                   })[0];
}

void MaskMaker::makeLong(const Thread &t) {
  b.forLoop(b.index(0), b.index(getMaskWords(offsets)), 1, [&](Value word) {
    Value own = makeWord(t, word);
    counts.ifSampled(b, t, [&](Value number) {
      counts.store(b, t, number, word, own, t.shared[0]);
      // Before the next word's counts come in their place.
      b.barrier();
    });
  });
}

RowMasks mlir::sparseconv::makeRowMasks(LoopBuilder &b, Value table,
                                        Value inRows, RowOrder order) {
  return MaskMaker(b, table, inRows).make(order);
}
