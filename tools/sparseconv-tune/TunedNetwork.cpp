//===- TunedNetwork.cpp - a network whose layers are decided on -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TunedNetwork.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Execution/CpuExecutable.h"
#include "sparseconv/Execution/CudaExecutable.h"
#include "sparseconv/Pipelines/LowerToBuffers.h"
#include "sparseconv/Pipelines/Registration.h"
#include "sparseconv/Selection/Passes.h"

using namespace mlir;
using namespace mlir::sparseconv;
using llvm::createStringError;
using llvm::Expected;

/// The file that a layer's location names; its line is the number of the layer.
static constexpr StringLiteral kLayerFile = "<layer>";

static std::vector<Operation *> findLayers(ModuleOp module) {
  std::vector<Operation *> layers;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!getShapeClass(op).empty())
      layers.push_back(op);
  });
  return layers;
}

static std::string printText(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

/// The operation that makes the map of `op`, or null.
static Operation *findMap(Operation *op) {
  auto gemm = dyn_cast<ImplicitGemmOpInterface>(op);
  Operation *map = gemm ? gemm.getMap().getDefiningOp() : nullptr;
  while (auto transposed = dyn_cast_if_present<TransposeMapOp>(map))
    map = transposed->getOperand(0).getDefiningOp();
  return map;
}

FailureOr<TunedNetwork> TunedNetwork::prepare(ModuleOp module, StringRef entry,
                                              StringRef target) {
  TunedNetwork network;
  network.target = target.str();
  network.module = module.clone();
  for (auto function : network.module->getOps<func::FuncOp>())
    if (function.getName() != entry)
      function.setPrivate();
  PassManager pm(module.getContext());
  pm.addPass(createSparseConvVerifyNetwork());
  buildPrepareSelectionPipeline(pm, target);
  if (failed(pm.run(*network.module)))
    return failure();

  network.operations = findLayers(*network.module);
  for (auto [number, op] : llvm::enumerate(network.operations)) {
    op->setLoc(FileLineColLoc::get(op->getContext(), kLayerFile, number, 1));
    auto map = llvm::find(network.operations, findMap(op));
    Layer layer;
    layer.shapeClass = getShapeClass(op);
    if (map != network.operations.end())
      layer.map = static_cast<int>(map - network.operations.begin());
    layer.isFixed = !getChoice(op).empty();
    network.layers.push_back(std::move(layer));
  }
  OpPrintingFlags flags;
  flags.enableDebugInfo();
  llvm::raw_string_ostream os(network.text);
  network.module->print(os, flags);
  if (failed(network.chooseByRule()))
    return failure();
  return network;
}

LogicalResult TunedNetwork::chooseByRule() {
  OwningOpRef<ModuleOp> decided(module->clone());
  PassManager pm(decided->getContext());
  pm.addPass(createSparseConvSelectIndexing());
  pm.addPass(createSparseConvSelectDataflow());
  pm.addPass(createSparseConvSelectTiling());
  pm.addPass(createSparseConvVerifySelection());
  if (failed(pm.run(*decided)))
    return failure();
  for (Operation *op : findLayers(*decided))
    untuned.push_back(printText(getChoice(op)));
  return success();
}

std::vector<std::string> TunedNetwork::getChoices(size_t layer,
                                                  StringRef choice,
                                                  Decision decision) const {
  Operation *op = operations[layer];
  DictionaryAttr before = getChoice(op);
  std::vector<std::string> texts;
  if (decide(op, choice).empty())
    for (DictionaryAttr each : mlir::sparseconv::getChoices(op, decision))
      texts.push_back(printText(each));
  setChoice(op, before);
  return texts;
}

int TunedNetwork::findLayer(StringRef location) const {
  unsigned number = 0;
  if (!location.consume_front(kLayerFile) || !location.consume_front(":") ||
      location.consumeInteger(10, number) || number >= layers.size())
    return -1;
  return static_cast<int>(number);
}

Expected<CompiledNetwork> TunedNetwork::compile(const Choices &choices,
                                                bool forProfile) const {
  CompiledNetwork compiled;
  DialectRegistry registry;
  registerDialects(registry);
  // Many of these run at a time.
  compiled.context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  std::string message;
  ScopedDiagnosticHandler handler(
      compiled.context.get(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
            message.empty())
          message = StringRef(diagnostic.str()).split('\n').first.str();
        return success();
      });
  auto copy = parseSourceString<ModuleOp>(text, compiled.context.get());
  if (!copy)
    return createStringError(message);
  for (auto [op, choice] : llvm::zip_equal(findLayers(*copy), choices))
    if (std::string problem = decide(op, choice); !problem.empty())
      return createStringError(problem);
  auto keep = [&](auto executable) -> llvm::Error {
    if (executable) {
      compiled.executable = std::move(*executable);
      return llvm::Error::success();
    }
    std::string error = toString(executable.takeError());
    return createStringError(message.empty() ? error : message);
  };
  StringRef chip = StringRef(target).split(':').second;
  auto compileHere = [&]() -> llvm::Error {
    if (getTargetInfo(*copy).isGpu) {
      CudaOptions options;
      options.chip = chip.str();
      options.selection.tuningDatabase = "none";
      options.ptxas = assembler;
      return keep(CudaExecutable::compile(*copy, options));
    }
    CpuOptions options;
    options.level = chip.str();
    options.selection.tuningDatabase = "none";
    options.instrument = forProfile;
    return keep(CpuExecutable::compile(*copy, options));
  };
  if (llvm::Error error = compileHere())
    return std::move(error);
  return compiled;
}
