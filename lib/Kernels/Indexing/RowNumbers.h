//===- RowNumbers.h - the rows that are kept, counted -----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_ROWNUMBERS_H
#define SPARSECONV_LIB_KERNELS_INDEXING_ROWNUMBERS_H

#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {

/// The rows that are kept, numbered in their order: how many of them come
/// before any row. Each row has the number within its row block, and each row
/// block how many come before it.
class RowNumbers {
public:
  /// Of `numRows` rows, those for which `keep` is true (i1). How many there are
  /// (index) goes to `count`, of one element.
  RowNumbers(LoopBuilder &b, Value numRows, function_ref<Value(Value row)> keep,
             Value count);

  /// The rows kept before `row` (i32); `row` may be the end.
  Value getNumBefore(Value row);
  /// Whether `row`, which is not the end, is kept (i1).
  Value isKept(Value row, Value numBefore);

  void dealloc();

private:
  void countInLoops(function_ref<Value(Value)> keep, Value count);
  void countInThreads(function_ref<Value(Value)> keep);
  void sumUpBlocks(Value count);
  /// `keep` as a number (i32), and 0 for the end.
  Value toNumber(Value row, function_ref<Value(Value)> keep);

  LoopBuilder &b;
  Value numRows, numRowBlocks;
  int64_t rowBlock;
  Value inBlock, beforeBlock;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_ROWNUMBERS_H
