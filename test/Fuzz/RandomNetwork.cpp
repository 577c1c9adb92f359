//===- RandomNetwork.cpp - valid networks of random operations ------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NetworkBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "sparseconv/Execution/Signature.h"
#include <cmath>

using namespace mlir;
using namespace mlir::sparseconv;
using namespace mlir::sparseconv::fuzz;
using ::sparseconv::ElementKind;
using ::sparseconv::HostTensor;

int64_t Choices::below(int64_t count) {
  if (count <= 1)
    return 0;
  if (!bytes.empty()) {
    uint64_t value = bytes.front();
    bytes = bytes.drop_front();
    if (count > 256 && !bytes.empty()) {
      value = value << 8 | bytes.front();
      bytes = bytes.drop_front();
    }
    return value % count;
  }
  // splitmix64
  uint64_t mixed = state += 0x9e3779b97f4a7c15;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
  return (mixed ^ mixed >> 31) % count;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

NetworkBuilder::NetworkBuilder(MLIRContext &context, ArrayRef<uint8_t> bytes,
                               uint64_t seed)
    : choices(bytes, seed), searches({}, ~seed), b(&context) {}

/// A place for each operation: messages tell them apart.
Location NetworkBuilder::nextLoc() {
  return FileLineColLoc::get(b.getContext(), "network", ++line, 1);
}

static Type getElementType(Builder &b, ElementKind kind) {
  switch (kind) {
  case ElementKind::I1:
    return b.getI1Type();
  case ElementKind::I32:
    return b.getI32Type();
  case ElementKind::F16:
    return b.getF16Type();
  case ElementKind::BF16:
    return b.getBF16Type();
  default:
    return b.getF32Type();
  }
}

Value NetworkBuilder::addArgument(HostTensor tensor, bool staticRows) {
  SmallVector<int64_t> shape(tensor.getShape());
  if (!staticRows)
    shape[0] = ShapedType::kDynamic;
  Type type = RankedTensorType::get(shape, getElementType(b, tensor.getKind()));
  network.arguments.push_back(std::move(tensor));
  return body->addArgument(type, b.getUnknownLoc());
}

double NetworkBuilder::randomNumber(bool weight) {
  if (whole) {
    if (special && choices.chance(2)) {
      double value =
          choices.oneOf(ArrayRef<double>{NAN, INFINITY, -INFINITY, -0.0});
      // Tiles on a GPU multiply weights with zeros for neighbours that are not
      // there, so those are finite.
      return weight ? -0.0 : value;
    }
    return choices.between(-3, 3);
  }
  double value = 0.5 + choices.below(1000) / 1000.0;
  return weight ? value / 8 : value;
}

Value NetworkBuilder::addNumbers(ArrayRef<int64_t> shape, Type type,
                                 bool weight, bool staticRows) {
  HostTensor tensor(*getElementKind(type), shape);
  for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i)
    tensor.setDouble(i, randomNumber(weight));
  return addArgument(std::move(tensor), staticRows);
}

Value NetworkBuilder::addRowIndices(int64_t count, int64_t rows) {
  HostTensor tensor(ElementKind::I32, {count});
  for (int32_t &row : tensor.as<int32_t>())
    row = choices.between(-1, rows - 1);
  if (count && choices.chance(4))
    tensor.as<int32_t>()[choices.below(count)] =
        choices.chance(50) ? -2 : rows + choices.below(3);
  return addArgument(std::move(tensor));
}

Value NetworkBuilder::rowCount(unsigned group) {
  if (Value coords = groups[group].coords)
    return SizeOp::create(b, nextLoc(), coords);
  return arith::ConstantIndexOp::create(b, nextLoc(), groups[group].rows);
}

/// What one operation of so many products adds to the relative error: rounding
/// of the accumulator, and of the result on both sides.
double NetworkBuilder::round(double products) const {
  double unit = element.isF16() ? 0x1p-11 : element.isBF16() ? 0x1p-8 : 0x1p-24;
  return 2 * unit + (products + 2) * 0x1p-24;
}

/// The same for products of features and weights, which tf32 rounds both.
double NetworkBuilder::roundProducts(double products) const {
  return round(products) + (tf32 ? 0x1p-10 + 0x1p-22 : 0);
}

/// The error of products of whole numbers up to `factor`, of which those have
/// `error`: tf32 holds them exactly up to 2^11.
double NetworkBuilder::getWholeError(double error, double factor) const {
  return tf32 && factor > 0x1p11 ? INFINITY : error;
}

/// A sum of whole numbers below 2^24 is exact; beyond that its error may cancel
/// anything.
Feature &NetworkBuilder::addFeature(Value value, unsigned group,
                                    double magnitude, double error) {
  if (whole)
    error = error > 0 || magnitude >= 0x1p24 ? INFINITY : 0;
  int64_t channels = cast<RankedTensorType>(value.getType()).getDimSize(1);
  return features.emplace_back(
      Feature{value, group, channels, magnitude, error});
}

unsigned NetworkBuilder::addGroup(Value coords, double bound, int64_t rows) {
  groups.push_back({coords, rows, bound});
  return groups.size() - 1;
}

SmallVector<unsigned> NetworkBuilder::getSets() const {
  SmallVector<unsigned> sets;
  for (auto [i, group] : llvm::enumerate(groups))
    if (group.coords)
      sets.push_back(i);
  return sets;
}

CoordsType NetworkBuilder::typeOf(unsigned group) const {
  return cast<CoordsType>(groups[group].coords.getType());
}

/// Features for the rows of `group`: some that there are, or new ones.
Feature NetworkBuilder::getFeature(unsigned group, bool exactOnly) {
  SmallVector<unsigned> found;
  for (auto [i, feature] : llvm::enumerate(features))
    if (feature.group == group && std::isfinite(feature.error) &&
        (!exactOnly || feature.error == 0))
      found.push_back(i);
  if (!found.empty() && choices.chance(80))
    return features[choices.oneOf(found)];

  const int64_t channelCounts[] = {1, 2, 3, 4, 8, 12, 16, 20};
  int64_t channels = choices.oneOf(ArrayRef<int64_t>(channelCounts));
  double magnitude = whole ? 3 : 1.5;
  const Group &rows = groups[group];
  if (rows.rows >= 0) {
    int64_t count = rows.rows;
    if (choices.chance(2))
      count += choices.chance(50) && count ? -1 : 1;
    Value value =
        addNumbers({count, channels}, element, false,
                   count == rows.rows && !rows.coords && choices.chance(20));
    return addFeature(value, group, magnitude, 0);
  }
  // The rows of each item of a batch get that item's numbers.
  int64_t items = typeOf(group).getPacking().getMaxBatch() + 1;
  Value dy = addNumbers({items, channels}, element, false, true);
  Value value = GlobalPoolGradOp::create(b, nextLoc(), PoolKind::Sum, dy,
                                         rows.coords, Value());
  return addFeature(value, group, magnitude, 0);
}

//===----------------------------------------------------------------------===//
// Network
//===----------------------------------------------------------------------===//

StringRef mlir::sparseconv::fuzz::getName(NumberType type) {
  switch (type) {
  case NumberType::F32:
    return "f32";
  case NumberType::Tf32:
    return "tf32";
  case NumberType::F16:
    return "f16";
  case NumberType::BF16:
    return "bf16";
  }
  llvm_unreachable("a type without a name");
}

/// The other choices of a seed stay the same where the type is given.
void NetworkBuilder::chooseNumbers(std::optional<NumberType> type) {
  whole = choices.chance(60);
  special = choices.chance(15);
  const NumberType types[] = {NumberType::F32, NumberType::Tf32,
                              NumberType::F16, NumberType::BF16};
  NumberType drawn = choices.oneOf(ArrayRef<NumberType>(types));
  network.type = type.value_or(drawn);
  tf32 = network.type == NumberType::Tf32;
  element = network.type == NumberType::F16    ? Type(b.getF16Type())
            : network.type == NumberType::BF16 ? Type(b.getBF16Type())
                                               : Type(b.getF32Type());
}

RandomNetwork NetworkBuilder::build(std::optional<NumberType> type) {
  network.module = ModuleOp::create(b.getUnknownLoc());
  b.setInsertionPointToStart(network.module->getBody());
  function = func::FuncOp::create(b, b.getUnknownLoc(), "main",
                                  b.getFunctionType({}, {}));
  body = function.addEntryBlock();
  b.setInsertionPointToStart(body);

  chooseNumbers(type);
  addPack();

  using Step = void (NetworkBuilder::*)();
  const Step steps[] = {
      &NetworkBuilder::addPack,       &NetworkBuilder::addSet,
      &NetworkBuilder::addSet,        &NetworkBuilder::addMerge,
      &NetworkBuilder::addPrune,      &NetworkBuilder::addMap,
      &NetworkBuilder::addMap,        &NetworkBuilder::addMap,
      &NetworkBuilder::addConv,       &NetworkBuilder::addConv,
      &NetworkBuilder::addConv,       &NetworkBuilder::addInputGrad,
      &NetworkBuilder::addWeightGrad, &NetworkBuilder::addPool,
      &NetworkBuilder::addPool,       &NetworkBuilder::addPoolGrad,
      &NetworkBuilder::addUnpool,     &NetworkBuilder::addGlobalPool,
      &NetworkBuilder::addRowMove,    &NetworkBuilder::addRowMove,
      &NetworkBuilder::addPoints,     &NetworkBuilder::addDense,
      &NetworkBuilder::addElementwise};
  for (int64_t i = choices.between(2, 12); i > 0; --i)
    (this->*choices.oneOf(ArrayRef<Step>(steps)))();

  // What nothing uses is a result, or it would be dead.
  SmallVector<Value> results;
  auto addResult = [&](Value value, double error) {
    if (!value.use_empty() && !choices.chance(25))
      return;
    results.push_back(value);
    network.errors.push_back(error);
  };
  for (const Feature &feature : features)
    addResult(feature.value, feature.error);
  for (auto [value, error] : others)
    addResult(value, error);
  for (const RowMove &move : moves)
    addResult(move.rows, 0);
  for (const Map &map : maps)
    if (map.map.use_empty() || choices.chance(20))
      addResult(NeighbourTableOp::create(b, nextLoc(), map.map), 0);
  for (const Group &group : groups)
    if (group.coords && (group.coords.use_empty() || choices.chance(20)))
      addResult(UnpackOp::create(b, nextLoc(), group.coords), 0);
  func::ReturnOp::create(b, b.getUnknownLoc(), results);
  function.setType(b.getFunctionType(body->getArgumentTypes(),
                                     ValueRange(results).getTypes()));
  if (failed(verify(*network.module)))
    network.module = nullptr;
  return std::move(network);
}

RandomNetwork mlir::sparseconv::fuzz::createRandomNetwork(
    MLIRContext &context, ArrayRef<uint8_t> bytes, uint64_t seed,
    std::optional<NumberType> type) {
  return NetworkBuilder(context, bytes, seed).build(type);
}
