//===- RowBlocks.h - loops over blocks of rows ------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parallel loops whose result does not depend on the number of threads. Rows
// are cut into row blocks of a fixed size, each of which is one work item. What
// crosses them (the first failure, positions in an output) is combined in their
// order.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNELS_INDEXING_ROWBLOCKS_H
#define SPARSECONV_KERNELS_INDEXING_ROWBLOCKS_H

#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"
#include <functional>

namespace mlir::sparseconv {

/// Rows of one work item of the CPU where nothing else decides.
constexpr int64_t kDefaultRowBlock = 4096;

/// Offsets up to which code is unrolled over them; more are data that loops go
/// over, so that the size of a kernel has a bound.
constexpr int64_t kMaxUnrolledOffsets = 125;

/// Calls `body` for the offsets 0 .. count-1 (index), unrolled or in a loop.
void forOffsets(LoopBuilder &b, int64_t count,
                function_ref<void(Value offset)> body);

/// Row blocks of `size` rows, in any order, on all threads.
void forEachRowBlock(
    LoopBuilder &b, Value numRows, int64_t size,
    function_ref<void(Value rowBlock, Value begin, Value end)> body);

/// Calls `body` for all rows, on all threads, in row blocks of `size` rows.
void forEachRow(LoopBuilder &b, Value numRows, int64_t size,
                function_ref<void(Value row)> body);

/// As `forEachRow`. Returns the lowest row for which `body` is true (i1), or
/// `numRows`.
Value findFirst(LoopBuilder &b, Value numRows, int64_t size,
                function_ref<Value(Value row)> body);

/// The least of `bound` and the first `count` elements of `values`.
Value findLeast(LoopBuilder &b, Value values, Value count, Value bound);

/// counts[i] becomes counts[0] + ... + counts[i-1], for i < `count`. Returns
/// the sum of all.
Value makePrefixSums(LoopBuilder &b, Value counts, Value count);

/// What writes, for each row in turn, some elements of an output.
struct Compaction {
  Value numRows;
  /// Values that a row block carries from row to row, made before its first
  /// row.
  std::function<SmallVector<Value>(Value firstRow)> start;
  /// The next values and, as the first of them, whether the row is kept (i1).
  std::function<SmallVector<Value>(Value row, ValueRange carried)> visit;
  /// Whether the total is acceptable (i1), or null where it always is; `write`
  /// is called only then. No effects: a GPU asks in every thread.
  std::function<Value(Value total)> accept = {};
  /// Stores the total, or reports it.
  std::function<void(Value total, Value accepted)> conclude;
  /// Called with the position of a kept row in the output, or of the last row
  /// kept up to this one where `kept` (i1) is false.
  std::function<void(Value row, Value kept, Value position, ValueRange carried)>
      write;
};

/// Counts the kept rows of each row block, then writes them in order.
void compactRows(LoopBuilder &b, const Compaction &compaction);

/// The first position p from `place` on, before `end`, with keys[p] >= query
/// (unsigned), or `end`: a short walk, then halving. For queries that ascend.
Value advance(LoopBuilder &b, Value keys, Value place, Value end, Value query);

/// Whether place < end and keys[place] = query (i1).
Value holdsKey(LoopBuilder &b, Value keys, Value place, Value end, Value query);

/// A constant buffer of one dimension, shared by all that ask for equal ones.
/// `elementType` is an integer or index type.
Value getConstantBuffer(LoopBuilder &b, Type elementType,
                        ArrayRef<int64_t> values);

} // namespace mlir::sparseconv

#endif // SPARSECONV_KERNELS_INDEXING_ROWBLOCKS_H
