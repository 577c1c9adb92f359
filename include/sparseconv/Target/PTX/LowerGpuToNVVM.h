//===- LowerGpuToNVVM.h - GPU modules to the NVVM dialect -------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TARGET_PTX_LOWERGPUTONVVM_H
#define SPARSECONV_TARGET_PTX_LOWERGPUTONVVM_H

namespace mlir {
class OpPassManager;

namespace sparseconv {

/// Lowers the kernels of every `gpu.module` to the LLVM and NVVM dialects, as
/// `translateToPtx` takes them. Adds to a pass manager of the outer module.
void buildLowerGpuToNVVMPipeline(OpPassManager &pm);

void registerLowerGpuToNVVMPipeline();

} // namespace sparseconv
} // namespace mlir

#endif // SPARSECONV_TARGET_PTX_LOWERGPUTONVVM_H
