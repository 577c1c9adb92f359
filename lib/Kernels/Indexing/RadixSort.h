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

namespace mlir::sparseconv {

struct KeySource;

/// sorted[i] = keys[permutation[i]], ascending as unsigned numbers; equal keys
/// keep their order. `fields` are the widths of the keys' bit fields, the
/// highest first. Keys that use few of their bits (`isSparse`) are sorted by
/// those alone.
void sortKeys(LoopBuilder &b, const KeySource &source, Value sorted,
              Value permutation, ArrayRef<int64_t> fields, bool isSparse);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_RADIXSORT_H
