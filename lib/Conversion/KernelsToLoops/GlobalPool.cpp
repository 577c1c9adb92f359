//===- GlobalPool.cpp - pooling of batch items as loops -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeyFields.h"
#include "Patterns.h"
#include "RowLoops.h"

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::StatusCode;

/// Reports the lowest row whose batch index is not below `items`. Keys are
/// sorted, so it begins where item number `items` would.
static void reportBatches(LoopBuilder &b, Value status, int64_t opId,
                          PackingAttr packing, Value keys, Value items) {
  Value row = findBatchBegin(b, packing, keys, items);
  b.ifThen(b.less(row, b.dim(keys, 0)), [&] {
    Value batch = getKeyBatch(b, packing, b.load(keys, row));
    b.report(status, {StatusCode::BatchOutOfRange, opId, row, /*axis=*/nullptr,
                      batch, /*lower=*/nullptr, items, /*extra=*/nullptr});
  });
}

/// The buffer of items + 1 first rows of the batch items.
static Value emitBegins(LoopBuilder &b, PackingAttr packing, Value keys,
                        Value items) {
  Value size = b.add(items, 1);
  Value begins = b.alloc({ShapedType::kDynamic}, b.getIndexType(), size);
  b.forLoop(b.index(0), size, 1, [&](Value item) {
    b.store(findBatchBegin(b, packing, keys, item), begins, item);
  });
  return begins;
}

static void emitGlobalPool(LoopBuilder &b, GlobalPoolKernelOp op) {
  Value x = op.getX(), y = op.getY();
  Value items = b.dim(y, 0);
  PoolKind kind = op.getKind();
  reportBatches(b, op.getStatus(), op.getOpId(), op.getPacking(), op.getKeys(),
                items);
  Value begins = emitBegins(b, op.getPacking(), op.getKeys(), items);
  forItemChannels(
      b, items, b.dim(y, 1), [&](Value item, Value channel, int64_t lanes) {
        Value begin = b.load(begins, item);
        Value end = b.load(begins, b.add(item, 1));
        Value zero = b.constant(getLanes(b.getF32Type(), lanes), 0);
        Value result =
            b.forLoop(begin, end, 1, getPoolStart(b, kind, lanes),
                      [&](Value row, ValueRange carried) -> SmallVector<Value> {
                        Value term = loadLanes(b, x, {row, channel}, lanes);
                        if (kind != PoolKind::Max)
                          return {b.add(carried[0], term)};
                        return {getGreater(b, carried[0], term)};
                      })[0];
        if (kind == PoolKind::Max)
          result = b.select(b.equal(begin, end), zero, result);
        if (kind == PoolKind::Avg) {
          Value divisor = countToFloat(b, b.max(b.sub(end, begin), b.index(1)));
          result = divide(b, result, b.broadcast(divisor, lanes));
        }
        storeLanes(b, result, y, {item, channel});
      });
  b.dealloc(begins);
}

/// The lowest row that holds the maximum, for each item and channel; -1 for an
/// empty item.
static Value emitWinners(LoopBuilder &b, Value x, Value begins, Value items,
                         Value channels) {
  Value winners = b.alloc({ShapedType::kDynamic, ShapedType::kDynamic},
                          b.getI32Type(), {items, channels});
  forItemChannels(
      b, items, channels, [&](Value item, Value channel, int64_t lanes) {
        Value none = b.constantInt(getLanes(b.getI32Type(), lanes), -1);
        Value zero = b.constant(getLanes(b.getF32Type(), lanes), 0);
        Value winner =
            b.forLoop(b.load(begins, item), b.load(begins, b.add(item, 1)), 1,
                      {none, zero},
                      [&](Value row, ValueRange carried) -> SmallVector<Value> {
                        Value term = loadLanes(b, x, {row, channel}, lanes);
                        Value wins = b.orBits(b.equal(carried[0], none),
                                              isGreater(b, term, carried[1]));
                        Value candidate =
                            b.broadcast(b.cast(row, b.getI32Type()), lanes);
                        return {b.select(wins, candidate, carried[0]),
                                b.select(wins, term, carried[1])};
                      })[0];
        storeRaw(b, winner, winners, {item, channel});
      });
  return winners;
}

static void emitGlobalPoolGrad(LoopBuilder &b, GlobalPoolGradKernelOp op) {
  Value dy = op.getDy(), keys = op.getKeys(), dx = op.getDx();
  Value items = b.dim(dy, 0), channels = b.dim(dx, 1);
  PackingAttr packing = op.getPacking();
  PoolKind kind = op.getKind();
  reportBatches(b, op.getStatus(), op.getOpId(), packing, keys, items);
  Value begins = emitBegins(b, packing, keys, items);
  Value winners;
  if (kind == PoolKind::Max)
    winners = emitWinners(b, op.getX(), begins, items, channels);
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
          term = divide(b, term, b.broadcast(divisor, lanes));
        storeLanes(b, term, dx, {row, channel});
      });
    };
    b.ifElse(b.less(item, items), passRow, [&] { clearRow(b, all, dx, row); });
  });
  if (winners)
    b.dealloc(winners);
  b.dealloc(begins);
}

void mlir::sparseconv::populateGlobalPoolToLoopsPatterns(
    RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<LoopPattern<GlobalPoolKernelOp>>(context, emitGlobalPool);
  patterns.add<LoopPattern<GlobalPoolGradKernelOp>>(context,
                                                    emitGlobalPoolGrad);
}
