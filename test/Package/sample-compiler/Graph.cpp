//===- Graph.cpp - from a graph in JSON to a network ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleCompiler.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Verifier.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
namespace json = llvm::json;
namespace sc = mlir::sparseconv;

namespace {

/// What a node computes: features with the set that they lie on, a set alone, a
/// map, or points with features that are on no set yet.
struct Node {
  Value features, set, map, points;
};

class Importer {
public:
  Importer(ModuleOp module)
      : b(module.getLoc(), OpBuilder::atBlockEnd(module.getBody())) {}

  LogicalResult importAll(const json::Object &graph);

private:
  // One function for each kind of node.
  FailureOr<Node> makeInput();
  FailureOr<Node> makePack();
  FailureOr<Node> makeDownsample();
  FailureOr<Node> makeKernelMap();
  FailureOr<Node> makeConv();
  FailureOr<Node> makeRelu();
  FailureOr<Node> makeAdd();
  FailureOr<Node> makeConcat();
  FailureOr<Node> makeLinear();
  LogicalResult importNode(const json::Value &value);

  // Fields of the current node.
  InFlightDiagnostic error() { return emitError(b.getLoc()); }
  FailureOr<int64_t> getNumber(StringRef key);
  FailureOr<Node> find(std::optional<StringRef> name, StringRef key,
                       Value Node::*part, StringRef what);
  FailureOr<Node> get(StringRef key, Value Node::*part, StringRef what) {
    return find(node->getString(key), key, part, what);
  }
  LogicalResult getInputs(SmallVector<Node> &inputs);

  // Pieces of IR.
  static int64_t getChannels(Value features) {
    return cast<RankedTensorType>(features.getType()).getDimSize(1);
  }
  Value addArgument(Twine name, ArrayRef<int64_t> shape, Type element);
  Value makeEmpty(Value like, int64_t channels);

  ImplicitLocOpBuilder b;
  func::FuncOp function;
  llvm::StringMap<Node> nodes;
  const json::Object *node = nullptr;
};

} // namespace

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

FailureOr<int64_t> Importer::getNumber(StringRef key) {
  std::optional<int64_t> number = node->getInteger(key);
  if (!number || *number < 1 || *number > 4096)
    return error() << "expects a number from 1 to 4096 as '" << key << "'";
  return *number;
}

FailureOr<Node> Importer::find(std::optional<StringRef> name, StringRef key,
                               Value Node::*part, StringRef what) {
  if (!name)
    return error() << "expects the name of a node as '" << key << "'";
  auto found = nodes.find(*name);
  if (found == nodes.end())
    return error() << "there is no node '" << *name << "' before this one";
  if (!(found->second.*part))
    return error() << "'" << *name << "' has no " << what;
  return found->second;
}

/// Two or more features on one set.
LogicalResult Importer::getInputs(SmallVector<Node> &inputs) {
  const json::Array *names = node->getArray("inputs");
  if (!names || names->size() < 2)
    return error() << "expects two names or more as 'inputs'";
  for (const json::Value &name : *names) {
    auto input =
        find(name.getAsString(), "inputs", &Node::features, "features");
    if (failed(input))
      return failure();
    inputs.push_back(*input);
    if (input->set != inputs[0].set)
      return error() << "'" << *name.getAsString()
                     << "' is on another set than "
                     << "'" << *(*names)[0].getAsString() << "'";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Pieces of IR
//===----------------------------------------------------------------------===//

Value Importer::addArgument(Twine name, ArrayRef<int64_t> shape, Type element) {
  unsigned number = function.getNumArguments();
  NamedAttribute attribute =
      b.getNamedAttr("sparseconv.name", b.getStringAttr(name));
  (void)function.insertArgument(number, RankedTensorType::get(shape, element),
                                b.getDictionaryAttr(attribute), b.getLoc());
  return function.getArgument(number);
}

/// As many rows as `like`.
Value Importer::makeEmpty(Value like, int64_t channels) {
  Value rows = tensor::DimOp::create(b, like, 0);
  auto type =
      RankedTensorType::get({ShapedType::kDynamic, channels}, b.getF32Type());
  return tensor::EmptyOp::create(b, type, rows);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

FailureOr<Node> Importer::makeInput() {
  FailureOr<int64_t> channels = getNumber("channels");
  if (failed(channels))
    return failure();
  if (function.getNumArguments())
    return error() << "there is an input already";
  Node result;
  result.points =
      addArgument("points", {ShapedType::kDynamic, 4}, b.getI32Type());
  result.features = addArgument("features", {ShapedType::kDynamic, *channels},
                                b.getF32Type());
  return result;
}

FailureOr<Node> Importer::makePack() {
  FailureOr<Node> input = get("input", &Node::points, "points");
  if (failed(input))
    return failure();
  auto packing = sc::PackingAttr::get(b.getContext(), /*keyWidth=*/64,
                                      /*batch=*/8, {20, 20, 16}, {32, 32, 32});
  auto type = sc::CoordsType::get(b.getContext(), 3, {1, 1, 1}, packing);
  auto pack = sc::PackOp::create(b, type, input->points);
  Node result;
  result.set = pack.getCoords();
  result.features = sc::GatherOp::create(b, input->features, pack.getOrder());
  return result;
}

FailureOr<Node> Importer::makeDownsample() {
  FailureOr<Node> input = get("input", &Node::set, "set");
  FailureOr<int64_t> by = getNumber("by");
  if (failed(input) || failed(by))
    return failure();
  auto type = cast<sc::CoordsType>(input->set.getType());
  SmallVector<int64_t> factors(type.getDim(), *by), stride;
  for (int64_t size : type.getStride()) {
    if (size * *by > 32768)
      return error() << "would make a stride of " << size * *by
                     << ", more than 32768";
    stride.push_back(size * *by);
  }
  Node result;
  result.set = sc::DownsampleOp::create(
      b, type.withStride(stride), input->set, factors, sc::OutputRule::Floor,
      /*offsets=*/nullptr, /*clip=*/nullptr, /*capacity=*/nullptr,
      /*coarsening=*/nullptr);
  return result;
}

FailureOr<Node> Importer::makeKernelMap() {
  FailureOr<Node> from = get("from", &Node::set, "set");
  FailureOr<Node> to = get("to", &Node::set, "set");
  FailureOr<int64_t> size = getNumber("size");
  if (failed(from) || failed(to) || failed(size))
    return failure();
  auto in = cast<sc::CoordsType>(from->set.getType());
  auto out = cast<sc::CoordsType>(to->set.getType());
  if (*size > 7)
    return error() << "expects a window of at most 7 on each axis";
  auto box = sc::BoxAttr::get(b.getContext(),
                              SmallVector<int64_t>(in.getDim(), *size));
  auto type =
      sc::KernelMapType::get(b.getContext(), *size * *size * *size, in, out);
  Node result;
  result.map = sc::KernelMapOp::create(b, type, from->set, to->set, box,
                                       /*transposed=*/in.getStride()[0] >
                                           out.getStride()[0],
                                       /*search=*/nullptr);
  return result;
}

FailureOr<Node> Importer::makeConv() {
  FailureOr<Node> input = get("input", &Node::features, "features");
  FailureOr<Node> map = get("map", &Node::map, "map");
  FailureOr<int64_t> channels = getNumber("channels");
  if (failed(input) || failed(map) || failed(channels))
    return failure();
  auto relation = map->map.getDefiningOp<sc::KernelMapOp>();
  if (relation.getIn() != input->set)
    return error() << "the map does not begin at the set of the input";
  int64_t volume = cast<sc::KernelMapType>(map->map.getType()).getVolume();
  Value weight = addArgument(*node->getString("name") + ".weight",
                             {volume, getChannels(input->features), *channels},
                             b.getF32Type());
  Node result;
  result.set = relation.getOut();
  result.features = sc::ConvOp::create(b, input->features, weight, map->map);
  return result;
}

FailureOr<Node> Importer::makeRelu() {
  FailureOr<Node> input = get("input", &Node::features, "features");
  if (failed(input))
    return failure();
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  Value init = makeEmpty(input->features, getChannels(input->features));
  AffineMap map = b.getMultiDimIdentityMap(2);
  auto relu = linalg::GenericOp::create(
      b, init.getType(), input->features, init, ArrayRef<AffineMap>{map, map},
      SmallVector<utils::IteratorType>(2, utils::IteratorType::parallel),
      [&](OpBuilder &body, Location loc, ValueRange values) {
        Value larger = arith::MaximumFOp::create(body, loc, values[0], zero);
        linalg::YieldOp::create(body, loc, larger);
      });
  input->features = relu.getResult(0);
  return input;
}

FailureOr<Node> Importer::makeAdd() {
  SmallVector<Node> inputs;
  if (failed(getInputs(inputs)))
    return failure();
  Node sum = inputs[0];
  int64_t channels = getChannels(sum.features);
  for (const Node &input : ArrayRef(inputs).drop_front()) {
    if (getChannels(input.features) != channels)
      return error() << "expects equal channels, but there are " << channels
                     << " and " << getChannels(input.features);
    Value init = makeEmpty(inputs[0].features, channels);
    sum.features =
        linalg::AddOp::create(b, ValueRange{sum.features, input.features}, init)
            .getResult(0);
  }
  return sum;
}

FailureOr<Node> Importer::makeConcat() {
  SmallVector<Node> inputs;
  if (failed(getInputs(inputs)))
    return failure();
  SmallVector<Value> features;
  for (const Node &input : inputs)
    features.push_back(input.features);
  inputs[0].features = tensor::ConcatOp::create(b, /*dim=*/1, features);
  return inputs[0];
}

/// x * weight + bias of each row: nothing in it is sparse.
FailureOr<Node> Importer::makeLinear() {
  FailureOr<Node> input = get("input", &Node::features, "features");
  FailureOr<int64_t> channels = getNumber("channels");
  if (failed(input) || failed(channels))
    return failure();
  StringRef name = *node->getString("name");
  Value weight =
      addArgument(name + ".weight", {getChannels(input->features), *channels},
                  b.getF32Type());
  Value bias = addArgument(name + ".bias", {*channels}, b.getF32Type());
  Value init = makeEmpty(input->features, *channels);
  Value start = linalg::BroadcastOp::create(b, bias, init, ArrayRef<int64_t>{0})
                    ->getResult(0);
  input->features =
      linalg::MatmulOp::create(b, ValueRange{input->features, weight}, start)
          .getResult(0);
  return input;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

LogicalResult Importer::importNode(const json::Value &value) {
  node = value.getAsObject();
  std::optional<StringRef> name, op;
  if (node)
    name = node->getString("name"), op = node->getString("op");
  if (!name || !op)
    return error() << "expects nodes with a 'name' and an 'op'";
  b.setLoc(NameLoc::get(b.getStringAttr(*name)));
  static const llvm::StringMap<FailureOr<Node> (Importer::*)()> operations = {
      {"input", &Importer::makeInput},
      {"pack", &Importer::makePack},
      {"downsample", &Importer::makeDownsample},
      {"kernel_map", &Importer::makeKernelMap},
      {"conv", &Importer::makeConv},
      {"relu", &Importer::makeRelu},
      {"add", &Importer::makeAdd},
      {"concat", &Importer::makeConcat},
      {"linear", &Importer::makeLinear}};
  auto operation = operations.find(*op);
  if (operation == operations.end())
    return error() << "unknown op '" << *op << "'";
  if (nodes.count(*name))
    return error() << "there are two nodes of this name";
  FailureOr<Node> made = (this->*operation->second)();
  if (succeeded(made))
    nodes[*name] = *made;
  return made;
}

LogicalResult Importer::importAll(const json::Object &graph) {
  const json::Array *list = graph.getArray("nodes");
  if (!list)
    return error() << "expects a list of 'nodes'";
  Location top = b.getLoc();
  function = func::FuncOp::create(b, "main", b.getFunctionType({}, {}));
  b.setInsertionPointToEnd(function.addEntryBlock());
  for (const json::Value &value : *list)
    if (failed(importNode(value)))
      return failure();
  b.setLoc(top);
  FailureOr<Node> output =
      find(graph.getString("output"), "output", &Node::set, "set");
  if (failed(output))
    return failure();
  if (!output->features)
    return error() << "the output has no features";
  func::ReturnOp::create(b, output->features);
  function.setFunctionType(b.getFunctionType(
      function.getArgumentTypes(), TypeRange{output->features.getType()}));
  return success();
}

OwningOpRef<ModuleOp> sample::importGraph(const json::Value &graph,
                                          MLIRContext *context) {
  auto loc = NameLoc::get(StringAttr::get(context, "graph"));
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  const json::Object *object = graph.getAsObject();
  if (!object) {
    emitError(loc, "expects an object");
    return nullptr;
  }
  if (failed(Importer(*module).importAll(*object)) || failed(verify(*module)))
    return nullptr;
  return module;
}
