//===- Patterns.h - kernels of a GPU ----------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_CONVERSION_KERNELSTOGPU_PATTERNS_H
#define SPARSECONV_LIB_CONVERSION_KERNELSTOGPU_PATTERNS_H

#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {

/// Each writes the kernels of one operation on buffers, before it, and their
/// launches.
void emitPackWeights(LoopBuilder &b, PackWeightsOp op);
void emitTiledGemm(LoopBuilder &b, TiledGemmOp op);
void emitPairGemm(LoopBuilder &b, GatherGemmScatterOp op);
void emitTiledWeightGrad(LoopBuilder &b, TiledWeightGradOp op);

/// Why no kernel can be made of a tiling on `target`, or an empty string.
std::string describeProblem(PackWeightsOp op, const TargetInfo &target);
std::string describeProblem(TiledGemmOp op, const TargetInfo &target);
std::string describeProblem(GatherGemmScatterOp op, const TargetInfo &target);
std::string describeProblem(TiledWeightGradOp op, const TargetInfo &target);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_CONVERSION_KERNELSTOGPU_PATTERNS_H
