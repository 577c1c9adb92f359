//===- SparseConvSetOps.cpp - sets made of sets ---------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FeatureVerification.h"
#include "SetVerification.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/PatternMatch.h"
#include "sparseconv/Dialect/SparseConv/IR/SetBounds.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/IR/Verification.h"

using namespace mlir;
using namespace mlir::sparseconv;

//===----------------------------------------------------------------------===//
// DownsampleOp, UpsampleOp, ExpandOp
//===----------------------------------------------------------------------===//

static LogicalResult verifyCapacity(Operation *op,
                                    std::optional<uint64_t> capacity) {
  if (capacity && (static_cast<int64_t>(*capacity) < 0 ||
                   *capacity > std::numeric_limits<int32_t>::max() - 1))
    return op->emitOpError("expects a capacity of 0 to 2^31-2, but found ")
           << static_cast<int64_t>(*capacity);
  return success();
}

/// `coords` with its strides times (or divided by) `by`; null with a diagnostic
/// where that is no set type.
static CoordsType inferStride(function_ref<InFlightDiagnostic()> emitError,
                              CoordsType coords, ArrayRef<int64_t> by,
                              bool divide) {
  if (by.size() != coords.getDim()) {
    emitError() << "expects 'by' with one factor for each of "
                << coords.getDim() << " axes, but found " << by.size();
    return {};
  }
  SmallVector<int64_t> strides;
  for (auto [axis, stride, factor] : llvm::enumerate(coords.getStride(), by)) {
    if (factor < 1) {
      emitError() << "expects a factor of at least 1 on axis " << axis
                  << ", but found " << factor;
      return {};
    }
    if (divide && stride % factor != 0) {
      emitError() << "expects a factor that divides the stride " << stride
                  << " of axis " << axis << ", but found " << factor;
      return {};
    }
    int64_t product;
    if (!divide && llvm::MulOverflow(stride, factor, product)) {
      emitError() << "expects a stride below 2^63 on axis " << axis
                  << ", but found " << stride << " times " << factor;
      return {};
    }
    strides.push_back(divide ? stride / factor : product);
  }
  return CoordsType::getChecked(emitError, coords.getContext(), coords.getDim(),
                                ArrayRef<int64_t>(strides),
                                coords.getPacking());
}

/// Inference, with diagnostics where there is a place for them.
static LogicalResult inferStride(std::optional<Location> loc, Value coords,
                                 ArrayRef<int64_t> by, bool divide,
                                 SmallVectorImpl<Type> &types) {
  auto emitError = [&] {
    return loc ? mlir::emitError(*loc) : InFlightDiagnostic();
  };
  CoordsType type =
      inferStride(emitError, cast<CoordsType>(coords.getType()), by, divide);
  types.push_back(type);
  return success(type != nullptr);
}

static LogicalResult verifyStride(Operation *op, CoordsType coords,
                                  ArrayRef<int64_t> by, bool divide,
                                  CoordsType result) {
  CoordsType expected =
      inferStride([&] { return op->emitOpError(); }, coords, by, divide);
  if (!expected)
    return failure();
  if (result.getPacking() != expected.getPacking() ||
      result.getStride() == expected.getStride())
    return verifyResultType(op, "result", result, expected);
  InFlightDiagnostic diag = op->emitOpError("expects a result of stride [");
  llvm::interleaveComma(expected.getStride(), diag);
  diag << "], but found [";
  llvm::interleaveComma(result.getStride(), diag);
  return diag << "]";
}

LogicalResult DownsampleOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  return inferStride(loc, adaptor.getCoords(), adaptor.getBy(),
                     /*divide=*/false, types);
}

/// The cells that lie in one of a stride `by` times as large.
static OffsetSetInterface getCells(MLIRContext *context, ArrayRef<int64_t> by) {
  return cast<OffsetSetInterface>(
      Attribute(BoxAttr::get(context, by, /*corner=*/true)));
}

OffsetSetInterface DownsampleOp::getEffectiveOffsets() {
  return getOffsets() ? *getOffsets() : getCells(getContext(), getBy());
}

std::string DownsampleOp::describeProblem(Coarsening coarsening) {
  CoordsType set = getResult().getType();
  bool isFloor = getRule() == OutputRule::Floor;
  switch (coarsening) {
  case Coarsening::Sort:
    return {};
  case Coarsening::Merge:
    return isFloor ? describeMergeProblem(set, getBy())
                   : "merges cells with the floor rule only";
  case Coarsening::Bitmap:
    break;
  }
  // A floor by large factors has more offsets than a number holds.
  int64_t numOffsets = 1;
  for (int64_t factor : getBy())
    if (llvm::MulOverflow(numOffsets, factor, numOffsets))
      numOffsets = std::numeric_limits<int64_t>::max();
  if (getOffsets())
    numOffsets = getOffsets()->getVolume();
  std::string problem = describeBitmapProblem(set, getClip(), numOffsets);
  if (!problem.empty() || !isFloor)
    return problem;
  ArrayRef<int64_t> guard = set.getPacking().getGuard();
  for (auto [axis, stride] : llvm::enumerate(getCoords().getType().getStride()))
    if (getBy()[axis] - 1 > guard[axis] / stride)
      return "makes a bitmap of cells within the packing's guard";
  return {};
}

LogicalResult DownsampleOp::verify() {
  CoordsType type = getCoords().getType();
  if (failed(verifyStride(*this, type, getBy(), /*divide=*/false,
                          getResult().getType())) ||
      failed(verifyClip(*this, getClip(), type)) ||
      failed(verifyCapacity(*this, getCapacity())))
    return failure();
  if (getCoarsening())
    if (std::string problem = describeProblem(*getCoarsening());
        !problem.empty())
      return emitOpError() << problem;
  if (getRule() == OutputRule::Floor) {
    if (getOffsets() || getCapacity())
      return emitOpError(
          "takes offsets and a capacity with the cover rule only");
    return success();
  }
  if (!getOffsets())
    return emitOpError("expects offsets with the cover rule");
  return verifyOffsets(*this, *getOffsets(), type);
}

OpFoldResult DownsampleOp::fold(FoldAdaptor) {
  // Flooring to the stride that a set has changes nothing.
  if (getRule() == OutputRule::Floor && !getClip() &&
      getResult().getType() == getCoords().getType())
    return getCoords();
  return {};
}

/// Whether offsets are those of all cells that `by` makes of a coordinate.
static bool areAllCells(OffsetSetInterface offsets, ArrayRef<int64_t> by) {
  // A box of as many cells may be too large to be one.
  int64_t numCells = 1;
  for (int64_t factor : by)
    if (llvm::MulOverflow(numCells, factor, numCells))
      return false;
  return offsets.getVolume() == numCells &&
         offsets.getFlatOffsets() ==
             getCells(offsets.getContext(), by).getFlatOffsets();
}

/// Windows that lie side by side cover the cells that `floor` gives, which
/// makes them faster, and never more than there are rows.
static LogicalResult coverByFloor(DownsampleOp op, PatternRewriter &rewriter) {
  if (op.getCapacity() || !areAllCells(*op.getOffsets(), op.getBy()))
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    op.setRule(OutputRule::Floor);
    op.removeOffsetsAttr();
  });
  return success();
}

LogicalResult DownsampleOp::canonicalize(DownsampleOp op,
                                         PatternRewriter &rewriter) {
  if (op.getRule() == OutputRule::Cover)
    return coverByFloor(op, rewriter);
  // Nested floors compose, and one sort is cheaper than two unless something
  // else reads the set between them.
  auto inner = op.getCoords().getDefiningOp<DownsampleOp>();
  if (!inner || inner.getRule() != OutputRule::Floor || inner.getClip() ||
      !inner.getResult().hasOneUse() || inner.getCoarsening() ||
      op.getCoarsening())
    return failure();
  // A floor below the packing is an error that names its operation and its
  // coordinate. There is none if the lowest coordinate is on the result's grid.
  CoordsType type = op.getResult().getType();
  for (auto [axis, stride] : llvm::enumerate(type.getStride()))
    if (type.getPacking().getMin(axis) % stride != 0)
      return failure();
  SmallVector<int64_t> by;
  for (auto [first, second] : llvm::zip_equal(inner.getBy(), op.getBy()))
    by.push_back(first * second);
  rewriter.modifyOpInPlace(op, [&] {
    op.getCoordsMutable().assign(inner.getCoords());
    op.setBy(by);
  });
  return success();
}

LogicalResult UpsampleOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  return inferStride(loc, adaptor.getCoords(), adaptor.getBy(),
                     /*divide=*/true, types);
}

OffsetSetInterface UpsampleOp::getEffectiveOffsets() {
  return getOffsets() ? *getOffsets() : getCells(getContext(), getBy());
}

/// Checks the cells that coordinates of a set become at the stride of `fine`.
static LogicalResult verifyCells(Operation *op, ArrayRef<int64_t> by,
                                 CoordsType fine) {
  if (failed(verifyNumCells(op, by)))
    return failure();
  return verifyOffsets(op, getCells(op->getContext(), by), fine);
}

LogicalResult UpsampleOp::verify() {
  CoordsType result = getResult().getType();
  if (failed(verifyStride(*this, getCoords().getType(), getBy(),
                          /*divide=*/true, result)) ||
      failed(verifyClip(*this, getClip(), result)) ||
      failed(verifyCapacity(*this, getCapacity())))
    return failure();
  return getOffsets() ? verifyOffsets(*this, *getOffsets(), result)
                      : verifyCells(*this, getBy(), result);
}

OpFoldResult UpsampleOp::fold(FoldAdaptor) {
  // One cell for each coordinate: the coordinate itself.
  if (makesAllCells() && !getCapacity() &&
      getResult().getType() == getCoords().getType())
    return getCoords();
  return {};
}

LogicalResult UpsampleOp::canonicalize(UpsampleOp op,
                                       PatternRewriter &rewriter) {
  // Without offsets it is the set of all cells, which needs no sort.
  if (!op.getOffsets() || !areAllCells(*op.getOffsets(), op.getBy()))
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.removeOffsetsAttr(); });
  return success();
}

bool UpsampleOp::makesAllCells() { return !getOffsets() && !getClip(); }

LogicalResult ExpandOp::verify() {
  if (failed(verifyClip(*this, getClip(), getCoords().getType())) ||
      failed(verifyCapacity(*this, getCapacity())))
    return failure();
  return verifyOffsets(*this, getOffsets(), getCoords().getType());
}

OpFoldResult ExpandOp::fold(FoldAdaptor) {
  // A coordinate plus 0 is itself.
  if (getClip() || getCapacity() || !isZeroOffset(getOffsets()))
    return {};
  return getCoords();
}

//===----------------------------------------------------------------------===//
// SubdivideOp, RescaleOp
//===----------------------------------------------------------------------===//

LogicalResult SubdivideOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  if (failed(inferStride(loc, adaptor.getCoords(), adaptor.getBy(),
                         /*divide=*/true, types)))
    return failure();
  types.append(3, getRowsType(context));
  return success();
}

LogicalResult SubdivideOp::verify() {
  CoordsType fine = getFine().getType();
  if (!getPointsOrder() != !getPointsRowOf())
    return emitOpError(
        "expects both 'points_order' and 'points_row_of', or neither");
  if (failed(verifyStride(*this, getCoords().getType(), getBy(),
                          /*divide=*/true, fine)))
    return failure();
  return verifyCells(*this, getBy(), fine);
}

LogicalResult
SubdivideOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  shapes.resize(4);
  shapes[1] = shapes[2] = {getSize(builder, getLoc(), getFine())};
  if (!getPointsRowOf()) {
    shapes[3] = shapes[1];
    return success();
  }
  Value points = getValueOrCreateConstantIndexOp(
      builder, getLoc(), getDim0(builder, getLoc(), getPointsRowOf()));
  Value cells =
      arith::ConstantIndexOp::create(builder, getLoc(), getNumCells());
  shapes[3] = {
      arith::MulIOp::create(builder, getLoc(), points, cells).getResult()};
  return success();
}

void SubdivideOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getFine(), "fine");
  setName(getRows(), "rows");
  setName(getOrder(), "order");
  setName(getRowOf(), "row_of");
}

int64_t SubdivideOp::getNumCells() { return llvm::product_of(getBy()); }

LogicalResult RescaleOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferStride(loc, adaptor.getCoords(), adaptor.getBy(),
                     /*divide=*/false, types);
}

LogicalResult RescaleOp::verify() {
  return verifyStride(*this, getCoords().getType(), getBy(), /*divide=*/false,
                      getResult().getType());
}

OpFoldResult RescaleOp::fold(FoldAdaptor) {
  if (getResult().getType() == getCoords().getType())
    return getCoords();
  return {};
}

//===----------------------------------------------------------------------===//
// UnionOp, IntersectionOp, PruneOp
//===----------------------------------------------------------------------===//

template <typename Adaptor>
static void inferMerge(Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Type rows = getRowsType(adaptor.getLhs().getContext());
  types.append({adaptor.getLhs().getType(), rows, rows});
}

template <typename OpTy>
static void setMergeNames(OpTy op, OpAsmSetValueNameFn setName) {
  setName(op.getCoords(), "coords");
  setName(op.getLhsRows(), "lhs_rows");
  setName(op.getRhsRows(), "rhs_rows");
}

/// A set merged with itself is itself, and each side has the same rows of it.
template <typename OpTy>
static LogicalResult mergeWithItself(OpTy op, PatternRewriter &rewriter) {
  if (op.getLhs() != op.getRhs() ||
      (op.getCoords().use_empty() && op.getRhsRows().use_empty()))
    return failure();
  rewriter.replaceAllUsesWith(op.getCoords(), op.getLhs());
  rewriter.replaceAllUsesWith(op.getRhsRows(), op.getLhsRows());
  return success();
}

LogicalResult UnionOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  inferMerge(adaptor, types);
  return success();
}

LogicalResult UnionOp::reifyResultShapes(OpBuilder &builder,
                                         ReifiedRankedShapedTypeDims &shapes) {
  shapes.resize(3);
  shapes[1] = {getSize(builder, getLoc(), getLhs())};
  shapes[2] = {getSize(builder, getLoc(), getRhs())};
  return success();
}

LogicalResult UnionOp::canonicalize(UnionOp op, PatternRewriter &rewriter) {
  return mergeWithItself(op, rewriter);
}

void UnionOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setMergeNames(*this, setName);
}

LogicalResult IntersectionOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location>,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  inferMerge(adaptor, types);
  return success();
}

LogicalResult
IntersectionOp::reifyResultShapes(OpBuilder &builder,
                                  ReifiedRankedShapedTypeDims &shapes) {
  shapes.resize(3);
  shapes[1] = {getSize(builder, getLoc(), getCoords())};
  shapes[2] = {getSize(builder, getLoc(), getCoords())};
  return success();
}

LogicalResult IntersectionOp::canonicalize(IntersectionOp op,
                                           PatternRewriter &rewriter) {
  return mergeWithItself(op, rewriter);
}

void IntersectionOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setMergeNames(*this, setName);
}

LogicalResult PruneOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location>,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  types.append({adaptor.getCoords().getType(), getRowsType(context)});
  return success();
}

LogicalResult PruneOp::reifyResultShapes(OpBuilder &builder,
                                         ReifiedRankedShapedTypeDims &shapes) {
  shapes.resize(2);
  shapes[1] = {getSize(builder, getLoc(), getResult())};
  return success();
}

void PruneOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "kept");
  setName(getRows(), "rows");
}
