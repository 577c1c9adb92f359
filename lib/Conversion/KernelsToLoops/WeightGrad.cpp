//===- WeightGrad.cpp - gradient by the weights as loops ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A work item owns some rows of the gradient of one offset. It goes through all
// pairs of the offset in order, a segment at a time; the rows of a segment come
// from the nearest cache for all tiles but the first.
//
//===----------------------------------------------------------------------===//

#include "Conv.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Tiles of rows that one work item owns: enough to use the rows of a segment
/// again, few enough to leave work for many threads.
static constexpr int64_t tilesOfItem = 4;

namespace {
struct WeightGradEmitter {
  LoopBuilder &b;
  WeightGradKernelOp op;
  ConvShape shape;
  Panels panels;
  int64_t tileRows;
  bool isXStaged, isDyStaged;

  WeightGradEmitter(LoopBuilder &b, WeightGradKernelOp op,
                    const ConvShape &shape)
      : b(b), op(op), shape(shape),
        panels(Panels::get(shape.out, op.getTiling())) {
    auto isF32 = [](Value value) {
      return cast<MemRefType>(value.getType()).getElementType().isF32();
    };
    tileRows = std::min(op.getTiling().getRows(), shape.in);
    isXStaged = !isF32(op.getX());
    // Padded columns must read as zeros.
    isDyStaged = !isF32(op.getDy()) || shape.out != panels.paddedColumns();
  }

  int64_t itemRows() const { return tilesOfItem * tileRows; }

  /// What one work item works on: rows firstRow .. endRow of one gradient.
  struct Work {
    Value offset, group, firstRow, endRow, accumulators, stagedX, stagedDy;
  };
  void emitTile(const Work &work, Segment segment, Value panel, Value row,
                int64_t rows);
  void emitSegment(const Work &work, Segment segment);
  void emitStore(const Work &work);
  void emitItem(Value item);
  void emit();
};
} // namespace

/// Adds the products of a segment's pairs to the accumulators of `rows` rows,
/// from `row` on, of one panel.
void WeightGradEmitter::emitTile(const Work &work, Segment segment, Value panel,
                                 Value row, int64_t rows) {
  int64_t lanes = panels.lanes, vectors = panels.vectors();
  Value local = b.sub(row, work.firstRow);
  Value column = b.mul(panel, panels.width);
  SmallVector<Value> sums;
  auto place = [&](int64_t r, int64_t vector) -> SmallVector<Value> {
    return {b.add(local, r), b.add(column, vector * lanes)};
  };
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t vector = 0; vector < vectors; ++vector)
      sums.push_back(b.loadVector(lanes, work.accumulators, place(r, vector)));

  Value x = isXStaged ? work.stagedX : op.getX();
  Value dy = isDyStaged ? work.stagedDy : op.getDy();
  Value xFirst = isXStaged ? local : b.add(b.mul(work.group, shape.in), row);
  Value dyFirst =
      isDyStaged ? column : b.add(b.mul(work.group, shape.out), column);
  sums = b.forLoop(
      segment.begin, segment.end, 1, sums, [&](Value pair, ValueRange carried) {
        Value staged = b.sub(pair, segment.begin);
        Value xRow =
            isXStaged ? staged : b.toIndex(b.load(op.getInRows(), pair));
        Value dyRow =
            isDyStaged ? staged : b.toIndex(b.load(op.getOutRows(), pair));
        SmallVector<Value> gradients, next;
        for (int64_t vector = 0; vector < vectors; ++vector)
          gradients.push_back(
              b.loadVector(lanes, dy, {dyRow, b.add(dyFirst, vector * lanes)}));
        for (int64_t r = 0; r < rows; ++r) {
          Value spread =
              b.broadcast(b.load(x, {xRow, b.add(xFirst, r)}), lanes);
          for (int64_t vector = 0; vector < vectors; ++vector)
            next.push_back(multiplyAdd(b, lanes, spread, gradients[vector],
                                       carried[r * vectors + vector]));
        }
        return next;
      });
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t vector = 0; vector < vectors; ++vector)
      b.storeVector(sums[r * vectors + vector], work.accumulators,
                    place(r, vector));
}

void WeightGradEmitter::emitSegment(const Work &work, Segment segment) {
  if (isXStaged) {
    // The last item may own fewer rows; what it then stages beyond them would
    // belong to another group, or to nothing.
    Value column = b.add(b.mul(work.group, shape.in), work.firstRow);
    Value columns = b.sub(work.endRow, work.firstRow);
    b.forLoop(segment.begin, segment.end, 1, [&](Value pair) {
      Value from = b.toIndex(b.load(op.getInRows(), pair));
      Value to = b.sub(pair, segment.begin);
      b.forLoop(b.index(0), columns, 1, [&](Value j) {
        Value element = b.load(op.getX(), {from, b.add(column, j)});
        b.store(b.toFloat(element), work.stagedX, {to, j});
      });
    });
  }
  if (isDyStaged)
    stageRows(b, op.getDy(), op.getOutRows(), segment,
              b.mul(work.group, shape.out), shape.out, panels.lanes,
              work.stagedDy);
  b.forLoop(b.index(0), b.index(panels.count), 1, [&](Value panel) {
    Value tiles = b.floorDiv(b.sub(work.endRow, work.firstRow), tileRows);
    Value endOfTiles = b.add(work.firstRow, b.mul(tiles, tileRows));
    b.forLoop(work.firstRow, endOfTiles, tileRows, [&](Value row) {
      emitTile(work, segment, panel, row, tileRows);
    });
    if (int64_t left = shape.in % tileRows)
      b.ifThen(b.less(endOfTiles, work.endRow),
               [&] { emitTile(work, segment, panel, endOfTiles, left); });
  });
}

void WeightGradEmitter::emitStore(const Work &work) {
  Type element = cast<MemRefType>(op.getDw().getType()).getElementType();
  b.forLoop(work.firstRow, work.endRow, 1, [&](Value row) {
    Value local = b.sub(row, work.firstRow);
    forColumns(
        b, shape.out, panels.lanes,
        [&](Value j) {
          Value sum = b.loadVector(panels.lanes, work.accumulators, {local, j});
          b.storeVector(b.fromFloat(sum, element), op.getDw(),
                        shape.weightIndices(work.offset, work.group, row, j));
        },
        [&](Value j) {
          Value sum = b.load(work.accumulators, {local, j});
          b.store(b.fromFloat(sum, element), op.getDw(),
                  shape.weightIndices(work.offset, work.group, row, j));
        });
  });
}

void WeightGradEmitter::emitItem(Value item) {
  Type f32 = b.getF32Type();
  int64_t block = op.getTiling().getBlock();
  int64_t columns = panels.paddedColumns();
  // Offsets change fastest: they differ most in their pairs, and a thread that
  // takes a run of items then has some of each.
  Value slice = b.floorDiv(item, shape.offsets);
  Value part = b.floorDiv(slice, shape.groups);
  Work work;
  work.offset = b.sub(item, b.mul(slice, shape.offsets));
  work.group = b.sub(slice, b.mul(part, shape.groups));
  work.firstRow = b.mul(part, itemRows());
  work.endRow = b.min(b.add(work.firstRow, itemRows()), b.index(shape.in));
  work.accumulators = b.alloc({itemRows(), columns}, f32);
  zeroRows(b, work.accumulators, b.index(itemRows()), columns, panels.lanes);
  if (isXStaged)
    work.stagedX = b.alloc({block, itemRows()}, f32);
  if (isDyStaged) {
    work.stagedDy = b.alloc({block, columns}, f32);
    zeroRows(b, work.stagedDy, b.index(block), columns, panels.lanes);
  }
  b.forLoop(b.index(0), b.dim(op.getSegments(), 0), 1, [&](Value index) {
    Segment segment = Segment::load(b, op.getSegments(), index, work.offset);
    b.ifThen(b.less(segment.begin, segment.end),
             [&] { emitSegment(work, segment); });
  });
  emitStore(work);
  if (isDyStaged)
    b.dealloc(work.stagedDy);
  if (isXStaged)
    b.dealloc(work.stagedX);
  b.dealloc(work.accumulators);
}

void WeightGradEmitter::emit() {
  int64_t parts = llvm::divideCeil(shape.in, itemRows());
  b.parallelForUneven(b.index(parts * shape.groups * shape.offsets),
                      [&](Value item) { emitItem(item); });
}

void mlir::sparseconv::emitWeightGrad(LoopBuilder &b, WeightGradKernelOp op) {
  ConvShape shape = ConvShape::get(cast<MemRefType>(op.getDw().getType()));
  if (shape.isDepthwise())
    return emitDepthwiseWeightGrad(b, op, shape);
  WeightGradEmitter(b, op, shape).emit();
}
