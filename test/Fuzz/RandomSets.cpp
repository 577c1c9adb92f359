//===- RandomSets.cpp - random coordinate sets and kernel maps ------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NetworkBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "sparseconv/Dialect/SparseConv/IR/SearchColumns.h"
#include "sparseconv/Dialect/SparseConv/IR/SetBounds.h"
#include "sparseconv/Kernels/Indexing/Search.h"
#include <cmath>
#include <set>

using namespace mlir;
using namespace mlir::sparseconv;
using namespace mlir::sparseconv::fuzz;
using ::sparseconv::ElementKind;
using ::sparseconv::HostTensor;

/// Sets grow by offsets; beyond this many rows they are left alone.
static constexpr double maxRows = 4096;

/// Bits of the keys of sets that grids are made for.
static constexpr unsigned maxGridBits = 22;

/// Offsets whose products with the stride of `fine` stay within the guard.
OffsetSetInterface NetworkBuilder::randomOffsets(CoordsType fine) {
  SmallVector<int64_t> reach;
  for (unsigned axis = 0; axis < dim; ++axis)
    reach.push_back(std::min<int64_t>(3, fine.getPacking().getGuard()[axis] /
                                             fine.getStride()[axis]));
  if (choices.chance(30)) {
    std::set<SmallVector<int64_t>> seen;
    SmallVector<int64_t> list;
    for (int64_t i = choices.between(1, 6); i > 0; --i) {
      SmallVector<int64_t> offset;
      for (int64_t limit : reach)
        offset.push_back(choices.between(-limit, limit));
      if (seen.insert(offset).second)
        list.append(offset);
    }
    return cast<OffsetSetInterface>(
        Attribute(OffsetListAttr::get(b.getContext(), dim, list)));
  }
  SmallVector<int64_t> size, dilation;
  SmallVector<bool> corner;
  for (int64_t limit : reach) {
    corner.push_back(choices.chance(30));
    size.push_back(choices.between(1, dim == 4 ? 2 : 3));
    // The farthest offset of a box of this size without dilation.
    int64_t last = corner.back() ? size.back() - 1 : size.back() / 2;
    if (last > limit) {
      size.back() = 1;
      last = 0;
    }
    dilation.push_back(
        choices.chance(20) && last ? choices.between(1, limit / last) : 1);
  }
  return cast<OffsetSetInterface>(
      Attribute(BoxAttr::get(b.getContext(), size, corner, dilation)));
}

CoarseningAttr NetworkBuilder::randomCoarsening(CoordsType set,
                                                ArrayRef<int64_t> by,
                                                OutputRule rule,
                                                std::optional<RegionAttr> clip,
                                                int64_t numOffsets) {
  SmallVector<int64_t> strides;
  for (auto [stride, factor] : llvm::zip_equal(set.getStride(), by))
    strides.push_back(stride * factor);
  CoordsType coarse = set.withStride(strides);
  SmallVector<Coarsening> possible = {Coarsening::Sort};
  if (rule == OutputRule::Floor && describeMergeProblem(coarse, by).empty())
    possible.push_back(Coarsening::Merge);
  if (describeBitmapProblem(coarse, clip, numOffsets).empty())
    possible.push_back(Coarsening::Bitmap);
  if (choices.chance(30))
    return {};
  return CoarseningAttr::get(b.getContext(),
                             choices.oneOf(ArrayRef<Coarsening>(possible)));
}

std::optional<RegionAttr> NetworkBuilder::randomClip() {
  if (!choices.chance(25))
    return std::nullopt;
  SmallVector<int64_t> lower, upper;
  for (unsigned axis = 0; axis < dim; ++axis) {
    lower.push_back(choices.between(-4, 4));
    upper.push_back(lower.back() + choices.between(0, 12));
  }
  return RegionAttr::get(b.getContext(), lower, upper);
}

/// Points near each other, at the ends of the packing, or beyond it.
void NetworkBuilder::addPack() {
  if (!base) {
    const int64_t dims[] = {1, 2, 3, 3, 3, 4};
    dim = choices.oneOf(ArrayRef<int64_t>(dims));
    bool wide = choices.chance(60);
    SmallVector<int64_t> bits, guard, stride;
    for (unsigned axis = 0; axis < dim; ++axis) {
      bits.push_back(wide ? choices.between(7, 12) : choices.between(6, 7));
      guard.push_back(choices.between(4, 12));
      stride.push_back(choices.chance(20) ? choices.between(2, 4) : 1);
    }
    auto packing = PackingAttr::get(b.getContext(), wide ? 64 : 32,
                                    choices.between(1, 3), bits, guard);
    base = CoordsType::get(b.getContext(), dim, stride, packing);
  }
  PackingAttr packing = base.getPacking();
  const int64_t counts[] = {0, 1, 2, 7, 20, 60, 60, 200, 700};
  int64_t count = choices.oneOf(ArrayRef<int64_t>(counts));
  int64_t spread = choices.between(1, count > 100 ? 12 : 5);
  HostTensor points(ElementKind::I32, {count, dim + 1});
  MutableArrayRef<int32_t> values = points.as<int32_t>();
  std::set<SmallVector<int32_t>> distinct;
  // Those at the ends, where neighbours may be beyond, are rare.
  bool atEnds = choices.chance(5), beyond = choices.chance(3);
  for (int64_t i = 0; i < count; ++i) {
    MutableArrayRef<int32_t> point = values.slice(i * (dim + 1), dim + 1);
    point[0] = choices.between(0, packing.getMaxBatch());
    for (unsigned axis = 0; axis < dim; ++axis) {
      int64_t stride = base.getStride()[axis];
      int64_t value = choices.between(-spread, spread);
      if (atEnds && choices.chance(10))
        value = choices.chance(50) ? packing.getMin(axis) / stride
                                   : packing.getMax(axis) / stride;
      point[axis + 1] = value * stride;
      if (beyond && choices.chance(5))
        point[axis + 1] = choices.chance(50) ? packing.getMin(axis) - 1
                                             : packing.getMax(axis) + 1;
    }
    if (beyond && choices.chance(3))
      point[0] = choices.chance(50) ? -1 : packing.getMaxBatch() + 1;
    distinct.insert(SmallVector<int32_t>(point));
  }
  auto pack = PackOp::create(
      b, nextLoc(), base, addArgument(std::move(points), choices.chance(10)));
  unsigned set = addGroup(pack.getCoords(), distinct.size(), distinct.size());
  unsigned cloud = addGroup(Value(), count, count);
  moves.push_back({pack.getOrder(), cloud, set, false});
  moves.push_back({pack.getRowOf(), set, cloud, false});
}

/// All cells of a set's coordinates, or what else lies at a finer stride.
void NetworkBuilder::addCells(unsigned from, IntegerAttr capacity) {
  Value coords = groups[from].coords;
  CoordsType type = typeOf(from);
  double bound = groups[from].bound;
  Location loc = nextLoc();
  SmallVector<int64_t> by, finer;
  int64_t volume = 1;
  for (int64_t stride : type.getStride()) {
    by.push_back(choices.chance(70) && stride <= 4 ? stride
                 : stride % 2 == 0                 ? 2
                                                   : 1);
    finer.push_back(stride / by.back());
    volume *= by.back();
  }
  OffsetSetInterface offsets;
  if (choices.chance(40)) {
    offsets = randomOffsets(type.withStride(finer));
    volume = offsets.getVolume();
  }
  // The cells of a coarse coordinate can pass the guard, too.
  for (auto [axis, factor] : llvm::enumerate(by))
    if ((factor - 1) * finer[axis] > type.getPacking().getGuard()[axis])
      return;
  if (bound * volume > maxRows)
    return;
  if (!offsets && choices.chance(50)) {
    auto op = SubdivideOp::create(b, loc, coords, b.getDenseI64ArrayAttr(by),
                                  /*points_order=*/Value(),
                                  /*points_row_of=*/Value());
    unsigned set = addGroup(op.getFine(), bound * volume);
    moves.push_back({op.getRows(), from, set, false});
    return;
  }
  Value result =
      UpsampleOp::create(b, loc, coords, b.getDenseI64ArrayAttr(by), offsets,
                         randomClip().value_or(RegionAttr()), capacity);
  addGroup(result, bound * volume);
}

void NetworkBuilder::addSet() {
  unsigned from = choices.oneOf(getSets());
  Value coords = groups[from].coords;
  CoordsType type = typeOf(from);
  double bound = groups[from].bound;
  bool capped = choices.chance(10);
  IntegerAttr capacity =
      capped ? b.getI64IntegerAttr(choices.between(0, 2 * bound + 2))
             : IntegerAttr();
  Location loc = nextLoc();
  switch (choices.below(5)) {
  case 0:   // floor
  case 1: { // cover
    SmallVector<int64_t> by;
    for (int64_t stride : type.getStride())
      by.push_back(stride > 4 ? 1 : choices.between(1, 3));
    std::optional<RegionAttr> clip = randomClip();
    if (choices.chance(50)) {
      Value result = DownsampleOp::create(
          b, loc, coords, b.getDenseI64ArrayAttr(by),
          OutputRuleAttr::get(b.getContext(), OutputRule::Floor),
          OffsetSetInterface(), clip.value_or(RegionAttr()), IntegerAttr(),
          randomCoarsening(type, by, OutputRule::Floor, clip,
                           llvm::product_of(by)));
      addGroup(result, bound);
      return;
    }
    OffsetSetInterface offsets = randomOffsets(type);
    if (bound * offsets.getVolume() > maxRows)
      return;
    Value result = DownsampleOp::create(
        b, loc, coords, b.getDenseI64ArrayAttr(by),
        OutputRuleAttr::get(b.getContext(), OutputRule::Cover), offsets,
        clip.value_or(RegionAttr()), capacity,
        randomCoarsening(type, by, OutputRule::Cover, clip,
                         offsets.getVolume()));
    addGroup(result, bound * offsets.getVolume());
    return;
  }
  case 2:
    addCells(from, capacity);
    return;
  case 3: { // rescale
    SmallVector<int64_t> by;
    for (int64_t stride : type.getStride())
      by.push_back(stride > 4 ? 1 : choices.between(1, 2));
    addGroup(RescaleOp::create(b, loc, coords, b.getDenseI64ArrayAttr(by)),
             bound);
    return;
  }
  default: { // expand
    OffsetSetInterface offsets = randomOffsets(type);
    if (bound * offsets.getVolume() > maxRows)
      return;
    Value result =
        ExpandOp::create(b, loc, coords, offsets,
                         choices.chance(50) ? b.getUnitAttr() : UnitAttr(),
                         randomClip().value_or(RegionAttr()), capacity);
    addGroup(result, bound * offsets.getVolume());
  }
  }
}

void NetworkBuilder::addMerge() {
  unsigned lhs = choices.oneOf(getSets());
  SmallVector<unsigned> same;
  for (unsigned set : getSets())
    if (typeOf(set) == typeOf(lhs))
      same.push_back(set);
  unsigned rhs = choices.oneOf(same);
  double a = groups[lhs].bound, c = groups[rhs].bound;
  if (choices.chance(50)) {
    auto op =
        UnionOp::create(b, nextLoc(), groups[lhs].coords, groups[rhs].coords);
    unsigned set = addGroup(op.getCoords(), a + c);
    moves.push_back({op.getLhsRows(), lhs, set, true});
    moves.push_back({op.getRhsRows(), rhs, set, true});
    return;
  }
  auto op = IntersectionOp::create(b, nextLoc(), groups[lhs].coords,
                                   groups[rhs].coords);
  unsigned set = addGroup(op.getCoords(), std::min(a, c));
  moves.push_back({op.getLhsRows(), lhs, set, false});
  moves.push_back({op.getRhsRows(), rhs, set, false});
}

/// A mask from an argument, or from the signs of a feature column.
void NetworkBuilder::addPrune() {
  unsigned from = choices.oneOf(getSets());
  Value mask;
  if (groups[from].rows >= 0) {
    int64_t rows = groups[from].rows;
    if (choices.chance(2))
      rows += 1;
    HostTensor values(ElementKind::I1, {rows});
    int64_t percent = choices.below(101);
    for (int64_t i = 0; i < rows; ++i)
      values.setDouble(i, choices.chance(percent));
    mask = addArgument(std::move(values));
  } else {
    Feature x = getFeature(from, /*exactOnly=*/true);
    Location loc = nextLoc();
    Value rows = tensor::DimOp::create(b, loc, x.value, 0);
    Value column = tensor::ExtractSliceOp::create(
        b, loc, RankedTensorType::get({ShapedType::kDynamic}, element), x.value,
        ArrayRef<OpFoldResult>{b.getIndexAttr(0), b.getIndexAttr(0)},
        ArrayRef<OpFoldResult>{rows, b.getIndexAttr(1)},
        ArrayRef<OpFoldResult>{b.getIndexAttr(1), b.getIndexAttr(1)});
    Value init = tensor::EmptyOp::create(b, loc, ArrayRef<OpFoldResult>{rows},
                                         b.getI1Type());
    Value limit = arith::ConstantOp::create(
        b, loc, element, b.getFloatAttr(element, whole ? 0.0 : 1.0));
    AffineMap identity = b.getMultiDimIdentityMap(1);
    mask = linalg::GenericOp::create(
               b, loc, init.getType(), column, init,
               ArrayRef<AffineMap>{identity, identity},
               ArrayRef<utils::IteratorType>{utils::IteratorType::parallel},
               [&](OpBuilder &nested, Location loc, ValueRange args) {
                 Value above = arith::CmpFOp::create(
                     nested, loc, arith::CmpFPredicate::OGT, args[0], limit);
                 linalg::YieldOp::create(nested, loc, above);
               })
               .getResult(0);
  }
  auto op = PruneOp::create(b, nextLoc(), groups[from].coords, mask);
  unsigned set = addGroup(op.getResult(), groups[from].bound);
  moves.push_back({op.getRows(), from, set, false});
}

/// Most maps have a search; the passes choose for the others.
SearchAttr NetworkBuilder::randomSearch(unsigned in, unsigned out,
                                        OffsetSetInterface offsets) {
  CoordsType type = typeOf(in);
  const Search *search = searches.oneOf(Search::getAll());
  bool isHalf = searches.chance(50);
  // Grids beyond that take more time than all the rest.
  bool fits =
      search->describeProblem(type.getPacking(), type.getStride()).empty() &&
      (search->getName() != "grid" ||
       type.getPacking().getUsedBits() <= maxGridBits);
  if (searches.chance(20) || !fits)
    return SearchAttr();
  isHalf &= groups[in].coords == groups[out].coords &&
            getMirrors(offsets.getFlatOffsets(), dim).has_value();
  return SearchAttr::get(b.getContext(), search->getName(), isHalf);
}

void NetworkBuilder::addMap() {
  if (!maps.empty() && choices.chance(15)) {
    Map map = choices.oneOf(maps);
    Value back = TransposeMapOp::create(b, nextLoc(), map.map);
    maps.push_back({back, map.out, map.in, map.volume});
    return;
  }
  unsigned in = choices.oneOf(getSets()), out = choices.oneOf(getSets());
  auto divides = [&](unsigned fine, unsigned coarse) {
    for (auto [a, c] :
         llvm::zip(typeOf(fine).getStride(), typeOf(coarse).getStride()))
      if (c % a != 0)
        return false;
    return true;
  };
  bool forward = divides(in, out), back = divides(out, in);
  if (!forward && !back)
    return;
  bool transposed = forward && back ? choices.chance(50) : back;
  OffsetSetInterface offsets = randomOffsets(typeOf(transposed ? out : in));
  Value map =
      KernelMapOp::create(b, nextLoc(), groups[in].coords, groups[out].coords,
                          offsets, transposed, randomSearch(in, out, offsets));
  maps.push_back({map, in, out, offsets.getVolume()});
}
