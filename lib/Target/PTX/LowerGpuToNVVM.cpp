//===- LowerGpuToNVVM.cpp - GPU modules to the NVVM dialect ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Target/PTX/LowerGpuToNVVM.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "sparseconv/Target/PTX/Passes.h"

using namespace mlir;

void mlir::sparseconv::buildLowerGpuToNVVMPipeline(OpPassManager &outer) {
  OpPassManager &pm = outer.nest<gpu::GPUModuleOp>();
  // What is nested works on kernels side by side.
  pm.addNestedPass<gpu::GPUFuncOp>(createCanonicalizerPass());
  pm.addNestedPass<gpu::GPUFuncOp>(createCSEPass());
  pm.addPass(createSparseConvApproximateMath());
  pm.addPass(createSparseConvExpandDeviceMath());
  OpPassManager &kernel = pm.nest<gpu::GPUFuncOp>();
  kernel.addPass(memref::createExpandStridedMetadataPass());
  kernel.addPass(createLowerAffinePass());
  kernel.addPass(createSCFToControlFlowPass());
  // Vectors before GPU operations: the other order leaves casts behind.
  kernel.addPass(createConvertMathToLLVMPass());
  kernel.addPass(createConvertVectorToLLVMPass());
  ConvertGpuOpsToNVVMOpsOptions options;
  options.useBarePtrCallConv = true;
  pm.addPass(createConvertGpuOpsToNVVMOps(options));
  OpPassManager &function = pm.nest<LLVM::LLVMFuncOp>();
  function.addPass(createConvertNVVMToLLVMPass());
  function.addPass(createCanonicalizerPass());
  function.addPass(createCSEPass());
  function.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createSparseConvPlaceSharedMemory());
}

void mlir::sparseconv::registerLowerGpuToNVVMPipeline() {
  PassPipelineRegistration<>(
      "sparseconv-lower-gpu-to-nvvm",
      "lowers GPU kernels to the LLVM and NVVM dialects",
      [](OpPassManager &pm) { buildLowerGpuToNVVMPipeline(pm); });
}
