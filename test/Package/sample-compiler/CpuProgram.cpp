//===- CpuProgram.cpp - a network on this processor -----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleCompiler.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/ExecutionEngine/CRunnerUtils.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "sparseconv/Execution/RuntimeSymbols.h"
#include "sparseconv/Support/Status.h"
#include "llvm/Support/TargetSelect.h"
#include <chrono>
#include <cstring>

using namespace mlir;
using ::sparseconv::ElementKind;
using ::sparseconv::HostTensor;

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

/// Ours: what carries each operation out, and kernel operations on tensors.
static constexpr StringLiteral kKernels =
    "sparseconv-select-indexing,sparseconv-select-dataflow,"
    "sparseconv-select-tiling,convert-sparseconv-to-kernels";
/// Upstream's, but for one: buffers for everything.
static constexpr StringLiteral kBuffers =
    "canonicalize,cse,sparseconv-lower-row-guards,"
    "one-shot-bufferize{bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map},"
    "buffer-deallocation-pipeline,convert-bufferization-to-memref";
/// Loops: ours for our kernels, upstream's for linalg.
static constexpr StringLiteral kLoops =
    "convert-sparseconv-kernels-to-loops,convert-linalg-to-loops,"
    "fold-memref-alias-ops,expand-strided-metadata,lower-affine,"
    "convert-scf-to-cf";
/// Upstream's, as in any compiler.
static constexpr StringLiteral kLLVM =
    "convert-vector-to-llvm,convert-math-to-llvm,arith-expand,"
    "convert-arith-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm,"
    "convert-cf-to-llvm,reconcile-unrealized-casts";

static LogicalResult lower(ModuleOp module, std::vector<std::string> &nodes) {
  PassManager pm(module.getContext());
  if (failed(parsePassPipeline(kKernels, pm)) ||
      failed(parsePassPipeline(kBuffers, pm)))
    return failure();
  pm.addPass(sample::createMarkNodesPass(nodes));
  if (failed(parsePassPipeline(kLoops, pm)) ||
      failed(parsePassPipeline(kLLVM, pm)))
    return failure();
  return pm.run(module);
}

llvm::Expected<std::unique_ptr<sample::CpuProgram>>
sample::CpuProgram::compile(ModuleOp module) {
  auto program = std::make_unique<CpuProgram>();
  // A function of C that takes pointers to memrefs.
  module.lookupSymbol("main")->setAttr("llvm.emit_c_interface",
                                       UnitAttr::get(module.getContext()));
  if (failed(lower(module, program->nodes)))
    return llvm::createStringError("the graph could not be lowered");
  program->operations = mlir::sparseconv::readOpPlaces(module);

  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  ExecutionEngineOptions options;
  auto optimize = makeOptimizingTransformer(/*optLevel=*/2, /*sizeLevel=*/0,
                                            /*targetMachine=*/nullptr);
  options.transformer = optimize;
  auto engine = ExecutionEngine::create(module, options);
  if (!engine)
    return engine.takeError();
  program->engine = std::move(*engine);
  return program;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

using Clock = std::chrono::steady_clock;

/// By node, of the last run.
static std::vector<Clock::duration> times;
static int64_t currentNode = -1;
static Clock::time_point entered;

/// What the pass of the host's calls.
static void enterNode(int64_t node) {
  Clock::time_point now = Clock::now();
  if (currentNode >= 0)
    times[currentNode] += now - entered;
  currentNode = node;
  entered = now;
}

/// A memref as MLIR's C interface has it: two pointers, an offset, sizes and
/// strides.
static std::vector<int64_t> describe(const void *data,
                                     ArrayRef<int64_t> sizes) {
  std::vector<int64_t> words(3 + 2 * sizes.size());
  words[0] = words[1] = reinterpret_cast<intptr_t>(data);
  int64_t stride = 1;
  for (size_t axis = sizes.size(); axis-- > 0; stride *= sizes[axis]) {
    words[3 + axis] = sizes[axis];
    words[3 + sizes.size() + axis] = stride;
  }
  return words;
}

llvm::Expected<HostTensor>
sample::CpuProgram::run(ArrayRef<const HostTensor *> arguments) {
  engine->registerSymbols([](llvm::orc::MangleAndInterner mangle) {
    llvm::orc::SymbolMap symbols = mlir::sparseconv::getRuntimeSymbols(mangle);
    auto add = [&](StringRef name, auto *function) {
      symbols[mangle(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                               llvm::JITSymbolFlags::Exported};
    };
    add("sample_enter", &enterNode);
    add("memrefCopy", &memrefCopy); // of upstream's runtime
    return symbols;
  });
  times.assign(nodes.size(), {});
  currentNode = -1;

  // Result, arguments, and the record that our conversion added.
  ::sparseconv::StatusRecord status;
  std::vector<std::vector<int64_t>> memrefs = {describe(nullptr, {0, 0})};
  for (const HostTensor *argument : arguments)
    memrefs.push_back(describe(argument->getData(), argument->getShape()));
  memrefs.push_back(describe(&status, {8}));
  std::vector<int64_t *> pointers;
  for (std::vector<int64_t> &memref : memrefs)
    pointers.push_back(memref.data());
  SmallVector<void *> packed;
  for (int64_t *&pointer : pointers)
    packed.push_back(&pointer);
  if (llvm::Error error = engine->invokePacked("_mlir_ciface_main", packed))
    return error;

  const std::vector<int64_t> &result = memrefs[0];
  std::unique_ptr<void, decltype(&std::free)> owner(
      reinterpret_cast<void *>(result[0]), std::free);
  if (status.code != 0) {
    mlir::sparseconv::OpPlace op;
    if (size_t(status.opId) < operations.size())
      op = operations[status.opId];
    return llvm::createStringError(
        ::sparseconv::formatStatus(status, op.name, "node '" + op.place + "'"));
  }
  HostTensor tensor(ElementKind::F32, {result[3], result[4]});
  const auto *data = reinterpret_cast<const float *>(result[1]) + result[2];
  std::memcpy(tensor.getData(), data, tensor.getNumBytes());
  return tensor;
}

std::vector<std::pair<std::string, double>>
sample::CpuProgram::getTimes() const {
  std::vector<std::pair<std::string, double>> result;
  for (size_t i = 0; i != nodes.size(); ++i)
    result.emplace_back(nodes[i],
                        std::chrono::duration<double>(times[i]).count());
  return result;
}
