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

class OffsetCounts {
public:
  OffsetCounts() = default;
  /// For a kernel with a thread for each row, `threads` in a block. `counts`
  /// (i32 [kMaxSample, bits of a mask]) has what each block of the sample has
  /// counted.
  OffsetCounts(LoopBuilder &b, Value counts, Value numRows, int64_t threads);
  /// A buffer for counts.
  static Value alloc(LoopBuilder &b, int64_t offsets);

  /// What the threads of that kernel share.
  MemRefType getSharedType(LoopBuilder &b) const;
  /// Counts the masks of a block (words of i32; 0 in threads without a row) if
  /// it is one of the sample. All of its threads come here.
  void add(LoopBuilder &b, const LoopBuilder::Thread &t, ValueRange mask,
           Value shared) const;
  /// Calls `body` with the number of this block in the sample if it is of it.
  void ifSampled(LoopBuilder &b, const LoopBuilder::Thread &t,
                 function_ref<void(Value number)> body) const;
  /// Stores the counts of a word's offsets: `own` is what this lane's warp has
  /// of the lane's offset.
  void store(LoopBuilder &b, const LoopBuilder::Thread &t, Value number,
             Value word, Value own, Value shared) const;

  /// sums[k] = how many rows of the sample have offset k. By all threads of a
  /// block of any kernel, of which there are a power of 2, and which meet at
  /// the end. `sums` holds zeros before.
  void sum(LoopBuilder &b, Value thread, int64_t threads, Value sums) const;
  /// The rows of the sample, or somewhat more where the last row is of it
  /// (i32).
  Value countRows(LoopBuilder &b) const;

private:
  /// The blocks of the sample are those whose number is a multiple of 2^shift
  /// (i32).
  Value getShift(LoopBuilder &b) const;
  /// How many blocks the sample has (i32).
  Value countBlocks(LoopBuilder &b) const;
  int64_t getNumBits() const {
    return cast<MemRefType>(counts.getType()).getDimSize(1);
  }

  Value counts, numBlocks;
  int64_t blockThreads = 0;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_OFFSETCOUNTS_H
