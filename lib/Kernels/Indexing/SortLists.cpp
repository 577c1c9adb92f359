//===- SortLists.cpp - what the passes of a sort read and write -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SortLists.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::sparseconv;

SortLists::SortLists(LoopBuilder &b, Value keys, const KeyDigits &digits)
    : b(b), digits(digits), keys(keys),
      keyType(getElementTypeOrSelf(keys.getType())) {}

void SortLists::alloc(const KeyList &result, Value numKeys) {
  sorted = result;
  if (!hasSide())
    return;
  auto dynamic = {ShapedType::kDynamic};
  side = {b.alloc(dynamic, keyType, numKeys),
          b.alloc(dynamic, b.getI32Type(), numKeys)};
}

void SortLists::dealloc() {
  if (!hasSide())
    return;
  b.dealloc(side.keys);
  b.dealloc(side.positions);
}

KeyList SortLists::getTarget(Value pass) {
  if (!hasSide())
    return sorted;
  Value later = b.sub(digits.getNumPasses(), b.add(pass, 1));
  Value isToSide = b.notEqual(b.andBits(later, 1), 0);
  return {b.select(isToSide, side.keys, sorted.keys),
          b.select(isToSide, side.positions, sorted.positions)};
}

SmallVector<Value> SortLists::load(Value pass, ValueRange positions) {
  Type i32 = b.getI32Type();
  auto asTheyCame = [&] {
    SmallVector<Value> loaded;
    for (Value position : positions)
      loaded.push_back(b.load(keys, position));
    for (Value position : positions)
      loaded.push_back(b.cast(position, i32));
    return loaded;
  };
  if (!hasSide())
    return asTheyCame();
  SmallVector<Type> types(positions.size(), keyType);
  types.append(positions.size(), i32);
  return b.ifElse(b.equal(pass, 0), types, asTheyCame, [&] {
    SmallVector<Value> loaded;
    KeyList list = getTarget(b.sub(pass, 1));
    for (Value numbers : {list.keys, list.positions})
      for (Value position : positions)
        loaded.push_back(b.load(numbers, position));
    return loaded;
  });
}

void SortLists::storeKey(Value pass, Value key, Value position) {
  b.store(key, getTarget(pass).keys, position);
}

void SortLists::storePosition(Value pass, Value from, Value position) {
  b.store(from, getTarget(pass).positions, position);
}
