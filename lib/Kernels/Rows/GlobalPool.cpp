//===- GlobalPool.cpp - pooling of batch items as loops -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ItemReduction.h"
#include "RowLoops.h"
#include "mlir/IR/TypeUtilities.h"
#include "sparseconv/Kernels/Indexing/KeyFields.h"
#include "sparseconv/Kernels/Rows/RowKernels.h"

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::StatusCode;

/// Reports the lowest row whose batch index is not below `items`. Keys are
/// sorted, so it begins where item number `items` would.
template <typename OpTy>
static void reportBatches(LoopBuilder &b, OpTy op, Value items, Value begins) {
  Value row = b.load(begins, items), keys = op.getKeys();
  b.ifThen(b.less(row, b.dim(keys, 0)), [&] {
    Value batch = getKeyBatch(b, op.getPacking(), b.load(keys, row));
    b.report(op.getStatus(),
             {StatusCode::BatchOutOfRange, static_cast<int64_t>(op.getOpId()),
              row, /*axis=*/nullptr, batch, /*lower=*/nullptr, items,
              /*extra=*/nullptr});
  });
}

/// The buffer of items + 1 first rows of the batch items.
static Value emitBegins(LoopBuilder &b, PackingAttr packing, Value keys,
                        Value items) {
  Value size = b.add(items, 1);
  Value begins = b.alloc({ShapedType::kDynamic}, b.getIndexType(), size);
  if (!b.isGpu()) {
    b.forLoop(b.index(0), size, 1, [&](Value item) {
      b.store(findBatchBegin(b, packing, keys, item), begins, item);
    });
    return begins;
  }
  // A thread for each row, and one for the end: items begin where the row
  // before is of an earlier one. No load waits for another.
  Value numRows = b.dim(keys, 0);
  auto getItem = [&](Value row) {
    Value batch = b.toIndex(getKeyBatch(b, packing, b.load(keys, row)));
    return b.min(batch, items);
  };
  b.parallelFor(b.add(numRows, 1), [&](Value row) {
    Type index = b.getIndexType();
    Value first = b.ifElse(
        b.equal(row, b.index(0)), index,
        [&]() -> SmallVector<Value> { return {b.index(0)}; },
        [&]() -> SmallVector<Value> {
          return {b.add(getItem(b.sub(row, 1)), 1)};
        })[0];
    Value last = b.ifElse(
        b.equal(row, numRows), index,
        [&]() -> SmallVector<Value> { return {items}; },
        [&]() -> SmallVector<Value> { return {getItem(row)}; })[0];
    b.forLoop(first, b.add(last, 1), 1,
              [&](Value item) { b.store(row, begins, item); });
  });
  return begins;
}

static int64_t getNumElements(Value vector) {
  return cast<VectorType>(vector.getType()).getNumElements();
}

void mlir::sparseconv::emitGlobalPool(LoopBuilder &b, GlobalPoolKernelOp op) {
  Value x = op.getX(), y = op.getY();
  Value items = b.dim(y, 0);
  PoolKind kind = op.getKind();
  PackingAttr packing = op.getPacking();
  Value begins = emitBegins(b, packing, op.getKeys(), items);
  reportBatches(b, op, items, begins);
  auto store = [&](Value item, Value channel, Value result, int64_t lanes) {
    Value begin = b.load(begins, item);
    Value end = b.load(begins, b.add(item, 1));
    if (kind == PoolKind::Max) {
      Value zero = b.constant(getLanes(b.getF32Type(), lanes), 0);
      result = b.select(b.equal(begin, end), zero, result);
    }
    if (kind == PoolKind::Avg) {
      Value divisor = countToFloat(b, b.max(b.sub(end, begin), b.index(1)));
      result = b.divide(result, b.broadcast(divisor, lanes));
    }
    Value rounded = b.fromFloat(result, getElementTypeOrSelf(y.getType()));
    b.storeVector(rounded, y, {item, channel}, lanes);
  };
  if (canCombineItems(b, x)) {
    combineItems(b, {x, items, begins, packing, op.getKeys()}, kind,
                 /*findsRows=*/false,
                 [&](Value item, Value channel, Value result, Value) {
                   store(item, channel, result, getNumElements(result));
                 });
    return b.dealloc(begins);
  }
  forItemChannels(
      b, items, b.dim(y, 1), [&](Value item, Value channel, int64_t lanes) {
        Value begin = b.load(begins, item);
        Value end = b.load(begins, b.add(item, 1));
        Value result =
            b.forLoop(begin, end, 1, getPoolStart(b, kind, lanes),
                      [&](Value row, ValueRange carried) -> SmallVector<Value> {
                        Value term = loadLanes(b, x, {row, channel}, lanes);
                        return {addToPool(b, kind, carried[0], term)};
                      })[0];
        store(item, channel, result, lanes);
      });
  b.dealloc(begins);
}

/// The lowest row that holds the maximum, for each item and channel; -1 for an
/// empty item.
static Value emitWinners(LoopBuilder &b, const ItemRows &rows, Value channels) {
  Value x = rows.x, begins = rows.begins, items = rows.items;
  Value winners = b.alloc({ShapedType::kDynamic, ShapedType::kDynamic},
                          b.getI32Type(), {items, channels});
  if (canCombineItems(b, x)) {
    combineItems(b, rows, PoolKind::Max, /*findsRows=*/true,
                 [&](Value item, Value channel, Value, Value row) {
                   b.storeVector(row, winners, {item, channel});
                 });
    return winners;
  }
  forItemChannels(
      b, items, channels, [&](Value item, Value channel, int64_t lanes) {
        Value none = b.constantInt(getLanes(b.getI32Type(), lanes), -1);
        Value zero = b.constant(getLanes(b.getF32Type(), lanes), 0);
        Value winner =
            b.forLoop(b.load(begins, item), b.load(begins, b.add(item, 1)), 1,
                      {none, zero},
                      [&](Value row, ValueRange carried) -> SmallVector<Value> {
                        Value term = loadLanes(b, x, {row, channel}, lanes);
                        return getWinner(b, carried, row, term);
                      })[0];
        storeRaw(b, winner, winners, {item, channel});
      });
  return winners;
}

void mlir::sparseconv::emitGlobalPoolGrad(LoopBuilder &b,
                                          GlobalPoolGradKernelOp op) {
  Value dy = op.getDy(), keys = op.getKeys(), dx = op.getDx();
  Value items = b.dim(dy, 0), channels = b.dim(dx, 1);
  PackingAttr packing = op.getPacking();
  PoolKind kind = op.getKind();
  Value begins = emitBegins(b, packing, keys, items);
  reportBatches(b, op, items, begins);
  Value winners;
  if (kind == PoolKind::Max)
    winners =
        emitWinners(b, {op.getX(), items, begins, packing, keys}, channels);
  forRows(b, b.dim(dx, 0), channels, [&](Value row, const Channels &all) {
    Value item = b.toIndex(getKeyBatch(b, packing, b.load(keys, row)));
    auto passRow = [&] {
      Value divisor;
      if (kind == PoolKind::Avg)
        divisor = countToFloat(
            b, b.sub(b.load(begins, b.add(item, 1)), b.load(begins, item)));
      forChannels(b, all, [&](Value channel, int64_t lanes) {
        Value term = loadLanes(b, dy, {item, channel}, lanes);
        if (winners) {
          Value candidate = b.broadcast(b.cast(row, b.getI32Type()), lanes);
          Value won =
              b.equal(loadRaw(b, winners, {item, channel}, lanes), candidate);
          term = b.select(won, term, b.constant(term.getType(), 0));
        }
        if (divisor)
          term = b.divide(term, b.broadcast(divisor, lanes));
        storeLanes(b, term, dx, {row, channel});
      });
    };
    b.ifElse(b.less(item, items), passRow, [&] { clearRow(b, all, dx, row); });
  });
  if (winners)
    b.dealloc(winners);
  b.dealloc(begins);
}
