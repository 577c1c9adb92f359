//===- LowerToBuffers.cpp - from a network to kernels on buffers ----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Pipelines/LowerToBuffers.h"
#include "mlir/Conversion/BufferizationToMemRef/BufferizationToMemRef.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "sparseconv/Conversion/Passes.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Selection/Passes.h"
#include "sparseconv/Support/TargetInfo.h"

using namespace mlir;
using namespace mlir::sparseconv;

static void addCleanUp(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

//===----------------------------------------------------------------------===//
// Steps that only a GPU needs: its host runs straight through its launches
//===----------------------------------------------------------------------===//

static void addInlineWhatIsKept(OpPassManager &pm) {
  pm.addPass(createSparseConvAllowInlining());
}

static void addUnrollLoops(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createSparseConvUnrollLoops());
  addCleanUp(pm);
}

static void addFusedGathers(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createSparseConvFuseGathers());
}

static void addTrustedRowNumbers(OpPassManager &pm, bool comparedArguments) {
  SparseConvTrustRowNumbersOptions trust;
  trust.comparedArguments = comparedArguments;
  pm.addNestedPass<func::FuncOp>(createSparseConvTrustRowNumbers(trust));
}

static void addFlattenBranches(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createSparseConvFlattenBranches());
}

static void addSeparateBuffers(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createSparseConvSeparateBuffers());
}

/// While the operations of the network still have their numbers.
static void addGuardAccesses(OpPassManager &pm) {
  pm.addPass(createSparseConvGuardAccesses());
}

//===----------------------------------------------------------------------===//
// Steps of all targets
//===----------------------------------------------------------------------===//

/// Networks call elementwise helpers; inlined, they fuse.
static void addInlining(OpPassManager &pm) {
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  addCleanUp(pm);
}

/// Decisions, then kernel operations.
static void addKernelOperations(OpPassManager &pm,
                                const SelectionOptions &options) {
  const std::string &database = options.tuningDatabase;
  if (options.explain) {
    SparseConvExplainSelectionOptions explain;
    explain.tuningDatabase = database;
    pm.addPass(createSparseConvExplainSelection(explain));
  }
  pm.addPass(createSparseConvSelectIndexing({database}));
  pm.addPass(createSparseConvSelectDataflow({database}));
  pm.addPass(createSparseConvSelectTiling());
  pm.addPass(createSparseConvVerifySelection());
  ConvertSparseConvToKernelsOptions convert;
  convert.everyFunction = true;
  pm.addPass(createConvertSparseConvToKernels(convert));
}

/// Comparisons of the row counts that operations rely on. Where counts agree by
/// construction, they fold away.
static void addGuards(OpPassManager &pm) {
  addCleanUp(pm);
  pm.addPass(createSparseConvLowerRowGuards());
  pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  addCleanUp(pm);
  pm.addNestedPass<func::FuncOp>(createSparseConvGuardShapes());
  addCleanUp(pm);
  pm.addNestedPass<func::FuncOp>(createSparseConvFuseConcatenations());
  pm.addNestedPass<func::FuncOp>(createSparseConvFusePickedRows());
  pm.addNestedPass<func::FuncOp>(createSparseConvFuseTranspositions());
}

/// Fusion over changes of shape asks tensors for their sizes. These are uses
/// that keep a producer apart until they are resolved.
static void addFusionStep(OpPassManager &pm) {
  pm.addPass(createSparseConvFuseElementwise());
  pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  addCleanUp(pm);
}

static void addElementwiseFusion(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createLinalgGeneralizeNamedOpsPass());
  pm.addPass(createCompositeFixedPointPass("FuseElementwise", addFusionStep));
  pm.addNestedPass<func::FuncOp>(createSparseConvMergeReductions());
}

static void addBufferization(OpPassManager &pm) {
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  // Sets and maps that a loop carries change size in it.
  bufferize.allowReturnAllocsFromLoops = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  addCleanUp(pm);
  bufferization::buildBufferDeallocationPipeline(pm);
  pm.addPass(createConvertBufferizationToMemRefPass());
  addCleanUp(pm);
  // Memory goes back to the pool where it is used last, not where it is out of
  // scope.
  pm.addNestedPass<func::FuncOp>(
      bufferization::createOptimizeAllocationLivenessPass());
}

/// Whether `text` names a GPU. What it names wrongly the pass that sets the
/// target reports.
static bool isGpu(StringRef text) {
  llvm::Expected<Target> target = parseTarget(text);
  if (target)
    return target->info->isGpu;
  llvm::consumeError(target.takeError());
  return false;
}

/// Calls `add` with `pm` where the target is a GPU.
static void addOnGpu(OpPassManager &pm, StringRef target,
                     void (*add)(OpPassManager &)) {
  if (isGpu(target))
    add(pm);
}

void mlir::sparseconv::buildPrepareSelectionPipeline(OpPassManager &pm,
                                                     StringRef targetName) {
  SparseConvSetTargetOptions target;
  target.target = targetName.str();
  pm.addPass(createSparseConvSetTarget(target));
  // Before any clean-up: upstream folds some operations on tensors of dynamic
  // size to constants, which have none.
  pm.addPass(createSparseConvConvertElementwise());
  addOnGpu(pm, targetName, addInlineWhatIsKept);
  addInlining(pm);
  addOnGpu(pm, targetName, addUnrollLoops);
  pm.addNestedPass<func::FuncOp>(createSparseConvFuseEpilogues());
  addOnGpu(pm, targetName, addFusedGathers);
}

void mlir::sparseconv::buildLowerToBuffersPipeline(
    OpPassManager &pm, const LowerToBuffersOptions &options) {
  buildPrepareSelectionPipeline(pm, options.target);
  if (isGpu(options.target))
    addTrustedRowNumbers(pm, options.comparedArguments);
  addKernelOperations(pm, options.selection.get());
  if (!isGpu(options.target))
    addGuardAccesses(pm);
  addGuards(pm);
  addOnGpu(pm, options.target, addFlattenBranches);
  addElementwiseFusion(pm);
  pm.addNestedPass<func::FuncOp>(createSparseConvSeparateResults());
  addOnGpu(pm, options.target, addSeparateBuffers);
  addBufferization(pm);
}
