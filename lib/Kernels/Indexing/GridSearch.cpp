//===- GridSearch.cpp - a row for every cell of the packing ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A key is the place of its row in a table of all keys there could be. Of
// coordinates that are multiples of a stride, the low bits that are always 0
// have no part in that. The table covers the guards of the packing, so that no
// query is outside of it.
//
//===----------------------------------------------------------------------===//

#include "KeyLookup.h"
#include "Searches.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Bits of the number of a cell, at most: 512 MiB of rows.
static constexpr int64_t kMaxCellBits = 27;

namespace {
/// How the bits of a key make the number of a cell.
struct CellBits {
  CellBits(PackingAttr packing, ArrayRef<int64_t> stride);

  /// Bits that lie together in both.
  struct Run {
    uint64_t mask;
    unsigned shift;
  };
  SmallVector<Run> runs;
  /// Bits of a key that are 0 for the coordinates of the set.
  uint64_t zeros = 0;
  /// Bits of the number of a cell.
  int64_t count = 0;
};
} // namespace

/// `count` ones, from bit `first` on.
static uint64_t getOnes(unsigned first, unsigned count) {
  return count == 0 ? 0 : llvm::maskTrailingOnes<uint64_t>(count) << first;
}

CellBits::CellBits(PackingAttr packing, ArrayRef<int64_t> stride) {
  unsigned dropped = 0;
  // From the lowest field up.
  for (unsigned axis = packing.getDim(); axis-- > 0;) {
    unsigned bits = packing.getBits()[axis], first = packing.getShift(axis);
    // The bias is a multiple of the power of two as well.
    unsigned zero =
        std::min<unsigned>(llvm::countr_zero<uint64_t>(stride[axis]), bits - 1);
    zeros |= getOnes(first, zero);
    dropped += zero;
    if (runs.empty() || zero != 0)
      runs.push_back({0, dropped});
    runs.back().mask |= getOnes(first + zero, bits - zero);
    count += bits - zero;
  }
  runs.back().mask |= getOnes(packing.getBatchShift(), packing.getBatch());
  count += packing.getBatch();
}

namespace {
class Grid final : public KeyLookup {
public:
  Grid(LoopBuilder &b, const SearchTask &task);

  SmallVector<Value> find(ArrayRef<Value> queries) override;
  void release() override { b.dealloc(rows); }

private:
  Value getCell(Value key);

  LoopBuilder &b;
  CellBits bits;
  /// The row of each cell, or -1.
  Value rows;
};
} // namespace

Grid::Grid(LoopBuilder &b, const SearchTask &task)
    : b(b), bits(task.packing, task.inStride) {
  int64_t numCells = int64_t(1) << bits.count;
  rows = b.alloc({numCells}, b.getI32Type());
  forEachRow(b, b.index(numCells), kDefaultRowBlock,
             [&](Value cell) { b.store(b.i32(-1), rows, cell); });
  forEachRow(b, b.dim(task.inKeys, 0), kDefaultRowBlock, [&](Value row) {
    Value cell = getCell(b.load(task.inKeys, row));
    b.store(b.cast(row, b.getI32Type()), rows, cell);
  });
}

Value Grid::getCell(Value key) {
  Value cell = b.constantInt(key.getType(), 0);
  for (const CellBits::Run &run : bits.runs)
    cell = b.orBits(cell, b.shiftRight(b.andBits(key, run.mask), run.shift));
  return b.toIndex(cell);
}

SmallVector<Value> Grid::find(ArrayRef<Value> queries) {
  SmallVector<Value> entries;
  for (Value query : queries)
    entries.push_back(b.load(rows, getCell(query)));
  if (bits.zeros == 0)
    return entries;
  // Between the multiples of the stride there is nothing.
  for (auto [query, entry] : llvm::zip_equal(queries, entries)) {
    Value isCell = b.equal(b.andBits(query, bits.zeros), 0);
    entry = b.select(isCell, entry, b.i32(-1));
  }
  return entries;
}

namespace {
class GridSearch final : public LookupSearch {
public:
  GridSearch() : LookupSearch("grid") {}

  std::string describeProblem(PackingAttr packing,
                              ArrayRef<int64_t> inStride) const override {
    int64_t count = CellBits(packing, inStride).count;
    if (count <= kMaxCellBits)
      return {};
    return llvm::formatv("a grid may have 2^{0} cells, but the packing has "
                         "2^{1} at the stride of the input set",
                         kMaxCellBits, count);
  }

protected:
  std::unique_ptr<KeyLookup> prepare(LoopBuilder &b,
                                     const SearchTask &task) const override {
    return std::make_unique<Grid>(b, task);
  }
};
} // namespace

namespace mlir::sparseconv {
const Search &getGridSearch() {
  static const GridSearch search;
  return search;
}
} // namespace mlir::sparseconv
