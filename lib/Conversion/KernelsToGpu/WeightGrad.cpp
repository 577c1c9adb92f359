//===- WeightGrad.cpp - gradient by the weights on a GPU ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three steps: the neighbour table by offset, so that neighbouring threads read
// neighbouring entries; the splits of the gradient; their sum, in order.
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Gemm/WeightGrad.h"
#include "KernelCalls.h"
#include "Patterns.h"
#include "mlir/IR/TypeUtilities.h"
#include "sparseconv/Conversion/KernelPatterns.h"
#include "sparseconv/Kernels/Indexing/Blocks.h"
#include "sparseconv/Kernels/Rows/ConvShape.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// `table` [N, K] as [K, N], N rounded up and -1 behind it; then N and the rows
/// of x in `sizes`.
static Value turnTable(LoopBuilder &b, Value table, Value xRows, Value sizes) {
  constexpr int64_t grain = WeightGradConfig::rowGrain;
  int64_t offsets = cast<MemRefType>(table.getType()).getDimSize(1);
  Value rows = b.dim(table, 0);
  Value slots = b.mul(b.ceilDiv(rows, grain), grain);
  Value turned =
      b.alloc({offsets, ShapedType::kDynamic}, b.getI32Type(), slots);
  b.parallelFor(b.add(slots, 1), [&](Value slot) {
    b.ifElse(
        b.less(slot, slots),
        [&] {
          Value isRow = b.less(slot, rows);
          Value row = b.select(isRow, slot, b.index(0));
          b.ifElse(
              isRow,
              [&] {
                forOffsets(b, offsets, [&](Value k) {
                  b.store(b.load(table, {row, k}), turned, {k, slot});
                });
              },
              [&] {
                forOffsets(b, offsets, [&](Value k) {
                  b.store(b.i32(-1), turned, {k, slot});
                });
              });
        },
        [&] {
          b.store(xRows, sizes, b.index(0));
          b.store(rows, sizes, b.index(1));
        });
  });
  return turned;
}

/// Adds up the splits that have rows, and rounds.
static void addSplits(LoopBuilder &b, const WeightGradConfig &config,
                      const ConvShape &shape, Value rows, Value splits,
                      Value dw) {
  constexpr int64_t grain = WeightGradConfig::rowGrain, together = 8;
  Type element = getElementTypeOrSelf(dw.getType());
  Value zero = b.index(0);
  b.parallelFor(b.index(config.offsets * config.elements()), [&](Value place) {
    Value perChunk =
        b.mul(b.ceilDiv(b.ceilDiv(rows, config.chunks), grain), grain);
    // As many as the kernel found rows for.
    Value chunks =
        b.createOrFold<arith::CeilDivSIOp>(rows, b.max(perChunk, b.index(1)));
    Value count = b.mul(chunks, config.slices), last = b.sub(count, 1);
    Value sum = b.forLoop(
        zero, count, together, b.f32(0),
        [&](Value first, ValueRange carried) -> SmallVector<Value> {
          // All loads first: they do not wait for each other.
          SmallVector<Value> terms;
          for (int64_t i = 0; i < together; ++i) {
            Value split = b.add(first, i);
            Value value = b.load(splits, {b.min(split, last), place});
            terms.push_back(b.select(b.less(split, count), value, b.f32(0)));
          }
          Value sum = carried[0];
          for (Value term : terms)
            sum = b.add(sum, term);
          return {sum};
        })[0];
    auto divide = [&](Value value, int64_t by) {
      return std::pair(b.createOrFold<arith::DivUIOp>(value, b.index(by)),
                       b.createOrFold<arith::RemUIOp>(value, b.index(by)));
    };
    auto [rest, column] = divide(place, shape.out);
    auto [slice, row] = divide(rest, shape.in);
    auto [offset, group] = divide(slice, shape.groups);
    b.store(b.fromFloat(sum, element), dw,
            shape.weightIndices(offset, group, row, column));
  });
}

/// The permission to round f32 to tf32 has become the choice of the main loop.
static WeightGradShape getShape(ImplicitWeightGradOp op) {
  return getWeightGradShape(cast<ShapedType>(op.getDw().getType()),
                            getElementTypeOrSelf(op.getX().getType()),
                            getElementTypeOrSelf(op.getDy().getType()),
                            /*allowTf32=*/true);
}

LogicalResult mlir::sparseconv::verifyTiling(ImplicitWeightGradOp op,
                                             const TargetInfo &target) {
  std::string problem =
      verifyWeightGrad(op.getTiling(), op.getSplitK(), getShape(op), target);
  return problem.empty() ? success()
                         : op.emitOpError("cannot be made: ") << problem;
}

static void emitImplicitWeightGrad(LoopBuilder &b, ImplicitWeightGradOp op) {
  Value x = readDense(b, op.getX()), dy = readDense(b, op.getDy());
  Value dw = op.getDw();
  ConvShape shape = ConvShape::get(cast<MemRefType>(dw.getType()));
  WeightGradConfig config =
      getWeightGrad(op.getTiling(), op.getSplitK(), getShape(op));
  Value sizes = b.alloc({2}, b.getIndexType());
  Value table = turnTable(b, op.getTable(), b.dim(x, 0), sizes);
  Value splits = b.alloc({config.splits(), config.offsets * config.elements()},
                         b.getF32Type());
  gpu::GPUFuncOp kernel = buildWeightGrad(
      createKernelModule(b, op, "weight_grad"), "weight_grad", config);
  callKernel(
      b, kernel,
      {b.index(config.gridX()), config.gridY(), config.threads(),
       config.sharedBytes()},
      {x, dy, table, splits, getElement(b, sizes, 0), getElement(b, sizes, 1)});
  addSplits(b, config, shape, b.dim(op.getTable(), 0), splits, dw);
}

void mlir::sparseconv::populateWeightGradToGpuPatterns(
    RewritePatternSet &patterns) {
  patterns.add<LoopPattern<ImplicitWeightGradOp>>(patterns.getContext(),
                                                  emitImplicitWeightGrad);
}
