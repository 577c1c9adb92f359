//===- OffsetLists.cpp - a list of pairs for each offset ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three kernels. The first counts the pairs of each block of rows and each
// offset. The second adds up how many come before a block, and the third writes
// them. Lists are in the order of the output rows, whatever block comes first.
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Builders/WarpOps.h"
#include "sparseconv/Kernels/Indexing/BlockSums.h"
#include "sparseconv/Kernels/Indexing/IndexingKernels.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
class OffsetLister {
public:
  OffsetLister(LoopBuilder &b, OffsetListsOp op)
      : b(b), op(op), table(op.getTable()),
        offsets(cast<MemRefType>(table.getType()).getDimSize(1)),
        perBlock(std::min(offsets, kMostOffsets)), numRows(b.dim(table, 0)),
        numBlocks(b.ceilDiv(numRows, kThreads)) {}

  void emit();

private:
  /// Each has a row of the table.
  static constexpr int64_t kThreads = 256, kWarps = kThreads / kWarpLanes;
  /// For which a thread block has shared memory.
  static constexpr int64_t kMostOffsets = 256;

  /// What a thread works on.
  struct Place {
    /// The block of rows, its first offset, and the thread's row.
    Value block, firstOffset, row, isRow;
    Value thread, warp, lane;
    /// [warp, offset of the block] (i32), in shared memory.
    Value ofWarps;
  };
  /// A kernel with a thread block for each block of rows and of offsets.
  void launch(function_ref<void(const Place &at)> body);
  /// Calls `body` for each offset of the thread block with the number it has
  /// there, the entry of the thread's row, whether that is a pair, and the
  /// lanes of the warp where it is one.
  void forEntries(const Place &at,
                  function_ref<void(Value local, Value k, Value entry,
                                    Value isPair, Value lanes)>
                      body);
  /// Counts the pairs of each warp, and meets.
  void countWarps(const Place &at);
  /// Calls `body` for each offset of the thread block that is this thread's.
  void forOffsetsOf(const Place &at,
                    function_ref<void(Value local, Value k)> body);
  void countBlock(const Place &at);
  void addBlocks();
  void writePairs(const Place &at);

  LoopBuilder &b;
  OffsetListsOp op;
  Value table;
  int64_t offsets, perBlock;
  Value numRows, numBlocks;
  /// [offset, block of rows] (i32): the pairs of a block, then those of the
  /// blocks before it.
  Value counts;
};
} // namespace

void OffsetLister::launch(function_ref<void(const Place &)> body) {
  int64_t blocksOfOffsets = llvm::divideCeil(offsets, perBlock);
  Value all = b.mul(numBlocks, blocksOfOffsets);
  b.launch(all, kThreads, {b.getSharedType({kWarps, perBlock}, b.getI32Type())},
           [&](const LoopBuilder::Thread &t) {
             b.ifThen(b.less(t.block, all), [&] {
               Place at;
               at.block = b.divide(t.block, blocksOfOffsets);
               at.firstOffset =
                   b.mul(b.remainder(t.block, blocksOfOffsets), perBlock);
               Value row = b.add(b.mul(at.block, kThreads), t.thread);
               at.isRow = b.less(row, numRows);
               at.row = b.min(row, b.sub(numRows, 1));
               at.thread = t.thread;
               at.warp = b.floorDiv(t.thread, kWarpLanes);
               at.lane = b.andBits(t.thread, b.index(kWarpLanes - 1));
               at.ofWarps = t.shared[0];
               body(at);
             });
           });
}

void OffsetLister::forEntries(
    const Place &at,
    function_ref<void(Value, Value, Value, Value, Value)> body) {
  forOffsets(b, perBlock, [&](Value local) {
    Value k = b.add(at.firstOffset, local);
    Value known = b.min(k, b.index(offsets - 1));
    Value entry = b.load(table, {at.row, known});
    Value isThere = b.andBits(at.isRow, b.less(k, b.index(offsets)));
    Value isPair = b.andBits(isThere, b.greaterEqual(entry, b.i32(0)));
    body(local, k, entry, isPair, ballot(b, isPair));
  });
}

void OffsetLister::countWarps(const Place &at) {
  forEntries(at, [&](Value local, Value, Value, Value, Value lanes) {
    b.ifThen(b.equal(at.lane, b.index(0)),
             [&] { b.store(b.popCount(lanes), at.ofWarps, {at.warp, local}); });
  });
  b.barrier();
}

void OffsetLister::forOffsetsOf(const Place &at,
                                function_ref<void(Value, Value)> body) {
  Value rest = b.sub(b.index(offsets), at.firstOffset);
  b.forLoop(at.thread, b.min(rest, b.index(perBlock)), kThreads,
            [&](Value local) { body(local, b.add(at.firstOffset, local)); });
}

void OffsetLister::countBlock(const Place &at) {
  countWarps(at);
  forOffsetsOf(at, [&](Value local, Value k) {
    Value sum = b.i32(0);
    for (int64_t warp = 0; warp < kWarps; ++warp)
      sum = b.add(sum, b.load(at.ofWarps, {b.index(warp), local}));
    b.store(sum, counts, {k, at.block});
  });
}

/// A thread block for each offset.
void OffsetLister::addBlocks() {
  b.launch(
      b.index(offsets), kThreads, {getBlockSumsType(b, kThreads)},
      [&](const LoopBuilder::Thread &t) {
        auto addSome = [&](Value first, ValueRange sum) -> SmallVector<Value> {
          Value block = b.add(first, t.thread);
          Value isThere = b.less(block, numBlocks);
          Value known = b.min(block, b.sub(numBlocks, 1));
          Value count = b.load(counts, {t.block, known});
          Value own = b.select(isThere, count, b.i32(0));
          BlockSums sums = sumInBlock(b, t, own, t.shared[0], kThreads);
          b.ifThen(isThere, [&] {
            b.store(b.add(sum[0], sums.before), counts, {t.block, block});
          });
          return {b.add(sum[0], sums.total)};
        };
        Value sum =
            b.forLoop(b.index(0), numBlocks, kThreads, b.i32(0), addSome)[0];
        b.ifThen(b.equal(t.thread, b.index(0)),
                 [&] { b.store(sum, op.getCounts(), t.block); });
      });
}

void OffsetLister::writePairs(const Place &at) {
  countWarps(at);
  forOffsetsOf(at, [&](Value local, Value k) {
    Value place = b.load(counts, {k, at.block});
    for (int64_t warp = 0; warp < kWarps; ++warp) {
      Value own = b.load(at.ofWarps, {b.index(warp), local});
      b.store(place, at.ofWarps, {b.index(warp), local});
      place = b.add(place, own);
    }
  });
  b.barrier();
  Value lower = lanesBefore(b);
  forEntries(
      at, [&](Value local, Value k, Value entry, Value isPair, Value lanes) {
        b.ifThen(isPair, [&] {
          Value inWarp = b.popCount(b.andBits(lanes, lower));
          Value inList = b.add(b.load(at.ofWarps, {at.warp, local}), inWarp);
          Value place = b.add(b.mul(k, numRows), b.toIndex(inList));
          b.store(entry, op.getInRows(), place);
          b.store(b.cast(at.row, b.getI32Type()), op.getOutRows(), place);
        });
      });
}

void OffsetLister::emit() {
  counts = b.alloc({offsets, ShapedType::kDynamic}, b.getI32Type(), numBlocks);
  launch([&](const Place &at) { countBlock(at); });
  addBlocks();
  launch([&](const Place &at) { writePairs(at); });
  b.dealloc(counts);
}

void mlir::sparseconv::emitOffsetLists(LoopBuilder &b, OffsetListsOp op) {
  OffsetLister(b, op).emit();
}
