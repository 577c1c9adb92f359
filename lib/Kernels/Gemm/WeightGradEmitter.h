//===- WeightGradEmitter.h - what both weight gradients share ---*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_GEMM_WEIGHTGRADEMITTER_H
#define SPARSECONV_LIB_KERNELS_GEMM_WEIGHTGRADEMITTER_H

#include "sparseconv/Kernels/Builders/LoopState.h"
#include "sparseconv/Kernels/Gemm/WeightGrad.h"

namespace mlir::sparseconv {

/// Divides the work into thread blocks and stores their sums. One emitter
/// writes one kernel.
///
/// The pairs of an offset are cut into steps. The thread blocks of an offset
/// take its steps in turn, so that all go over the rows side by side: what one
/// reads of x and of dy, others read soon.
class WeightGradEmitter {
public:
  WeightGradEmitter(GpuBuilder &b, const WeightGradConfig &config,
                    gpu::GPUFuncOp kernel);

  /// Writes the kernel: calls `multiply` once, which adds the products of all
  /// pairs of the thread block to the sums, of which there are `count`; then
  /// `store` with them.
  void emit(int64_t count,
            function_ref<void(SmallVector<Value> &sums)> multiply,
            function_ref<void(ValueRange sums)> store);

  /// How many pairs the offset has from a step's first one on.
  Value countPairs(Value step) { return b.sub(pairs, getFirstPair(step)); }
  /// Starts to copy the numbers of a step's rows to shared memory, which has
  /// room for those of 2 * `stages` steps on end.
  void fetchRows(Value step);
  /// Copies those of the steps that are fetched before the first is multiplied.
  /// All threads meet.
  void fetchFirstRows();
  /// Copies those of a step at once; there is room for two steps.
  void copyRows(Value step);
  /// The row of x or of dy that the step's pair `local` has.
  Value loadRow(Value step, Value local, bool isOut);
  /// Whether a row of x is one.
  Value isRow(Value row) { return b.lessUnsigned(row, inRows); }
  /// Where the gradient of this thread block's offset begins in the split of
  /// `slice`.
  Value getSplit(Value slice);

  GpuBuilder &b;
  const WeightGradConfig &config;
  Value x, dy, splits;
  Value thread, lane, warp;
  /// How many steps this thread block has.
  Value steps;
  /// Shared memory of the stages.
  Value staged;
  /// What of the offset's gradient this thread block owns.
  Value firstGroup, firstIn, firstOut;

private:
  void setOffset();
  void setTile();
  Value getFirstPair(Value step);
  void
  forRowsOf(Value step,
            function_ref<void(Value isThere, Value target, Value source)> body);
  Value getSlot(Value step) {
    return b.offset(rowsOfSteps, b.mul(b.andBits(step, config.rowSlots() - 1),
                                       2 * config.pairs * 4));
  }

  Value lists[2], counts, shares, inRows, pitch, rowsOfSteps;
  /// The offset, its pairs, its thread blocks, and which of them this one is.
  Value offset, pairs, turns, turn;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GEMM_WEIGHTGRADEMITTER_H
