//===- SetVerification.cpp - operations on sets ---------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SetVerification.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::sparseconv;

RankedTensorType mlir::sparseconv::getRowsType(MLIRContext *context) {
  return RankedTensorType::get({ShapedType::kDynamic},
                               IntegerType::get(context, 32));
}

OpFoldResult mlir::sparseconv::getSize(OpBuilder &builder, Location loc,
                                       Value coords) {
  return SizeOp::create(builder, loc, coords).getResult();
}

OpFoldResult mlir::sparseconv::getDim0(OpBuilder &builder, Location loc,
                                       Value tensor) {
  return tensor::getMixedSize(builder, loc, tensor, 0);
}

LogicalResult mlir::sparseconv::verifyClip(Operation *op,
                                           std::optional<RegionAttr> clip,
                                           CoordsType coords) {
  if (clip && clip->getDim() != coords.getDim())
    return op->emitOpError("expects a clip region of ")
           << coords.getDim() << " axes, but found one of " << clip->getDim();
  return success();
}

LogicalResult mlir::sparseconv::verifyNumCells(Operation *op,
                                               ArrayRef<int64_t> by) {
  return BoxAttr::verify([&] { return op->emitOpError(); }, by,
                         SmallVector<bool>(by.size(), true),
                         SmallVector<int64_t>(by.size(), 1));
}
