//===- SparseConvRowOps.cpp - rows of sets, points and grids --------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FeatureVerification.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "sparseconv/Dialect/SparseConv/IR/Verification.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Features with the channels (last dimension) and element type of `x`.
static RankedTensorType withRows(int64_t rows, RankedTensorType x) {
  return RankedTensorType::get({rows, x.getShape().back()}, x.getElementType());
}

static LogicalResult inferWithRows(std::optional<Location> loc, Value x,
                                   int64_t rows, SmallVectorImpl<Type> &types) {
  RankedTensorType type = inferRankedType(loc, "x", x, {2});
  if (!type)
    return failure();
  types.push_back(withRows(rows, type));
  return success();
}

/// Rows of the result are those of `rowsOf` [rows, ...].
static LogicalResult inferWithRowsOf(std::optional<Location> loc, Value x,
                                     StringRef name, Value rowsOf, int64_t rank,
                                     SmallVectorImpl<Type> &types) {
  RankedTensorType type = inferRankedType(loc, name, rowsOf, {rank});
  if (!type)
    return failure();
  return inferWithRows(loc, x, type.getDimSize(0), types);
}

//===----------------------------------------------------------------------===//
// GatherOp
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  return inferWithRowsOf(loc, adaptor.getX(), "rows", adaptor.getRows(), 1,
                         types);
}

LogicalResult GatherOp::verify() {
  RankedTensorType x = getX().getType();
  if (failed(verifyFeatures(*this, "x", x)))
    return failure();
  return verifyResultType(*this, "y", getY().getType(),
                          withRows(getRows().getType().getDimSize(0), x));
}

LogicalResult GatherOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  return reifyFeatures(builder, *this,
                       tensor::getMixedSize(builder, getLoc(), getRows(), 0),
                       shapes);
}

//===----------------------------------------------------------------------===//
// ScatterOp
//===----------------------------------------------------------------------===//

LogicalResult ScatterOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferWithRows(loc, adaptor.getX(), ShapedType::kDynamic, types);
}

LogicalResult ScatterOp::verify() {
  RankedTensorType x = getX().getType();
  if (failed(verifyFeatures(*this, "x", x)) ||
      failed(verifySameRows(*this, "rows", getRows().getType(), "x", x)))
    return failure();
  return verifyResultType(*this, "y", getY().getType(),
                          withRows(ShapedType::kDynamic, x));
}

LogicalResult
ScatterOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  return reifyFeatures(builder, *this, OpFoldResult(getN()), shapes);
}

//===----------------------------------------------------------------------===//
// VoxeliseOp, DevoxeliseOp
//===----------------------------------------------------------------------===//

LogicalResult VoxeliseOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  return inferWithRows(loc, adaptor.getX(), ShapedType::kDynamic, types);
}

LogicalResult VoxeliseOp::verify() {
  RankedTensorType x = getX().getType(), points = getPoints().getType();
  if (failed(verifyFeatures(*this, "x", x)) ||
      failed(verifyPointColumns(*this, points, getCoords().getType())) ||
      failed(verifySameRows(*this, "points", points, "x", x)))
    return failure();
  if (getKind() == PoolKind::Max &&
      getInterpolation() != Interpolation::Nearest)
    return emitOpError("expects nearest for max, but found ")
           << stringifyInterpolation(getInterpolation());
  return verifyResultType(*this, "y", getY().getType(),
                          withRows(ShapedType::kDynamic, x));
}

LogicalResult
VoxeliseOp::reifyResultShapes(OpBuilder &builder,
                              ReifiedRankedShapedTypeDims &shapes) {
  return reifySetFeatures(builder, *this, getCoords(), shapes);
}

LogicalResult DevoxeliseOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  return inferWithRowsOf(loc, adaptor.getX(), "points", adaptor.getPoints(), 2,
                         types);
}

LogicalResult DevoxeliseOp::verify() {
  RankedTensorType x = getX().getType(), points = getPoints().getType();
  if (failed(verifyFeatures(*this, "x", x)) ||
      failed(verifyPointColumns(*this, points, getCoords().getType())))
    return failure();
  return verifyResultType(*this, "y", getY().getType(),
                          withRows(points.getDimSize(0), x));
}

LogicalResult
DevoxeliseOp::reifyResultShapes(OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes) {
  return reifyFeatures(builder, *this,
                       tensor::getMixedSize(builder, getLoc(), getPoints(), 0),
                       shapes);
}

//===----------------------------------------------------------------------===//
// ToDenseOp, FromDenseOp
//===----------------------------------------------------------------------===//

/// The grid [batch, n_1, ..., n_D, C] and its origin fit the set.
static LogicalResult verifyGrid(Operation *op, RankedTensorType dense,
                                ArrayRef<int64_t> origin, CoordsType coords) {
  int64_t rank = coords.getDim() + 2;
  if (dense.getRank() != rank)
    return op->emitOpError("expects 'dense' to have rank ")
           << rank << " (batch, " << coords.getDim()
           << " axes, channels), but found " << dense;
  if (!dense.hasStaticShape())
    return op->emitOpError("expects 'dense' to have static sizes, but found ")
           << dense;
  if (origin.size() != coords.getDim())
    return op->emitOpError("expects 'origin' with one number for each of ")
           << coords.getDim() << " axes, but found " << origin.size();
  for (auto [axis, start, stride] : llvm::enumerate(origin, coords.getStride()))
    if (start % stride != 0)
      return op->emitOpError("expects 'origin' to be a multiple of the stride ")
             << stride << " on axis " << axis << ", but found " << start;
  return success();
}

LogicalResult ToDenseOp::verify() {
  RankedTensorType x = getX().getType(), dense = getDense().getType();
  if (failed(verifyFeatures(*this, "x", x)) ||
      failed(verifyGrid(*this, dense, getOrigin(), getCoords().getType())) ||
      failed(verifyFeatures(*this, "dense", dense)))
    return failure();
  return verifySameChannels(*this, "dense", dense, "x", x);
}

LogicalResult FromDenseOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  RankedTensorType dense =
      inferRankedType(loc, "dense", adaptor.getDense(), {3, 4, 5, 6});
  if (!dense)
    return failure();
  types.push_back(withRows(ShapedType::kDynamic, dense));
  return success();
}

LogicalResult FromDenseOp::verify() {
  RankedTensorType dense = getDense().getType();
  if (failed(verifyGrid(*this, dense, getOrigin(), getCoords().getType())) ||
      failed(verifyFeatures(*this, "dense", dense)))
    return failure();
  return verifyResultType(*this, "x", getX().getType(),
                          withRows(ShapedType::kDynamic, dense));
}

LogicalResult
FromDenseOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  return reifySetFeatures(builder, *this, getCoords(), shapes);
}
