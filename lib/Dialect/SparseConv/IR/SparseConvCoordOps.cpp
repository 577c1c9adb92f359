//===- SparseConvCoordOps.cpp - points and coordinate sets ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FeatureVerification.h"
#include "SetVerification.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/IR/Verification.h"
#include <cmath>

using namespace mlir;
using namespace mlir::sparseconv;

/// tensor<?x(1+D)xi32>
static RankedTensorType getPointsType(CoordsType coords) {
  return RankedTensorType::get(
      {ShapedType::kDynamic, static_cast<int64_t>(coords.getDim()) + 1},
      IntegerType::get(coords.getContext(), 32));
}

//===----------------------------------------------------------------------===//
// PackOp
//===----------------------------------------------------------------------===//

void PackOp::build(OpBuilder &builder, OperationState &state, CoordsType type,
                   Value points, RegionAttr clip) {
  auto pointsType = cast<RankedTensorType>(points.getType());
  build(builder, state, type, getRowsType(builder.getContext()),
        RankedTensorType::get({pointsType.getDimSize(0)}, builder.getI32Type()),
        points, clip, /*in_order=*/UnitAttr());
}

ParseResult PackOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand points;
  RankedTensorType pointsType;
  CoordsType coordsType;
  RegionAttr clip;
  if (parser.parseOperand(points))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("clip")) &&
      (parser.parseLParen() ||
       parser.parseCustomAttributeWithFallback(clip, Type(), "clip",
                                               result.attributes) ||
       parser.parseRParen()))
    return failure();
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.parseType(pointsType) || parser.parseArrow() ||
      parser.parseType(coordsType) ||
      parser.resolveOperand(points, pointsType, result.operands))
    return failure();
  Type i32 = parser.getBuilder().getI32Type();
  int64_t rows = pointsType.getRank() ? pointsType.getDimSize(0) : 0;
  result.addTypes({coordsType, getRowsType(parser.getContext()),
                   RankedTensorType::get({rows}, i32)});
  return success();
}

void PackOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getPoints();
  if (getClip()) {
    printer << " clip(";
    printer.printStrippedAttrOrType(getClipAttr());
    printer << ')';
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"clip"});
  printer << " : " << getPoints().getType() << " -> " << getCoords().getType();
}

LogicalResult PackOp::verify() {
  if (failed(verifyPointColumns(*this, getPoints().getType(),
                                getCoords().getType())))
    return failure();
  if (failed(verifyClip(*this, getClip(), getCoords().getType())))
    return failure();
  if (getInOrder() && getClip())
    return emitOpError("expects no 'clip' for points that are in order");
  if (!getOrder().getType().isDynamicDim(0))
    return emitOpError("expects 'order' of type tensor<?xi32>, but found ")
           << getOrder().getType();
  if (getRowOf().getType().getDimSize(0) != getPoints().getType().getDimSize(0))
    return emitOpError("expects 'row_of' with one element for each point of ")
           << getPoints().getType() << ", but found " << getRowOf().getType();
  return success();
}

LogicalResult PackOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  shapes.resize(3);
  shapes[1] = {getSize(builder, getLoc(), getCoords())};
  shapes[2] = {getDim0(builder, getLoc(), getPoints())};
  return success();
}

void PackOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getCoords(), "coords");
  setName(getOrder(), "order");
  setName(getRowOf(), "row_of");
}

//===----------------------------------------------------------------------===//
// UnpackOp
//===----------------------------------------------------------------------===//

LogicalResult UnpackOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  types.push_back(
      getPointsType(cast<CoordsType>(adaptor.getCoords().getType())));
  return success();
}

LogicalResult UnpackOp::verify() {
  return verifyResultType(*this, "points", getPoints().getType(),
                          getPointsType(getCoords().getType()));
}

LogicalResult UnpackOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back({getSize(builder, getLoc(), getCoords()),
                    builder.getIndexAttr(getPoints().getType().getDimSize(1))});
  return success();
}

//===----------------------------------------------------------------------===//
// QuantiseOp
//===----------------------------------------------------------------------===//

/// The points of `op` as coordinates.
static RankedTensorType getCoordinatesType(RankedTensorType points,
                                           int64_t dim) {
  return RankedTensorType::get({points.getDimSize(0), 1 + dim},
                               IntegerType::get(points.getContext(), 32));
}

LogicalResult QuantiseOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  RankedTensorType points =
      inferRankedType(loc, "points", adaptor.getPoints(), {2});
  if (!points)
    return failure();
  types.push_back(getCoordinatesType(points, adaptor.getVoxelSize().size()));
  return success();
}

LogicalResult sparseconv::verifyVoxels(Operation *op, ArrayRef<float> origin,
                                       ArrayRef<float> voxelSize) {
  for (auto [axis, size] : llvm::enumerate(voxelSize))
    if (!(size > 0) || !std::isfinite(size))
      return op->emitOpError(
                 "expects sizes that are finite and above 0, but found ")
             << size << " on axis " << axis;
  for (auto [axis, start] : llvm::enumerate(origin))
    if (!std::isfinite(start))
      return op->emitOpError("expects an origin that is finite, but found ")
             << start << " on axis " << axis;
  return success();
}

LogicalResult QuantiseOp::verify() {
  RankedTensorType points = getPoints().getType();
  int64_t dim = getVoxelSize().size();
  if (dim < 1 || dim > 4)
    return emitOpError("expects 1 to 4 axes, but found ") << dim << " sizes";
  if (static_cast<int64_t>(getOrigin().size()) != dim)
    return emitOpError("expects an origin of ")
           << dim << " numbers, one for each size, but found "
           << getOrigin().size();
  if (failed(verifyVoxels(*this, getOrigin(), getVoxelSize())))
    return failure();
  if (points.getDimSize(1) != dim && points.getDimSize(1) != 1 + dim)
    return emitOpError("expects 'points' with ")
           << dim << " columns, or " << 1 + dim
           << " with a batch index, but found " << points;
  return verifyResultType(*this, "coordinates", getCoordinates().getType(),
                          getCoordinatesType(points, dim));
}

LogicalResult
QuantiseOp::reifyResultShapes(OpBuilder &builder,
                              ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(
      {getDim0(builder, getLoc(), getPoints()),
       builder.getIndexAttr(getCoordinates().getType().getDimSize(1))});
  return success();
}
