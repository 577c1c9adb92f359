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
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "sparseconv/Conversion/Passes.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Pipelines/LowerToBuffers.h"

using namespace mlir;
using namespace mlir::sparseconv;

static void addCleanUp(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void mlir::sparseconv::buildLowerToCpuPipeline(
    OpPassManager &pm, const LowerToCpuOptions &options) {
  LowerToBuffersOptions toBuffers;
  toBuffers.target = options.target;
  toBuffers.selection.set(options.selection.get());
  buildLowerToBuffersPipeline(pm, toBuffers);

  if (options.instrument)
    pm.addPass(createSparseConvInstrumentKernels());
  buildLowerBuffersToCpuPipeline(pm);
}

void mlir::sparseconv::buildLowerBuffersToCpuPipeline(OpPassManager &pm) {
  // Loops.
  pm.addPass(createConvertSparseConvKernelsToLoops());
  pm.addNestedPass<func::FuncOp>(createSparseConvParalleliseCopies());
  pm.addNestedPass<func::FuncOp>(createSparseConvSplitReductions());
  pm.addNestedPass<func::FuncOp>(createSparseConvReduceInRegisters());
  pm.addNestedPass<func::FuncOp>(createSparseConvInterchangeLoops());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToParallelLoopsPass());
  pm.addNestedPass<func::FuncOp>(createSparseConvLimitParallelism());
  pm.addPass(memref::createFoldMemRefAliasOpsPass());
  addCleanUp(pm);
  pm.addPass(createLoopInvariantCodeMotionPass());

  // Threads. The canonicalizer and what hoists scratch remove
  // memref.alloca_scope, which the conversion to control flow would make
  // invalid.
  pm.addPass(createConvertSCFToOpenMPPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createSparseConvHoistScratch());
  pm.addPass(createSCFToControlFlowPass());

  // The LLVM dialect.
  pm.addNestedPass<func::FuncOp>(createSparseConvLimitAllocations());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
  // Functions before vectors: a function that only the C library has is called
  // for each lane.
  pm.addPass(createSparseConvExpandMath());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  FinalizeMemRefToLLVMConversionPassOptions memref;
  memref.useGenericFunctions = true;
  pm.addPass(createFinalizeMemRefToLLVMConversionPass(memref));
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertOpenMPToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  addCleanUp(pm);
  pm.addPass(createSparseConvOutlineParallel());
}
