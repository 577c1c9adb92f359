//===- CallRaiser.cpp - operations in place of one call -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallRaiser.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::sparseconv;

CallRaiser::CallRaiser(const CustomCall &call) : call(call), builder(call.op) {}

InFlightDiagnostic CallRaiser::report() {
  isBad = true;
  return call.op->emitError();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

StringRef CallRaiser::getFallback(StringRef name) const {
  for (const CallAttribute &attribute : call.rule->attributes)
    if (attribute.name == name)
      return attribute.fallback;
  llvm_unreachable("a rule reads an attribute that it does not list");
}

static std::optional<int64_t> getNumber(Attribute attribute) {
  auto number = dyn_cast<IntegerAttr>(attribute);
  if (!number || isa<BoolAttr>(attribute) ||
      number.getValue().getBitWidth() > 64)
    return std::nullopt;
  return number.getValue().getSExtValue();
}

/// Lists of numbers, in each way in which producers write them.
static std::optional<SmallVector<int64_t>> getNumbers(Attribute attribute) {
  constexpr int64_t longest = 64;
  SmallVector<int64_t> numbers;
  if (std::optional<int64_t> number = getNumber(attribute))
    return SmallVector<int64_t>{*number};
  if (auto array = dyn_cast<DenseI64ArrayAttr>(attribute))
    return llvm::to_vector(array.asArrayRef());
  if (auto dense = dyn_cast<DenseIntElementsAttr>(attribute)) {
    Type element = dense.getElementType();
    if (dense.getNumElements() > longest ||
        (!element.isIndex() && element.getIntOrFloatBitWidth() > 64))
      return std::nullopt;
    for (const APInt &value : dense.getValues<APInt>())
      numbers.push_back(value.getSExtValue());
    return numbers;
  }
  auto array = dyn_cast<ArrayAttr>(attribute);
  if (!array)
    return std::nullopt;
  for (Attribute element : array) {
    std::optional<int64_t> number = getNumber(element);
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<SmallVector<int64_t>> CallRaiser::getList(StringRef name,
                                                        size_t size) {
  Attribute attribute = getAttribute(name);
  StringRef fallback = getFallback(name);
  if (!attribute && fallback == "none")
    return std::nullopt;
  SmallVector<int64_t> ones(size, 1);
  std::optional<SmallVector<int64_t>> numbers;
  int64_t number = 0;
  if (attribute)
    numbers = getNumbers(attribute);
  else if (!fallback.getAsInteger(10, number))
    numbers.emplace({number});
  if (!numbers) {
    report() << "'" << name << "' is no list of integers: " << attribute;
    return ones;
  }
  if (numbers->size() == 1)
    numbers->assign(size, numbers->front());
  if (numbers->size() == size)
    return numbers;
  report() << "'" << name << "' has " << numbers->size()
           << " numbers, where one or " << size << " are expected";
  return ones;
}

int64_t CallRaiser::getInteger(StringRef name) {
  return getList(name, 1)->front();
}

bool CallRaiser::getFlag(StringRef name) {
  Attribute attribute = getAttribute(name);
  if (!attribute)
    return getFallback(name) == "true";
  if (auto flag = dyn_cast<BoolAttr>(attribute))
    return flag.getValue();
  report() << "'" << name << "' is neither true nor false: " << attribute;
  return false;
}

StringRef CallRaiser::getWord(StringRef name) {
  Attribute attribute = getAttribute(name);
  if (!attribute)
    return getFallback(name);
  if (auto word = dyn_cast<StringAttr>(attribute))
    return word.getValue();
  report() << "'" << name << "' is no string: " << attribute;
  return getFallback(name);
}

/// The enumerator that a word names, or the first one after an error.
template <typename EnumT>
static EnumT getEnumerator(CallRaiser &call, StringRef name,
                           std::optional<EnumT> (*symbolize)(StringRef)) {
  StringRef word = call.getWord(name);
  if (std::optional<EnumT> enumerator = symbolize(word))
    return *enumerator;
  call.report() << "'" << name << "' does not take \"" << word << "\"";
  return EnumT(0);
}

PoolKind CallRaiser::getPoolKind() {
  return getEnumerator<PoolKind>(*this, "kind", symbolizePoolKind);
}

CountKind CallRaiser::getCount() {
  return getEnumerator<CountKind>(*this, "count", symbolizeCountKind);
}

Interpolation CallRaiser::getInterpolation() {
  return getEnumerator<Interpolation>(*this, "interpolation",
                                      symbolizeInterpolation);
}

/// The most axes of a set.
static constexpr int64_t kMaxDim = 4;

/// The number of axes of the coordinates that operand 0 has, or of those that
/// the first operand with integers has; 1 where no set has as many.
static unsigned getDim(const CustomCall &call) {
  for (Value operand : call.operands)
    if (RankedTensorType type = getCalledType(operand.getType());
        type.getElementType().isInteger() && type.getRank() == 2 &&
        !type.isDynamicDim(1) && type.getDimSize(1) > 1 &&
        type.getDimSize(1) <= kMaxDim + 1)
      return type.getDimSize(1) - 1;
  return 1;
}

RegionAttr CallRaiser::getClip() {
  unsigned dim = getDim(call);
  std::optional<SmallVector<int64_t>> bounds = getList("clip", 2 * dim);
  if (!bounds || hasFailed())
    return {};
  ArrayRef<int64_t> all = *bounds;
  auto region =
      RegionAttr::getChecked([&] { return report(); }, builder.getContext(),
                             all.take_front(dim), all.drop_front(dim));
  return region;
}

BoxAttr CallRaiser::getBox() {
  unsigned dim = getDim(call);
  std::optional<SmallVector<int64_t>> size = getList("kernel_size", dim);
  SmallVector<int64_t> dilation = *getList("dilation", dim);
  SmallVector<bool> corner(dim, getFlag("corner"));
  if (!size || hasFailed())
    return {};
  return BoxAttr::getChecked([&] { return report(); }, builder.getContext(),
                             ArrayRef<int64_t>(*size), ArrayRef<bool>(corner),
                             ArrayRef<int64_t>(dilation));
}

PackingAttr CallRaiser::getPacking(unsigned dim) {
  SmallVector<int64_t> bits = *getList("bits", dim + 1);
  SmallVector<int64_t> guard = *getList("guard", dim);
  int64_t width = getInteger("key_width");
  if (!hasFailed() &&
      (bits.front() < 0 || bits.front() > 64 || width < 0 || width > 64))
    report() << "no key of " << width << " bits has a batch index of "
             << bits.front() << " bits";
  if (hasFailed())
    return {};
  return PackingAttr::getChecked([&] { return report(); }, builder.getContext(),
                                 unsigned(width), unsigned(bits.front()),
                                 ArrayRef(bits).drop_front(),
                                 ArrayRef<int64_t>(guard));
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Value CallRaiser::getOperand(unsigned i, const Twine &expected,
                             function_ref<bool(RankedTensorType)> accepts) {
  Value operand = call.operands[i];
  RankedTensorType type = getCalledType(operand.getType());
  if (accepts(type))
    return bridge(builder, operand, type);
  report() << "'" << call.rule->operands[i] << "' is " << operand.getType()
           << ", where " << expected << " is expected";
  return {};
}

static bool isReal(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type>(type);
}

Value CallRaiser::getReals(unsigned i, int64_t rank) {
  return getOperand(
      i, "a tensor of rank " + Twine(rank) + " of f32, f16 or bf16",
      [&](RankedTensorType type) {
        return type.getRank() == rank && isReal(type.getElementType());
      });
}

Value CallRaiser::getWeights(unsigned i) {
  return getOperand(i,
                    "[offsets, in, out] or [offsets, groups, in, out] of f32, "
                    "f16 or bf16, of static sizes,",
                    [&](RankedTensorType type) {
                      return (type.getRank() == 3 || type.getRank() == 4) &&
                             type.hasStaticShape() &&
                             isReal(type.getElementType());
                    });
}

Value CallRaiser::getRows(unsigned i) {
  return getOperand(
      i, "a list of row numbers of i32", [](RankedTensorType type) {
        return type.getRank() == 1 && type.getElementType().isInteger(32);
      });
}

CoordsType CallRaiser::getCoordsType(unsigned dim, StringRef stride) {
  SmallVector<int64_t> steps = *getList(stride, dim);
  PackingAttr packing = getPacking(dim);
  if (!packing)
    return {};
  return CoordsType::getChecked([&] { return report(); }, builder.getContext(),
                                dim, ArrayRef<int64_t>(steps), packing);
}

CalledSet CallRaiser::getSet(unsigned i, StringRef stride, RegionAttr clip) {
  Value points =
      getOperand(i, "a tensor of i32 with 1 to 4 axes behind the batch index",
                 [](RankedTensorType type) {
                   return type.getRank() == 2 &&
                          type.getElementType().isInteger(32) &&
                          type.getDimSize(1) >= 2 && type.getDimSize(1) <= 5;
                 });
  if (!points)
    return {};
  auto pointsType = cast<RankedTensorType>(points.getType());
  CoordsType type = getCoordsType(pointsType.getDimSize(1) - 1, stride);
  if (!type)
    return {};
  for (auto &[value, set] : sets)
    if (value == points && set.getType() == type)
      return set;
  CalledSet set;
  set.rows = pointsType.getDimSize(0);
  auto unpack = points.getDefiningOp<UnpackOp>();
  if (unpack && unpack.getCoords().getType() == type && !clip) {
    set.coords = unpack.getCoords();
  } else {
    auto pack = PackOp::create(builder, getLoc(), type, points, clip);
    set.coords = pack.getCoords();
    set.order = pack.getOrder();
    set.rowOf = pack.getRowOf();
  }
  sets.emplace_back(points, set);
  return set;
}

std::pair<CalledSet, CalledSet> CallRaiser::getSides() {
  RegionAttr clip = getClip();
  CalledSet in = getSet(0, "stride", clip);
  return {in, getSet(1, "out_stride", clip)};
}

RankedTensorType CallRaiser::getResultType(unsigned i) {
  return getCalledType(call.op->getResult(i).getType());
}

RankedTensorType CallRaiser::getFeatureType(int64_t rows, int64_t channels,
                                            Value like) {
  return RankedTensorType::get({rows, channels},
                               getElementTypeOrSelf(like.getType()));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Value CallRaiser::buildMap(const CalledSet &in, const CalledSet &out) {
  BoxAttr box = getBox();
  bool isTransposed = getFlag("transposed");
  if (hasFailed())
    return {};
  auto type =
      KernelMapType::getChecked([&] { return report(); }, builder.getContext(),
                                box.getVolume(), in.getType(), out.getType());
  if (!type)
    return {};
  return KernelMapOp::create(builder, getLoc(), type, in.coords, out.coords,
                             box, isTransposed, SearchAttr());
}

Value CallRaiser::gather(Value features, Value rows) {
  auto type = cast<RankedTensorType>(features.getType());
  int64_t numRows = cast<RankedTensorType>(rows.getType()).getDimSize(0);
  return GatherOp::create(builder, getLoc(),
                          getFeatureType(numRows, type.getDimSize(1), features),
                          features, rows);
}

Value CallRaiser::enter(const CalledSet &set, Value features) {
  return set.order ? gather(features, set.order) : features;
}

Value CallRaiser::leave(const CalledSet &set, Value features) {
  return set.rowOf ? gather(features, set.rowOf) : features;
}

Value CallRaiser::enterGradient(const CalledSet &set, Value gradient) {
  if (!set.rowOf)
    return gradient;
  Value rows = SizeOp::create(builder, getLoc(), set.coords);
  auto type = cast<RankedTensorType>(gradient.getType());
  return ScatterOp::create(
      builder, getLoc(),
      getFeatureType(ShapedType::kDynamic, type.getDimSize(1), gradient),
      PoolKind::Sum, gradient, set.rowOf, rows);
}

Value CallRaiser::leaveGradient(const CalledSet &set, Value gradient) {
  if (!set.order)
    return gradient;
  auto type = cast<RankedTensorType>(gradient.getType());
  Value rows = getValueOrCreateConstantIndexOp(
      builder, getLoc(),
      tensor::getMixedSize(builder, getLoc(), set.rowOf, /*dim=*/0));
  Value y = ScatterOp::create(
      builder, getLoc(),
      getFeatureType(ShapedType::kDynamic, type.getDimSize(1), gradient),
      PoolKind::Sum, gradient, set.order, rows);
  // The scatter has exactly as many rows as the coordinates.
  if (!ShapedType::isDynamic(set.rows))
    y = tensor::CastOp::create(
        builder, getLoc(),
        getFeatureType(set.rows, type.getDimSize(1), gradient), y);
  return y;
}
