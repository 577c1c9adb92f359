//===- KernelCalls.h - calls of generated kernels ---------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_CONVERSION_KERNELSTOGPU_KERNELCALLS_H
#define SPARSECONV_LIB_CONVERSION_KERNELSTOGPU_KERNELCALLS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {

/// A new module for kernels of `op`; equal kernels are merged later.
gpu::GPUModuleOp createKernelModule(LoopBuilder &b, Operation *op,
                                    StringRef name);

/// `buffer`, or a copy whose rows lie side by side, as the generators expect
/// them: a view may be of some columns.
Value readDense(LoopBuilder &b, Value buffer);
/// `buffer`, or one like it whose rows lie side by side, to be written instead;
/// `writeBack` then moves what it holds to `buffer`.
Value getDense(LoopBuilder &b, Value buffer);
void writeBack(LoopBuilder &b, Value dense, Value buffer);

/// What a kernel is launched with.
struct LaunchShape {
  /// Thread blocks along the two axes of the grid.
  Value gridX;
  int64_t gridY = 1;
  /// Of a thread block.
  int64_t threads = 1, sharedBytes = 0;
};

/// Launches a kernel that takes the addresses of `buffers`.
void callKernel(LoopBuilder &b, gpu::GPUFuncOp kernel, const LaunchShape &shape,
                ArrayRef<Value> buffers);

/// Element `i` of a buffer of one dimension, as a buffer.
Value getElement(LoopBuilder &b, Value buffer, int64_t i);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_CONVERSION_KERNELSTOGPU_KERNELCALLS_H
