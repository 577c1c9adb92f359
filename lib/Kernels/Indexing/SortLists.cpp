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

Value SortLists::isToSide(Value pass) {
  Value later = b.sub(digits.getNumPasses(), b.add(pass, 1));
  return b.notEqual(b.andBits(later, 1), 0);
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
  auto from = [&](const KeyList &list) {
    SmallVector<Value> loaded;
    for (Value numbers : {list.keys, list.positions})
      for (Value position : positions)
        loaded.push_back(b.load(numbers, position));
    return loaded;
  };
  SmallVector<Type> types(positions.size(), keyType);
  types.append(positions.size(), i32);
  return b.ifElse(b.equal(pass, 0), types, asTheyCame, [&] {
    return b.ifElse(
        isToSide(b.sub(pass, 1)), types, [&] { return from(side); },
        [&] { return from(sorted); });
  });
}

void SortLists::store(Value pass, Value key, Value from, Value position) {
  auto to = [&](const KeyList &list) {
    b.store(key, list.keys, position);
    b.store(from, list.positions, position);
  };
  if (!hasSide())
    return to(sorted);
  b.ifElse(isToSide(pass), [&] { to(side); }, [&] { to(sorted); });
}
