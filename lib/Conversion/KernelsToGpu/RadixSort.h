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

namespace mlir::sparseconv {

/// sorted[i] = keys[permutation[i]], ascending as unsigned numbers of `bits`
/// bits; equal keys keep their order.
void sortKeys(LoopBuilder &b, Value keys, Value sorted, Value permutation,
              int64_t bits);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_CONVERSION_KERNELSTOGPU_RADIXSORT_H
