//===- ZerosOnMismatch.cpp - zeros for a tensor that does not fit ---------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ZerosOnMismatch.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::sparseconv;

Value mlir::sparseconv::createZerosOnMismatch(
    LoopBuilder &b, const NeededSize &size, RankedTensorType type, Value status,
    function_ref<LoopBuilder::Report()> makeReport) {
  auto zeros = [&]() -> SmallVector<Value> {
    b.report(status, makeReport());
    SmallVector<Value> sizes;
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      if (type.isDynamicDim(axis))
        sizes.push_back(axis == size.axis ? size.wanted
                                          : b.createOrFold<tensor::DimOp>(
                                                size.tensor, b.index(axis)));
    Value empty = tensor::EmptyOp::create(b, type, sizes);
    Value zero = b.constant(type.getElementType(), 0);
    return {linalg::FillOp::create(b, zero, empty).getResult(0)};
  };
  return b.ifElse(
      b.equal(size.found, size.wanted), TypeRange(type),
      [&]() -> SmallVector<Value> { return {size.tensor}; }, zeros)[0];
}
