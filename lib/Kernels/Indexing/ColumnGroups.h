//===- ColumnGroups.h - columns that differ on two axes ---------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_COLUMNGROUPS_H
#define SPARSECONV_LIB_KERNELS_INDEXING_COLUMNGROUPS_H

#include "sparseconv/Kernels/Indexing/Search.h"

namespace mlir::sparseconv {

/// Columns that follow each other and differ on the last two axes only.
struct ColumnGroup {
  int64_t first, end;
  /// How far they lie apart on the last axis but one.
  int64_t span = 0;

  int64_t size() const { return end - first; }
};

/// The columns of a search by group.
SmallVector<ColumnGroup> groupColumns(const SearchTask &task);

/// The longest column.
int64_t getLongestColumn(const SearchColumns &columns);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_COLUMNGROUPS_H
