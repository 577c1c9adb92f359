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

Value SortLists::isToSide(int64_t pass) {
  Value later = b.sub(digits.getNumPasses(), pass + 1);
  return b.notEqual(b.andBits(later, 1), 0);
}

std::pair<Value, Value> SortLists::load(int64_t pass, Value position) {
  Type i32 = b.getI32Type();
  if (pass == 0)
    return {b.load(keys, position), b.cast(position, i32)};
  auto from = [&](const KeyList &list) -> SmallVector<Value> {
    return {b.load(list.keys, position), b.load(list.positions, position)};
  };
  SmallVector<Value> loaded = b.ifElse(
      isToSide(pass - 1), {keyType, i32}, [&] { return from(side); },
      [&] { return from(sorted); });
  return {loaded[0], loaded[1]};
}

void SortLists::store(int64_t pass, Value key, Value from, Value position) {
  auto to = [&](const KeyList &list) {
    b.store(key, list.keys, position);
    b.store(from, list.positions, position);
  };
  if (!hasSide())
    return to(sorted);
  b.ifElse(isToSide(pass), [&] { to(side); }, [&] { to(sorted); });
}
