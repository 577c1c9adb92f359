//===- KeyFields.cpp - the fields of packed keys --------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Indexing/KeyFields.h"
#include "sparseconv/Kernels/Builders/WarpOps.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Bits shift .. shift + bits - 1 of a key, as i64.
static Value getField(LoopBuilder &b, Value key, unsigned shift,
                      unsigned bits) {
  if (bits == 0)
    return b.i64(0);
  key = b.shiftRight(b.extend(key, b.getI64Type()), shift);
  uint64_t mask = ~uint64_t(0) >> (64 - bits);
  return b.andBits(key, b.i64(static_cast<int64_t>(mask)));
}

Value mlir::sparseconv::getKeyCoordinate(LoopBuilder &b, PackingAttr packing,
                                         Value key, unsigned axis) {
  Value field =
      getField(b, key, packing.getShift(axis), packing.getBits()[axis]);
  return b.sub(field, packing.getBias(axis));
}

Value mlir::sparseconv::getKeyBatch(LoopBuilder &b, PackingAttr packing,
                                    Value key) {
  return getField(b, key, packing.getBatchShift(), packing.getBatch());
}

SmallVector<Value> mlir::sparseconv::findLowerBounds(LoopBuilder &b, Value keys,
                                                     ValueRange queries) {
  SmallVector<Value> bases(queries.size(), b.index(0));
  return findLowerBounds(b, keys, queries, bases, b.dim(keys, 0));
}

SmallVector<Value> mlir::sparseconv::findLowerBounds(LoopBuilder &b, Value keys,
                                                     ValueRange queries,
                                                     ValueRange bases,
                                                     Value length) {
  // A bound lies within base .. base + length; all searches share the length.
  Value zero = b.constantInt(length.getType(), 0);
  Value one = b.constantInt(length.getType(), 1);
  SmallVector<Value> inits = {length};
  llvm::append_range(inits, bases);
  auto advance = [&](Value base, Value step, Value query) -> Value {
    Value last = b.sub(b.add(base, step), 1);
    Value isBelow = b.lessUnsigned(b.load(keys, b.toIndex(last)), query);
    return b.select(isBelow, b.add(base, step), base);
  };
  SmallVector<Value> found = b.whileLoop(
      inits, [&](ValueRange carried) { return b.less(one, carried[0]); },
      [&](ValueRange carried) {
        Value half = b.shiftRight(carried[0], 1);
        SmallVector<Value> next = {b.sub(carried[0], half)};
        for (auto [base, query] :
             llvm::zip_equal(carried.drop_front(), queries))
          next.push_back(advance(base, half, query));
        return next;
      });
  ValueRange nearest = ValueRange(found).drop_front();
  return b.ifElse(
      b.less(zero, length), nearest.getTypes(),
      [&] {
        SmallVector<Value> bounds;
        for (auto [base, query] : llvm::zip_equal(nearest, queries))
          bounds.push_back(advance(base, one, query));
        return bounds;
      },
      [&] { return llvm::to_vector(nearest); });
}

Value mlir::sparseconv::findLowerBoundInFewSteps(LoopBuilder &b, Value keys,
                                                 Value query) {
  constexpr int64_t ways = 16;
  Value zero = b.index(0), end = b.dim(keys, 0);
  return b.whileLoop(
      {zero, end}, [&](ValueRange range) { return b.less(zero, range[1]); },
      [&](ValueRange range) -> SmallVector<Value> {
        Value begin = range[0], length = range[1];
        Value step = b.ceilDiv(length, ways), numBelow = zero;
        for (int64_t way = 1; way < ways; ++way) {
          // The last key of each part but the last one.
          Value place = b.sub(b.mul(step, way), 1);
          Value at = b.add(begin, b.min(place, b.sub(length, 1)));
          Value isBelow = b.andBits(b.less(place, length),
                                    b.lessUnsigned(b.load(keys, at), query));
          numBelow = b.add(numBelow, b.select(isBelow, b.index(1), zero));
        }
        // It is in the first part whose last key is not below, before that key.
        Value skipped = b.mul(numBelow, step);
        Value left = b.min(step, b.sub(length, skipped));
        Value isLast = b.equal(numBelow, ways - 1);
        return {b.add(begin, skipped),
                b.select(isLast, left, b.min(left, b.sub(step, 1)))};
      })[0];
}

SmallVector<Value> mlir::sparseconv::findLowerBoundsByWarp(LoopBuilder &b,
                                                           Value keys,
                                                           ValueRange queries,
                                                           Value lane) {
  Value zero = b.i32(0), count = b.cast(b.dim(keys, 0), b.getI32Type());
  Value last = b.sub(count, 1);
  // A bound lies within base .. base + length; all searches share the length.
  SmallVector<Value> inits(queries.size() + 1, zero);
  inits[0] = count;
  SmallVector<Value> found = b.whileLoop(
      inits, [&](ValueRange now) { return b.less(zero, now[0]); },
      [&](ValueRange now) {
        // The key before each part of the range but the first.
        Value length = b.shiftRight(now[0], llvm::Log2_64(kWarpLanes));
        Value part = b.add(length, 1);
        Value ahead = b.sub(b.mul(part, b.add(lane, 1)), 1);
        SmallVector<Value> looked, next = {length};
        for (Value base : now.drop_front()) {
          Value at = b.minUnsigned(b.add(base, ahead), last);
          looked.push_back(b.load(keys, b.toIndex(at)));
        }
        for (auto [base, key, query] :
             llvm::zip_equal(now.drop_front(), looked, queries)) {
          Value isKey = b.lessUnsigned(b.add(base, ahead), count);
          Value isBelow = b.andBits(b.lessUnsigned(key, query), isKey);
          Value below = b.popCount(ballot(b, isBelow));
          next.push_back(b.add(base, b.mul(below, part)));
        }
        return next;
      });
  found.erase(found.begin());
  return found;
}

Value mlir::sparseconv::findBatchBegin(LoopBuilder &b, PackingAttr packing,
                                       Value keys, Value item) {
  Value begin = b.index(0), end = b.dim(keys, 0);
  if (packing.getBatch() == 0)
    return b.select(b.lessEqual(item, begin), begin, end);
  // An item that the field does not hold comes after all keys.
  Value isHeld = b.lessEqual(item, b.index(packing.getMaxBatch()));
  Value query = b.cast(b.select(isHeld, item, begin), packing.getKeyType());
  query = b.shiftLeft(query, packing.getBatchShift());
  return b.select(isHeld, b.lowerBound(keys, begin, end, query), end);
}
