//===- BlockSums.h - sums over the threads of a block -----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_BLOCKSUMS_H
#define SPARSECONV_LIB_KERNELS_INDEXING_BLOCKSUMS_H

#include "sparseconv/Kernels/Indexing/RowBlocks.h"

namespace mlir::sparseconv {

/// The sum over the threads before one, and over all of the block (i32).
struct BlockSums {
  Value before, total;
};

/// The shared buffer that `sumInBlock` needs.
MemRefType getBlockSumsType(LoopBuilder &b, int64_t threads);

/// Sums `own` (i32) of each of the block's `threads` threads, all of which must
/// come here. `shared` may be used again at once.
BlockSums sumInBlock(LoopBuilder &b, const LoopBuilder::Thread &t, Value own,
                     Value shared, int64_t threads);

/// What writes, for each row in turn, some elements of an output.
struct RowWriter {
  Value numRows;
  /// How many elements a row has (i32), in the kernel that `writes` or in the
  /// one before it.
  std::function<Value(Value row, bool writes)> count;
  /// Called in one thread of a block of the first kernel, or null.
  std::function<void(Value total)> countBlock = {};
  /// Whether the total (i32) is acceptable (i1), without effects; `write` is
  /// called only then.
  std::function<Value(Value total)> accept;
  /// Called in one thread.
  std::function<void(Value total, Value accepted)> conclude;
  /// Called with what `count` says, in its thread, and where the row's elements
  /// begin in the output (i32).
  std::function<void(Value row, Value count, Value place)> write;
};

/// Two kernels with a thread for each row: the first counts, the second sums up
/// and writes.
void writeRowsInBlocks(LoopBuilder &b, const RowWriter &writer);

/// `compactRows` on a GPU: a thread for each row.
void compactRowsInBlocks(LoopBuilder &b, const Compaction &compaction);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_BLOCKSUMS_H
