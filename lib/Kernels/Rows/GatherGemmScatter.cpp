//===- GatherGemmScatter.cpp - gather-GEMM-scatter as loops ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weight-stationary: a work item owns a row block and its f32
// accumulators. For each offset, one panel of the weights after another stays
// in the nearest cache while all pairs of the row block pass it, a few at a
// time with their sums in registers.
//
//===----------------------------------------------------------------------===//

#include "Conv.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// How many pairs ahead the rows of x are asked for.
static constexpr int64_t prefetchedPairs = 12;
static constexpr int64_t rowsPerPairBits = 20;

/// Steps of the innermost loop between two branches, in whole tiles. What is
/// left of an offset's pairs is less work, and its tiles are half of the code.
static constexpr int64_t unrolledChannels = 4;

namespace {
/// What the inner kernels of one operation share.
struct GemmEmitter {
  LoopBuilder &b;
  GatherGemmScatterOp op;
  ConvShape shape;
  Panels panels;
  Value packed;
  bool isStaged;

  GemmEmitter(LoopBuilder &b, GatherGemmScatterOp op, const ConvShape &shape)
      : b(b), op(op), shape(shape),
        panels(Panels::get(shape.out, op.getTiling())) {
    isStaged = !cast<MemRefType>(op.getX().getType()).getElementType().isF32();
  }

  /// Columns of the accumulators of a group.
  int64_t stride() const { return panels.paddedColumns(); }

  /// What one panel of one offset works on.
  struct Work {
    Value offset, group, panel;
    /// First output row of the row block, its accumulators, and the converted
    /// rows of x if the elements of x are narrow.
    Value first, accumulators, staged;
    Segment segment;
    /// The first and the last pair of the row block, of any offset, and output
    /// rows for each pair in units of 2^-rowsPerPairBits.
    Value firstPair, lastPair, rowsPerPair;
  };
  void emitPrefetch(const Work &work, Value pair, int64_t rows);
  void emitTile(const Work &work, Value pair, int64_t rows);
  void emitPanel(const Work &work);
  void emitRowBlock(Value rowBlock);
  void emit();
};
} // namespace

/// Asks for memory that is wanted later than the `rows` pairs from `pair` on.
void GemmEmitter::emitPrefetch(const Work &work, Value pair, int64_t rows) {
  // Rows of x some tiles ahead. The pairs of the next offset follow those of
  // this one, so that only the start of a row block waits.
  int64_t ahead = llvm::alignTo(prefetchedPairs, op.getTiling().getRows());
  for (int64_t row = 0; row < rows && !isStaged; ++row) {
    Value position = b.min(b.add(pair, row + ahead), work.lastPair);
    prefetchRow(b, op.getX(), b.toIndex(b.load(op.getInRows(), position)),
                b.mul(work.group, shape.in), shape.in, /*isWrite=*/false);
  }
  // The rows of y, which would otherwise all be fetched at the end: each pair
  // asks for its share of them.
  auto rowOf = [&](Value position) {
    Value share = b.mul(b.sub(position, work.firstPair), work.rowsPerPair);
    return b.add(work.first, b.shiftRight(share, rowsPerPairBits));
  };
  Value column =
      b.add(b.mul(work.group, shape.out), b.mul(work.panel, panels.width));
  b.forLoop(rowOf(pair), rowOf(b.add(pair, rows)), 1, [&](Value row) {
    prefetchRow(b, op.getY(), row, column, panels.width, /*isWrite=*/true);
  });
}

/// `rows` pairs from `pair` on: their products with the panel are summed in
/// registers, then added to the accumulators of their output rows.
void GemmEmitter::emitTile(const Work &work, Value pair, int64_t rows) {
  int64_t lanes = panels.lanes, vectors = panels.vectors();
  Value x = isStaged ? work.staged : op.getX();
  Value inFirst = b.mul(work.group, shape.in);
  Value outFirst =
      b.add(b.mul(work.group, stride()), b.mul(work.panel, panels.width));
  SmallVector<Value> inRows, outRows, outColumns;
  for (int64_t row = 0; row < rows; ++row) {
    Value position = b.add(pair, row);
    inRows.push_back(isStaged ? b.sub(position, work.segment.begin)
                              : b.toIndex(b.load(op.getInRows(), position)));
    outRows.push_back(
        b.sub(b.toIndex(b.load(op.getOutRows(), position)), work.first));
  }
  for (int64_t vector = 0; vector < vectors; ++vector)
    outColumns.push_back(b.add(outFirst, vector * lanes));

  emitPrefetch(work, pair, rows);

  auto addChannel = [&](Value channel, ValueRange carried) {
    SmallVector<Value> weights, next;
    for (int64_t vector = 0; vector < vectors; ++vector)
      weights.push_back(b.loadVector(lanes, packed,
                                     {work.offset, work.group, work.panel,
                                      channel, b.index(vector * lanes)}));
    for (int64_t row = 0; row < rows; ++row) {
      Value element = b.load(x, {inRows[row], b.add(inFirst, channel)});
      Value spread = b.broadcast(element, lanes);
      for (int64_t vector = 0; vector < vectors; ++vector)
        next.push_back(multiplyAdd(b, lanes, spread, weights[vector],
                                   carried[row * vectors + vector]));
    }
    return next;
  };
  Value zero = b.constant(VectorType::get({lanes}, b.getF32Type()), 0);
  SmallVector<Value> sums(rows * vectors, zero);
  int64_t steps = rows == op.getTiling().getRows() ? unrolledChannels : 1;
  int64_t unrolled = shape.in / steps * steps;
  if (unrolled != 0)
    sums = b.forLoop(b.index(0), b.index(unrolled), steps, sums,
                     [&](Value channel, ValueRange carried) {
                       SmallVector<Value> next(carried);
                       for (int64_t step = 0; step < steps; ++step)
                         next = addChannel(b.add(channel, step), next);
                       return next;
                     });
  for (int64_t channel = unrolled; channel < shape.in; ++channel)
    sums = addChannel(b.index(channel), sums);

  for (int64_t row = 0; row < rows; ++row)
    for (int64_t vector = 0; vector < vectors; ++vector) {
      SmallVector<Value> place{outRows[row], outColumns[vector]};
      Value sum = b.loadVector(lanes, work.accumulators, place);
      b.storeVector(b.add(sum, sums[row * vectors + vector]), work.accumulators,
                    place);
    }
}

void GemmEmitter::emitPanel(const Work &work) {
  Value begin = work.segment.begin;
  // Whole tiles, then what is left in tiles of half as many rows, and so on.
  for (int64_t rows = op.getTiling().getRows();; rows = (rows + 1) / 2) {
    Value count = b.floorDiv(b.sub(work.segment.end, begin), rows);
    Value end = b.add(begin, b.mul(count, rows));
    b.forLoop(begin, end, rows,
              [&](Value pair) { emitTile(work, pair, rows); });
    begin = end;
    if (rows == 1)
      return;
  }
}

void GemmEmitter::emitRowBlock(Value rowBlock) {
  int64_t size = op.getTiling().getRowBlock();
  int64_t inColumns = shape.groups * shape.in;
  int64_t columns = shape.groups * stride();
  Value first = b.mul(rowBlock, size);
  Value count = b.min(b.sub(b.dim(op.getY(), 0), first), b.index(size));
  Value accumulators = b.alloc({size, columns}, b.getF32Type());
  Value staged;
  if (isStaged)
    staged = b.alloc({size, inColumns}, b.getF32Type());
  zeroRows(b, accumulators, count, columns, panels.lanes);

  Value zero = b.index(0);
  Value firstPair = b.toIndex(b.load(op.getSegments(), {rowBlock, zero}));
  Value endOfPairs =
      b.toIndex(b.load(op.getSegments(), {rowBlock, b.index(shape.offsets)}));
  Value lastPair = b.sub(endOfPairs, 1);
  Value rowsPerPair =
      arith::DivUIOp::create(b, b.shiftLeft(count, rowsPerPairBits),
                             b.max(b.sub(endOfPairs, firstPair), b.index(1)));
  b.forLoop(zero, b.index(shape.offsets), 1, [&](Value offset) {
    Segment segment = Segment::load(b, op.getSegments(), rowBlock, offset);
    if (isStaged)
      stageRows(b, op.getX(), op.getInRows(), segment,
                {zero, inColumns, panels.lanes}, staged);
    b.forLoop(zero, b.index(shape.groups), 1, [&](Value group) {
      b.forLoop(zero, b.index(panels.count), 1, [&](Value panel) {
        emitPanel({offset, group, panel, first, accumulators, staged, segment,
                   firstPair, lastPair, rowsPerPair});
      });
    });
  });

  emitEpilogue(b, op,
               {accumulators, first, count, shape.groups, shape.out, stride()});
  if (isStaged)
    b.dealloc(staged);
  b.dealloc(accumulators);
}

void GemmEmitter::emit() {
  packed = packWeights(b, op.getW(), shape, panels, op.getTransposeWeights());
  b.parallelForUneven(b.dim(op.getSegments(), 0),
                      [&](Value rowBlock) { emitRowBlock(rowBlock); });
  b.dealloc(packed);
}

void mlir::sparseconv::emitGatherGemmScatter(LoopBuilder &b,
                                             GatherGemmScatterOp op) {
  ConvShape shape = ConvShape::get(cast<MemRefType>(op.getW().getType()),
                                   op.getTransposeWeights());
  if (shape.isDepthwise())
    return emitDepthwiseGatherGemmScatter(b, op, shape);
  GemmEmitter(b, op, shape).emit();
}
