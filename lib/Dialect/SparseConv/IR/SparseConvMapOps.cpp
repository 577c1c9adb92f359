//===- SparseConvMapOps.cpp - operations on kernel maps -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FeatureVerification.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "sparseconv/Dialect/SparseConv/IR/SearchColumns.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/IR/Verification.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::sparseconv;

//===----------------------------------------------------------------------===//
// KernelMapOp
//===----------------------------------------------------------------------===//

LogicalResult KernelMapOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto emitError = [&] {
    return mlir::emitError(loc.value_or(UnknownLoc::get(context)));
  };
  types.push_back(KernelMapType::getChecked(
      emitError, context, adaptor.getOffsets().getVolume(),
      cast<CoordsType>(adaptor.getIn().getType()),
      cast<CoordsType>(adaptor.getOut().getType())));
  return success(types.back() != nullptr);
}

LogicalResult KernelMapOp::verify() {
  CoordsType in = getIn().getType(), out = getOut().getType();
  CoordsType fine = getTransposed() ? out : in;
  CoordsType coarse = getTransposed() ? in : out;
  for (unsigned axis = 0; axis < in.getDim(); ++axis) {
    int64_t fineStride = fine.getStride()[axis];
    int64_t coarseStride = coarse.getStride()[axis];
    if (coarseStride % fineStride != 0)
      return emitOpError("expects the stride of the ")
             << (getTransposed() ? "in" : "out")
             << " set to be a multiple of that of the "
             << (getTransposed() ? "out" : "in") << " set"
             << (getTransposed() ? "" : " (or 'transposed')") << ", but found "
             << coarseStride << " and " << fineStride << " on axis " << axis;
  }
  if (failed(verifyOffsets(*this, getOffsets(), fine)))
    return failure();
  int64_t volume = getOffsets().getVolume(),
          found = getMap().getType().getVolume();
  if (found != volume)
    return emitOpError("expects a map of ")
           << volume << " offsets, but found one of " << found;
  if (!getSearch() || !getSearch()->getHalf())
    return success();
  if (getIn() != getOut())
    return emitOpError("expects a search with 'half' from a set to itself, but "
                       "found two sets");
  if (!getMirrors(getOffsets().getFlatOffsets(), in.getDim()))
    return emitOpError("expects a search with 'half' to have offsets that are "
                       "symmetric about 0, but found others");
  return success();
}

bool KernelMapOp::isIdentity() {
  return getIn() == getOut() && isZeroOffset(getOffsets());
}

//===----------------------------------------------------------------------===//
// MapFromPairsOp, MapFromTableOp
//===----------------------------------------------------------------------===//

LogicalResult MapFromPairsOp::verify() {
  RankedTensorType pairs = getPairs().getType();
  if (pairs.getDimSize(1) != 3)
    return emitOpError("expects 'pairs' with columns of input row, output row "
                       "and offset, but found ")
           << pairs;
  return success();
}

LogicalResult MapFromTableOp::verify() {
  RankedTensorType table = getTable().getType();
  int64_t volume = getMap().getType().getVolume();
  if (table.getDimSize(1) != volume)
    return emitOpError("expects 'table' with one column for each of ")
           << volume << " offsets, but found " << table;
  return success();
}

OpFoldResult MapFromTableOp::fold(FoldAdaptor) {
  auto table = getTable().getDefiningOp<NeighbourTableOp>();
  if (table && table.getMap().getType() == getMap().getType() &&
      getSet(table.getMap(), MapSide::In) == getIn() &&
      getSet(table.getMap(), MapSide::Out) == getOut())
    return table.getMap();
  return {};
}

//===----------------------------------------------------------------------===//
// MapTilesOp, MapFromTilesOp
//===----------------------------------------------------------------------===//

/// tensor<Kx?xi32> and tensor<?xWxi32>, W words having K bits.
static std::pair<RankedTensorType, RankedTensorType>
getTileTypes(KernelMapType map) {
  constexpr int64_t kDynamic = ShapedType::kDynamic;
  auto i32 = IntegerType::get(map.getContext(), 32);
  int64_t volume = map.getVolume(), words = getMaskWords(volume);
  return {RankedTensorType::get({volume, kDynamic}, i32),
          RankedTensorType::get({kDynamic, words}, i32)};
}

LogicalResult MapTilesOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location>,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  auto [table, masks] =
      getTileTypes(cast<KernelMapType>(adaptor.getMap().getType()));
  auto sizes = RankedTensorType::get({3}, IndexType::get(context));
  auto rows = RankedTensorType::get({ShapedType::kDynamic},
                                    IntegerType::get(context, 32));
  types.append({table, rows, masks, sizes});
  return success();
}

void MapTilesOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getTable(), "table");
  setName(getRow(), "row");
  setName(getMasks(), "masks");
  setName(getSizes(), "sizes");
}

LogicalResult MapFromTilesOp::verify() {
  KernelMapType map = getMap().getType();
  auto [table, masks] = getTileTypes(map);
  if (getTable().getType().getDimSize(0) != table.getDimSize(0))
    return emitOpError("expects 'table' with one row for each of ")
           << map.getVolume() << " offsets, but found " << getTable().getType();
  if (getMasks().getType().getDimSize(1) != masks.getDimSize(1))
    return emitOpError("expects 'masks' of ")
           << masks.getDimSize(1) << " words for " << map.getVolume()
           << " offsets, but found " << getMasks().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// TransposeMapOp, MapSizeOp, NeighbourTableOp, RenumberTableOp
//===----------------------------------------------------------------------===//

std::pair<Value, MapSide>
mlir::sparseconv::lookThroughTransposes(Value map, MapSide side) {
  while (auto transposed = map.getDefiningOp<TransposeMapOp>()) {
    map = transposed.getMap();
    side = side == MapSide::In ? MapSide::Out : MapSide::In;
  }
  return {map, side};
}

Value mlir::sparseconv::getSet(Value map, MapSide side) {
  std::tie(map, side) = lookThroughTransposes(map, side);
  Operation *op = map.getDefiningOp();
  if (!op)
    return {};
  return TypeSwitch<Operation *, Value>(op)
      .Case<KernelMapOp, MapFromPairsOp, MapFromTableOp, MapFromTilesOp>(
          [&](auto op) -> Value {
            return side == MapSide::In ? op.getIn() : op.getOut();
          })
      .Default(Value());
}

LogicalResult TransposeMapOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location>,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  auto map = cast<KernelMapType>(adaptor.getMap().getType());
  types.push_back(
      KernelMapType::get(context, map.getVolume(), map.getOut(), map.getIn()));
  return success();
}

LogicalResult TransposeMapOp::verify() {
  KernelMapType map = getMap().getType();
  return verifyResultType(*this, "result", getResult().getType(),
                          KernelMapType::get(getContext(), map.getVolume(),
                                             map.getOut(), map.getIn()));
}

OpFoldResult TransposeMapOp::fold(FoldAdaptor) {
  if (auto inner = getMap().getDefiningOp<TransposeMapOp>())
    return inner.getMap();
  return {};
}

LogicalResult MapSizeOp::canonicalize(MapSizeOp op, PatternRewriter &rewriter) {
  if (Value set = getSet(op.getMap(), op.getSide())) {
    rewriter.replaceOpWithNewOp<SizeOp>(op, set);
    return success();
  }
  auto [map, side] = lookThroughTransposes(op.getMap(), op.getSide());
  if (map == op.getMap())
    return failure();
  rewriter.replaceOpWithNewOp<MapSizeOp>(op, side, map);
  return success();
}

/// tensor<?xKxi32>
static RankedTensorType getTableType(KernelMapType map) {
  return RankedTensorType::get({ShapedType::kDynamic, map.getVolume()},
                               IntegerType::get(map.getContext(), 32));
}

LogicalResult NeighbourTableOp::inferReturnTypes(MLIRContext *,
                                                 std::optional<Location>,
                                                 Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  auto map = cast<KernelMapType>(adaptor.getMap().getType());
  types.push_back(getTableType(map));
  return success();
}

LogicalResult NeighbourTableOp::verify() {
  return verifyResultType(*this, "table", getTable().getType(),
                          getTableType(getMap().getType()));
}

LogicalResult
NeighbourTableOp::reifyResultShapes(OpBuilder &builder,
                                    ReifiedRankedShapedTypeDims &shapes) {
  Value rows =
      MapSizeOp::create(builder, getLoc(), MapSide::Out, getMap()).getResult();
  shapes.push_back(
      {rows, builder.getIndexAttr(getMap().getType().getVolume())});
  return success();
}

/// The table has a row for each element of `rows` if these are the out rows.
static RankedTensorType getRenumberedType(MapSide side, RankedTensorType table,
                                          RankedTensorType rows) {
  int64_t size = (side == MapSide::Out ? rows : table).getDimSize(0);
  return RankedTensorType::get({size, table.getDimSize(1)},
                               table.getElementType());
}

LogicalResult RenumberTableOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location>,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  types.push_back(getRenumberedType(
      adaptor.getSide(), cast<RankedTensorType>(adaptor.getTable().getType()),
      cast<RankedTensorType>(adaptor.getRows().getType())));
  return success();
}

LogicalResult RenumberTableOp::verify() {
  RankedTensorType table = getTable().getType();
  if (table.isDynamicDim(1))
    return emitOpError("expects 'table' with a known number of columns, but "
                       "found ")
           << table;
  return verifyResultType(
      *this, "result", getResult().getType(),
      getRenumberedType(getSide(), table, getRows().getType()));
}

LogicalResult
RenumberTableOp::reifyResultShapes(OpBuilder &builder,
                                   ReifiedRankedShapedTypeDims &shapes) {
  Value sized = getSide() == MapSide::Out ? Value(getRows()) : getTable();
  shapes.push_back({tensor::getMixedSize(builder, getLoc(), sized, 0),
                    builder.getIndexAttr(getTable().getType().getDimSize(1))});
  return success();
}
