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
/// A node as the file has it.
struct Spec {
  std::string name, op;
  std::vector<std::string> inputs;
  int64_t channels = 1, by = 1, size = 1;
};

bool fromJSON(const json::Value &value, Spec &spec, json::Path path) {
  json::ObjectMapper node(value, path);
  return node && node.map("name", spec.name) && node.map("op", spec.op) &&
         node.mapOptional("inputs", spec.inputs) &&
         node.mapOptional("channels", spec.channels) &&
         node.mapOptional("by", spec.by) && node.mapOptional("size", spec.size);
}

/// What a node computes: features with the set that they lie on, a set alone, a
/// map, or points with features that are on no set yet.
struct Node {
  Value features, set, map, points;
};
using Part = Value Node::*;

class Importer {
public:
  Importer(ModuleOp module)
      : b(module.getLoc(), OpBuilder::atBlockEnd(module.getBody())) {
    function = func::FuncOp::create(b, "main", b.getFunctionType({}, {}));
    b.setInsertionPointToEnd(function.addEntryBlock());
  }

  LogicalResult importNode(const Spec &spec) {
    b.setLoc(NameLoc::get(b.getStringAttr(spec.name)));
    constexpr Part features = &Node::features, set = &Node::set;
    struct Kind {
      FailureOr<Node> (Importer::*make)(const Spec &, ArrayRef<Node>);
      SmallVector<Part> reads; ///< what is read of each input
    };
    static const llvm::StringMap<Kind> kinds = {
        {"input", {&Importer::makeInput, {}}},
        {"pack", {&Importer::makePack, {&Node::points}}},
        {"downsample", {&Importer::makeDownsample, {set}}},
        {"kernel_map", {&Importer::makeKernelMap, {set, set}}},
        {"conv", {&Importer::makeConv, {features, &Node::map}}},
        {"relu", {&Importer::makeRelu, {features}}},
        {"add", {&Importer::makeAdd, {features, features}}},
        {"concat", {&Importer::makeConcat, {features, features}}},
        {"linear", {&Importer::makeLinear, {features}}}};
    auto kind = kinds.find(spec.op);
    if (kind == kinds.end())
      return error() << "unknown op '" << spec.op << "'";
    if (nodes.count(spec.name))
      return error() << "there are two nodes of this name";
    for (int64_t number : {spec.channels, spec.by, spec.size})
      if (number < 1 || number > 4096)
        return error() << "expects numbers from 1 to 4096, but found "
                       << number;
    ArrayRef<Part> reads = kind->second.reads;
    bool takesMore = spec.op == "add" || spec.op == "concat";
    if (takesMore ? spec.inputs.size() < reads.size()
                  : spec.inputs.size() != reads.size())
      return error() << "expects " << reads.size() << " of 'inputs'"
                     << (takesMore ? ", or more" : "");
    SmallVector<Node> inputs;
    for (auto [number, name] : llvm::enumerate(spec.inputs)) {
      auto input = nodes.find(name);
      if (input == nodes.end())
        return error() << "there is no node '" << name << "' before this one";
      Part part = reads[std::min(number, reads.size() - 1)];
      if (!(input->second.*part))
        return error() << "cannot read '" << name << "'";
      // At run time only row counts are compared.
      if (part == features && input->second.set != nodes[spec.inputs[0]].set)
        return error() << "'" << name << "' is on another set than '"
                       << spec.inputs[0] << "'";
      inputs.push_back(input->second);
    }
    FailureOr<Node> made = (this->*kind->second.make)(spec, inputs);
    if (succeeded(made))
      nodes[spec.name] = *made;
    return made;
  }

  LogicalResult finish(StringRef output) {
    b.setLoc(b.getUnknownLoc());
    Value features = nodes.lookup(output).features;
    if (!features)
      return error() << "the output '" << output << "' has no features";
    func::ReturnOp::create(b, features);
    function.setFunctionType(
        b.getFunctionType(function.getArgumentTypes(), features.getType()));
    return success();
  }

private:
  InFlightDiagnostic error() { return emitError(b.getLoc()); }
  static int64_t getChannels(Value features) {
    return cast<RankedTensorType>(features.getType()).getDimSize(1);
  }

  Value addArgument(Twine name, ArrayRef<int64_t> shape, Type element) {
    unsigned number = function.getNumArguments();
    NamedAttribute attribute =
        b.getNamedAttr("sparseconv.name", b.getStringAttr(name));
    (void)function.insertArgument(number, RankedTensorType::get(shape, element),
                                  b.getDictionaryAttr(attribute), b.getLoc());
    return function.getArgument(number);
  }

  /// As many rows as `like`.
  Value makeEmpty(Value like, int64_t channels) {
    Value rows = tensor::DimOp::create(b, like, 0);
    auto type =
        RankedTensorType::get({ShapedType::kDynamic, channels}, b.getF32Type());
    return tensor::EmptyOp::create(b, type, rows);
  }

  FailureOr<Node> makeInput(const Spec &spec, ArrayRef<Node>) {
    if (function.getNumArguments())
      return error() << "there is an input already";
    Node made;
    made.points =
        addArgument("points", {ShapedType::kDynamic, 4}, b.getI32Type());
    made.features = addArgument(
        "features", {ShapedType::kDynamic, spec.channels}, b.getF32Type());
    return made;
  }

  FailureOr<Node> makePack(const Spec &, ArrayRef<Node> inputs) {
    auto packing =
        sc::PackingAttr::get(b.getContext(), /*keyWidth=*/64,
                             /*batch=*/8, {20, 20, 16}, {32, 32, 32});
    auto type = sc::CoordsType::get(b.getContext(), 3, {1, 1, 1}, packing);
    auto pack = sc::PackOp::create(b, type, inputs[0].points);
    Node made;
    made.set = pack.getCoords();
    made.features =
        sc::GatherOp::create(b, inputs[0].features, pack.getOrder());
    return made;
  }

  FailureOr<Node> makeDownsample(const Spec &spec, ArrayRef<Node> inputs) {
    auto type = cast<sc::CoordsType>(inputs[0].set.getType());
    SmallVector<int64_t> factors(type.getDim(), spec.by), stride;
    for (int64_t size : type.getStride())
      stride.push_back(size * spec.by);
    if (stride[0] > 32768)
      return error() << "would make a stride of " << stride[0];
    Node made;
    made.set = sc::DownsampleOp::create(
        b, type.withStride(stride), inputs[0].set, factors,
        sc::OutputRule::Floor,
        /*offsets=*/nullptr, /*clip=*/nullptr, /*capacity=*/nullptr,
        /*coarsening=*/nullptr);
    return made;
  }

  FailureOr<Node> makeKernelMap(const Spec &spec, ArrayRef<Node> inputs) {
    auto in = cast<sc::CoordsType>(inputs[0].set.getType());
    auto out = cast<sc::CoordsType>(inputs[1].set.getType());
    if (spec.size > 7)
      return error() << "expects a window of at most 7 on each axis";
    SmallVector<int64_t> window(in.getDim(), spec.size);
    auto type = sc::KernelMapType::get(
        b.getContext(), spec.size * spec.size * spec.size, in, out);
    Node made;
    made.map = sc::KernelMapOp::create(b, type, inputs[0].set, inputs[1].set,
                                       sc::BoxAttr::get(b.getContext(), window),
                                       /*transposed=*/in.getStride()[0] >
                                           out.getStride()[0],
                                       /*search=*/nullptr);
    return made;
  }

  FailureOr<Node> makeConv(const Spec &spec, ArrayRef<Node> inputs) {
    Value x = inputs[0].features, map = inputs[1].map;
    auto relation = map.getDefiningOp<sc::KernelMapOp>();
    if (relation.getIn() != inputs[0].set)
      return error() << "the map does not begin at the set of the features";
    int64_t volume = cast<sc::KernelMapType>(map.getType()).getVolume();
    Value weight =
        addArgument(spec.name + ".weight",
                    {volume, getChannels(x), spec.channels}, b.getF32Type());
    Node made;
    made.set = relation.getOut();
    made.features = sc::ConvOp::create(b, x, weight, map);
    return made;
  }

  FailureOr<Node> makeRelu(const Spec &, ArrayRef<Node> inputs) {
    Node made = inputs[0];
    Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
    Value init = makeEmpty(made.features, getChannels(made.features));
    Value zeros = linalg::FillOp::create(b, zero, init).getResult(0);
    made.features =
        linalg::MaxOp::create(b, ValueRange{made.features, zeros}, init)
            .getResult(0);
    return made;
  }

  FailureOr<Node> makeAdd(const Spec &, ArrayRef<Node> inputs) {
    Node sum = inputs[0];
    int64_t channels = getChannels(sum.features);
    for (const Node &input : inputs.drop_front()) {
      if (getChannels(input.features) != channels)
        return error() << "expects equal channels, but there are " << channels
                       << " and " << getChannels(input.features);
      Value init = makeEmpty(inputs[0].features, channels);
      sum.features = linalg::AddOp::create(
                         b, ValueRange{sum.features, input.features}, init)
                         .getResult(0);
    }
    return sum;
  }

  FailureOr<Node> makeConcat(const Spec &, ArrayRef<Node> inputs) {
    SmallVector<Value> features;
    for (const Node &input : inputs)
      features.push_back(input.features);
    Node made = inputs[0];
    made.features = tensor::ConcatOp::create(b, /*dim=*/1, features);
    return made;
  }

  /// x * weight + bias of each row: nothing in it is sparse.
  FailureOr<Node> makeLinear(const Spec &spec, ArrayRef<Node> inputs) {
    Node made = inputs[0];
    Value weight = addArgument(spec.name + ".weight",
                               {getChannels(made.features), spec.channels},
                               b.getF32Type());
    Value bias =
        addArgument(spec.name + ".bias", {spec.channels}, b.getF32Type());
    Value init = makeEmpty(made.features, spec.channels);
    Value start =
        linalg::BroadcastOp::create(b, bias, init, ArrayRef<int64_t>{0})
            ->getResult(0);
    made.features =
        linalg::MatmulOp::create(b, ValueRange{made.features, weight}, start)
            .getResult(0);
    return made;
  }

  ImplicitLocOpBuilder b;
  func::FuncOp function;
  llvm::StringMap<Node> nodes;
};
} // namespace

llvm::Expected<OwningOpRef<ModuleOp>>
sample::importGraph(const json::Value &graph, MLIRContext *context) {
  std::vector<Spec> nodes;
  std::string output;
  json::Path::Root root("graph");
  json::ObjectMapper fields(graph, root);
  if (!fields || !fields.map("nodes", nodes) || !fields.map("output", output))
    return root.getError();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(context));
  Importer importer(*module);
  LogicalResult imported = success();
  for (const Spec &spec : nodes)
    if (succeeded(imported))
      imported = importer.importNode(spec);
  if (failed(imported) || failed(importer.finish(output)) ||
      failed(verify(*module)))
    return llvm::createStringError("the graph is not valid");
  return module;
}
