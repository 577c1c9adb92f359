//===- RowLoops.cpp - loops over rows and channels ------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "Blocks.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include <limits>

using namespace mlir;
using namespace mlir::sparseconv;
using arith::CmpFPredicate;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void mlir::sparseconv::forChannels(LoopBuilder &b, Value channels,
                                   function_ref<void(Value, int64_t)> body) {
  Value zero = b.index(0);
  std::optional<int64_t> size = getConstantIntValue(channels);
  if (!size) {
    Value whole =
        b.mul(b.floorDiv(channels, kChannelLanes), b.index(kChannelLanes));
    b.forLoop(zero, whole, kChannelLanes,
              [&](Value channel) { body(channel, kChannelLanes); });
    b.forLoop(whole, channels, 1, [&](Value channel) { body(channel, 1); });
    return;
  }
  int64_t rest = *size % kChannelLanes, whole = *size - rest;
  if (whole == kChannelLanes)
    body(zero, kChannelLanes);
  else if (whole > 0)
    b.forLoop(zero, b.index(whole), kChannelLanes,
              [&](Value channel) { body(channel, kChannelLanes); });
  if (rest > 0)
    body(b.index(whole), rest);
}

void mlir::sparseconv::forRows(LoopBuilder &b, Value rows,
                               function_ref<void(Value)> body) {
  forEachRow(b, rows, kRowBlock, body);
}

void mlir::sparseconv::forRowsChecked(LoopBuilder &b, Value rows,
                                      function_ref<Value(Value)> body,
                                      function_ref<void(Value)> onFault) {
  Value row = findFirst(b, rows, kRowBlock, body);
  b.ifThen(b.less(row, rows), [&] { onFault(row); });
}

void mlir::sparseconv::forItemChannels(
    LoopBuilder &b, Value items, Value channels,
    function_ref<void(Value, Value, int64_t)> body) {
  std::optional<int64_t> size = getConstantIntValue(channels);
  Value chunks = b.ceilDiv(channels, kChannelLanes);
  b.parallelFor(b.mul(items, chunks), [&](Value work) {
    Value item = b.createOrFold<arith::DivUIOp>(work, chunks);
    Value begin =
        b.mul(b.createOrFold<arith::RemUIOp>(work, chunks), kChannelLanes);
    if (size && (*size % kChannelLanes == 0 || *size < kChannelLanes))
      return body(item, begin, std::min(*size, kChannelLanes));
    b.ifElse(
        b.lessEqual(b.add(begin, kChannelLanes), channels),
        [&] { body(item, begin, kChannelLanes); },
        [&] {
          if (size)
            return body(item, begin, *size % kChannelLanes);
          b.forLoop(begin, channels, 1,
                    [&](Value channel) { body(item, channel, 1); });
        });
  });
}

//===----------------------------------------------------------------------===//
// Rows of features
//===----------------------------------------------------------------------===//

static Type getElement(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementType();
}

Value mlir::sparseconv::loadLanes(LoopBuilder &b, Value buffer,
                                  ValueRange indices, int64_t lanes) {
  return b.toFloat(b.loadVector(lanes, buffer, indices));
}

void mlir::sparseconv::storeLanes(LoopBuilder &b, Value value, Value buffer,
                                  ValueRange indices) {
  b.storeVector(b.fromFloat(value, getElement(buffer)), buffer, indices);
}

static SmallVector<Value> append(ValueRange row, Value channel) {
  SmallVector<Value> indices(row);
  indices.push_back(channel);
  return indices;
}

void mlir::sparseconv::copyRow(LoopBuilder &b, Value channels, Value from,
                               ValueRange fromRow, Value to, ValueRange toRow) {
  forChannels(b, channels, [&](Value channel, int64_t lanes) {
    b.storeVector(b.loadVector(lanes, from, append(fromRow, channel)), to,
                  append(toRow, channel));
  });
}

void mlir::sparseconv::clearRow(LoopBuilder &b, Value channels, Value to,
                                ValueRange toRow) {
  forChannels(b, channels, [&](Value channel, int64_t lanes) {
    b.storeVector(b.constant(getLanes(getElement(to), lanes), 0), to,
                  append(toRow, channel));
  });
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value mlir::sparseconv::isGreater(LoopBuilder &b, Value lhs, Value rhs) {
  Value above = b.createOrFold<arith::CmpFOp>(CmpFPredicate::UGT, lhs, rhs);
  Value isNumber = b.createOrFold<arith::CmpFOp>(CmpFPredicate::ORD, rhs, rhs);
  return b.andBits(above, isNumber);
}

Value mlir::sparseconv::getPoolStart(LoopBuilder &b, PoolKind kind,
                                     int64_t lanes) {
  double start =
      kind == PoolKind::Max ? -std::numeric_limits<double>::infinity() : 0;
  return b.constant(getLanes(b.getF32Type(), lanes), start);
}

Value mlir::sparseconv::getGreater(LoopBuilder &b, Value best, Value term) {
  return b.select(isGreater(b, term, best), term, best);
}

Value mlir::sparseconv::divide(LoopBuilder &b, Value lhs, Value rhs) {
  return b.createOrFold<arith::DivFOp>(lhs, rhs);
}

Value mlir::sparseconv::countToFloat(LoopBuilder &b, Value count) {
  return b.createOrFold<arith::UIToFPOp>(b.getF32Type(),
                                         b.cast(count, b.getI64Type()));
}
