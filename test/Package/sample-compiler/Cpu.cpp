//===- Cpu.cpp - a network on this processor ------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleCompiler.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/ExecutionEngine/CRunnerUtils.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "sparseconv/Dialect/SparseConv/IR/OpPlaces.h"
#include "sparseconv/Execution/RuntimeSymbols.h"
#include "sparseconv/Runtime/CpuCall.h"
#include "llvm/Support/TargetSelect.h"
#include <chrono>
#include <cstring>

using namespace mlir;
namespace cpu = ::sparseconv::cpu;
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
/// Upstream's, as in any compiler; memory comes from our runtime.
static constexpr StringLiteral kLLVM =
    "convert-vector-to-llvm,convert-math-to-llvm,arith-expand,"
    "convert-arith-to-llvm,finalize-memref-to-llvm{use-generic-functions=1},"
    "convert-func-to-llvm,"
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

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

using Clock = std::chrono::steady_clock;

/// By node, of the call under way.
static std::vector<Clock::duration> spent;
static int64_t currentNode = -1;
static Clock::time_point entered;

/// What the pass of the host's calls.
static void enterNode(int64_t node) {
  Clock::time_point now = Clock::now();
  if (currentNode >= 0)
    spent[currentNode] += now - entered;
  currentNode = node;
  entered = now;
}

static llvm::orc::SymbolMap getSymbols(llvm::orc::MangleAndInterner mangle) {
  llvm::orc::SymbolMap symbols = mlir::sparseconv::getRuntimeSymbols(mangle);
  auto add = [&](StringRef name, auto *function) {
    symbols[mangle(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                             llvm::JITSymbolFlags::Exported};
  };
  add("sample_enter", &enterNode);
  add("memrefCopy", &memrefCopy); // of upstream's runtime
  return symbols;
}

llvm::Expected<HostTensor>
sample::runOnCpu(ModuleOp module, ArrayRef<HostTensor> arguments,
                 std::vector<std::pair<std::string, double>> &times) {
  // A function of C that takes pointers to memrefs.
  module.lookupSymbol("main")->setAttr("llvm.emit_c_interface",
                                       UnitAttr::get(module.getContext()));
  std::vector<std::string> nodes;
  if (failed(lower(module, nodes)))
    return llvm::createStringError("the graph could not be lowered");
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  ExecutionEngineOptions options;
  auto optimize = makeOptimizingTransformer(/*optLevel=*/2, /*sizeLevel=*/0,
                                            /*targetMachine=*/nullptr);
  options.transformer = optimize;
  auto engine = ExecutionEngine::create(module, options);
  if (!engine)
    return engine.takeError();
  (*engine)->registerSymbols(getSymbols);
  auto function = (*engine)->lookupPacked("_mlir_ciface_main");
  if (!function)
    return function.takeError();

  // The result is a matrix. Behind the arguments comes the status record that
  // our conversion added.
  std::vector<::sparseconv::plan::Value> parameters(arguments.size()),
      results(1);
  results[0].dims.resize(2);
  std::vector<cpu::Array> arrays;
  for (const HostTensor &argument : arguments)
    arrays.push_back({argument.getData(), argument.getShape().vec()});
  cpu::Call call(parameters, results, arrays);
  spent.assign(nodes.size(), {});
  if (uint64_t missing = call.run(*function))
    return llvm::createStringError(cpu::describeMissing(missing));
  if (const auto &status = call.getStatus(); status.code != 0) {
    mlir::sparseconv::OpPlace op =
        mlir::sparseconv::readOpPlaces(module)[status.opId];
    return llvm::createStringError(
        ::sparseconv::formatStatus(status, op.name, "node '" + op.place + "'"));
  }
  for (auto [node, time] : llvm::zip(nodes, spent))
    times.emplace_back(node, std::chrono::duration<double>(time).count());
  cpu::Array found = call.getOutput(0);
  HostTensor result(::sparseconv::ElementKind::F32, found.sizes);
  std::memcpy(result.getData(), found.data, result.getNumBytes());
  return result;
}
