//===- Quantise.cpp - coordinates of points in space ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Quantise.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "sparseconv/Kernels/Indexing/IndexingKernels.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"

using namespace mlir;
using namespace mlir::sparseconv;
using arith::CmpFPredicate;

static Value compare(LoopBuilder &b, CmpFPredicate predicate, Value lhs,
                     Value rhs) {
  return b.createOrFold<arith::CmpFOp>(predicate, lhs, rhs);
}

/// Whether i32 holds a whole number: NaN is in no range.
static Value fits(LoopBuilder &b, Value whole) {
  return b.andBits(compare(b, CmpFPredicate::OGE, whole, b.f32(-0x1p31)),
                   compare(b, CmpFPredicate::OLT, whole, b.f32(0x1p31)));
}

SmallVector<Value> mlir::sparseconv::quantisePoint(LoopBuilder &b, Value points,
                                                   Value row,
                                                   ArrayRef<float> origin,
                                                   ArrayRef<float> size) {
  int64_t dim = size.size();
  int64_t first = cast<MemRefType>(points.getType()).getDimSize(1) - dim;
  Value isPoint = b.i1(true);
  SmallVector<Value> whole;
  if (first) {
    Value batch = b.load(points, {row, b.index(0)});
    whole.push_back(b.createOrFold<math::FloorOp>(batch));
    isPoint = compare(b, CmpFPredicate::OEQ, batch, whole.back());
  }
  for (int64_t axis = 0; axis != dim; ++axis) {
    Value distance = b.sub(b.load(points, {row, b.index(first + axis)}),
                           b.f32(origin[axis]));
    whole.push_back(
        b.createOrFold<math::FloorOp>(b.divide(distance, b.f32(size[axis]))));
  }
  for (Value number : whole)
    isPoint = b.andBits(isPoint, fits(b, number));
  SmallVector<Value> point;
  if (!first)
    point.push_back(b.select(isPoint, b.i64(0), b.i64(-1)));
  for (auto [column, number] : llvm::enumerate(whole)) {
    bool isBatch = first && column == 0;
    Value known = b.select(isPoint, number, b.f32(isBatch ? -1 : 0));
    point.push_back(b.createOrFold<arith::FPToSIOp>(b.getI64Type(), known));
  }
  return point;
}

void mlir::sparseconv::emitQuantise(LoopBuilder &b, QuantiseKernelOp op) {
  forEachRow(b, b.dim(op.getPoints(), 0), kDefaultRowBlock, [&](Value row) {
    SmallVector<Value> point = quantisePoint(b, op.getPoints(), row,
                                             op.getOrigin(), op.getVoxelSize());
    for (auto [column, number] : llvm::enumerate(point))
      b.store(b.cast(number, b.getI32Type()), op.getCoordinates(),
              {row, b.index(column)});
  });
}
