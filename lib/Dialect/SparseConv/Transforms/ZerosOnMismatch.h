//===- ZerosOnMismatch.h - zeros for a tensor that does not fit -*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_ZEROSONMISMATCH_H
#define SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_ZEROSONMISMATCH_H

#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {

/// A tensor, and the size (index) that it needs on an axis.
struct NeededSize {
  Value tensor;
  int64_t axis;
  Value found, wanted;
};

/// The tensor where the sizes are equal, else a report and zeros of `type`,
/// with the size that is wanted and the tensor's others.
Value createZerosOnMismatch(LoopBuilder &b, const NeededSize &size,
                            RankedTensorType type, Value status,
                            function_ref<LoopBuilder::Report()> makeReport);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_ZEROSONMISMATCH_H
