//===- RadixSort.h - radix sort on a GPU ------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_RADIXSORT_H
#define SPARSECONV_LIB_KERNELS_INDEXING_RADIXSORT_H

#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"
#include <functional>

namespace mlir::sparseconv {

/// Keys in a buffer. Those that are not there yet are made as the sort first
/// reads them, which saves a kernel.
struct KeySource {
  Value keys;
  /// What a kernel before has cleared (see `allocSortSums`), or null: the sort
  /// clears its own.
  Value sums = {};
  /// In a block of `threads` threads that makes keys: what they share. A
  /// barrier follows.
  SmallVector<MemRefType> shared = {};
  std::function<void(Value thread, int64_t threads, ValueRange shared)> enter =
      {};
  /// What the key at a position is made of, and the key.
  std::function<Value(Value position)> load = {};
  std::function<Value(Value loaded, Value position)> make = {};
};

/// Allocates what a sort of keys of up to `bits` bits adds to, and clears it as
/// a part of a kernel before the sort: by the `threads` threads of one thread
/// block.
Value allocSortSums(LoopBuilder &b, int64_t bits);
void clearSortSums(LoopBuilder &b, Value sums, Value thread, int64_t threads);

/// sorted[i] = keys[permutation[i]], ascending as unsigned numbers; equal keys
/// keep their order. `fields` are the widths of the keys' bit fields, the
/// highest first. Keys that use few of their bits (`isSparse`) are sorted by
/// those alone.
void sortKeys(LoopBuilder &b, const KeySource &source, Value sorted,
              Value permutation, ArrayRef<int64_t> fields, bool isSparse);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_RADIXSORT_H
