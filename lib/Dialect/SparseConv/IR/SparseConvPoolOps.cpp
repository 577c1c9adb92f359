//===- SparseConvPoolOps.cpp - pooling and its gradients ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomDirectives.h"
#include "FeatureVerification.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Features of a set, with the channels and element type of `value`.
static LogicalResult inferLike(std::optional<Location> loc, StringRef name,
                               Value value, SmallVectorImpl<Type> &types) {
  RankedTensorType type = inferRankedType(loc, name, value, {2});
  if (!type)
    return failure();
  types.push_back(getFeatureType(type.getDimSize(1), type.getElementType()));
  return success();
}

static LogicalResult verifyLike(Operation *op, StringRef name,
                                RankedTensorType type, StringRef resultName,
                                RankedTensorType result) {
  if (failed(verifyFeatures(op, name, type)))
    return failure();
  return verifyResultType(
      op, resultName, result,
      getFeatureType(type.getDimSize(1), type.getElementType()));
}

static LogicalResult verifyCount(Operation *op, PoolKind kind,
                                 CountKind count) {
  if (count == CountKind::Present || kind == PoolKind::Avg)
    return success();
  return op->emitOpError("expects 'count(")
         << stringifyCountKind(count) << ")' on avg only, but found it on "
         << stringifyPoolKind(kind);
}

ParseResult sparseconv::parseCountKind(OpAsmParser &parser,
                                       CountKindAttr &count) {
  FailureOr<CountKind> kind = FieldParser<CountKind>::parse(parser);
  if (failed(kind))
    return failure();
  count = CountKindAttr::get(parser.getContext(), *kind);
  return success();
}

void sparseconv::printCountKind(OpAsmPrinter &printer, Operation *,
                                CountKindAttr count) {
  printer << stringifyCountKind(count.getValue());
}

/// `max` finds its way back by its input; the others do not read it.
static LogicalResult verifyPooledInput(Operation *op, PoolKind kind, Value x,
                                       RankedTensorType dy) {
  if (kind != PoolKind::Max) {
    if (x)
      return op->emitOpError("expects 'of' on max only, but found it on ")
             << stringifyPoolKind(kind);
    return success();
  }
  if (!x)
    return op->emitOpError(
        "expects the input of the pooling ('of %x') for max, but found none");
  auto type = cast<RankedTensorType>(x.getType());
  if (failed(verifyFeatures(op, "x", type)))
    return failure();
  return verifySameChannels(op, "x", type, "dy", dy);
}

//===----------------------------------------------------------------------===//
// PoolOp
//===----------------------------------------------------------------------===//

LogicalResult PoolOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  return inferLike(loc, "x", adaptor.getX(), types);
}

LogicalResult PoolOp::verify() {
  if (failed(verifyCount(*this, getKind(), getCount())))
    return failure();
  return verifyLike(*this, "x", getX().getType(), "y", getY().getType());
}

LogicalResult PoolOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  return reifyMapFeatures(builder, *this, MapSide::Out, getMap(), shapes);
}

//===----------------------------------------------------------------------===//
// PoolGradOp
//===----------------------------------------------------------------------===//

LogicalResult PoolGradOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  return inferLike(loc, "dy", adaptor.getDy(), types);
}

LogicalResult PoolGradOp::verify() {
  if (failed(verifyCount(*this, getKind(), getCount())) ||
      failed(
          verifyLike(*this, "dy", getDy().getType(), "dx", getDx().getType())))
    return failure();
  return verifyPooledInput(*this, getKind(), getX(), getDy().getType());
}

LogicalResult
PoolGradOp::reifyResultShapes(OpBuilder &builder,
                              ReifiedRankedShapedTypeDims &shapes) {
  return reifyMapFeatures(builder, *this, MapSide::In, getMap(), shapes);
}

//===----------------------------------------------------------------------===//
// UnpoolOp
//===----------------------------------------------------------------------===//

LogicalResult UnpoolOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  return inferLike(loc, "x", adaptor.getX(), types);
}

LogicalResult UnpoolOp::verify() {
  return verifyLike(*this, "x", getX().getType(), "y", getY().getType());
}

LogicalResult UnpoolOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  return reifyMapFeatures(builder, *this, MapSide::In, getMap(), shapes);
}

//===----------------------------------------------------------------------===//
// GlobalPoolOp
//===----------------------------------------------------------------------===//

LogicalResult GlobalPoolOp::verify() {
  RankedTensorType x = getX().getType(), y = getY().getType();
  if (failed(verifyFeatures(*this, "x", x)) ||
      failed(verifyFeatures(*this, "y", y)) ||
      failed(verifySameChannels(*this, "y", y, "x", x)))
    return failure();
  if (y.isDynamicDim(0) && !getBatch())
    return emitOpError("expects the number of batch items as 'batch(%b)' or as "
                       "the first dimension of the result, but found neither");
  if (!y.isDynamicDim(0) && getBatch())
    return emitOpError("expects the number of batch items once, but found both "
                       "'batch' and a result of ")
           << y.getDimSize(0) << " items";
  return success();
}

LogicalResult
GlobalPoolOp::reifyResultShapes(OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes) {
  RankedTensorType y = getY().getType();
  OpFoldResult items = y.isDynamicDim(0)
                           ? OpFoldResult(getBatch())
                           : builder.getIndexAttr(y.getDimSize(0));
  return reifyFeatures(builder, *this, items, shapes);
}

//===----------------------------------------------------------------------===//
// GlobalPoolGradOp
//===----------------------------------------------------------------------===//

LogicalResult GlobalPoolGradOp::inferReturnTypes(MLIRContext *,
                                                 std::optional<Location> loc,
                                                 Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  return inferLike(loc, "dy", adaptor.getDy(), types);
}

LogicalResult GlobalPoolGradOp::verify() {
  if (failed(
          verifyLike(*this, "dy", getDy().getType(), "dx", getDx().getType())))
    return failure();
  return verifyPooledInput(*this, getKind(), getX(), getDy().getType());
}

LogicalResult
GlobalPoolGradOp::reifyResultShapes(OpBuilder &builder,
                                    ReifiedRankedShapedTypeDims &shapes) {
  return reifySetFeatures(builder, *this, getCoords(), shapes);
}
