//===- HashSearch.cpp - a hash table of the keys --------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Open addressing with linear probing. Every slot holds the all-ones key, which
// no set has, until a key takes it by compare-and-swap; the row of that key is
// beside it. Where a key comes to lie depends on which one is first, but all
// keys differ, so what a look-up finds does not.
//
//===----------------------------------------------------------------------===//

#include "KeyLookup.h"
#include "Searches.h"
#include "mlir/IR/TypeUtilities.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
class HashTable final : public KeyLookup {
public:
  HashTable(LoopBuilder &b, const SearchTask &task);

  SmallVector<Value> find(ArrayRef<Value> queries) override;
  void release() override;

private:
  void clear(Value room);
  void insert(Value numKeys);
  /// The slot that a key has if no other took it, and the one behind a slot.
  Value getSlot(Value key);
  Value getNext(Value slot) { return b.andBits(b.add(slot, 1), mask); }
  Value isTaken(Value key) { return b.notEqual(key, empty); }

  LoopBuilder &b;
  const SearchTask &task;
  Type keyType;
  Value empty;
  /// Of each slot: the key, and the row of that key.
  Value keys, rows;
  /// The number of slots, a power of two, and that less one.
  Value numSlots, mask;
};
} // namespace

HashTable::HashTable(LoopBuilder &b, const SearchTask &task)
    : b(b), task(task), keyType(task.packing.getKeyType()),
      empty(b.constantInt(keyType, -1)) {
  // At least two slots for each key, and fewer than four.
  Value numKeys = b.dim(task.inKeys, 0), two = b.i64(2);
  Value most = b.max(b.mul(b.cast(numKeys, b.getI64Type()), 2), two);
  Value bits = b.sub(b.i64(64), b.countLeadingZeros(b.sub(most, 1)));
  numSlots = b.toIndex(b.shiftLeft(b.i64(1), bits));
  mask = b.sub(numSlots, 1);
  Value room = b.add(b.mul(numKeys, 4), 2);
  keys = b.alloc({ShapedType::kDynamic}, keyType, room);
  rows = b.alloc({ShapedType::kDynamic}, b.getI32Type(), room);
  clear(room);
  insert(numKeys);
}

void HashTable::release() {
  b.dealloc(keys);
  b.dealloc(rows);
}

void HashTable::clear(Value room) {
  // The host knows a bound of the minimum.
  forEachRow(b, b.min(numSlots, room), kDefaultRowBlock,
             [&](Value slot) { b.store(empty, keys, slot); });
}

void HashTable::insert(Value numKeys) {
  forEachRow(b, numKeys, kDefaultRowBlock, [&](Value row) {
    Value key = b.load(task.inKeys, row);
    Value slot = b.whileLoop(
        getSlot(key),
        [&](ValueRange at) {
          // A slot that is taken stays so.
          return b.ifElse(
              isTaken(b.load(keys, at[0])), b.getI1Type(),
              [&]() -> SmallVector<Value> { return {b.i1(true)}; },
              [&]() -> SmallVector<Value> {
                return {isTaken(b.compareExchange(empty, key, keys, at[0]))};
              })[0];
        },
        [&](ValueRange at) -> SmallVector<Value> {
          return {getNext(at[0])};
        })[0];
    b.store(b.cast(row, b.getI32Type()), rows, slot);
  });
}

/// The finaliser of MurmurHash3 (Austin Appleby; fmix32 and fmix64), by which
/// every bit of a key changes about half of the bits of the result.
static Value mixBits(LoopBuilder &b, Value key) {
  bool isLong = key.getType().isInteger(64);
  int64_t factors[] = {
      isLong ? static_cast<int64_t>(0xff51afd7ed558ccd) : 0x85ebca6b,
      isLong ? static_cast<int64_t>(0xc4ceb9fe1a85ec53) : 0xc2b2ae35};
  int64_t shifts[] = {isLong ? 33 : 16, isLong ? 33 : 13, isLong ? 33 : 16};
  for (int64_t i = 0; i < 3; ++i) {
    key = b.xorBits(key, b.shiftRight(key, shifts[i]));
    if (i < 2)
      key = b.mul(key, factors[i]);
  }
  return key;
}

Value HashTable::getSlot(Value key) {
  Value hash = b.extend(mixBits(b, key), b.getI64Type());
  return b.andBits(b.toIndex(hash), mask);
}

SmallVector<Value> HashTable::find(ArrayRef<Value> queries) {
  // Slots, then their keys.
  size_t count = queries.size();
  SmallVector<Value> probes;
  for (Value query : queries)
    probes.push_back(getSlot(query));
  for (size_t i = 0; i < count; ++i)
    probes.push_back(b.load(keys, probes[i]));
  auto isOpen = [&](Value query, Value key) {
    return b.andBits(b.notEqual(key, query), isTaken(key));
  };
  SmallVector<Value> found = b.whileLoop(
      probes,
      [&](ValueRange at) {
        Value isAnyOpen = b.i1(false);
        for (size_t i = 0; i < count; ++i)
          isAnyOpen = b.orBits(isAnyOpen, isOpen(queries[i], at[count + i]));
        return isAnyOpen;
      },
      [&](ValueRange at) {
        SmallVector<Value> next;
        for (size_t i = 0; i < count; ++i)
          next.push_back(b.select(isOpen(queries[i], at[count + i]),
                                  getNext(at[i]), at[i]));
        for (size_t i = 0; i < count; ++i)
          next.push_back(b.load(keys, next[i]));
        return next;
      });
  SmallVector<Value> entries;
  for (size_t i = 0; i < count; ++i) {
    // A slot that is taken has the key; the all-ones key is in none.
    Value isHit = isTaken(found[count + i]);
    entries.push_back(b.ifElse(
        isHit, b.getI32Type(),
        [&]() -> SmallVector<Value> { return {b.load(rows, found[i])}; },
        [&]() -> SmallVector<Value> { return {b.i32(-1)}; })[0]);
  }
  return entries;
}

namespace {
class HashSearch final : public LookupSearch {
public:
  HashSearch() : LookupSearch("hash") {}

protected:
  std::unique_ptr<KeyLookup> prepare(LoopBuilder &b,
                                     const SearchTask &task) const override {
    return std::make_unique<HashTable>(b, task);
  }
};
} // namespace

namespace mlir::sparseconv {
const Search &getHashSearch() {
  static const HashSearch search;
  return search;
}
} // namespace mlir::sparseconv
