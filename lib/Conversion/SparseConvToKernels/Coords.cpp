//===- Coords.cpp - operations on sets as kernels -------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "sparseconv/Dialect/SparseConv/IR/SetBounds.h"
#include "sparseconv/Dialect/SparseConv/IR/TrustedTables.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Whether `points` are (0, 0), (0, 1), (0, 2), ...: a `linalg.generic` whose
/// elements are the row times the column. A set of them is a set of row
/// numbers, for maps whose table is given.
static bool isRowNumbers(Value points) {
  auto generic = points.getDefiningOp<linalg::GenericOp>();
  if (!generic || generic.getNumDpsInputs() || generic.getNumDpsInits() != 1 ||
      generic.getNumLoops() != 2 || generic.getNumReductionLoops() ||
      !generic.getIndexingMapsArray()[0].isIdentity())
    return false;
  Value element = generic.getBody()->getTerminator()->getOperand(0);
  auto cast = element.getDefiningOp<arith::IndexCastOp>();
  auto product =
      cast ? cast.getIn().getDefiningOp<arith::MulIOp>() : arith::MulIOp();
  if (!product)
    return false;
  auto row = product.getLhs().getDefiningOp<linalg::IndexOp>();
  auto column = product.getRhs().getDefiningOp<linalg::IndexOp>();
  return row && column && row.getDim() == 0 && column.getDim() == 1;
}

/// Whether every row number is a coordinate of a set.
static bool holdsRowNumbers(CoordsType set) {
  PackingAttr packing = set.getPacking();
  return set.getDim() == 1 && set.getStride()[0] == 1 &&
         packing.getBias(0) - 1 - packing.getGuard()[0] >=
             ::sparseconv::kMaxRows - 1;
}

/// The set of row numbers is sorted as it is, and nothing in it can fail.
static Replacements lowerRowNumbers(KernelWriter &w, PackOp op, Value points) {
  CoordsType set = op.getCoords().getType();
  Value rows = w.dim(points);
  Value init = w.emptyKeys(set, rows);
  int64_t bias = set.getPacking().getBias(0);
  auto store = [&](OpBuilder &builder, Location loc, ValueRange) {
    ImplicitLocOpBuilder b(loc, builder);
    IntegerType type = set.getKeyType();
    Value row =
        arith::IndexCastOp::create(b, type, linalg::IndexOp::create(b, 0));
    Value offset = arith::ConstantOp::create(b, b.getIntegerAttr(type, bias));
    linalg::YieldOp::create(b,
                            arith::AddIOp::create(b, row, offset).getResult());
  };
  auto keys = linalg::GenericOp::create(
      w, init.getType(), ValueRange(), init,
      ArrayRef<AffineMap>{w.getMultiDimIdentityMap(1)},
      ArrayRef<utils::IteratorType>{utils::IteratorType::parallel}, store);
  Value numbers = w.numberRows(rows);
  return {{{keys.getResult(0)},
           {numbers},
           {w.castTo(numbers, op.getRowOf().getType())}}};
}

/// The keys of points that somebody vouches for: nothing is checked, and rows
/// are points.
static Replacements lowerTrusted(KernelWriter &w, PackOp op, Value points) {
  CoordsType set = op.getCoords().getType();
  PackingAttr packing = set.getPacking();
  MLIRContext *context = w.getContext();
  SmallVector<AffineMap> maps;
  for (unsigned column = 0; column <= set.getDim(); ++column)
    maps.push_back(AffineMap::get(
        1, 0, {w.getAffineDimExpr(0), w.getAffineConstantExpr(column)},
        context));
  maps.push_back(w.getMultiDimIdentityMap(1));
  auto store = [&](OpBuilder &builder, Location loc, ValueRange columns) {
    ImplicitLocOpBuilder b(loc, builder);
    IntegerType type = set.getKeyType();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
    };
    auto shift = [&](Value field, int64_t bits) -> Value {
      return arith::ShLIOp::create(b, field, constant(bits));
    };
    auto widen = [&](Value column) -> Value {
      return type.getWidth() == 32
                 ? column
                 : arith::ExtSIOp::create(b, type, column).getResult();
    };
    Value key = packing.getBatch()
                    ? shift(widen(columns[0]), packing.getBatchShift())
                    : constant(0);
    for (unsigned axis = 0; axis < packing.getDim(); ++axis) {
      Value biased = arith::AddIOp::create(b, widen(columns[axis + 1]),
                                           constant(packing.getBias(axis)));
      key =
          arith::AddIOp::create(b, key, shift(biased, packing.getShift(axis)));
    }
    linalg::YieldOp::create(b, key);
  };
  Value rows = w.dim(points), init = w.emptyKeys(set, rows);
  auto keys = linalg::GenericOp::create(
      w, init.getType(), SmallVector<Value>(set.getDim() + 1, points), init,
      maps, ArrayRef<utils::IteratorType>{utils::IteratorType::parallel},
      store);
  Value numbers = w.numberRows(rows);
  return {{{keys.getResult(0)},
           {numbers},
           {w.castTo(numbers, op.getRowOf().getType())}}};
}

static Replacements lowerPack(KernelWriter &w, PackOp op,
                              AdaptorOf<PackOp> adaptor) {
  CoordsType set = op.getCoords().getType();
  Value points = adaptor.getPoints()[0];
  if (!op.getClip() && holdsRowNumbers(set) && isRowNumbers(op.getPoints()))
    return lowerRowNumbers(w, op, points);
  if (op->hasAttr(kTrustedAttr))
    return lowerTrusted(w, op, points);
  Value rows = w.dim(points);
  // Upstream has no slices of a buffer that is known to be empty.
  bool isEmpty = op.getPoints().getType().getDimSize(0) == 0;
  SmallVector<Value> inits = {w.emptyKeys(set, isEmpty ? w.index(1) : rows),
                              w.emptyCount()};
  auto encode = w.kernel<EncodeOp>(
      inits, points, w.getStatus(), inits[0], inits[1], TypeAttr::get(set),
      op.getClipAttr(), /*origin=*/DenseF32ArrayAttr(),
      /*voxel_size=*/DenseF32ArrayAttr(), w.getI64IntegerAttr(w.getOpId()));
  Value keys = w.take(encode.getResult(0), w.count(encode.getResult(1)));
  UniqueResult unique = w.sortUnique(keys, set, {}, /*positions=*/rows,
                                     /*clips=*/op.getClip().has_value());
  return {{{unique.keys},
           {unique.order},
           {w.castTo(unique.rowOf, op.getRowOf().getType())}}};
}

static Replacements lowerQuantise(KernelWriter &w, QuantiseOp op,
                                  AdaptorOf<QuantiseOp> adaptor) {
  RankedTensorType type = op.getCoordinates().getType();
  Value points = adaptor.getPoints()[0];
  Value init = w.empty(w.getI32Type(), w.dim(points), type.getDimSize(1));
  auto quantise = w.kernel<QuantiseKernelOp>(
      init, points, init, op.getOriginAttr(), op.getVoxelSizeAttr());
  return {{{w.castTo(quantise.getResult(0), type)}}};
}

static Replacements lowerUnpack(KernelWriter &w, UnpackOp op,
                                AdaptorOf<UnpackOp> adaptor) {
  CoordsType set = op.getCoords().getType();
  Value keys = adaptor.getCoords()[0];
  Value init = w.empty(w.getI32Type(), w.dim(keys), {set.getDim() + 1});
  return {{{w.kernel<DecodeOp>(init, keys, init, set).getResult(0)}}};
}

static Replacements lowerSize(KernelWriter &w, SizeOp op,
                              AdaptorOf<SizeOp> adaptor) {
  return {{{w.dim(adaptor.getCoords()[0])}}};
}

/// What limits the set of an operation: its cells, where they are few, and the
/// capacity that the program gives it.
static SetLimits getLimits(KernelWriter &w, CoordsType set,
                           std::optional<RegionAttr> clip = {},
                           std::optional<int64_t> capacity = {}) {
  SetLimits limits;
  limits.capacity = capacity.value_or(::sparseconv::kMaxRows);
  int64_t cells = getNumCells(set, clip);
  if (cells < limits.capacity)
    limits.cells = cells;
  limits.reach = w.getGrowth();
  return limits;
}

/// Room for all that keys reach by `displacements`, and a count.
static SmallVector<Value> makeReached(KernelWriter &w, Value keys,
                                      CoordsType set,
                                      ArrayRef<int64_t> displacements) {
  Value reach = w.index(getReach(displacements, set.getStride()));
  Value room =
      w.min(w.mul(w.dim(keys), reach), w.index(::sparseconv::kMaxRows));
  return {w.emptyKeys(set, room), w.emptyCount()};
}

/// The set of all keys displaced by `displacements`, as far as they are in it.
static Value lowerSpread(KernelWriter &w, Value keys, CoordsType set,
                         ArrayRef<int64_t> displacements,
                         std::optional<RegionAttr> clip,
                         std::optional<int64_t> capacity) {
  SmallVector<Value> inits = makeReached(w, keys, set, displacements);
  auto spread = w.kernel<SpreadOp>(
      inits, keys, w.getStatus(), inits[0], inits[1],
      w.getDenseI64ArrayAttr(displacements), clip.value_or(RegionAttr()),
      TypeAttr::get(set), w.getI64IntegerAttr(w.getOpId()));
  Value candidates = w.take(spread.getResult(0), w.count(spread.getResult(1)));
  return w.sortUnique(candidates, set, getLimits(w, set, clip, capacity)).keys;
}

SmallVector<int64_t>
mlir::sparseconv::getDisplacements(OffsetSetInterface offsets,
                                   ArrayRef<int64_t> stride, bool negate) {
  SmallVector<int64_t> displacements = offsets.getFlatOffsets();
  for (auto [i, value] : llvm::enumerate(displacements))
    value *= (negate ? -1 : 1) * stride[i % stride.size()];
  return displacements;
}

/// The same with a bit for each cell of the clip region.
static Value lowerCover(KernelWriter &w, Value keys, CoordsType set,
                        ArrayRef<int64_t> displacements, RegionAttr clip,
                        std::optional<int64_t> capacity) {
  SmallVector<Value> inits = makeReached(w, keys, set, displacements);
  SetLimits limits = getLimits(w, set, clip, capacity);
  auto cover = w.kernel<CoverOp>(
      inits, keys, w.getStatus(), /*limit=*/Value(), inits[0], inits[1],
      w.getDenseI64ArrayAttr(displacements), clip,
      w.getI64IntegerAttr(limits.capacity), w.getOptionalI64Attr(limits.cells),
      w.getOptionalI64Attr(limits.reach), TypeAttr::get(set),
      w.getI64IntegerAttr(w.getOpId()));
  return w.take(cover.getResult(0), w.count(cover.getResult(1)));
}

static Replacements lowerDownsample(KernelWriter &w, DownsampleOp op,
                                    AdaptorOf<DownsampleOp> adaptor) {
  CoordsType set = op.getResult().getType();
  Value keys = adaptor.getCoords()[0];
  bool merges = op.getCoarsening() == Coarsening::Merge;
  bool marks = op.getCoarsening() == Coarsening::Bitmap;
  if (marks || op.getRule() == OutputRule::Cover) {
    SmallVector<int64_t> displacements =
        getDisplacements(op.getEffectiveOffsets(),
                         op.getCoords().getType().getStride(), /*negate=*/true);
    if (marks)
      return {{{lowerCover(w, keys, set, displacements, *op.getClip(),
                           op.getCapacity())}}};
    return {{{lowerSpread(w, keys, set, displacements, op.getClip(),
                          op.getCapacity())}}};
  }
  SmallVector<Value> inits = {w.emptyKeys(set, w.dim(keys)), w.emptyCount()};
  if (merges) {
    auto coarsen = w.kernel<CoarsenOp>(inits, keys, inits[0], inits[1],
                                       op.getBy(), op.getClipAttr(), set);
    return {{{w.take(coarsen.getResult(0), w.count(coarsen.getResult(1)))}}};
  }
  auto floor = w.kernel<FloorOp>(inits, keys, w.getStatus(), inits[0], inits[1],
                                 TypeAttr::get(set), op.getClipAttr(),
                                 w.getI64IntegerAttr(w.getOpId()));
  Value floored = w.take(floor.getResult(0), w.count(floor.getResult(1)));
  return {{{w.sortUnique(floored, set, {}, /*positions=*/{},
                         /*clips=*/op.getClip().has_value())
                .keys}}};
}

namespace {
/// What a set has of the points that it was made of: the point of each of its
/// rows, and the row of each point.
struct PointNumbers {
  Value order, rowOf;
};
} // namespace

/// All cells of the coordinates of `keys`, as results of `kernel.subdivide`, of
/// which there are as many as the last says.
static ValueRange lowerCells(KernelWriter &w, Value keys, CoordsType fine,
                             ArrayRef<int64_t> by, PointNumbers points,
                             std::optional<int64_t> capacity = {}) {
  Value cells = w.index(llvm::product_of(by));
  auto getRoom = [&](Value coordinates) {
    return w.min(w.mul(w.dim(coordinates), cells),
                 w.index(::sparseconv::kMaxRows));
  };
  Value room = getRoom(keys);
  SmallVector<Value> inits = {
      w.emptyKeys(fine, room), w.emptyRows(room), w.emptyRows(room),
      w.emptyRows(getRoom(points.rowOf)), w.emptyCount()};
  SetLimits limits = getLimits(w, fine, /*clip=*/{}, capacity);
  return w
      .kernel<SubdivideKernelOp>(
          inits, keys, points.order, points.rowOf, w.getStatus(),
          /*limit=*/Value(), inits[0], inits[1], inits[2], inits[3], inits[4],
          w.getDenseI64ArrayAttr(by), w.getI64IntegerAttr(limits.capacity),
          w.getOptionalI64Attr(limits.cells),
          w.getOptionalI64Attr(limits.reach), TypeAttr::get(fine),
          w.getI64IntegerAttr(w.getOpId()))
      .getResults();
}

static Replacements lowerSubdivide(KernelWriter &w, SubdivideOp op,
                                   AdaptorOf<SubdivideOp> adaptor) {
  Value keys = adaptor.getCoords()[0];
  PointNumbers points;
  if (op.getPointsOrder()) {
    points = {adaptor.getPointsOrder()[0], adaptor.getPointsRowOf()[0]};
  } else {
    Value numbers = w.numberRows(w.dim(keys));
    points = {numbers, numbers};
  }
  ValueRange results =
      lowerCells(w, keys, op.getFine().getType(), op.getBy(), points);
  Value count = w.count(results[4]);
  return {{{w.take(results[0], count)},
           {w.take(results[1], count)},
           {w.take(results[2], count)},
           {w.castTo(results[3], op.getRowOf().getType())}}};
}

static Replacements lowerRescale(KernelWriter &w, RescaleOp op,
                                 AdaptorOf<RescaleOp> adaptor) {
  CoordsType set = op.getResult().getType();
  Value keys = adaptor.getCoords()[0];
  SmallVector<Value> inits = {w.emptyKeys(set, w.dim(keys)), w.emptyCount()};
  auto rescale =
      w.kernel<RescaleKernelOp>(inits, keys, w.getStatus(), inits[0], inits[1],
                                op.getBy(), set, w.getOpId());
  return {{{w.take(rescale.getResult(0), w.count(rescale.getResult(1)))}}};
}

static Replacements lowerUpsample(KernelWriter &w, UpsampleOp op,
                                  AdaptorOf<UpsampleOp> adaptor) {
  CoordsType set = op.getResult().getType();
  if (op.makesAllCells()) {
    Value keys = adaptor.getCoords()[0], order = w.numberRows(w.dim(keys));
    // Nobody asks for the cells of points.
    Value noPoints = w.emptyRows(w.index(0));
    ValueRange results = lowerCells(w, keys, set, op.getBy(), {order, noPoints},
                                    op.getCapacity());
    return {{{w.take(results[0], w.count(results[4]))}}};
  }
  SmallVector<int64_t> displacements =
      getDisplacements(op.getEffectiveOffsets(), set.getStride(), false);
  return {{{lowerSpread(w, adaptor.getCoords()[0], set, displacements,
                        op.getClip(), op.getCapacity())}}};
}

static Replacements lowerExpand(KernelWriter &w, ExpandOp op,
                                AdaptorOf<ExpandOp> adaptor) {
  CoordsType set = op.getResult().getType();
  SmallVector<int64_t> displacements =
      getDisplacements(op.getOffsets(), set.getStride(), !op.getTransposed());
  return {{{lowerSpread(w, adaptor.getCoords()[0], set, displacements,
                        op.getClip(), op.getCapacity())}}};
}

static Replacements lowerUnion(KernelWriter &w, UnionOp op,
                               AdaptorOf<UnionOp> adaptor) {
  Value lhs = adaptor.getLhs()[0], rhs = adaptor.getRhs()[0];
  CoordsType set = op.getCoords().getType();
  // Insertion into one buffer, as a concatenation bufferizes best.
  Value lhsRows = w.dim(lhs), rhsRows = w.dim(rhs);
  Value positions = w.createOrFold<arith::AddIOp>(lhsRows, rhsRows);
  Value all = w.emptyKeys(set, positions);
  SmallVector<OpFoldResult> one = {w.getIndexAttr(1)};
  auto insert = [&](Value keys, OpFoldResult first, OpFoldResult rows) {
    all = tensor::InsertSliceOp::create(w, keys, all,
                                        SmallVector<OpFoldResult>{first},
                                        SmallVector<OpFoldResult>{rows}, one);
  };
  insert(lhs, w.getIndexAttr(0), lhsRows);
  insert(rhs, lhsRows, rhsRows);
  UniqueResult unique = w.sortUnique(all, set, getLimits(w, set), positions);
  return {{{unique.keys},
           {w.take(unique.rowOf, lhsRows)},
           {w.take(unique.rowOf, rhsRows, lhsRows)}}};
}

static Replacements lowerIntersection(KernelWriter &w, IntersectionOp op,
                                      AdaptorOf<IntersectionOp> adaptor) {
  Value lhs = adaptor.getLhs()[0], rhs = adaptor.getRhs()[0];
  CoordsType set = op.getCoords().getType();
  Value rows = w.createOrFold<arith::MinUIOp>(w.dim(lhs), w.dim(rhs));
  SmallVector<Value> inits = {w.emptyKeys(set, rows), w.emptyRows(rows),
                              w.emptyRows(rows), w.emptyCount()};
  auto intersect = w.kernel<IntersectOp>(inits, lhs, rhs, inits[0], inits[1],
                                         inits[2], inits[3]);
  Value count = w.count(intersect.getResult(3));
  return {{{w.take(intersect.getResult(0), count)},
           {w.take(intersect.getResult(1), count)},
           {w.take(intersect.getResult(2), count)}}};
}

static Replacements lowerPrune(KernelWriter &w, PruneOp op,
                               AdaptorOf<PruneOp> adaptor) {
  Value keys = adaptor.getCoords()[0];
  Value rows = w.dim(keys);
  SmallVector<Value> inits = {w.emptyKeys(op.getResult().getType(), rows),
                              w.emptyRows(rows), w.emptyCount()};
  auto select =
      w.kernel<SelectOp>(inits, keys, adaptor.getMask()[0], w.getStatus(),
                         inits[0], inits[1], inits[2], w.getOpId());
  Value count = w.count(select.getResult(2));
  return {{{w.take(select.getResult(0), count)},
           {w.take(select.getResult(1), count)}}};
}

void mlir::sparseconv::populateCoordsToKernelsPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<KernelPattern<PackOp>>(converter, context, lowerPack);
  patterns.add<KernelPattern<QuantiseOp>>(converter, context, lowerQuantise);
  patterns.add<KernelPattern<UnpackOp>>(converter, context, lowerUnpack);
  patterns.add<KernelPattern<SizeOp>>(converter, context, lowerSize);
  patterns.add<KernelPattern<DownsampleOp>>(converter, context,
                                            lowerDownsample);
  patterns.add<KernelPattern<UpsampleOp>>(converter, context, lowerUpsample);
  patterns.add<KernelPattern<SubdivideOp>>(converter, context, lowerSubdivide);
  patterns.add<KernelPattern<RescaleOp>>(converter, context, lowerRescale);
  patterns.add<KernelPattern<ExpandOp>>(converter, context, lowerExpand);
  patterns.add<KernelPattern<UnionOp>>(converter, context, lowerUnion);
  patterns.add<KernelPattern<IntersectionOp>>(converter, context,
                                              lowerIntersection);
  patterns.add<KernelPattern<PruneOp>>(converter, context, lowerPrune);
}
