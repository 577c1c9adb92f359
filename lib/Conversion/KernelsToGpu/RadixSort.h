//===- RadixSort.h - radix sort on a GPU ------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_CONVERSION_KERNELSTOGPU_RADIXSORT_H
#define SPARSECONV_LIB_CONVERSION_KERNELSTOGPU_RADIXSORT_H

#include "sparseconv/Kernels/LoopBuilder.h"
#include <functional>

namespace mlir::sparseconv {

/// Keys in a buffer. Those that are not there yet are made as the sort first
/// reads them, which saves a kernel.
struct KeySource {
  Value keys;
  /// Part of the kernel that clears what the sort needs: clears number `i` of
  /// `numCleared`.
  int64_t numCleared = 0;
  std::function<void(Value i)> clear = {};
  /// Kernels between that one and the first that reads keys.
  std::function<void()> prepare = {};
  /// In a block of `threads` threads that makes keys: what they share. A
  /// barrier follows.
  SmallVector<MemRefType> shared = {};
  std::function<void(Value thread, int64_t threads, ValueRange shared)> enter =
      {};
  /// What the key at a position is made of, and the key.
  std::function<Value(Value position)> load = {};
  std::function<Value(Value loaded)> make = {};
};

/// sorted[i] = keys[permutation[i]], ascending as unsigned numbers; equal keys
/// keep their order. `fields` are the widths of the keys' bit fields, the
/// highest first. Keys that use few of their bits (`isSparse`) are sorted by
/// those alone.
void sortKeys(LoopBuilder &b, const KeySource &source, Value sorted,
              Value permutation, ArrayRef<int64_t> fields, bool isSparse);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_CONVERSION_KERNELSTOGPU_RADIXSORT_H
