//===- SearchColumns.h - displacements of a search by column ----*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How displacements form columns, and the sizes of the buffers through which
// hits pass. The verifiers of `search_hits` and `tile_hits`, the pass that
// makes these operations and the kernels for them agree on it here.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_IR_SEARCHCOLUMNS_H
#define SPARSECONV_DIALECT_SPARSECONV_IR_SEARCHCOLUMNS_H

#include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.h"
#include <numeric>

namespace mlir::sparseconv {

/// For each of some displacements of `dim` numbers the number of its negative:
/// nothing unless they are distinct and symmetric about 0.
std::optional<SmallVector<int64_t>> getMirrors(ArrayRef<int64_t> displacements,
                                               unsigned dim);

/// What coordinates of both sets of a search are multiples of on the last axis.
template <typename OpTy> int64_t getCommonStride(OpTy search) {
  auto getLast = [](std::optional<ArrayRef<int64_t>> stride) -> int64_t {
    return stride ? stride->back() : 1;
  };
  return std::gcd(getLast(search.getInStride()),
                  getLast(search.getOutStride()));
}

/// The displacements of a search by column: those that differ on the last axis
/// only, ascending along it.
struct SearchColumns {
  SearchColumns(ArrayRef<int64_t> displacements, PackingAttr packing);
  /// Of some displacements alone.
  SearchColumns(ArrayRef<int64_t> displacements, PackingAttr packing,
                ArrayRef<int64_t> chosen);

  int64_t getNumOffsets() const { return numbers.size(); }
  int64_t getNumColumns() const { return starts.size() - 1; }
  /// The numbers of the displacements of a column, ascending along it.
  ArrayRef<int64_t> getNumbers(int64_t column) const {
    return ArrayRef(numbers).slice(starts[column],
                                   starts[column + 1] - starts[column]);
  }
  /// The hits of a column fit in a word, those of a row in a few, and with the
  /// first place of each column they say as much as a row of the neighbour
  /// table. The last coordinates of keys and rows are multiples of `common`.
  bool fitHits(int64_t common) const;
  /// 32-bit words of a record of hits: the first place of each column and the
  /// mask, filled up to whole loads of `kHitWords`.
  int64_t getRecordSize() const;

  /// For each displacement, column by column: its number and what it adds to a
  /// key.
  SmallVector<int64_t> numbers, packed;
  /// Where each column starts, and the end of the last.
  SmallVector<int64_t> starts;
  /// All columns are of this length, or 0.
  int64_t length = 0;
  /// What neighbours within a column differ by, if all displacements are
  /// multiples of it on the last axis, else 0. Where no column has two
  /// displacements it is 1.
  int64_t spacing = 1;
  /// No key lies between two queries, whatever the set.
  bool isContiguous() const { return spacing == 1; }
  /// No displacement occurs twice: a hit is below the next query.
  bool isDistinct = true;
};

/// Bits of a word of a mask, and the words of a mask of so many offsets.
constexpr int64_t kMaskBits = 32;
int64_t getMaskWords(int64_t offsets);
/// How many rows a mask of `tile_rows` is of.
constexpr int64_t kMaskRows = 16;
/// The most offsets that hits are left of, those of a box of 7x7x7: code for
/// each of them is unrolled. The most columns: records of 64 rows fit shared
/// memory.
constexpr int64_t kMaxHits = 343, kMaxHitColumns = 128;
/// Words of a record of hits that one load takes.
constexpr int64_t kHitWords = 4;
/// Runs of rows, at most, whose offsets are counted as a sample of all rows; a
/// power of 2.
constexpr int64_t kMaxSample = 64;

/// Bytes of shared memory in which a thread block of a search gathers what its
/// rows find.
constexpr int64_t kMaxSearchStage = 40 << 10;
/// The rows (and threads) of a thread block of a search that gathers `words`
/// 32-bit words for each of them: 256, 128 or 64. Where a set is searched in
/// itself, a block also holds keys near its rows, and more blocks fit.
int64_t getSearchRows(int64_t words, bool isSelf);

/// Bits of a digit of a radix sort on a GPU, and how many digits there are.
constexpr int64_t kDigitBits = 9, kDigits = 1 << kDigitBits;
/// How often a sort of keys of `bits` bits looks at all keys, once for a digit.
int64_t getNumSortPasses(int64_t bits);

/// Whether rows of so many offsets are ordered by codes of their masks, however
/// many pairs there are; the most bits of such a code. Other rows are ordered
/// by their whole masks, or by codes where there are few pairs.
bool isOrderedByCodes(int64_t offsets, RowOrder order);
constexpr int64_t kCodeBits = 27;
/// The bits of the keys by which rows are ordered.
int64_t getRowKeyBits(int64_t offsets, RowOrder order);
/// Bits of a key that say which block of space a row is in.
constexpr int64_t kSpaceBits = 9;

} // namespace mlir::sparseconv

#endif // SPARSECONV_DIALECT_SPARSECONV_IR_SEARCHCOLUMNS_H
