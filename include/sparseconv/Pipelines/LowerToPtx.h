//===- LowerToPtx.h - from a network to PTX ---------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_PIPELINES_LOWERTOPTX_H
#define SPARSECONV_PIPELINES_LOWERTOPTX_H

#include "sparseconv/Pipelines/LowerToGpu.h"

namespace mlir::sparseconv {

/// From a network to plan functions and a `gpu.binary` with the PTX of the
/// kernels that they launch.
void buildLowerToPtxPipeline(OpPassManager &pm,
                             const LowerToGpuOptions &options);

} // namespace mlir::sparseconv

#endif // SPARSECONV_PIPELINES_LOWERTOPTX_H
