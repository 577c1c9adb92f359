//===- FeatureVerification.cpp - checks of feature tensors ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FeatureVerification.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;
using namespace mlir::sparseconv;

RankedTensorType sparseconv::getFeatureType(int64_t channels, Type element) {
  return RankedTensorType::get({ShapedType::kDynamic, channels}, element);
}

RankedTensorType sparseconv::inferRankedType(std::optional<Location> loc,
                                             StringRef name, Value value,
                                             ArrayRef<int64_t> ranks) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (type && llvm::is_contained(ranks, type.getRank()))
    return type;
  (void)emitOptionalError(loc, "expects '", name, "' to be a tensor of rank ",
                          llvm::interleaved(ranks, " or ").str(),
                          ", but found ", value.getType());
  return {};
}

LogicalResult sparseconv::verifyFeatures(Operation *op, StringRef name,
                                         RankedTensorType type) {
  if (type.getEncoding())
    return op->emitOpError("expects '")
           << name << "' to be a tensor without an encoding, but found "
           << type;
  int64_t channels = type.getShape().back();
  if (ShapedType::isDynamic(channels) || channels < 1)
    return op->emitOpError("expects '")
           << name
           << "' to have a static number of channels of at least 1, but found "
           << type;
  return success();
}

LogicalResult sparseconv::verifySameElement(Operation *op, StringRef name,
                                            RankedTensorType type,
                                            StringRef otherName,
                                            RankedTensorType other) {
  if (type.getElementType() == other.getElementType())
    return success();
  return op->emitOpError("expects '")
         << name << "' to have the element type of '" << otherName << "', "
         << other.getElementType() << ", but found " << type.getElementType();
}

LogicalResult sparseconv::verifySameChannels(Operation *op, StringRef name,
                                             RankedTensorType type,
                                             StringRef otherName,
                                             RankedTensorType other) {
  if (failed(verifySameElement(op, name, type, otherName, other)))
    return failure();
  int64_t found = type.getShape().back(), expected = other.getShape().back();
  if (found == expected)
    return success();
  return op->emitOpError("expects '")
         << name << "' to have the channels of '" << otherName << "', "
         << expected << ", but found " << found;
}

LogicalResult sparseconv::verifySameRows(Operation *op, StringRef name,
                                         RankedTensorType type,
                                         StringRef otherName,
                                         RankedTensorType other) {
  if (succeeded(
          verifyCompatibleDims({type.getDimSize(0), other.getDimSize(0)})))
    return success();
  return op->emitOpError("expects '")
         << name << "' to have the rows of '" << otherName << "', "
         << other.getDimSize(0) << ", but found " << type.getDimSize(0);
}

LogicalResult sparseconv::verifyResultType(Operation *op, StringRef name,
                                           Type found, Type expected) {
  if (found == expected)
    return success();
  return op->emitOpError("expects result '")
         << name << "' of type " << expected << ", but found " << found;
}

LogicalResult sparseconv::reifyFeatures(OpBuilder &builder, Operation *op,
                                        OpFoldResult rows,
                                        ReifiedRankedShapedTypeDims &shapes) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  shapes.push_back({rows, builder.getIndexAttr(type.getShape().back())});
  return success();
}

LogicalResult
sparseconv::reifyMapFeatures(OpBuilder &builder, Operation *op, MapSide side,
                             Value map, ReifiedRankedShapedTypeDims &shapes) {
  Value rows = MapSizeOp::create(builder, op->getLoc(), side, map);
  return reifyFeatures(builder, op, rows, shapes);
}

LogicalResult
sparseconv::reifySetFeatures(OpBuilder &builder, Operation *op, Value coords,
                             ReifiedRankedShapedTypeDims &shapes) {
  Value rows = SizeOp::create(builder, op->getLoc(), coords);
  return reifyFeatures(builder, op, rows, shapes);
}
