//===- WeightGradSplits.cpp - what gradients by the weights are made of ---===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/TypeUtilities.h"
#include "sparseconv/Kernels/Builders/ConvShape.h"
#include "sparseconv/Kernels/Gemm/WeightGrad.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"

using namespace mlir;
using namespace mlir::sparseconv;

Value mlir::sparseconv::emitTurnedTable(LoopBuilder &b, Value table,
                                        Value xRows, Value sizes) {
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

void mlir::sparseconv::emitSumOfSplits(LoopBuilder &b,
                                       const WeightGradConfig &config,
                                       Value rows, Value splits, Value dw) {
  ConvShape shape = ConvShape::get(cast<MemRefType>(dw.getType()));
  constexpr int64_t grain = WeightGradConfig::rowGrain, together = 8;
  Type element = getElementTypeOrSelf(dw.getType());
  Value zero = b.index(0);
  b.parallelFor(b.index(config.offsets * config.elements()), [&](Value place) {
    Value perRowBlock =
        b.mul(b.ceilDiv(b.ceilDiv(rows, config.rowBlocks), grain), grain);
    // As many as the kernel found rows for.
    Value rowBlocks = b.ceilDiv(rows, b.max(perRowBlock, b.index(1)));
    Value count = b.mul(rowBlocks, config.slices), last = b.sub(count, 1);
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
      return std::pair(b.divide(value, by), b.remainder(value, by));
    };
    auto [rest, column] = divide(place, shape.out);
    auto [slice, row] = divide(rest, shape.in);
    auto [offset, group] = divide(slice, shape.groups);
    b.store(b.fromFloat(sum, element), dw,
            shape.weightIndices(offset, group, row, column));
  });
}
