//===- ColumnHits.h - what a search finds, by column ------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The hits of a column of neighbouring displacements lie next to each other
// among the keys: the first place and a bit for each displacement say as much
// as a row of the table, in a third of the memory. Where the rows of a table
// are tiled and nothing else takes it, the search leaves these and no table.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_CONVERSION_KERNELSTOGPU_COLUMNHITS_H
#define SPARSECONV_LIB_CONVERSION_KERNELSTOGPU_COLUMNHITS_H

#include "../KernelsToLoops/SearchColumns.h"
#include "OffsetCounts.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Kernels/LoopBuilder.h"

namespace mlir::sparseconv {

struct ColumnHits {
  SearchColumns columns;
  /// Bit k of masks[r]: row r has offset k.
  Value masks;
  /// records[r]: where row r finds the first key of each column, or would; then
  /// its mask. Whoever takes a row in no order takes it in wide loads.
  Value records;
  OffsetCounts counts;
  /// What a sort of the masks adds to, cleared; null once one has taken it.
  Value sortSums;

  /// Words of a record, a multiple of `kPiece`.
  static int64_t getRecordSize(const SearchColumns &columns) {
    return llvm::alignTo(columns.starts.size(), kPiece);
  }
  /// Words of a load.
  static constexpr int64_t kPiece = 4;

  /// The entries of a row of the table.
  SmallVector<Value> getEntries(LoopBuilder &b, Value row) const;
};

/// The entry of a displacement of a column of neighbouring ones: `place`, where
/// the first key of the column is or would be, and the hits before its own, or
/// -1. Bits of `hits` (i32) say which are there.
Value getColumnEntry(LoopBuilder &b, Value place, Value hits, uint32_t before,
                     uint32_t own);

/// The hits that searches of one function have left, by their tables.
using HitsOfTables = llvm::DenseMap<Value, ColumnHits>;

/// Who takes the table of a search.
struct TableUsers {
  explicit TableUsers(SearchOp op);
  /// Something tiles its rows, and its hits say all (up to 32 offsets).
  bool takesHits = false;
  /// Something else takes the table.
  bool takesTable = false;
  Operation *dealloc = nullptr;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_CONVERSION_KERNELSTOGPU_COLUMNHITS_H
