//===- ConvShape.h - sizes of a convolution's weights -----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNELS_BUILDERS_CONVSHAPE_H
#define SPARSECONV_KERNELS_BUILDERS_CONVSHAPE_H

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::sparseconv {

/// The sizes of a convolution's weights; channels are those of one group.
struct ConvShape {
  int64_t offsets, groups, in, out;
  /// Rank 3 weights have no dimension of groups.
  bool hasGroupDim;

  /// Of weights [offsets, in, out], or with groups behind the offsets; `in` and
  /// `out` change places where they are `transposed`.
  static ConvShape get(ShapedType weights, bool transposed = false);
  bool isDepthwise() const { return groups > 1 && in == 1 && out == 1; }
  /// Position of an element of a slice in weights of this shape.
  SmallVector<Value> weightIndices(Value offset, Value group, Value row,
                                   Value column) const;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_KERNELS_BUILDERS_CONVSHAPE_H
