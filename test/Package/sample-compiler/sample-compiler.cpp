//===- sample-compiler.cpp - a compiler that uses the package -------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiler of its own for graphs in JSON. It emits our operations mixed with
// linalg, runs its passes around ours, calls the result on this processor, and
// writes a plan for a GPU.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "sparseconv/Dialect/SparseConv/IR/EntryNames.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Execution/CpuExecutable.h"
#include "sparseconv/IO/File.h"
#include "sparseconv/IO/Npy.h"
#include "sparseconv/Pipelines/LowerToBuffers.h"
#include "sparseconv/Pipelines/LowerToCpu.h"
#include "sparseconv/Pipelines/Registration.h"
#include "sparseconv/Tools/ArgumentOptions.h"
#include "sparseconv/Tools/WritePlan.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include <chrono>

using namespace mlir;
namespace cl = llvm::cl;
namespace json = llvm::json;
namespace sc = mlir::sparseconv;

static cl::OptionCategory category("Options of the sample compiler");
static cl::opt<std::string> graphPath(cl::Positional, cl::Required,
                                      cl::desc("GRAPH.json"));
static cl::opt<bool> print("network", cl::desc("print the network"));
static cl::opt<std::string> planPath("plan", cl::desc("write a GPU's plan"));
static cl::opt<std::string> resultPath("result", cl::desc("run; write a .npy"));
/// --input=scan.bin, --weights=net.npz and others, as sparseconv-run has them.
static sc::ArgumentOptions arguments(category, category);

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

namespace {
/// A node as the file has it.
struct Spec {
  std::string name, op;
  std::vector<std::string> inputs;
  int64_t channels = 1, size = 1;
};

bool fromJSON(const json::Value &value, Spec &spec, json::Path path) {
  json::ObjectMapper node(value, path);
  return node && node.map("name", spec.name) && node.map("op", spec.op) &&
         node.mapOptional("inputs", spec.inputs) &&
         node.mapOptional("channels", spec.channels) &&
         node.mapOptional("size", spec.size);
}

/// What a node computes: a set, and features on it unless it is a set alone.
struct Node {
  Value set, x;
};

class Importer {
public:
  Importer(ModuleOp module)
      : b(module.getLoc(), OpBuilder::atBlockEnd(module.getBody())) {
    function = func::FuncOp::create(b, "main", b.getFunctionType({}, {}));
    b.setInsertionPointToEnd(function.addEntryBlock());
  }

  LogicalResult importNode(const Spec &spec) {
    b.setLoc(NameLoc::get(b.getStringAttr(spec.name)));
    static const llvm::StringMap<size_t> numInputs = {
        {"input", 0},  {"downsample", 1}, {"conv", 2},
        {"linear", 1}, {"relu", 1},       {"add", 2}};
    if (!numInputs.count(spec.op))
      return error() << "unknown op '" << spec.op << "'";
    if (spec.inputs.size() != numInputs.lookup(spec.op))
      return error() << "expects " << numInputs.lookup(spec.op) << " 'inputs'";
    if (nodes.count(spec.name))
      return error() << "there are two nodes of this name";
    if (std::min(spec.channels, spec.size) < 1 || spec.channels > 4096 ||
        spec.size > 7)
      return error() << "expects 1 to 4096 channels and a size from 1 to 7";
    SmallVector<Node> inputs;
    for (const std::string &name : spec.inputs) {
      if (!nodes.count(name))
        return error() << "there is no node '" << name << "' before this one";
      inputs.push_back(nodes.lookup(name));
    }
    if (!inputs.empty() && spec.op != "downsample" && !inputs[0].x)
      return error() << "'" << spec.inputs[0] << "' has no features";
    FailureOr<Node> made = emit(spec, inputs);
    if (succeeded(made))
      last = nodes[spec.name] = *made;
    return made;
  }

  /// The function returns the features of the last node.
  LogicalResult finish() {
    if (!last.x)
      return error() << "the last node has no features";
    func::ReturnOp::create(b, last.x);
    return function.insertResult(0, last.x.getType(), {});
  }

private:
  InFlightDiagnostic error() { return emitError(b.getLoc()); }

  FailureOr<Node> emit(const Spec &spec, ArrayRef<Node> inputs) {
    if (spec.op == "input")
      return emitInput(spec);
    auto [set, x] = inputs[0];
    if (spec.op == "downsample") {
      if (getStride(set) * spec.size > 32768)
        return error() << "would make a stride of more than 32768";
      SmallVector<int64_t> by(3, spec.size);
      Value coarse = sc::DownsampleOp::create(
          b, set, by, sc::OutputRule::Floor, /*offsets=*/nullptr,
          /*clip=*/nullptr, /*capacity=*/nullptr, /*coarsening=*/nullptr);
      return Node{coarse, Value()};
    }
    if (spec.op == "conv")
      return emitConv(spec, inputs[0], inputs[1].set);
    int64_t channels = getChannels(x);
    if (spec.op == "linear") { // nothing in it is sparse
      Value weight = addArgument(spec.name + ".weight",
                                 {channels, spec.channels}, b.getF32Type());
      return Node{set, combine<linalg::MatmulOp>(x, weight, spec.channels)};
    }
    if (spec.op == "relu")
      return Node{set, combine<linalg::MaxOp>(x, makeZeros(x, channels))};
    // At run time only row counts are compared.
    if (inputs[1].set != set || !inputs[1].x ||
        inputs[1].x.getType() != x.getType())
      return error() << "expects inputs on one set, with equal channels";
    return Node{set, combine<linalg::AddOp>(x, inputs[1].x)};
  }

  /// Points and features in any order, as arguments; sorted they are on a set.
  Node emitInput(const Spec &spec) {
    constexpr int64_t kRows = ShapedType::kDynamic;
    Value points =
        addArgument(spec.name + ".points", {kRows, 4}, b.getI32Type());
    Value x = addArgument(spec.name + ".features", {kRows, spec.channels},
                          b.getF32Type());
    auto packing =
        sc::PackingAttr::get(b.getContext(), /*keyWidth=*/64,
                             /*batch=*/8, {20, 20, 16}, {32, 32, 32});
    auto type = sc::CoordsType::get(b.getContext(), 3, {1, 1, 1}, packing);
    auto pack = sc::PackOp::create(b, type, points);
    return {pack.getCoords(), sc::GatherOp::create(b, x, pack.getOrder())};
  }

  /// CSE shares maps of equal sets and sizes.
  Node emitConv(const Spec &spec, Node in, Value out) {
    SmallVector<int64_t> window(3, spec.size);
    auto offsets = sc::BoxAttr::get(b.getContext(), window);
    Value map = sc::KernelMapOp::create(
        b, in.set, out, offsets,
        /*transposed=*/getStride(in.set) > getStride(out), /*search=*/nullptr);
    Value weight =
        addArgument(spec.name + ".weight",
                    {offsets.getVolume(), getChannels(in.x), spec.channels},
                    b.getF32Type());
    return {out, sc::ConvOp::create(b, in.x, weight, map)};
  }

  static int64_t getChannels(Value x) {
    return cast<RankedTensorType>(x.getType()).getDimSize(1);
  }
  static int64_t getStride(Value set) {
    return cast<sc::CoordsType>(set.getType()).getStride()[0];
  }

  Value addArgument(Twine name, ArrayRef<int64_t> shape, Type element) {
    auto type = RankedTensorType::get(shape, element);
    return sc::addArgument(function, name, type);
  }

  /// Of as many rows as `like` has.
  Value makeZeros(Value like, int64_t channels) {
    Value rows = tensor::DimOp::create(b, like, 0);
    SmallVector<OpFoldResult> sizes = {rows, b.getIndexAttr(channels)};
    Value empty = tensor::EmptyOp::create(b, sizes, b.getF32Type());
    Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
    return linalg::FillOp::create(b, zero, empty).getResult(0);
  }

  template <typename Op> Value combine(Value x, Value y, int64_t channels = 0) {
    Value zeros = makeZeros(x, channels ? channels : getChannels(x));
    return Op::create(b, ValueRange{x, y}, zeros).getResult(0);
  }

  ImplicitLocOpBuilder b;
  func::FuncOp function;
  llvm::StringMap<Node> nodes;
  Node last;
};
} // namespace

/// The network of a graph. What is wrong with a node is reported at a location
/// with its name, as is what passes find later.
static llvm::Expected<OwningOpRef<ModuleOp>>
importGraph(const json::Value &graph, MLIRContext *context) {
  std::vector<Spec> specs;
  json::Path::Root root("graph");
  if (!fromJSON(graph, specs, root))
    return root.getError();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(context));
  Importer importer(*module);
  LogicalResult result = success();
  for (const Spec &spec : specs)
    if (succeeded(result))
      result = importer.importNode(spec);
  if (failed(result) || failed(importer.finish()) || failed(verify(*module)))
    return llvm::createStringError("the graph is not valid");
  return module;
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

namespace {
/// Before our passes: a convolution may round to tf32, on a GPU that has it.
struct AllowTf32Pass : PassWrapper<AllowTf32Pass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AllowTf32Pass)

  void runOnOperation() override {
    getOperation().walk([](sc::ConvOp conv) { conv.setAllowTf32(true); });
  }
};

/// The nodes that have kernels, in order.
std::vector<std::string> nodes;

/// Between our passes, on kernels on buffers: calls `enter_node(number)` where
/// the kernels of a node begin, and once more at the end.
struct MarkNodesPass : PassWrapper<MarkNodesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkNodesPass)

  void runOnOperation() override {
    OpBuilder b(&getContext());
    getOperation().walk([&](Operation *op) {
      // Each kernel has the location of the node that it was made for. Kernels
      // of ours and linalg's all write into buffers that they name.
      auto node = op->getLoc()->findInstanceOf<NameLoc>();
      bool begins = isa<DestinationStyleOpInterface>(op) && node &&
                    (nodes.empty() || nodes.back() != node.getName());
      if (!begins && !isa<func::ReturnOp>(op))
        return;
      b.setInsertionPoint(op);
      Value number = arith::ConstantOp::create(
          b, op->getLoc(), b.getI64IntegerAttr(nodes.size()));
      func::CallOp::create(b, op->getLoc(), "enter_node", TypeRange(), number);
      if (begins)
        nodes.push_back(node.getName().str());
    });
    b.setInsertionPointToStart(getOperation().getBody());
    func::FuncOp::create(b, b.getUnknownLoc(), "enter_node",
                         b.getFunctionType(b.getI64Type(), {}))
        .setPrivate();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// The compiler
//===----------------------------------------------------------------------===//

using Clock = std::chrono::steady_clock;
static std::vector<std::pair<int64_t, Clock::time_point>> marks;
static void enterNode(int64_t node) { marks.emplace_back(node, Clock::now()); }

/// Runs @main on what the options say, and prints how long each node took.
static llvm::Expected<std::vector<::sparseconv::HostTensor>>
runOnCpu(ModuleOp module) {
  sc::CpuOptions options;
  options.buildPipeline = [](OpPassManager &pm, StringRef target) {
    sc::LowerToBuffersOptions toBuffers;
    toBuffers.target = target.str();
    sc::buildLowerToBuffersPipeline(pm, toBuffers);
    pm.addPass(std::make_unique<MarkNodesPass>());
    sc::buildLowerBuffersToCpuPipeline(pm);
  };
  options.symbols = {{"enter_node", reinterpret_cast<void *>(&enterNode)}};
  auto executable = sc::CpuExecutable::compile(module, options);
  if (!executable)
    return executable.takeError();
  auto bound = arguments.bind(module, "main");
  if (!bound)
    return bound.takeError();
  auto results = (*executable)->run("main", bound->values);
  for (size_t i = 1; results && i < marks.size(); ++i) {
    std::chrono::duration<double> time = marks[i].second - marks[i - 1].second;
    llvm::outs() << llvm::format("%9.3f ms  ", time.count() * 1e3)
                 << nodes[marks[i - 1].first] << "\n";
  }
  return results;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "compiles a graph\n");
  llvm::ExitOnError check(graphPath + ": error: ");
  auto text = check(::sparseconv::readFile(graphPath));
  auto graph = check(json::parse(text->getBuffer()));

  DialectRegistry registry;
  sc::registerDialects(registry);
  sc::registerBriefDiagnostics(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  auto module = check(importGraph(graph, &context));
  PassManager pm(&context);
  pm.addPass(std::make_unique<AllowTf32Pass>());
  if (failed(pm.run(*module)))
    return 1;
  if (print)
    module->print(llvm::outs());
  if (!planPath.empty())
    check(sc::writePlan(*module, "cuda:sm_90a", planPath));
  if (!resultPath.empty()) {
    auto results = check(runOnCpu(*module));
    check(::sparseconv::writeNpy(resultPath, results.front()));
  }
  return 0;
}
