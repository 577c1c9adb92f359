//===- SearchColumns.cpp - displacements of a search by column ------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/IR/SearchColumns.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace mlir;
using namespace mlir::sparseconv;

std::optional<SmallVector<int64_t>>
mlir::sparseconv::getMirrors(ArrayRef<int64_t> displacements, unsigned dim) {
  std::map<SmallVector<int64_t>, int64_t> numbers;
  SmallVector<int64_t> mirrors;
  int64_t volume = displacements.size() / dim;
  for (int64_t k = 0; k < volume; ++k)
    if (!numbers
             .try_emplace(llvm::to_vector(displacements.slice(k * dim, dim)), k)
             .second)
      return std::nullopt;
  for (int64_t k = 0; k < volume; ++k) {
    auto negative = llvm::map_to_vector(displacements.slice(k * dim, dim),
                                        [](int64_t d) { return -d; });
    auto mirror = numbers.find(negative);
    if (mirror == numbers.end())
      return std::nullopt;
    mirrors.push_back(mirror->second);
  }
  return mirrors;
}

SearchColumns::SearchColumns(ArrayRef<int64_t> displacements,
                             PackingAttr packing)
    : SearchColumns(displacements, packing,
                    llvm::to_vector(llvm::seq<int64_t>(displacements.size() /
                                                       packing.getDim()))) {}

SearchColumns::SearchColumns(ArrayRef<int64_t> displacements,
                             PackingAttr packing, ArrayRef<int64_t> chosen)
    : numbers(chosen) {
  int64_t dim = packing.getDim(), volume = chosen.size();
  auto get = [&](int64_t k) { return displacements.slice(k * dim, dim); };
  llvm::sort(numbers, [&](int64_t a, int64_t b) {
    ArrayRef<int64_t> lhs = get(a), rhs = get(b);
    if (lhs == rhs)
      return a < b;
    return std::lexicographical_compare(lhs.begin(), lhs.end(), rhs.begin(),
                                        rhs.end());
  });
  std::optional<int64_t> found;
  for (int64_t i = 0; i < volume; ++i) {
    ArrayRef<int64_t> here = get(numbers[i]);
    packed.push_back(packing.packOffset(here));
    if (i != 0) {
      ArrayRef<int64_t> before = get(numbers[i - 1]);
      if (here.drop_back() == before.drop_back()) {
        int64_t own = here.back() - before.back();
        found = found.value_or(own) == own ? own : 0;
        isDistinct &= here != before;
        continue;
      }
    }
    starts.push_back(i);
  }
  auto isMultiple = [&](int64_t number) {
    return get(number).back() % spacing == 0;
  };
  spacing = found.value_or(1);
  if (spacing != 0 && !llvm::all_of(numbers, isMultiple))
    spacing = 0;
  int64_t numColumns = starts.size();
  starts.push_back(volume);
  if (volume == 0)
    return;
  int64_t first = starts[1];
  bool isUniform = llvm::all_of(llvm::seq<int64_t>(numColumns), [&](int64_t c) {
    return starts[c] == c * first;
  });
  if (isUniform && numColumns * first == volume)
    length = first;
}

bool SearchColumns::fitHits(int64_t common) const {
  bool areShort =
      llvm::all_of(llvm::seq<int64_t>(getNumColumns()), [&](int64_t column) {
        return starts[column + 1] - starts[column] <= kMaskBits;
      });
  return spacing != 0 && common % spacing == 0 && isDistinct && areShort &&
         getNumOffsets() <= kMaxHits && getNumColumns() <= kMaxHitColumns;
}

int64_t SearchColumns::getRecordSize() const {
  return llvm::alignTo(getNumColumns() + getMaskWords(getNumOffsets()),
                       kHitWords);
}

int64_t mlir::sparseconv::getMaskWords(int64_t offsets) {
  return llvm::divideCeilSigned(offsets, kMaskBits);
}

int64_t mlir::sparseconv::getSearchRows(int64_t words, bool isSelf) {
  int64_t rows = isSelf ? 128 : 256;
  while (rows > 64 && rows * words * 4 > kMaxSearchStage)
    rows /= 2;
  return rows;
}

int64_t mlir::sparseconv::getNumSortPasses(int64_t bits) {
  return std::max<int64_t>(1, llvm::divideCeilSigned(bits, kDigitBits));
}

bool mlir::sparseconv::isOrderedByCodes(int64_t offsets, RowOrder order) {
  return offsets > kMaskBits || order == RowOrder::Space;
}

int64_t mlir::sparseconv::getRowKeyBits(int64_t offsets, RowOrder order) {
  if (isOrderedByCodes(offsets, order))
    return kCodeBits;
  // A block of space comes before as much of a mask's rank as leaves room.
  return order == RowOrder::Density
             ? std::max(offsets, std::min(offsets + kSpaceBits, kCodeBits))
             : offsets;
}
