//===- ColumnHits.h - what a search finds, by column ------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The records that `search_hits` leaves, as `tile_hits` takes them.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_COLUMNHITS_H
#define SPARSECONV_LIB_KERNELS_INDEXING_COLUMNHITS_H

#include "sparseconv/Dialect/SparseConv/IR/SearchColumns.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {

/// The entry of a displacement in a column of neighbouring ones, or -1:
/// `place`, where the first key of the column is or would be, plus the hits
/// before its own. Bits of `hits` (i32) say which are there.
Value getColumnEntry(LoopBuilder &b, Value place, Value hits, uint32_t before,
                     uint32_t own);

/// The record of a row, which stands for its row of the neighbour table.
class HitRecord {
public:
  /// Of its words (see `SearchColumns::getRecordSize`), or one without a hit
  /// where `isRow` (i1) is false.
  HitRecord(LoopBuilder &b, const SearchColumns &columns, ArrayRef<Value> ofRow,
            Value isRow);

  /// A word of the row's mask (i32).
  Value getMask(int64_t word) const {
    return words[columns.getNumColumns() + word];
  }
  /// The entry of an offset (i32).
  Value getEntry(LoopBuilder &b, int64_t offset) const;

private:
  const SearchColumns &columns;
  SmallVector<Value> words;
};

/// The hits of a column as bits of a mask: those of its words that have some
/// change.
void addHits(LoopBuilder &b, ArrayRef<int64_t> numbers, Value hits,
             MutableArrayRef<Value> mask);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_COLUMNHITS_H
