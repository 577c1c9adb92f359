//===- Pool.cpp - pooling as loops ----------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "sparseconv/Kernels/Rows/RowKernels.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Whether entry (row, k) of a table is a row.
static Value isPresent(LoopBuilder &b, Value entry) {
  return b.greaterEqual(entry, b.i32(0));
}

/// How many entries of a row of a table are rows, as i32.
static Value countPresent(LoopBuilder &b, Value table, Value row) {
  return b.forLoop(b.index(0), b.dim(table, 1), 1, b.i32(0),
                   [&](Value k, ValueRange carried) -> SmallVector<Value> {
                     Value present = isPresent(b, b.load(table, {row, k}));
                     return {
                         b.add(carried[0], b.extend(present, b.getI32Type()))};
                   })[0];
}

/// Folds `combine` over the offsets k at which a row of a table has a row, in
/// the order of k.
static SmallVector<Value> foldPresent(
    LoopBuilder &b, Value table, Value row, ValueRange inits,
    function_ref<SmallVector<Value>(Value k, Value entry, ValueRange carried)>
        combine) {
  return b.forLoop(b.index(0), b.dim(table, 1), 1, inits,
                   [&](Value k, ValueRange carried) -> SmallVector<Value> {
                     Value entry = b.load(table, {row, k});
                     return b.ifElse(
                         isPresent(b, entry), carried.getTypes(),
                         [&] { return combine(k, b.toIndex(entry), carried); },
                         [&] { return llvm::to_vector(carried); });
                   });
}

/// What the average over `present` rows divides by; 1 where there is none.
static Value getDivisor(LoopBuilder &b, Value present) {
  return countToFloat(b, b.max(present, b.i32(1)));
}

void mlir::sparseconv::emitPool(LoopBuilder &b, PoolKernelOp op) {
  Value x = op.getX(), table = op.getTable(), y = op.getY();
  bool isMax = op.getKind() == PoolKind::Max;
  bool isAverage = op.getKind() == PoolKind::Avg;
  bool countsPresent = op.getCountKind() == CountKind::Present;
  forRows(b, b.dim(y, 0), b.dim(y, 1), [&](Value row, const Channels &all) {
    Value present, divisor;
    if (isMax || (isAverage && countsPresent))
      present = countPresent(b, table, row);
    if (isAverage)
      divisor = countsPresent ? getDivisor(b, present)
                              : countToFloat(b, b.dim(table, 1));
    forChannels(b, all, [&](Value channel, int64_t lanes) {
      Value zero = b.constant(getLanes(b.getF32Type(), lanes), 0);
      Value result = foldPresent(
          b, table, row, getPoolStart(b, op.getKind(), lanes),
          [&](Value, Value entry, ValueRange carried) -> SmallVector<Value> {
            Value term = loadLanes(b, x, {entry, channel}, lanes);
            return {addToPool(b, op.getKind(), carried[0], term)};
          })[0];
      if (isMax)
        result = b.select(b.equal(present, b.i32(0)), zero, result);
      if (isAverage)
        result = b.divide(result, b.broadcast(divisor, lanes));
      storeLanes(b, result, y, {row, channel});
    });
  });
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

/// The narrowest integers that hold every offset and -1.
static Type getOffsetType(LoopBuilder &b, Value table) {
  int64_t volume = cast<MemRefType>(table.getType()).getDimSize(1);
  if (ShapedType::isStatic(volume) && volume <= INT8_MAX)
    return b.getIntegerType(8);
  return b.getI32Type();
}

/// The offset that `pool max` took for each output row and channel, -1 where
/// there is none.
static Value emitWinners(LoopBuilder &b, PoolGradKernelOp op) {
  Value x = op.getX(), table = op.getTable(), dy = op.getDy();
  auto shape = cast<MemRefType>(dy.getType()).getShape();
  SmallVector<Value> sizes;
  for (int64_t axis : {0, 1})
    if (ShapedType::isDynamic(shape[axis]))
      sizes.push_back(b.dim(dy, axis));
  Type offsetType = getOffsetType(b, table);
  Value winners = b.alloc(shape, offsetType, sizes);
  forRows(b, b.dim(dy, 0), b.dim(dy, 1), [&](Value row, const Channels &all) {
    forChannels(b, all, [&](Value channel, int64_t lanes) {
      Value none = b.constantInt(getLanes(offsetType, lanes), -1);
      Value zero = b.constant(getLanes(b.getF32Type(), lanes), 0);
      Value winner = foldPresent(
          b, table, row, {none, zero},
          [&](Value k, Value entry, ValueRange carried) -> SmallVector<Value> {
            Value term = loadLanes(b, x, {entry, channel}, lanes);
            return getWinner(b, carried, k, term);
          })[0];
      storeRaw(b, winner, winners, {row, channel});
    });
  });
  return winners;
}

/// What each output row of an average divides by.
static Value emitDivisors(LoopBuilder &b, Value table) {
  Value rows = b.dim(table, 0);
  Value divisors = b.alloc({ShapedType::kDynamic}, b.getF32Type(), rows);
  forRows(b, rows, [&](Value row) {
    b.store(getDivisor(b, countPresent(b, table, row)), divisors, row);
  });
  return divisors;
}

void mlir::sparseconv::emitPoolGrad(LoopBuilder &b, PoolGradKernelOp op) {
  Value dy = op.getDy(), dx = op.getDx();
  Type offsetType = getOffsetType(b, op.getTable());
  Value winners, divisors, volume;
  if (op.getKind() == PoolKind::Max)
    winners = emitWinners(b, op);
  else if (op.getKind() == PoolKind::Avg) {
    if (op.getCountKind() == CountKind::Present)
      divisors = emitDivisors(b, op.getTable());
    else
      volume = countToFloat(b, b.dim(op.getTable(), 1));
  }
  forRows(b, b.dim(dx, 0), b.dim(dx, 1), [&](Value row, const Channels &all) {
    forChannels(b, all, [&](Value channel, int64_t lanes) {
      Value zero = b.constant(getLanes(b.getF32Type(), lanes), 0);
      Value sum = foldPresent(
          b, op.getInverse(), row, zero,
          [&](Value k, Value entry, ValueRange carried) -> SmallVector<Value> {
            Value term = loadLanes(b, dy, {entry, channel}, lanes);
            if (winners) {
              Value offset = b.broadcast(b.cast(k, offsetType), lanes);
              Value won =
                  b.equal(loadRaw(b, winners, {entry, channel}, lanes), offset);
              term = b.select(won, term, zero);
            }
            if (divisors || volume)
              term = b.divide(
                  term, b.broadcast(volume ? volume : b.load(divisors, entry),
                                    lanes));
            return {b.add(carried[0], term)};
          })[0];
      storeLanes(b, sum, dx, {row, channel});
    });
  });
  if (winners)
    b.dealloc(winners);
  if (divisors)
    b.dealloc(divisors);
}
