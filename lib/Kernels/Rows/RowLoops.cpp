//===- RowLoops.cpp - loops over rows and channels ------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <numeric>

using namespace mlir;
using namespace mlir::sparseconv;
using arith::CmpFPredicate;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Lanes of a vector of channels. On a GPU it is what a thread moves in one or
/// two accesses: of rows of an odd number of channels, which lie anywhere, one
/// element, so that neighbouring threads still have neighbours.
static int64_t getNumLanes(LoopBuilder &b, Value channels) {
  if (!b.isGpu())
    return kChannelLanes;
  int64_t most = kChannelLanes / 2;
  return std::gcd(getConstantIntValue(channels).value_or(most), most);
}

/// How many vectors of a row are a work item. Single elements are several, with
/// those of other threads between them: one alone is less work than to find out
/// which it is.
static int64_t getNumVectors(LoopBuilder &b, Value channels) {
  constexpr int64_t most = 4, threads = 8;
  int64_t size = getConstantIntValue(channels).value_or(0);
  return getNumLanes(b, channels) == 1 && size >= most * threads ? most : 1;
}

/// How many work items a row is.
static Value countChunks(LoopBuilder &b, Value channels) {
  Value vectors = b.ceilDiv(channels, getNumLanes(b, channels));
  return b.ceilDiv(vectors, getNumVectors(b, channels));
}

/// The elements of a work item that has several.
static void visitElements(LoopBuilder &b, const Channels &channels,
                          function_ref<void(Value, int64_t)> body) {
  int64_t size = *getConstantIntValue(channels.count);
  int64_t elements = getNumVectors(b, channels.count);
  int64_t step = llvm::divideCeilSigned(size, elements);
  for (int64_t first = 0; first < elements * step; first += step) {
    Value channel = b.add(channels.first, first);
    if (first + step <= size)
      body(channel, 1);
    else
      b.ifThen(b.less(channel, b.index(size)), [&] { body(channel, 1); });
  }
}

/// The chunk from `first` on, which may be the last and shorter.
static void visitChunk(LoopBuilder &b, const Channels &channels,
                       function_ref<void(Value, int64_t)> body) {
  if (getNumVectors(b, channels.count) > 1)
    return visitElements(b, channels, body);
  int64_t lanes = getNumLanes(b, channels.count);
  Value first = channels.first;
  std::optional<int64_t> size = getConstantIntValue(channels.count);
  if (size && (*size % lanes == 0 || *size < lanes))
    return body(first, std::min(*size, lanes));
  b.ifElse(
      b.lessEqual(b.add(first, lanes), channels.count),
      [&] { body(first, lanes); },
      [&] {
        if (size)
          return body(first, *size % lanes);
        b.forLoop(first, channels.count, 1,
                  [&](Value channel) { body(channel, 1); });
      });
}

void mlir::sparseconv::forChannels(LoopBuilder &b, const Channels &channels,
                                   function_ref<void(Value, int64_t)> body) {
  if (channels.first)
    return visitChunk(b, channels, body);
  int64_t lanes = getNumLanes(b, channels.count);
  Value zero = b.index(0);
  std::optional<int64_t> size = getConstantIntValue(channels.count);
  if (!size) {
    Value whole = b.mul(b.floorDiv(channels.count, lanes), b.index(lanes));
    b.forLoop(zero, whole, lanes, [&](Value channel) { body(channel, lanes); });
    b.forLoop(whole, channels.count, 1,
              [&](Value channel) { body(channel, 1); });
    return;
  }
  int64_t rest = *size % lanes, whole = *size - rest;
  if (whole == lanes)
    body(zero, lanes);
  else if (whole > 0)
    b.forLoop(zero, b.index(whole), lanes,
              [&](Value channel) { body(channel, lanes); });
  if (rest > 0)
    body(b.index(whole), rest);
}

void mlir::sparseconv::forRows(LoopBuilder &b, Value rows,
                               function_ref<void(Value)> body) {
  forEachRow(b, rows, kRowBlock, body);
}

/// A work item as an item and the first of a vector of its channels.
static std::pair<Value, Channels> splitItem(LoopBuilder &b, Value work,
                                            Value channels) {
  Value chunks = countChunks(b, channels);
  Value first = b.mul(b.remainder(work, chunks), getNumLanes(b, channels));
  return {b.divide(work, chunks), {channels, first}};
}

/// The same where neighbours are of `items` items one behind the other.
static std::pair<Value, Channels> splitByItems(LoopBuilder &b, Value work,
                                               Value items, Value channels) {
  Value first = b.mul(b.divide(work, items), getNumLanes(b, channels));
  return {b.remainder(work, items), {channels, first}};
}

/// How many work items the channels of `items` items are.
static Value countItems(LoopBuilder &b, Value items, Value channels) {
  return b.mul(items, countChunks(b, channels));
}

void mlir::sparseconv::forRows(
    LoopBuilder &b, Value rows, Value channels,
    function_ref<void(Value, const Channels &)> body) {
  if (!b.isGpu())
    return forRows(b, rows, [&](Value row) { body(row, {channels}); });
  b.parallelFor(countItems(b, rows, channels), [&](Value work) {
    auto [row, chunk] = splitItem(b, work, channels);
    body(row, chunk);
  });
}

void mlir::sparseconv::forRowsChecked(LoopBuilder &b, Value rows,
                                      function_ref<Value(Value)> body,
                                      function_ref<void(Value)> onFault) {
  Value row = findFirst(b, rows, kRowBlock, body);
  b.ifThen(b.less(row, rows), [&] { onFault(row); });
}

void mlir::sparseconv::forRowsChecked(
    LoopBuilder &b, Value rows, Value channels,
    function_ref<Value(Value, const Channels &)> body,
    function_ref<void(Value)> onFault, Neighbours neighbours) {
  if (!b.isGpu() && neighbours == Neighbours::Channels)
    return forRowsChecked(
        b, rows, [&](Value row) { return body(row, {channels}); }, onFault);
  Value items = countItems(b, rows, channels);
  auto split = [&](Value work) {
    return neighbours == Neighbours::Channels
               ? splitItem(b, work, channels)
               : splitByItems(b, work, rows, channels);
  };
  Value fault = findFirst(b, items, kRowBlock, [&](Value work) {
    auto [row, chunk] = split(work);
    return body(row, chunk);
  });
  b.ifThen(b.less(fault, items), [&] { onFault(split(fault).first); });
}

void mlir::sparseconv::forItemChannels(
    LoopBuilder &b, Value items, Value channels,
    function_ref<void(Value, Value, int64_t)> body) {
  b.parallelFor(countItems(b, items, channels), [&](Value work) {
    auto [item, chunk] = splitItem(b, work, channels);
    visitChunk(b, chunk, [&, item = item](Value channel, int64_t lanes) {
      body(item, channel, lanes);
    });
  });
}

//===----------------------------------------------------------------------===//
// Rows of features
//===----------------------------------------------------------------------===//

static Type getElement(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementType();
}

/// What the first channel of a chunk is a multiple of.
static int64_t getMultiple(LoopBuilder &b, int64_t lanes) {
  return lanes == 1 || b.isGpu() ? lanes : kChannelLanes;
}

Value mlir::sparseconv::loadRaw(LoopBuilder &b, Value buffer,
                                ValueRange indices, int64_t lanes) {
  return b.loadVector(lanes, buffer, indices, getMultiple(b, lanes));
}

void mlir::sparseconv::storeRaw(LoopBuilder &b, Value value, Value buffer,
                                ValueRange indices) {
  int64_t lanes = cast<VectorType>(value.getType()).getDimSize(0);
  b.storeVector(value, buffer, indices, getMultiple(b, lanes));
}

Value mlir::sparseconv::loadLanes(LoopBuilder &b, Value buffer,
                                  ValueRange indices, int64_t lanes) {
  return b.toFloat(loadRaw(b, buffer, indices, lanes));
}

void mlir::sparseconv::storeLanes(LoopBuilder &b, Value value, Value buffer,
                                  ValueRange indices) {
  storeRaw(b, b.fromFloat(value, getElement(buffer)), buffer, indices);
}

static SmallVector<Value> append(ValueRange row, Value channel) {
  SmallVector<Value> indices(row);
  indices.push_back(channel);
  return indices;
}

void mlir::sparseconv::copyRow(LoopBuilder &b, const Channels &channels,
                               Value from, ValueRange fromRow, Value to,
                               ValueRange toRow) {
  forChannels(b, channels, [&](Value channel, int64_t lanes) {
    storeRaw(b, loadRaw(b, from, append(fromRow, channel), lanes), to,
             append(toRow, channel));
  });
}

void mlir::sparseconv::clearRow(LoopBuilder &b, const Channels &channels,
                                Value to, ValueRange toRow) {
  forChannels(b, channels, [&](Value channel, int64_t lanes) {
    storeRaw(b, b.constant(getLanes(getElement(to), lanes), 0), to,
             append(toRow, channel));
  });
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// In the order of `max`.
static Value isGreater(LoopBuilder &b, Value lhs, Value rhs) {
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

Value mlir::sparseconv::addToPool(LoopBuilder &b, PoolKind kind, Value pool,
                                  Value term) {
  if (kind != PoolKind::Max)
    return b.add(pool, term);
  return b.select(isGreater(b, term, pool), term, pool);
}

Value mlir::sparseconv::wins(LoopBuilder &b, Value term, Value greatest,
                             Value from) {
  Value none = b.constantInt(from.getType(), -1);
  return b.orBits(b.equal(from, none), isGreater(b, term, greatest));
}

SmallVector<Value> mlir::sparseconv::getWinner(LoopBuilder &b, ValueRange best,
                                               Value from, Value term) {
  auto type = cast<VectorType>(best[0].getType());
  Value isLater = wins(b, term, best[1], best[0]);
  from = b.broadcast(b.cast(from, type.getElementType()), type.getDimSize(0));
  return {b.select(isLater, from, best[0]), b.select(isLater, term, best[1])};
}

Value mlir::sparseconv::countToFloat(LoopBuilder &b, Value count) {
  return b.createOrFold<arith::UIToFPOp>(b.getF32Type(),
                                         b.cast(count, b.getI64Type()));
}
