//===- ImplicitGemm.cpp - implicit GEMM by scalar arithmetic --------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form that takes every shape and type: a thread for a few neighbouring
// channels of one output row, so that the threads of a warp read neighbouring
// weights and one row of x.
//
//===----------------------------------------------------------------------===//

#include "Conv.h"
#include "sparseconv/Kernels/Rows/RowKernels.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Channels of one thread: a divisor of `columns`.
static int64_t getWidth(int64_t columns) {
  for (int64_t width : {4, 3, 2})
    if (columns % width == 0)
      return width;
  return 1;
}

void mlir::sparseconv::emitImplicitGemm(LoopBuilder &b, ImplicitGemmOp op) {
  Value x = op.getX(), w = op.getW(), table = op.getTable(), y = op.getY();
  bool isTransposed = op.getTransposeWeights();
  ConvShape shape = ConvShape::get(cast<MemRefType>(w.getType()), isTransposed);
  int64_t width = getWidth(shape.out), chunks = shape.out / width;
  Value zero = b.index(0), rows = b.dim(y, 0), xRows = b.dim(x, 0);

  b.parallelFor(b.mul(rows, shape.groups * chunks), [&](Value item) {
    Value perRow = b.index(shape.groups * chunks);
    Value row = b.divide(item, perRow);
    Value place = b.remainder(item, perRow);
    Value group = b.divide(place, chunks);
    Value column = b.mul(b.remainder(place, chunks), width);
    Value firstIn = b.mul(group, shape.in);
    SmallVector<Value> sums(width, b.f32(0));
    sums = b.forLoop(
        zero, b.index(shape.offsets), 1, sums,
        [&](Value k, ValueRange sums) -> SmallVector<Value> {
          Value entry = b.load(table, {row, k});
          Value isRow = b.lessUnsigned(b.toIndex(entry), xRows);
          return b.ifElse(
              isRow, sums.getTypes(),
              [&] {
                return b.forLoop(
                    zero, b.index(shape.in), 1, sums,
                    [&](Value c, ValueRange sums) -> SmallVector<Value> {
                      Value term = b.toFloat(
                          b.load(x, {b.toIndex(entry), b.add(firstIn, c)}));
                      SmallVector<Value> next;
                      for (int64_t j = 0; j < width; ++j) {
                        Value to = b.add(column, j);
                        SmallVector<Value> at =
                            isTransposed ? shape.weightIndices(k, group, to, c)
                                         : shape.weightIndices(k, group, c, to);
                        next.push_back(
                            b.fma(term, b.toFloat(b.load(w, at)), sums[j]));
                      }
                      return next;
                    });
              },
              [&] { return SmallVector<Value>(sums); });
        });
    for (int64_t j = 0; j < width; ++j) {
      Value channel = b.add(b.add(b.mul(group, shape.out), column), j);
      b.store(finishSum(b, op, /*lanes=*/0, sums[j], row, channel), y,
              {row, channel});
    }
  });
}
