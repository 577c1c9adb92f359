//===- RowCounts.h - what the rows of a tensor are counted by ---*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_ROWCOUNTS_H
#define SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_ROWCOUNTS_H

#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"

namespace mlir::sparseconv {

/// Where a number of rows comes from: the rows of a coordinate set, of a side
/// of a map whose sets are not known, of a tensor, or an index.
struct RowCount {
  Value source;
  std::optional<MapSide> side;

  /// Two counts that are equal are the same number; two that differ may be.
  bool operator==(const RowCount &other) const {
    return source == other.source && side == other.side;
  }
};

/// The rows of `side` of `map`.
RowCount countRows(Value map, MapSide side);

/// One step from a count towards what it comes from, on the network level; the
/// count itself where nobody says that. No operation is left in the network.
RowCount followCount(RowCount count);

/// The rows of `tensor`, followed to the end.
RowCount countRows(Value tensor);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_ROWCOUNTS_H
