//===- Patterns.h - kernels of a GPU ----------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_CONVERSION_KERNELSTOGPU_PATTERNS_H
#define SPARSECONV_LIB_CONVERSION_KERNELSTOGPU_PATTERNS_H

#include "mlir/IR/PatternMatch.h"
#include "sparseconv/Kernels/Gemm/ImplicitGemm.h"

namespace mlir::sparseconv {

/// pack_weights, tiled_gemm.
void populateTiledGemmToGpuPatterns(RewritePatternSet &patterns);
/// implicit_weight_grad.
void populateWeightGradToGpuPatterns(RewritePatternSet &patterns);

/// Errors for tilings that no kernel can be made of on `target`.
LogicalResult verifyTiling(PackWeightsOp op, const TargetInfo &target);
LogicalResult verifyTiling(TiledGemmOp op, const TargetInfo &target);
LogicalResult verifyTiling(ImplicitWeightGradOp op, const TargetInfo &target);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_CONVERSION_KERNELSTOGPU_PATTERNS_H
