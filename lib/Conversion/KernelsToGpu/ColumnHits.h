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
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Kernels/LoopBuilder.h"

namespace mlir::sparseconv {

struct ColumnHits {
  SearchColumns columns;
  /// Bit k of masks[r]: row r has offset k.
  Value masks;
  /// places[r, c]: where row r finds the first key of column c, or would.
  Value places;

  /// The entries of a row of the table, from its mask.
  SmallVector<Value> getEntries(LoopBuilder &b, Value row, Value mask) const;
};

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
