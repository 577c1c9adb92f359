//===- LowerToGpu.cpp - from a network to GPU kernels ---------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Pipelines/LowerToGpu.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "sparseconv/Conversion/Passes.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Pipelines/LowerToBuffers.h"

using namespace mlir;

void mlir::sparseconv::buildLowerToGpuPipeline(
    OpPassManager &pm, const LowerToGpuOptions &options) {
  pm.addNestedPass<func::FuncOp>(createSparseConvFindEqualRows());
  LowerToBuffersOptions toBuffers;
  toBuffers.target = options.target;
  toBuffers.selection.set(options.selection.get());
  toBuffers.comparedArguments = options.comparedArguments;
  buildLowerToBuffersPipeline(pm, toBuffers);
  pm.addNestedPass<func::FuncOp>(createSparseConvBoundCounts());
  pm.addNestedPass<func::FuncOp>(createSparseConvFuseSearchAndTiling());
  pm.addNestedPass<func::FuncOp>(createSparseConvParalleliseCopies());
  pm.addNestedPass<func::FuncOp>(createSparseConvFuseReductions());
  pm.addNestedPass<func::FuncOp>(createSparseConvSplitReductions());
  pm.addNestedPass<func::FuncOp>(createSparseConvReduceInRegisters());
  pm.addNestedPass<func::FuncOp>(createSparseConvVectoriseElementwise());
  pm.addNestedPass<func::FuncOp>(createSparseConvInterchangeLoops());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToParallelLoopsPass());
  pm.addPass(memref::createResolveShapedTypeResultDimsPass());
  pm.addPass(createLowerAffinePass());
  // Kernels are much code, which the passes above would only go over.
  pm.addPass(createConvertSparseConvKernelsToGpu());
  pm.addNestedPass<func::FuncOp>(createSparseConvResolveReshapes());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // Nothing may come between: a canonicalizer would move constants out of
  // kernels and undo the views through which they take buffers.
  pm.addNestedPass<func::FuncOp>(createSparseConvFormKernels());
  pm.addPass(createGpuKernelOutliningPass());
  pm.addPass(createSparseConvMergeKernels());
}
