//===- PairLists.cpp - kernel maps as lists of pairs ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU makes the lists of a row block in one thread block and one kernel. The
// lists of each row block begin where they would if all entries before were
// pairs, so row blocks need not know of each other. A CPU, where memory that is
// not touched costs nothing but cache lines do, packs them.
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Indexing/IndexingKernels.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"

using namespace mlir;
using namespace mlir::sparseconv;

//===----------------------------------------------------------------------===//
// On a GPU
//===----------------------------------------------------------------------===//

namespace {
/// The lists of one row block by one thread block. A thread looks at one offset
/// of a part of the rows: it counts the pairs, learns how many come before, and
/// writes them.
class BlockPairLists {
public:
  BlockPairLists(LoopBuilder &b, PairListsOp op)
      : b(b), op(op), table(op.getTable()), size(op.getRowBlock()),
        offsets(cast<MemRefType>(table.getType()).getDimSize(1)),
        numRows(b.dim(table, 0)) {}

  /// Whether what threads share has room for so many offsets.
  static bool takes(int64_t offsets) {
    return !ShapedType::isDynamic(offsets) && offsets <= 1000;
  }
  void emit();

private:
  static constexpr int64_t kThreads = 256, kParts = 8;

  void emitBlock(const LoopBuilder::Thread &t);
  /// Calls `body` for each part and offset of this thread. Neighbouring threads
  /// have neighbouring offsets, which lie side by side in the table.
  void forParts(Value thread, function_ref<void(Value part, Value k)> body);
  void forOffsetsOf(Value thread, function_ref<void(Value k)> body);
  /// The rows of a part.
  std::pair<Value, Value> getRows(Value block, Value part);
  Value isPair(Value neighbour) { return b.greaterEqual(neighbour, b.i32(0)); }
  void countPairs(const LoopBuilder::Thread &t);
  void addCounts(const LoopBuilder::Thread &t);
  void placeSegments(const LoopBuilder::Thread &t);
  void writePairs(const LoopBuilder::Thread &t);

  LoopBuilder &b;
  PairListsOp op;
  Value table;
  int64_t size, offsets;
  Value numRows;
};
} // namespace

void BlockPairLists::forParts(Value thread,
                              function_ref<void(Value, Value)> body) {
  b.forLoop(thread, b.index(kParts * offsets), kThreads, [&](Value item) {
    Value perPart = b.index(offsets);
    body(b.divide(item, perPart), b.remainder(item, perPart));
  });
}

void BlockPairLists::forOffsetsOf(Value thread,
                                  function_ref<void(Value)> body) {
  b.forLoop(thread, b.index(offsets), kThreads, body);
}

std::pair<Value, Value> BlockPairLists::getRows(Value block, Value part) {
  int64_t perPart = llvm::divideCeil(size, kParts);
  Value first = b.mul(block, size);
  Value end = b.min(b.add(first, size), numRows);
  Value begin = b.min(b.add(first, b.mul(part, perPart)), end);
  return {begin, b.min(b.add(begin, perPart), end)};
}

void BlockPairLists::countPairs(const LoopBuilder::Thread &t) {
  forParts(t.thread, [&](Value part, Value k) {
    auto [begin, end] = getRows(t.block, part);
    Value count =
        b.forLoop(begin, end, 1, b.i32(0),
                  [&](Value row, ValueRange sum) -> SmallVector<Value> {
                    Value hit = isPair(b.load(table, {row, k}));
                    return {b.add(sum[0], b.select(hit, b.i32(1), b.i32(0)))};
                  })[0];
    b.store(count, t.shared[0], {part, k});
  });
}

/// counts[part, k] becomes the pairs of offset k in the parts before; those of
/// all parts go to the totals.
void BlockPairLists::addCounts(const LoopBuilder::Thread &t) {
  forOffsetsOf(t.thread, [&](Value k) {
    Value sum = b.i32(0);
    for (int64_t part = 0; part < kParts; ++part) {
      Value count = b.load(t.shared[0], {b.index(part), k});
      b.store(sum, t.shared[0], {b.index(part), k});
      sum = b.add(sum, count);
    }
    b.store(sum, t.shared[1], k);
  });
}

void BlockPairLists::placeSegments(const LoopBuilder::Thread &t) {
  Value first = b.mul(b.mul(t.block, size), offsets);
  auto place = [&](Value k, Value position) {
    Value inAll = b.add(first, b.toIndex(position));
    b.store(b.cast(inAll, b.getI64Type()), op.getSegments(), {t.block, k});
  };
  forOffsetsOf(t.thread, [&](Value k) {
    Value before =
        b.forLoop(b.index(0), k, 1, b.i32(0),
                  [&](Value other, ValueRange sum) -> SmallVector<Value> {
                    return {b.add(sum[0], b.load(t.shared[1], other))};
                  })[0];
    b.store(before, t.shared[2], k);
    place(k, before);
    b.ifThen(b.equal(k, b.index(offsets - 1)), [&] {
      place(b.index(offsets), b.add(before, b.load(t.shared[1], k)));
    });
  });
}

void BlockPairLists::writePairs(const LoopBuilder::Thread &t) {
  Value first = b.mul(b.mul(t.block, size), offsets);
  forParts(t.thread, [&](Value part, Value k) {
    auto [begin, end] = getRows(t.block, part);
    Value inBlock =
        b.add(b.load(t.shared[0], {part, k}), b.load(t.shared[2], k));
    b.forLoop(begin, end, 1, b.add(first, b.toIndex(inBlock)),
              [&](Value row, ValueRange at) -> SmallVector<Value> {
                Value neighbour = b.load(table, {row, k});
                Value hit = isPair(neighbour);
                b.ifThen(hit, [&] {
                  b.store(neighbour, op.getInRows(), at[0]);
                  b.store(b.cast(row, b.getI32Type()), op.getOutRows(), at[0]);
                });
                return {b.add(at[0], b.select(hit, b.index(1), b.index(0)))};
              });
  });
}

void BlockPairLists::emitBlock(const LoopBuilder::Thread &t) {
  countPairs(t);
  b.barrier();
  addCounts(t);
  b.barrier();
  placeSegments(t);
  b.barrier();
  writePairs(t);
}

void BlockPairLists::emit() {
  Type i32 = b.getI32Type();
  Value numBlocks = b.ceilDiv(numRows, size);
  b.launch(numBlocks, kThreads,
           {b.getSharedType({kParts, offsets}, i32),
            b.getSharedType({offsets}, i32), b.getSharedType({offsets}, i32)},
           [&](const LoopBuilder::Thread &t) {
             b.ifThen(b.less(t.block, numBlocks), [&] { emitBlock(t); });
           });
}

//===----------------------------------------------------------------------===//
// On a CPU
//===----------------------------------------------------------------------===//

/// Row block by row block, each by one thread. Nothing lies between them.
static void emitByRowBlock(LoopBuilder &b, PairListsOp op) {
  Value table = op.getTable(), segments = op.getSegments();
  int64_t size = op.getRowBlock();
  Value numRows = b.dim(table, 0), volume = b.dim(table, 1);
  Value zero = b.index(0);
  auto isPair = [&](Value neighbour) {
    return b.greaterEqual(neighbour, b.i32(0));
  };

  // segments[r, k] = pairs of row block r with offset k.
  forEachRowBlock(
      b, numRows, size, [&](Value rowBlock, Value begin, Value end) {
        b.forLoop(zero, volume, 1,
                  [&](Value k) { b.store(b.i64(0), segments, {rowBlock, k}); });
        b.forLoop(begin, end, 1, [&](Value row) {
          b.forLoop(zero, volume, 1, [&](Value k) {
            Value hit = isPair(b.load(table, {row, k}));
            Value one = b.select(hit, b.i64(1), b.i64(0));
            Value count = b.load(segments, {rowBlock, k});
            b.store(b.add(count, one), segments, {rowBlock, k});
          });
        });
      });

  // Positions: row block by row block, offset by offset.
  b.forLoop(zero, b.ceilDiv(numRows, size), 1, b.i64(0),
            [&](Value rowBlock, ValueRange sum) -> SmallVector<Value> {
              SmallVector<Value> end =
                  b.forLoop(zero, volume, 1, sum,
                            [&](Value k, ValueRange sum) -> SmallVector<Value> {
                              Value count = b.load(segments, {rowBlock, k});
                              b.store(sum[0], segments, {rowBlock, k});
                              return {b.add(sum[0], count)};
                            });
              b.store(end[0], segments, {rowBlock, volume});
              return end;
            });

  // Each row is written where the next pair belongs, and stays if it is one:
  // no branch to guess, and nothing is written beyond the segment.
  forEachRowBlock(
      b, numRows, size, [&](Value rowBlock, Value begin, Value end) {
        b.forLoop(zero, volume, 1, [&](Value k) {
          Value from = b.toIndex(b.load(segments, {rowBlock, k}));
          Value to = b.toIndex(b.load(segments, {rowBlock, b.add(k, 1)}));
          b.whileLoop(
              {from, begin},
              [&](ValueRange carried) { return b.less(carried[0], to); },
              [&](ValueRange carried) -> SmallVector<Value> {
                auto [position, row] = std::pair(carried[0], carried[1]);
                Value neighbour = b.load(table, {row, k});
                b.store(neighbour, op.getInRows(), position);
                b.store(b.cast(row, b.getI32Type()), op.getOutRows(), position);
                Value step = b.select(isPair(neighbour), b.index(1), zero);
                return {b.add(position, step), b.add(row, 1)};
              });
        });
      });
}

void mlir::sparseconv::emitPairLists(LoopBuilder &b, PairListsOp op) {
  auto type = cast<MemRefType>(op.getTable().getType());
  if (b.isGpu() && BlockPairLists::takes(type.getDimSize(1)))
    return BlockPairLists(b, op).emit();
  emitByRowBlock(b, op);
}
