//===- KeyFields.cpp - the fields of packed keys --------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeyFields.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Bits shift .. shift + bits - 1 of a key, as i64.
static Value getField(LoopBuilder &b, Value key, unsigned shift,
                      unsigned bits) {
  if (bits == 0)
    return b.i64(0);
  Type wide = b.getI64Type();
  if (key.getType() != wide)
    key = b.createOrFold<arith::ExtUIOp>(wide, key);
  key = b.shiftRightLogical(key, shift);
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
