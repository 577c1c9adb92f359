//===- WeightGradEmitter.h - what both weight gradients share ---*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_GPU_WEIGHTGRADEMITTER_H
#define SPARSECONV_LIB_KERNELS_GPU_WEIGHTGRADEMITTER_H

#include "sparseconv/Kernels/WeightGrad.h"

namespace mlir::sparseconv {

/// Divides the work into blocks, finds the pairs of a block and stores its
/// sums. One emitter writes one kernel.
class WeightGradEmitter {
public:
  WeightGradEmitter(GpuBuilder &b, const WeightGradConfig &config,
                    gpu::GPUFuncOp kernel);

  /// Calls `multiply` in a loop over lists of pairs, with the number of pairs
  /// and the sums so far, of which there are `count`; then `store` with all.
  /// Threads meet after each call of `multiply`.
  void
  emit(int64_t count,
       function_ref<SmallVector<Value>(Value pairs, ValueRange sums)> multiply,
       function_ref<void(ValueRange sums)> store);

  /// Row of x or of dy of a listed pair. Behind the last pair, anything.
  Value loadRow(Value pair, bool isOut);
  /// Where the gradient of this block's offset begins in the part of `lane`.
  Value getPart(Value lane);

  GpuBuilder &b;
  const WeightGradConfig &config;
  Value x, dy, parts, thread, lane, warp;
  /// Shared memory of the stages.
  Value staged;
  /// What of the offset's gradient this block owns.
  Value firstGroup, firstIn, firstOut;

private:
  std::pair<Value, Value> listPairs(Value row, Value pairs);

  Value table, inRows, rows, chunk, offset, column, end, list, totals;
};

void emitWeightGradFma(WeightGradEmitter &e);
void emitWeightGradMma(WeightGradEmitter &e);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GPU_WEIGHTGRADEMITTER_H
