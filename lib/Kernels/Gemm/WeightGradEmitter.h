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

/// Divides the work into thread blocks, finds the pairs of one and stores its
/// sums. One emitter writes one kernel.
///
/// A thread block goes over the rows of its row block in rounds:
///
///   scan      each thread reads some entries of its offset's column of the
///             table; pairs go to the team's list in shared memory, in the
///             order of the rows. Repeated until a list is full or the row
///             block at its end.
///   multiply  the main loop adds the products of all listed pairs to its sums.
///
/// and then stores the sums as its split of the gradient.
class WeightGradEmitter {
public:
  WeightGradEmitter(GpuBuilder &b, const WeightGradConfig &config,
                    gpu::GPUFuncOp kernel);

  /// Adds the products of the first `pairs` pairs of the list to `sums`.
  using MultiplyList =
      function_ref<void(Value pairs, SmallVector<Value> &sums)>;
  /// Writes the kernel: calls `multiply` in a loop over lists of pairs, then
  /// `store` with all sums, of which there are `count`. All threads of the
  /// thread block meet after each call of `multiply`.
  void emit(int64_t count, MultiplyList multiply,
            function_ref<void(ValueRange sums)> store);

  /// Row of x or of dy of a listed pair. Behind the last pair, anything.
  Value loadRow(Value pair, bool isOut);
  /// Where the gradient of this thread block's offset begins in the split of
  /// `lane`.
  Value getSplit(Value lane);

  GpuBuilder &b;
  const WeightGradConfig &config;
  Value x, dy, splits;
  /// The team of this thread, null if there is one only; its place in the team.
  Value team, thread, lane, warp;
  /// Shared memory of the team's stages.
  Value staged;
  /// What of the offset's gradient this team owns.
  Value firstGroup, firstIn, firstOut;

private:
  /// The next row to look at, and the pairs that each team has listed.
  struct List {
    Value row;
    SmallVector<Value> pairs;

    void fields(LoopFields &f) { f(row, pairs); }
  };
  struct State {
    Value row;
    SmallVector<Value> sums;

    void fields(LoopFields &f) { f(row, sums); }
  };

  Value setRows();
  List fillList(Value row);
  void listPairs(List &at);
  SmallVector<Value> loadEntries(Value first);
  Value addWarps(SmallVector<Value> &pairs, Value before, Value inWarp);
  /// That of the values for all teams which is this team's.
  Value selectOwn(ArrayRef<Value> ofTeams);
  void setTeam();
  void setTile();

  Value table, inRows, rows, rowBlock, offset, column, end, list, totals;
  /// Whether the team has an offset, or null if all have.
  Value hasOffset;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GEMM_WEIGHTGRADEMITTER_H
