//===- RandomFeatures.cpp - random operations on features -----------------===//
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
#include <cmath>

using namespace mlir;
using namespace mlir::sparseconv;
using namespace mlir::sparseconv::fuzz;
using ::sparseconv::ElementKind;
using ::sparseconv::HostTensor;

static int64_t randomGroups(Choices &choices, int64_t in, int64_t out) {
  SmallVector<int64_t> counts = {1, 1};
  for (int64_t groups = 2; groups <= std::min(in, out); ++groups)
    if (in % groups == 0 && out % groups == 0)
      counts.push_back(groups);
  return choices.oneOf(counts);
}

static SmallVector<int64_t> weightShape(Choices &choices, int64_t volume,
                                        int64_t groups, int64_t in,
                                        int64_t out) {
  if (groups == 1 && choices.chance(80))
    return {volume, in, out};
  return {volume, groups, in / groups, out / groups};
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

Value NetworkBuilder::channelsArgument(int64_t channels) {
  return addNumbers({channels}, element, false, true);
}

/// The dataflow of a convolution that every target has but does not choose.
DataflowAttr NetworkBuilder::randomDataflow(int64_t groups) {
  if (groups > 1 || !choices.chance(25))
    return {};
  return DataflowAttr::get(b.getContext(), "weight_stationary", /*split_k=*/1);
}

void NetworkBuilder::addConv() {
  if (maps.empty())
    return;
  Map map = choices.oneOf(maps);
  Feature x = getFeature(map.in);
  const int64_t widths[] = {1, 3, 4, 8, 16, 17, 24};
  int64_t out = choices.chance(20) ? x.channels
                                   : choices.oneOf(ArrayRef<int64_t>(widths));
  int64_t groups = randomGroups(choices, x.channels, out);
  if (out == x.channels && choices.chance(20))
    groups = out;
  Value w =
      addNumbers(weightShape(choices, map.volume, groups, x.channels, out),
                 element, true, true);
  double products = static_cast<double>(map.volume) * x.channels / groups;
  double magnitude = products * x.magnitude * (whole ? 3 : 0.2);
  double error = x.error + roundProducts(products);
  double wholeError = getWholeError(x.error, x.magnitude);
  if (choices.chance(60)) {
    auto conv = ConvOp::create(b, nextLoc(), x.value, w, map.map);
    conv.setAllowTf32(tf32);
    conv.setDataflowAttr(randomDataflow(groups));
    addFeature(conv.getY(), map.out, magnitude, whole ? wholeError : error);
    return;
  }

  SmallVector<Value> extras;
  for (int64_t i = choices.below(3); i > 0; --i) {
    if (choices.chance(50)) {
      extras.push_back(channelsArgument(out));
      continue;
    }
    for (const Feature &feature : features)
      if (feature.group == map.out && feature.channels == out &&
          std::isfinite(feature.error)) {
        extras.push_back(feature.value);
        error += feature.error;
        magnitude += 1 + feature.magnitude;
        break;
      }
  }
  Location loc = nextLoc();
  auto conv = ConvOp::create(b, loc, x.value, w, map.map, extras,
                             randomDataflow(groups), TilingAttr(),
                             RowOrderAttr(), tf32);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *block = b.createBlock(&conv.getEpilogue());
    Value value = block->addArgument(b.getF32Type(), loc);
    for (size_t i = 0; i < extras.size(); ++i) {
      Value extra = block->addArgument(element, loc);
      if (!element.isF32())
        extra = arith::ExtFOp::create(b, loc, b.getF32Type(), extra);
      if (!whole && choices.chance(30))
        value = arith::MulFOp::create(b, loc, value, extra);
      else
        value = arith::AddFOp::create(b, loc, value, extra);
      error += 0x1p-23;
    }
    if (choices.chance(50)) {
      Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
      value = arith::MaximumFOp::create(b, loc, value, zero);
    }
    YieldOp::create(b, loc, value);
  }
  addFeature(conv.getY(), map.out, magnitude + 8, whole ? wholeError : error);
}

void NetworkBuilder::addInputGrad() {
  if (maps.empty())
    return;
  Map map = choices.oneOf(maps);
  Feature dy = getFeature(map.out);
  const int64_t widths[] = {1, 3, 4, 8, 16, 17};
  int64_t in = choices.chance(30) ? dy.channels
                                  : choices.oneOf(ArrayRef<int64_t>(widths));
  int64_t groups = randomGroups(choices, in, dy.channels);
  Value w =
      addNumbers(weightShape(choices, map.volume, groups, in, dy.channels),
                 element, true, true);
  double products = static_cast<double>(map.volume) * dy.channels / groups;
  Value dx = InputGradOp::create(b, nextLoc(), dy.value, w, map.map,
                                 randomDataflow(groups), TilingAttr(),
                                 RowOrderAttr(), tf32);
  addFeature(dx, map.in, products * dy.magnitude * (whole ? 3 : 0.2),
             whole ? getWholeError(dy.error, dy.magnitude)
                   : dy.error + roundProducts(products));
}

void NetworkBuilder::addWeightGrad() {
  if (maps.empty())
    return;
  Map map = choices.oneOf(maps);
  Feature x = getFeature(map.in), dy = getFeature(map.out);
  int64_t groups = randomGroups(choices, x.channels, dy.channels);
  double pairs = this->groups[map.out].bound;
  IntegerAttr attr = groups > 1 || choices.chance(10)
                         ? b.getI64IntegerAttr(groups)
                         : IntegerAttr();
  Value dw = WeightGradOp::create(b, nextLoc(), x.value, dy.value, map.map,
                                  attr, DataflowAttr(), TilingAttr(), tf32);
  double error = x.error + dy.error + roundProducts(pairs);
  if (whole)
    error = x.error > 0 || dy.error > 0 ||
                    pairs * x.magnitude * dy.magnitude >= 0x1p24
                ? INFINITY
                : getWholeError(0, std::max(x.magnitude, dy.magnitude));
  others.push_back({dw, error});
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

static PoolKind randomKind(Choices &choices) {
  const PoolKind kinds[] = {PoolKind::Max, PoolKind::Avg, PoolKind::Sum};
  return choices.oneOf(ArrayRef<PoolKind>(kinds));
}

static CountKind randomCount(Choices &choices, PoolKind kind) {
  return kind == PoolKind::Avg && choices.chance(40) ? CountKind::Volume
                                                     : CountKind::Present;
}

void NetworkBuilder::addPool() {
  if (maps.empty())
    return;
  Map map = choices.oneOf(maps);
  Feature x = getFeature(map.in);
  PoolKind kind = randomKind(choices);
  CountKind count = randomCount(choices, kind);
  Value y = PoolOp::create(b, nextLoc(), kind, x.value, map.map, count);
  if (kind == PoolKind::Max) {
    addFeature(y, map.out, x.magnitude, x.error);
    return;
  }
  double error =
      kind == PoolKind::Sum && whole ? x.error : x.error + round(map.volume);
  addFeature(y, map.out, x.magnitude * map.volume, error);
}

void NetworkBuilder::addPoolGrad() {
  if (maps.empty())
    return;
  Map map = choices.oneOf(maps);
  Feature dy = getFeature(map.out);
  PoolKind kind = randomKind(choices);
  CountKind count = randomCount(choices, kind);
  Value input;
  if (kind == PoolKind::Max) {
    // Which input is largest must not depend on rounding.
    for (const Feature &x : features)
      if (x.group == map.in && x.channels == dy.channels && x.error == 0)
        input = x.value;
    if (!input)
      return;
  }
  Value dx =
      PoolGradOp::create(b, nextLoc(), kind, dy.value, map.map, input, count);
  double error =
      kind != PoolKind::Avg && whole ? dy.error : dy.error + round(map.volume);
  addFeature(dx, map.in, dy.magnitude * map.volume, error);
}

void NetworkBuilder::addUnpool() {
  if (maps.empty())
    return;
  Map map = choices.oneOf(maps);
  Feature x = getFeature(map.out);
  Value y = UnpoolOp::create(b, nextLoc(), x.value, map.map);
  addFeature(y, map.in, x.magnitude * map.volume,
             whole ? x.error : x.error + round(map.volume));
}

void NetworkBuilder::addGlobalPool() {
  unsigned set = choices.oneOf(getSets());
  Feature x = getFeature(set);
  PoolKind kind = randomKind(choices);
  int64_t items = typeOf(set).getPacking().getMaxBatch() + 1;
  if (choices.chance(3))
    items = 1;
  double bound = groups[set].bound;
  double error = kind == PoolKind::Max || (whole && kind == PoolKind::Sum)
                     ? x.error
                     : x.error + round(bound);
  if (choices.chance(50)) {
    Value batch;
    if (choices.chance(50))
      batch = arith::ConstantIndexOp::create(b, nextLoc(), items);
    Type type = RankedTensorType::get(
        {batch ? ShapedType::kDynamic : items, x.channels}, element);
    Value y = GlobalPoolOp::create(b, nextLoc(), type, kind, x.value,
                                   groups[set].coords, batch);
    // Rows of their own: one per item.
    unsigned rows = addGroup(Value(), items, items);
    addFeature(y, rows, x.magnitude * bound, error);
    return;
  }
  if (kind == PoolKind::Max && x.error != 0)
    return;
  Value dy = addNumbers({items, x.channels}, element, false, true);
  Value dx =
      GlobalPoolGradOp::create(b, nextLoc(), kind, dy, groups[set].coords,
                               kind == PoolKind::Max ? x.value : Value());
  addFeature(dx, set, 3, kind == PoolKind::Avg ? round(bound) : 0);
}

//===----------------------------------------------------------------------===//
// Rows, points, grids
//===----------------------------------------------------------------------===//

void NetworkBuilder::addRowMove() {
  RowMove move = choices.oneOf(moves);
  if (choices.chance(20)) {
    // Rows of an argument.
    unsigned from = choices.below(groups.size());
    if (groups[from].rows < 0)
      return;
    int64_t count = choices.below(50);
    unsigned to = addGroup(Value(), count, count);
    if (choices.chance(50))
      move = {addRowIndices(count, groups[from].rows), from, to, false};
    else
      move = {addRowIndices(groups[from].rows, count), from, to, true};
  }
  // The adjoint of each direction.
  if (choices.chance(30)) {
    std::swap(move.from, move.to);
    move.scatter = !move.scatter;
  }
  Feature x = getFeature(move.from);
  if (!move.scatter) {
    Value y = GatherOp::create(b, nextLoc(), x.value, move.rows);
    addFeature(y, move.to, x.magnitude, x.error);
    return;
  }
  double products = groups[move.from].bound;
  Value n = rowCount(move.to);
  PoolKind kind = choices.chance(70) ? PoolKind::Sum : randomKind(choices);
  Value y = ScatterOp::create(b, nextLoc(), kind, x.value, move.rows, n);
  bool isExact = kind == PoolKind::Max || (whole && kind == PoolKind::Sum);
  addFeature(y, move.to,
             kind == PoolKind::Sum ? x.magnitude * products : x.magnitude,
             isExact ? x.error : x.error + round(products));
}

void NetworkBuilder::addPoints() {
  unsigned set = choices.oneOf(getSets());
  CoordsType type = typeOf(set);
  Interpolation kind = !whole && choices.chance(50) ? Interpolation::Trilinear
                                                    : Interpolation::Nearest;
  int64_t count = choices.below(40);
  HostTensor points(ElementKind::F32, {count, dim + 1});
  bool odd = choices.chance(5);
  for (int64_t i = 0; i < count; ++i) {
    points.setDouble(i * (dim + 1),
                     choices.between(0, type.getPacking().getMaxBatch()));
    for (unsigned axis = 0; axis < dim; ++axis)
      points.setDouble(i * (dim + 1) + axis + 1,
                       choices.between(-24, 24) / 4.0 * base.getStride()[axis]);
    if (odd && choices.chance(10))
      points.setDouble(i * (dim + 1) + choices.below(dim + 1),
                       choices.oneOf(ArrayRef<double>{-1, 0.5, 1e6, -1e30, 3e9,
                                                      NAN, INFINITY}));
  }
  unsigned cloud = addGroup(Value(), count, count);
  Value pointsValue = addArgument(std::move(points));
  if (choices.chance(50)) {
    Feature x = getFeature(set);
    Value y = DevoxeliseOp::create(b, nextLoc(), kind, x.value, pointsValue,
                                   groups[set].coords);
    addFeature(y, cloud, x.magnitude,
               kind == Interpolation::Nearest ? x.error
                                              : x.error + round(16 + 8 * dim));
    return;
  }
  Feature x = getFeature(cloud);
  PoolKind pool = kind == Interpolation::Nearest ? randomKind(choices)
                  : choices.chance(50)           ? PoolKind::Avg
                                                 : PoolKind::Sum;
  Value y = VoxeliseOp::create(b, nextLoc(), kind, pool, x.value, pointsValue,
                               groups[set].coords);
  bool exact = pool == PoolKind::Max || (whole && pool == PoolKind::Sum);
  addFeature(y, set, x.magnitude * count,
             exact ? x.error : x.error + round(2 * count + 8 * dim));
}

void NetworkBuilder::addDense() {
  unsigned set = choices.oneOf(getSets());
  CoordsType type = typeOf(set);
  SmallVector<int64_t> shape = {type.getPacking().getMaxBatch() + 1}, origin;
  for (int64_t stride : type.getStride()) {
    int64_t cells = choices.between(dim > 2 ? 12 : 20, dim > 2 ? 13 : 24);
    shape.push_back(cells);
    origin.push_back(-(cells / 2) * stride);
  }
  if (choices.chance(50)) {
    Feature x = getFeature(set);
    if (dim == 4 || x.channels > 4)
      return;
    shape.push_back(x.channels);
    Value dense =
        ToDenseOp::create(b, nextLoc(), RankedTensorType::get(shape, element),
                          x.value, groups[set].coords, origin);
    others.push_back({dense, x.error});
    return;
  }
  if (dim == 4)
    return;
  shape.push_back(choices.between(1, 3));
  Value dense = addNumbers(shape, element, false, true);
  Value x = FromDenseOp::create(b, nextLoc(), dense, groups[set].coords,
                                b.getDenseI64ArrayAttr(origin));
  addFeature(x, set, 3, 0);
}

/// The larger of two features, or of one and 0, by linalg.
void NetworkBuilder::addElementwise() {
  unsigned group = choices.below(groups.size());
  Feature x = getFeature(group);
  SmallVector<Value> inputs = {x.value};
  double error = x.error, magnitude = x.magnitude;
  for (const Feature &other : features)
    if (other.group == group && other.channels == x.channels &&
        std::isfinite(other.error) && choices.chance(50)) {
      inputs.push_back(other.value);
      error += other.error;
      magnitude += other.magnitude;
      break;
    }
  Location loc = nextLoc();
  Value rows = tensor::DimOp::create(b, loc, x.value, 0);
  Value init = tensor::EmptyOp::create(
      b, loc, ArrayRef<OpFoldResult>{rows, b.getIndexAttr(x.channels)},
      element);
  SmallVector<AffineMap> indexing(inputs.size() + 1,
                                  b.getMultiDimIdentityMap(2));
  SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, loc, init.getType(), inputs, init, indexing, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        Value value = args[0];
        if (args.size() == 3)
          value = arith::AddFOp::create(nested, loc, value, args[1]);
        Value zero = arith::ConstantOp::create(nested, loc, element,
                                               b.getFloatAttr(element, 0.0));
        value = arith::MaximumFOp::create(nested, loc, value, zero);
        linalg::YieldOp::create(nested, loc, value);
      });
  addFeature(generic.getResult(0), group, magnitude,
             whole ? error : error + round(1));
}
