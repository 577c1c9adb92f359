//===- LowerToCpu.cpp - from a network to the LLVM dialect ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Pipelines/LowerToCpu.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/BufferizationToMemRef/BufferizationToMemRef.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/OpenMPToLLVM/ConvertOpenMPToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/SCFToOpenMP/SCFToOpenMP.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "sparseconv/Conversion/Passes.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::sparseconv;

static void addCleanUp(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void mlir::sparseconv::buildLowerToBuffersPipeline(
    OpPassManager &pm, const LowerToCpuOptions &options) {
  // Networks call elementwise helpers; inlined, they fuse.
  if (options.target == "cuda")
    pm.addPass(createSparseConvAllowInlining());
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  addCleanUp(pm);
  if (options.target == "cuda") {
    pm.addNestedPass<func::FuncOp>(createSparseConvUnrollLoops());
    addCleanUp(pm);
  }

  // Decisions, then kernels.
  SparseConvSelectDataflowOptions dataflow;
  dataflow.target = options.target;
  dataflow.chip = options.chip;
  pm.addPass(createSparseConvSelectDataflow(dataflow));
  SparseConvSelectTilingOptions tiling;
  tiling.vectorBits = options.vectorBits;
  pm.addPass(createSparseConvSelectTiling(tiling));
  pm.addPass(createSparseConvVerifySelection());
  pm.addPass(createConvertSparseConvToKernels());
  addCleanUp(pm);
  pm.addPass(createSparseConvLowerRowGuards());
  // Where row counts agree by construction, the guards fold away.
  pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  addCleanUp(pm);
  pm.addNestedPass<func::FuncOp>(createSparseConvGuardShapes());
  addCleanUp(pm);
  if (options.target == "cuda")
    pm.addNestedPass<func::FuncOp>(createSparseConvFlattenBranches());

  // Elementwise operations.
  pm.addNestedPass<func::FuncOp>(createLinalgGeneralizeNamedOpsPass());
  pm.addPass(createLinalgElementwiseOpFusionPass());
  addCleanUp(pm);

  // Buffers.
  pm.addNestedPass<func::FuncOp>(createSparseConvSeparateResults());
  if (options.target == "cuda")
    pm.addNestedPass<func::FuncOp>(createSparseConvSeparateBuffers());
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

void mlir::sparseconv::buildLowerToCpuPipeline(
    OpPassManager &pm, const LowerToCpuOptions &options) {
  buildLowerToBuffersPipeline(pm, options);

  if (options.instrument)
    pm.addPass(createSparseConvInstrumentKernels());

  // Loops.
  pm.addPass(createConvertSparseConvKernelsToLoops());
  pm.addNestedPass<func::FuncOp>(createSparseConvParalleliseCopies());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToParallelLoopsPass());
  pm.addNestedPass<func::FuncOp>(createSparseConvLimitParallelism());
  pm.addPass(memref::createFoldMemRefAliasOpsPass());
  addCleanUp(pm);
  pm.addPass(createLoopInvariantCodeMotionPass());

  // Threads. The canonicalizer in between removes memref.alloca_scope, which
  // the conversion to control flow would make invalid.
  pm.addPass(createConvertSCFToOpenMPPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createSCFToControlFlowPass());

  // The LLVM dialect.
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createArithToLLVMConversionPass());
  FinalizeMemRefToLLVMConversionPassOptions memref;
  memref.useGenericFunctions = true;
  pm.addPass(createFinalizeMemRefToLLVMConversionPass(memref));
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertOpenMPToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  addCleanUp(pm);
}
