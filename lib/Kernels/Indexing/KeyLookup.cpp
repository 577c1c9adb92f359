//===- KeyLookup.cpp - searches that look up key by key -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeyLookup.h"
#include "RowSearch.h"
#include "TableWriter.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Keys that a thread of a GPU looks up side by side.
static constexpr int64_t kSideBySide = 4;

namespace {
/// The displacements that are searched for, in the order of the table, as data.
class LookupOffsets {
public:
  LookupOffsets(LoopBuilder &b, const SearchTask &task);

  /// What displacement `i` (index) of them adds to a key, and its number.
  Value getPacked(Value i) { return b.load(packed, i); }
  Value getNumber(Value i) { return numbers ? b.load(numbers, i) : i; }

private:
  LoopBuilder &b;
  Value packed, numbers;
};
} // namespace

LookupOffsets::LookupOffsets(LoopBuilder &b, const SearchTask &task) : b(b) {
  const SearchColumns &columns = task.columns;
  SmallVector<std::pair<int64_t, int64_t>> inOrder;
  for (auto [number, added] : llvm::zip_equal(columns.numbers, columns.packed))
    inOrder.push_back({number, added});
  llvm::sort(inOrder);
  packed = getConstantBuffer(b, task.packing.getKeyType(),
                             llvm::to_vector(llvm::make_second_range(inOrder)));
  if (task.isHalf())
    numbers = getConstantBuffer(
        b, b.getIndexType(), llvm::to_vector(llvm::make_first_range(inOrder)));
}

void LookupSearch::emitLoops(LoopBuilder &b, const SearchTask &task) const {
  std::unique_ptr<KeyLookup> lookup = prepare(b, task);
  TableWriter table(b, task);
  table.prepare();
  LookupOffsets offsets(b, task);
  Value count = b.index(task.columns.getNumOffsets());
  forEachRow(b, b.dim(task.outKeys, 0), kSearchRowBlock, [&](Value row) {
    Value key = b.load(task.outKeys, row);
    b.forLoop(b.index(0), count, 1, [&](Value i) {
      Value query = b.add(key, offsets.getPacked(i));
      table.setEntry(row, offsets.getNumber(i), lookup->find(query)[0]);
    });
  });
  lookup->release();
}

namespace {
/// Writes the kernel of a search by look-ups.
class LookupKernel {
public:
  LookupKernel(LoopBuilder &b, const SearchTask &task, KeyLookup &lookup)
      : b(b), task(task), columns(task.columns), lookup(lookup) {
    if (!task.masks)
      offsets.emplace(b, task);
  }

  void emit();

private:
  /// The entries of a row, some at a time: displacements are data.
  void searchEntries(Value key, FoundRow &found);
  /// The hits of a row, of which there are few, column by column.
  void searchColumns(Value key, FoundRow &found);

  LoopBuilder &b;
  const SearchTask &task;
  const SearchColumns &columns;
  KeyLookup &lookup;
  /// Of a search for entries.
  std::optional<LookupOffsets> offsets;
};
} // namespace

void LookupKernel::searchEntries(Value key, FoundRow &found) {
  int64_t count = columns.getNumOffsets();
  int64_t step = std::min(kSideBySide, count);
  b.forLoop(b.index(0), b.index(count), step, [&](Value first) {
    SmallVector<Value> numbers, queries;
    for (int64_t i = 0; i < step; ++i) {
      // The last ones may come again.
      Value at = b.min(b.add(first, i), b.index(count - 1));
      numbers.push_back(offsets->getNumber(at));
      queries.push_back(b.add(key, offsets->getPacked(at)));
    }
    for (auto [number, entry] : llvm::zip_equal(numbers, lookup.find(queries)))
      found.setEntry(number, entry);
  });
}

void LookupKernel::searchColumns(Value key, FoundRow &found) {
  for (int64_t c = 0; c < columns.getNumColumns(); ++c) {
    SmallVector<Value> queries;
    for (int64_t i = columns.starts[c]; i < columns.starts[c + 1]; ++i)
      queries.push_back(b.add(
          key, b.constantInt(task.packing.getKeyType(), columns.packed[i])));
    SmallVector<Value> entries = lookup.find(queries);
    // Backwards, so that the first hit is what remains.
    Value place = b.i32(0), hits = b.i32(0);
    for (int64_t i = entries.size() - 1; i >= 0; --i) {
      Value isHit = b.greaterEqual(entries[i], 0);
      place = b.select(isHit, entries[i], place);
      hits = b.orBits(hits, b.select(isHit, b.bit(i), b.i32(0)));
    }
    found.setColumn(c, place, hits);
  }
}

void LookupKernel::emit() {
  RowSearch search;
  search.search = [&](const LoopBuilder::Thread &, Value row, FoundRow &found) {
    Value key = b.load(task.outKeys, row);
    if (task.masks)
      searchColumns(key, found);
    else
      searchEntries(key, found);
  };
  launchRowSearch(b, task, search);
}

void LookupSearch::emitKernels(LoopBuilder &b, const SearchTask &task) const {
  std::unique_ptr<KeyLookup> lookup = prepare(b, task);
  LookupKernel(b, task, *lookup).emit();
  lookup->release();
}
