//===- TableWriter.h - the entries of a neighbour table ---------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How entries get into a table. Where a search looks for half of the
// displacements, all entries are none before it, and each hit becomes two: that
// of its row, and that of the row found, by the displacement back.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_TABLEWRITER_H
#define SPARSECONV_LIB_KERNELS_INDEXING_TABLEWRITER_H

#include "sparseconv/Kernels/Indexing/Search.h"

namespace mlir::sparseconv {

class TableWriter {
public:
  TableWriter(LoopBuilder &b, const SearchTask &task) : b(b), task(task) {}

  /// Before the loops or the kernel of the search: what entries are if they are
  /// not set, and what setting them needs.
  void prepare();
  /// The entry (i32) of a row (index) for the displacement `number` (index).
  void setEntry(Value row, Value number, Value entry);

private:
  /// All entries are -1 but for those of displacement 0: a row meets itself.
  void fill();
  Value getMirror(Value number);

  LoopBuilder &b;
  const SearchTask &task;
  /// The numbers of the negatives, where they are data.
  Value mirrors;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_TABLEWRITER_H
