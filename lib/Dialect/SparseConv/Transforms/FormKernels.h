//===- FormKernels.h - kernels, and what the host does ----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_FORMKERNELS_H
#define SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_FORMKERNELS_H

#include "Capacities.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {

/// Whether a kernel can repeat `op` instead of being handed its results.
bool isRepeatable(Operation *op);

/// The work of sparseconv-form-kernels on one function, in three steps:
/// - its operations are divided into launches and what stays on the host
///   (FormLaunches.cpp);
/// - each launch takes in what it needs of the host's values
///   (TakeOperands.cpp);
/// - what the host still computes becomes arithmetic on capacities
///   (FormKernels.cpp).
class KernelFormer {
public:
  KernelFormer(func::FuncOp function, int64_t blockSize)
      : function(function), rewriter(function.getContext()),
        blockSize(blockSize) {}

  LogicalResult run();

private:
  /// Launches of `block`, each under `conditions`.
  LogicalResult divide(Block &block, ArrayRef<Value> conditions);
  LogicalResult divideBranch(scf::IfOp branch, ArrayRef<Value> conditions);
  /// A launch of one thread with `ops`, which follow each other.
  void formScalarKernel(ArrayRef<Operation *> ops, ArrayRef<Value> conditions);
  LogicalResult formLoopKernel(scf::ParallelOp loop,
                               ArrayRef<Value> conditions);
  gpu::LaunchOp createLaunch(Location loc, Value gridSize, int64_t threads);
  void addConditions(gpu::LaunchOp launch, ArrayRef<Value> conditions);

  /// Makes `launch` independent of numbers that only the device knows.
  LogicalResult takeIn(gpu::LaunchOp launch);
  Value takeIn(OpBuilder &builder, Value value, IRMapping &mapping,
               Operation *user);
  /// The number of the device for a dynamic size of a buffer.
  Value getSize(memref::DimOp dim);
  Value rebuildBuffer(OpBuilder &builder, Value base, IRMapping &mapping,
                      Operation *user);

  LogicalResult returnSizes();
  LogicalResult useCapacities();

  func::FuncOp function;
  IRRewriter rewriter;
  int64_t blockSize;
  Capacities capacities;
  SmallVector<gpu::LaunchOp> launches;
  /// Launches of kernels that are already functions.
  SmallVector<gpu::LaunchFuncOp> calls;
  /// For each buffer: its dynamic sizes, as numbers of the device; and its
  /// address alone, as kernels take it.
  llvm::DenseMap<Value, SmallVector<Value>> sizes;
  llvm::DenseMap<Value, Value> addresses;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_FORMKERNELS_H
