//===- RowKernels.h - kernels on features -----------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function writes the kernel of one operation on buffers, before it.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNELS_ROWS_ROWKERNELS_H
#define SPARSECONV_KERNELS_ROWS_ROWKERNELS_H

#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {

/// Convolutions over pair lists, on a CPU.
void emitGatherGemmScatter(LoopBuilder &b, GatherGemmScatterOp op);
void emitWeightGrad(LoopBuilder &b, WeightGradKernelOp op);
/// A convolution of any shape and type, on a GPU.
void emitImplicitGemm(LoopBuilder &b, ImplicitGemmOp op);

/// Pooling.
void emitPool(LoopBuilder &b, PoolKernelOp op);
void emitPoolGrad(LoopBuilder &b, PoolGradKernelOp op);
void emitGlobalPool(LoopBuilder &b, GlobalPoolKernelOp op);
void emitGlobalPoolGrad(LoopBuilder &b, GlobalPoolGradKernelOp op);

/// Rows that move.
void emitGatherRows(LoopBuilder &b, GatherRowsOp op);
void emitIm2col(LoopBuilder &b, Im2colOp op);
void emitInterpolate(LoopBuilder &b, InterpolateOp op);
void emitWeightedGather(LoopBuilder &b, WeightedGatherOp op);
void emitScatterRows(LoopBuilder &b, ScatterRowsOp op);
void emitToDense(LoopBuilder &b, ToDenseKernelOp op);
void emitFromDense(LoopBuilder &b, FromDenseKernelOp op);

} // namespace mlir::sparseconv

#endif // SPARSECONV_KERNELS_ROWS_ROWKERNELS_H
