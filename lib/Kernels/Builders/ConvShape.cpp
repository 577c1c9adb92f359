//===- ConvShape.cpp - sizes of a convolution's weights -------------------===//
//--------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Builders/ConvShape.h"

using namespace mlir;
using namespace mlir::sparseconv;

ConvShape ConvShape::get(ShapedType weights, bool transposed) {
  ArrayRef<int64_t> sizes = weights.getShape();
  bool hasGroupDim = sizes.size() == 4;
  int64_t in = sizes[sizes.size() - 2], out = sizes.back();
  if (transposed)
    std::swap(in, out);
  return {sizes[0], hasGroupDim ? sizes[1] : 1, in, out, hasGroupDim};
}

SmallVector<Value> ConvShape::weightIndices(Value offset, Value group,
                                            Value row, Value column) const {
  if (hasGroupDim)
    return {offset, group, row, column};
  return {offset, row, column};
}
