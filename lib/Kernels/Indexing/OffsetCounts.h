//===- OffsetCounts.h - how many rows have each offset ----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows are ordered by their rare offsets first, and a sample says well enough
// which those are. Some thread blocks, evenly spread over the rows, count the
// offsets of their own rows as they make masks. Their counts lie side by side,
// so that nothing need be cleared before them and sums are the same on every
// run.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_OFFSETCOUNTS_H
#define SPARSECONV_LIB_KERNELS_INDEXING_OFFSETCOUNTS_H

#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {

/// Counts of up to 32 offsets.
class OffsetCounts {
public:
  OffsetCounts() = default;
  /// For a kernel with a thread for each row, `threads` in a block. `counts`
  /// (i32 [kMaxSample, kMaxHits]) has what each block of the sample has
  /// counted.
  OffsetCounts(LoopBuilder &b, Value counts, Value numRows, int64_t threads);
  /// A buffer for counts.
  static Value alloc(LoopBuilder &b);

  /// What the threads of that kernel share.
  MemRefType getSharedType(LoopBuilder &b) const;
  /// Counts the masks of a block (i32; 0 in threads without a row) if it is one
  /// of the sample. All of its threads come here.
  void add(LoopBuilder &b, const LoopBuilder::Thread &t, Value mask,
           int64_t offsets, Value shared) const;

  /// sums[k] = how many rows of the sample have offset k. By all threads of a
  /// block of any kernel, which meet at the end.
  void sum(LoopBuilder &b, Value thread, int64_t threads, Value sums) const;

private:
  /// The blocks of the sample are those whose number is a multiple of 2^shift
  /// (i32).
  Value getShift(LoopBuilder &b) const;

  Value counts, numBlocks;
  int64_t blockThreads = 0;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_OFFSETCOUNTS_H
