//===- SearchColumns.h - displacements of a search by column ----*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_CONVERSION_KERNELSTOLOOPS_SEARCHCOLUMNS_H
#define SPARSECONV_LIB_CONVERSION_KERNELSTOLOOPS_SEARCHCOLUMNS_H

#include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.h"

namespace mlir::sparseconv {

/// The displacements of a search by column: those that differ on the last axis
/// only, ascending along it.
struct SearchColumns {
  /// For each displacement, column by column: its number and what it adds to a
  /// key.
  SmallVector<int64_t> numbers, packed;
  /// Where each column starts, and the end of the last.
  SmallVector<int64_t> starts;
  /// All columns are of this length, or 0.
  int64_t length = 0;
  /// Neighbours within a column differ by 1: no key lies between two queries.
  bool isContiguous = true;
  /// No displacement occurs twice: a hit is below the next query.
  bool isDistinct = true;
};

SearchColumns makeSearchColumns(ArrayRef<int64_t> displacements,
                                PackingAttr packing);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_CONVERSION_KERNELSTOLOOPS_SEARCHCOLUMNS_H
