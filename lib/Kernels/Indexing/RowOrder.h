//===- RowOrder.h - rows with alike offsets side by side --------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile multiplies every offset that one of its rows has, so rows with alike
// masks belong together. Sorting masks by their rank in the Gray code brings
// those that differ in one bit close together. The rarest offset is the highest
// bit: the rows that have it are few, and come last, apart from the others.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_ROWORDER_H
#define SPARSECONV_LIB_KERNELS_INDEXING_ROWORDER_H

#include "sparseconv/Dialect/SparseConv/IR/SearchColumns.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {

/// The masks of all rows.
struct RowMasks {
  int64_t offsets;
  /// i32 [words, rows], and the counts of a sample (see OffsetCounts) that
  /// blocks of so many rows have made.
  Value masks, counts;
  int64_t sampleRows;
  /// Cleared, for the sort; or null.
  Value sums;
};

/// The masks of the rows of a neighbour table, whose entries are rows below
/// `inRows`, with what an order needs.
RowMasks makeRowMasks(LoopBuilder &b, Value table, Value inRows,
                      RowOrder order);

/// The rows in their order, as i32.
Value orderRows(LoopBuilder &b, const RowMasks &rows, RowOrder order);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_ROWORDER_H
