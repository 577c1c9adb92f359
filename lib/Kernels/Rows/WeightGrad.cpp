//===- WeightGrad.cpp - gradient by the weights as loops ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pairs of an offset are spread over all rows, so rows would be read anew
// for each offset. Hence some row blocks at a time go through all offsets,
// while their rows are in the nearest caches. In there, a work item owns some
// rows of the gradient of one offset; it lines the rows of its pairs up, as
// f32, and multiplies them tile by tile. An element's sum takes the pairs in
// their order whichever way the work is divided.
//
//===----------------------------------------------------------------------===//

#include "Conv.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Tiles of rows that one work item owns: enough to use the rows of its pairs
/// again, few enough to leave work for many threads.
static constexpr int64_t tilesOfItem = 6;

/// Bytes of x and dy that go through all offsets at a time.
static constexpr int64_t bytesAtOnce = 1 << 20;

namespace {
struct WeightGradEmitter {
  LoopBuilder &b;
  WeightGradKernelOp op;
  ConvShape shape;
  Panels panels;
  int64_t tileRows, itemRows;
  /// The sums: [offsets * groups, in, padded columns]. What is in the padding
  /// depends on nothing and is not stored.
  Value sums;

  WeightGradEmitter(LoopBuilder &b, WeightGradKernelOp op,
                    const ConvShape &shape)
      : b(b), op(op), shape(shape),
        panels(Panels::get(shape.out, op.getTiling())),
        tileRows(std::min(op.getTiling().getRows(), shape.in)),
        itemRows(tilesOfItem * tileRows) {}

  /// What one work item works on: rows firstRow .. endRow of one gradient, and
  /// the rows of its pairs.
  struct Work {
    Value offset, group, matrix, firstRow, endRow, x, dy;
  };
  void emitTile(const Work &work, Value pairs, Value panel, Value row,
                int64_t rows);
  void emitSegment(const Work &work, Segment segment);
  void emitItem(Value item, Value firstRowBlock, Value endRowBlock);
  void emitStore(Value offset);
  int64_t getRowBlocksAtOnce();
  void emit();
};
} // namespace

/// Adds the products of `pairs` pairs to the sums of `rows` rows, from `row`
/// on, of one panel.
void WeightGradEmitter::emitTile(const Work &work, Value pairs, Value panel,
                                 Value row, int64_t rows) {
  int64_t lanes = panels.lanes, vectors = panels.vectors();
  Value local = b.sub(row, work.firstRow);
  Value column = b.mul(panel, panels.width);
  SmallVector<SmallVector<Value>> places;
  SmallVector<Value> tile;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t vector = 0; vector < vectors; ++vector) {
      places.push_back(
          {work.matrix, b.add(row, r), b.add(column, vector * lanes)});
      tile.push_back(b.loadVector(lanes, sums, places.back()));
    }
  auto addPair = [&](Value pair, ValueRange carried) {
    SmallVector<Value> gradients, next;
    for (int64_t vector = 0; vector < vectors; ++vector)
      gradients.push_back(
          b.loadVector(lanes, work.dy, {pair, b.add(column, vector * lanes)}));
    for (int64_t r = 0; r < rows; ++r) {
      Value spread =
          b.broadcast(b.load(work.x, {pair, b.add(local, r)}), lanes);
      for (int64_t vector = 0; vector < vectors; ++vector)
        next.push_back(multiplyAdd(b, lanes, spread, gradients[vector],
                                   carried[r * vectors + vector]));
    }
    return next;
  };
  tile = b.forLoop(b.index(0), pairs, 1, tile, addPair);
  for (auto [sum, place] : llvm::zip_equal(tile, places))
    b.storeVector(sum, sums, place);
}

void WeightGradEmitter::emitSegment(const Work &work, Segment segment) {
  stageRows(b, op.getDy(), op.getOutRows(), segment,
            {b.mul(work.group, shape.out), shape.out, panels.lanes}, work.dy);
  Value column = b.add(b.mul(work.group, shape.in), work.firstRow);
  auto stageX = [&](int64_t columns) {
    stageRows(b, op.getX(), op.getInRows(), segment,
              {column, columns, panels.lanes}, work.x);
  };
  // All items but the last of a matrix own as many rows.
  int64_t whole = std::min(itemRows, shape.in), left = shape.in % whole;
  if (left == 0)
    stageX(whole);
  else
    b.ifElse(
        b.less(work.endRow, b.index(shape.in)), [&] { stageX(whole); },
        [&] { stageX(left); });

  Value pairs = b.sub(segment.end, segment.begin);
  b.forLoop(b.index(0), b.index(panels.count), 1, [&](Value panel) {
    Value tiles = b.floorDiv(b.sub(work.endRow, work.firstRow), tileRows);
    Value endOfTiles = b.add(work.firstRow, b.mul(tiles, tileRows));
    b.forLoop(work.firstRow, endOfTiles, tileRows,
              [&](Value row) { emitTile(work, pairs, panel, row, tileRows); });
    if (int64_t rows = shape.in % tileRows)
      b.ifThen(b.less(endOfTiles, work.endRow),
               [&] { emitTile(work, pairs, panel, endOfTiles, rows); });
  });
}

void WeightGradEmitter::emitItem(Value item, Value firstRowBlock,
                                 Value endRowBlock) {
  Type f32 = b.getF32Type();
  int64_t rowBlock = op.getTiling().getRowBlock();
  Value rest = b.floorDiv(item, shape.offsets);
  Value tilesOfRows = b.floorDiv(rest, shape.groups);
  Work work;
  work.offset = b.sub(item, b.mul(rest, shape.offsets));
  work.group = b.sub(rest, b.mul(tilesOfRows, shape.groups));
  work.matrix = b.add(b.mul(work.offset, shape.groups), work.group);
  work.firstRow = b.mul(tilesOfRows, itemRows);
  work.endRow = b.min(b.add(work.firstRow, itemRows), b.index(shape.in));
  work.x = b.alloc({rowBlock, itemRows}, f32);
  work.dy = b.alloc({rowBlock, panels.paddedColumns()}, f32);
  b.forLoop(firstRowBlock, endRowBlock, 1, [&](Value index) {
    Segment segment = Segment::load(b, op.getSegments(), index, work.offset);
    b.ifThen(b.less(segment.begin, segment.end),
             [&] { emitSegment(work, segment); });
  });
  b.dealloc(work.dy);
  b.dealloc(work.x);
}

/// Rounds and stores the sums of one offset.
void WeightGradEmitter::emitStore(Value offset) {
  Type element = cast<MemRefType>(op.getDw().getType()).getElementType();
  Value zero = b.index(0);
  b.forLoop(zero, b.index(shape.groups), 1, [&](Value group) {
    Value matrix = b.add(b.mul(offset, shape.groups), group);
    b.forLoop(zero, b.index(shape.in), 1, [&](Value row) {
      forColumns(
          b, shape.out, panels.lanes,
          [&](Value j) {
            Value sum = b.loadVector(panels.lanes, sums, {matrix, row, j});
            b.storeVector(b.fromFloat(sum, element), op.getDw(),
                          shape.weightIndices(offset, group, row, j));
          },
          [&](Value j) {
            Value sum = b.load(sums, {matrix, row, j});
            b.store(b.fromFloat(sum, element), op.getDw(),
                    shape.weightIndices(offset, group, row, j));
          });
    });
  });
}

int64_t WeightGradEmitter::getRowBlocksAtOnce() {
  auto rowBits = [](Value rows) {
    auto type = cast<MemRefType>(rows.getType());
    return type.getDimSize(1) * type.getElementTypeBitWidth();
  };
  int64_t bits =
      op.getTiling().getRowBlock() * (rowBits(op.getX()) + rowBits(op.getDy()));
  return std::max<int64_t>(1, bytesAtOnce * 8 / bits);
}

void WeightGradEmitter::emit() {
  int64_t matrices = shape.offsets * shape.groups;
  int64_t columns = panels.paddedColumns();
  Value zero = b.index(0);
  sums = b.alloc({matrices, shape.in, columns}, b.getF32Type());
  Value zeros = b.constant(VectorType::get({panels.lanes}, b.getF32Type()), 0);
  b.parallelFor(b.index(matrices), [&](Value matrix) {
    b.forLoop(zero, b.index(shape.in), 1, [&](Value row) {
      b.forLoop(zero, b.index(columns), panels.lanes, [&](Value column) {
        b.storeVector(zeros, sums, {matrix, row, column});
      });
    });
  });

  Value rowBlocks = b.dim(op.getSegments(), 0);
  Value items = b.index(llvm::divideCeil(shape.in, itemRows) * matrices);
  int64_t step = getRowBlocksAtOnce();
  b.forLoop(zero, rowBlocks, step, [&](Value firstRowBlock) {
    Value endRowBlock = b.min(b.add(firstRowBlock, step), rowBlocks);
    b.parallelForUneven(
        items, [&](Value item) { emitItem(item, firstRowBlock, endRowBlock); });
  });
  b.parallelFor(b.index(shape.offsets),
                [&](Value offset) { emitStore(offset); });
  b.dealloc(sums);
}

void mlir::sparseconv::emitWeightGrad(LoopBuilder &b, WeightGradKernelOp op) {
  ConvShape shape = ConvShape::get(cast<MemRefType>(op.getDw().getType()));
  if (shape.isDepthwise())
    return emitDepthwiseWeightGrad(b, op, shape);
  WeightGradEmitter(b, op, shape).emit();
}
