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

/// The entries of a row of the table that the records stand for, of the offsets
/// of a word of its mask.
SmallVector<Value> loadEntries(LoopBuilder &b, const SearchColumns &columns,
                               Value records, Value row, int64_t word);

/// The hits of a column as bits of a mask: those of its words that have some
/// change.
void addHits(LoopBuilder &b, ArrayRef<int64_t> numbers, Value hits,
             MutableArrayRef<Value> mask);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_COLUMNHITS_H
