//===- SparseConvKernelKeyOps.cpp - verifiers of kernels on keys ----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelVerification.h"
#include "SetVerification.h"
#include "mlir/IR/PatternMatch.h"
#include "sparseconv/Dialect/SparseConv/IR/SetBounds.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Checks points in space, an origin and a size for each of `dim` axes.
static void checkQuantised(KernelVerifier &v, NamedOperand points, int64_t dim,
                           ArrayRef<float> origin, ArrayRef<float> size) {
  int64_t columns = points.getSize(1), axes = size.size();
  if (axes != dim || static_cast<int64_t>(origin.size()) != dim)
    v.report("'origin' and 'voxel_size' with one number for each of " +
             Twine(dim) + " axes")
        << origin.size() << " and " << axes;
  else if (columns != dim && columns != 1 + dim)
    v.report("'points' with " + Twine(dim) + " columns, or one more")
        << columns;
}

LogicalResult QuantiseKernelOp::verify() {
  KernelVerifier v(*this);
  NamedOperand points("points", getPoints());
  NamedOperand coordinates("coordinates", getCoordinates());
  int64_t dim = coordinates.getSize(1) - 1;
  v.checkStaticColumns(coordinates);
  checkQuantised(v, points, dim, getOrigin(), getVoxelSize());
  v.checkSameRows(coordinates, points);
  if (failed(v.getResult()))
    return failure();
  return verifyVoxels(*this, getOrigin(), getVoxelSize());
}

LogicalResult EncodeOp::verify() {
  KernelVerifier v(*this, getStatus());
  auto set = cast<CoordsType>(getSet());
  NamedOperand points("points", getPoints()), keys("keys", getKeys());
  bool isReal = points.type.getElementType().isF32();
  if (isReal != getOrigin().has_value() || isReal != getVoxelSize().has_value())
    v.report("'origin' and 'voxel_size' for points of reals, and for no others")
        << points.type.getElementType();
  else if (isReal)
    checkQuantised(v, points, set.getDim(), *getOrigin(), *getVoxelSize());
  else
    v.checkPoints(points, set);
  if (getClip())
    v.checkAxes("clip", getClip()->getDim(), set);
  v.checkKeys(keys, set.getPacking());
  v.checkRoom(keys, points.getSize(0), "one for each point");
  if (failed(v.getResult()) || !isReal)
    return v.getResult();
  return verifyVoxels(*this, *getOrigin(), *getVoxelSize());
}

LogicalResult EncodeOp::canonicalize(EncodeOp op, PatternRewriter &rewriter) {
  auto quantise = op.getPoints().getDefiningOp<QuantiseKernelOp>();
  if (!quantise)
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    op.getPointsMutable().assign(quantise.getPoints());
    op.setOriginAttr(quantise.getOriginAttr());
    op.setVoxelSizeAttr(quantise.getVoxelSizeAttr());
  });
  return success();
}

LogicalResult CountKeysOp::verify() {
  KernelVerifier v(*this);
  int64_t width =
      NamedOperand("sorted", getSorted()).type.getElementTypeBitWidth();
  for (int64_t field : getFields())
    v.checkRange("fields", field, 0, width);
  v.checkRange("sum of fields", llvm::sum_of(getFields()), 0, width);
  return v.getResult();
}

LogicalResult DecodeOp::verify() {
  KernelVerifier v(*this);
  auto set = cast<CoordsType>(getSet());
  NamedOperand keys("keys", getKeys()), points("points", getPoints());
  v.checkKeys(keys, set.getPacking());
  v.checkPoints(points, set);
  v.checkSameRows(points, keys);
  return v.getResult();
}

LogicalResult SortOp::verify() {
  KernelVerifier v(*this);
  NamedOperand keys("keys", getKeys()), sorted("sorted", getSorted());
  v.checkSameElement(sorted, keys);
  v.checkSameRows(sorted, keys);
  v.checkSameRows({"permutation", getPermutation()}, keys);
  int64_t width = keys.type.getElementTypeBitWidth();
  for (int64_t field : getFields())
    v.checkRange("fields", field, 0, width);
  v.checkRange("sum of fields", llvm::sum_of(getFields()), 0, width);
  return v.getResult();
}

/// Checks what bounds the rows of a set. Returns the least of the bounds.
template <typename OpTy>
static int64_t checkSetBounds(KernelVerifier &v, OpTy op) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  int64_t capacity = op.getCapacity();
  v.checkRange("capacity", capacity, 0, ::sparseconv::kMaxRows);
  if (op.getCells())
    v.checkRange("cells", *op.getCells(), 0, most);
  if (op.getReach())
    v.checkRange("reach", *op.getReach(), 1, most);
  return std::min<int64_t>(capacity, op.getCells().value_or(capacity));
}

LogicalResult UniqueOp::verify() {
  KernelVerifier v(*this, getStatus());
  NamedOperand sorted("sorted", getSorted()), keys("keys", getKeys());
  int64_t positions = sorted.getSize(0);
  v.checkSameRows({"permutation", getPermutation()}, sorted);
  int64_t most = checkSetBounds(v, *this);
  v.checkSameElement(keys, sorted);
  int64_t distinct =
      ShapedType::isDynamic(positions) ? positions : std::min(positions, most);
  v.checkRoom(keys, distinct, "one for each distinct key");
  v.checkRoom({"order", getOrder()}, distinct, "one for each distinct key");
  v.checkRoom({"row_of", getRowOf()}, positions, "one for each position");
  return v.getResult();
}

LogicalResult FloorOp::verify() {
  KernelVerifier v(*this, getStatus());
  auto set = cast<CoordsType>(getSet());
  NamedOperand keys("keys", getKeys()), floored("floored", getFloored());
  v.checkKeys(keys, set.getPacking());
  v.checkKeys(floored, set.getPacking());
  if (getClip())
    v.checkAxes("clip", getClip()->getDim(), set);
  v.checkRoom(floored, keys.getSize(0), "one for each key");
  return v.getResult();
}

LogicalResult CoarsenOp::verify() {
  KernelVerifier v(*this);
  auto set = cast<CoordsType>(getSet());
  NamedOperand keys("keys", getKeys()), coarse("coarse", getCoarse());
  v.checkKeys(keys, set.getPacking());
  v.checkKeys(coarse, set.getPacking());
  v.checkRoom(coarse, keys.getSize(0), "one for each key");
  v.checkAxes("by", getBy().size(), set);
  if (getClip())
    v.checkAxes("clip", getClip()->getDim(), set);
  if (failed(v.getResult()))
    return failure();
  std::string problem = describeMergeProblem(set, getBy());
  return problem.empty() ? success() : emitOpError() << problem;
}

LogicalResult RescaleKernelOp::verify() {
  KernelVerifier v(*this, getStatus());
  auto set = cast<CoordsType>(getSet());
  NamedOperand keys("keys", getKeys()), scaled("scaled", getScaled());
  v.checkKeys(keys, set.getPacking());
  v.checkKeys(scaled, set.getPacking());
  v.checkRoom(scaled, keys.getSize(0), "one for each key");
  v.checkAxes("by", getBy().size(), set);
  for (int64_t factor : getBy())
    v.checkRange("by", factor, 1, std::numeric_limits<int32_t>::max());
  return v.getResult();
}

/// `factor` for each row, up to `most`.
static int64_t getRoom(NamedOperand counted, int64_t factor, int64_t most) {
  int64_t room = multiplySizes(counted.getSize(0), factor);
  return ShapedType::isDynamic(room) ? room : std::min(room, most);
}

LogicalResult SubdivideKernelOp::verify() {
  KernelVerifier v(*this, getStatus());
  auto set = cast<CoordsType>(getSet());
  ArrayRef<int64_t> by = getBy();
  NamedOperand keys("keys", getKeys()), fine("fine", getFine());
  NamedOperand points("points_row_of", getPointsRowOf());
  v.checkKeys(keys, set.getPacking());
  v.checkKeys(fine, set.getPacking());
  v.checkSameRows({"points_order", getPointsOrder()}, keys);
  v.checkAxes("by", by.size(), set);
  if (failed(v.getResult()) || failed(verifyNumCells(*this, by)))
    return failure();
  SmallVector<int64_t> last;
  for (auto [factor, stride] : llvm::zip_equal(by, set.getStride()))
    last.push_back((factor - 1) * stride);
  v.checkDisplacements(last, set.getPacking());
  int64_t cells = llvm::product_of(by);
  int64_t room = getRoom(keys, cells, checkSetBounds(v, *this));
  constexpr char eachCell[] = "one for each cell of a key";
  v.checkRoom(fine, room, eachCell);
  v.checkRoom({"rows", getRows()}, room, eachCell);
  v.checkRoom({"order", getOrder()}, room, eachCell);
  v.checkRoom({"row_of", getRowOf()},
              getRoom(points, cells, ::sparseconv::kMaxRows),
              "one for each cell of a point");
  return v.getResult();
}

LogicalResult SpreadOp::verify() {
  KernelVerifier v(*this, getStatus());
  auto set = cast<CoordsType>(getSet());
  NamedOperand keys("keys", getKeys());
  NamedOperand candidates("candidates", getCandidates());
  v.checkKeys(keys, set.getPacking());
  v.checkKeys(candidates, set.getPacking());
  v.checkDisplacements(getDisplacements(), set.getPacking());
  if (getClip())
    v.checkAxes("clip", getClip()->getDim(), set);
  int64_t most = multiplySizes(keys.getSize(0),
                               getReach(getDisplacements(), set.getStride()));
  if (!ShapedType::isDynamic(most))
    most = std::min(most, ::sparseconv::kMaxRows);
  v.checkRoom(candidates, most, "one for each that a key can reach");
  return v.getResult();
}

LogicalResult CoverOp::verify() {
  KernelVerifier v(*this, getStatus());
  auto set = cast<CoordsType>(getSet());
  NamedOperand keys("keys", getKeys()), coarse("coarse", getCoarse());
  v.checkKeys(keys, set.getPacking());
  v.checkKeys(coarse, set.getPacking());
  v.checkDisplacements(getDisplacements(), set.getPacking());
  v.checkAxes("clip", getClip().getDim(), set);
  int64_t most = checkSetBounds(v, *this);
  if (failed(v.getResult()))
    return failure();
  std::string problem = describeBitmapProblem(
      set, getClip(), getDisplacements().size() / set.getDim());
  if (!problem.empty())
    return emitOpError() << problem;
  int64_t reached = multiplySizes(
      keys.getSize(0),
      mlir::sparseconv::getReach(getDisplacements(), set.getStride()));
  if (!ShapedType::isDynamic(reached))
    reached = std::min(reached, most);
  v.checkRoom(coarse, reached, "one for each that a key can reach");
  return v.getResult();
}

LogicalResult SelectOp::verify() {
  KernelVerifier v(*this, getStatus());
  NamedOperand keys("keys", getKeys()), kept("kept", getKept());
  v.checkSameElement(kept, keys);
  // A mask of another length is an error of the run.
  v.checkRoom(kept, keys.getSize(0), "one for each key");
  v.checkRoom({"rows", getRows()}, keys.getSize(0), "one for each key");
  return v.getResult();
}

LogicalResult IntersectOp::verify() {
  KernelVerifier v(*this);
  NamedOperand lhs("lhs", getLhs()), rhs("rhs", getRhs());
  NamedOperand keys("keys", getKeys());
  v.checkSameElement(rhs, lhs);
  v.checkSameElement(keys, lhs);
  int64_t lhsSize = lhs.getSize(0), rhsSize = rhs.getSize(0);
  bool isKnown =
      !ShapedType::isDynamic(lhsSize) && !ShapedType::isDynamic(rhsSize);
  int64_t common =
      isKnown ? std::min(lhsSize, rhsSize) : int64_t(ShapedType::kDynamic);
  StringRef reason = "the keys of the shorter list";
  v.checkRoom(keys, common, reason);
  v.checkRoom({"lhs_rows", getLhsRows()}, common, reason);
  v.checkRoom({"rhs_rows", getRhsRows()}, common, reason);
  return v.getResult();
}
