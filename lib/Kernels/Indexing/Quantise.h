//===- Quantise.h - coordinates of points in space --------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_QUANTISE_H
#define SPARSECONV_LIB_KERNELS_INDEXING_QUANTISE_H

#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {

/// The batch index and the coordinates (i64) of a row of `points`, which are
/// reals with a batch index in front or without: see `sparseconv.quantise`.
SmallVector<Value> quantisePoint(LoopBuilder &b, Value points, Value row,
                                 ArrayRef<float> origin, ArrayRef<float> size);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_QUANTISE_H
