//===- BinarySearch.cpp - one lower bound for each entry ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A binary search among the sorted keys for every entry of the table: what
// other searches are measured against.
//
//===----------------------------------------------------------------------===//

#include "KeyLookup.h"
#include "Searches.h"
#include "sparseconv/Kernels/Indexing/KeyFields.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
class SortedKeys final : public KeyLookup {
public:
  SortedKeys(LoopBuilder &b, Value keys)
      : b(b), keys(keys), end(b.dim(keys, 0)) {}

  SmallVector<Value> find(ArrayRef<Value> queries) override;

private:
  LoopBuilder &b;
  Value keys, end;
};
} // namespace

SmallVector<Value> SortedKeys::find(ArrayRef<Value> queries) {
  SmallVector<Value> firsts(queries.size(), b.i32(0)), entries;
  SmallVector<Value> places =
      findLowerBounds(b, keys, queries, firsts, b.cast(end, b.getI32Type()));
  for (auto [place, query] : llvm::zip_equal(places, queries)) {
    Value isHit = holdsKey(b, keys, b.toIndex(place), end, query);
    entries.push_back(b.select(isHit, place, b.i32(-1)));
  }
  return entries;
}

namespace {
class BinarySearch final : public LookupSearch {
public:
  BinarySearch() : LookupSearch("binary") {}

protected:
  std::unique_ptr<KeyLookup> prepare(LoopBuilder &b,
                                     const SearchTask &task) const override {
    return std::make_unique<SortedKeys>(b, task.inKeys);
  }
};
} // namespace

namespace mlir::sparseconv {
const Search &getBinarySearch() {
  static const BinarySearch search;
  return search;
}
} // namespace mlir::sparseconv
