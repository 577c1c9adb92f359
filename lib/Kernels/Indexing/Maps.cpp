//===- Maps.cpp - encodings of kernel maps as loops -----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Indexing/IndexingKernels.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"

using namespace mlir;
using namespace mlir::sparseconv;

//===----------------------------------------------------------------------===//
// invert_table
//===----------------------------------------------------------------------===//

/// Calls `body` for each row and offset of a table, on all threads.
static void forEachEntry(LoopBuilder &b, Value table,
                         function_ref<void(Value row, Value k)> body) {
  Value volume = b.dim(table, 1);
  forEachRow(b, b.dim(table, 0), kDefaultRowBlock, [&](Value row) {
    b.forLoop(b.index(0), volume, 1, [&](Value k) { body(row, k); });
  });
}

void mlir::sparseconv::emitInvertTable(LoopBuilder &b, InvertTableOp op) {
  forEachEntry(b, op.getInverse(), [&](Value row, Value k) {
    b.store(b.i32(-1), op.getInverse(), {row, k});
  });
  // An input meets at most one output for each offset: no two rows write the
  // same entry.
  forEachEntry(b, op.getTable(), [&](Value row, Value k) {
    Value neighbour = b.load(op.getTable(), {row, k});
    b.ifThen(b.greaterEqual(neighbour, b.i32(0)), [&] {
      b.store(b.cast(row, b.getI32Type()), op.getInverse(),
              {b.toIndex(neighbour), k});
    });
  });
}

//===----------------------------------------------------------------------===//
// pair_lists
//===----------------------------------------------------------------------===//

void mlir::sparseconv::emitPairLists(LoopBuilder &b, PairListsOp op) {
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
