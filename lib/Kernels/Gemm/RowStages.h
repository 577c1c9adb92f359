//===- RowStages.h - rows of several offsets on their way -------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp that loads the rows of one offset while it multiplies those of the
// offset before waits for memory once for each offset. With n stages it does so
// once for n of them: each stage has registers of its own, and takes every n-th
// offset of the tile.
//
//                 prologue      step                    step
//   stage 0:      load k0       multiply k0, load k2    multiply k2, load k4
//   stage 1:      load k1       multiply k1, load k3    multiply k3, load k5
//
// A register that is on its way cannot be handed on without a wait, so a step
// goes through all stages, and its code is n times as long. Stages behind the
// last offset multiply zeros.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_GEMM_ROWSTAGES_H
#define SPARSECONV_LIB_KERNELS_GEMM_ROWSTAGES_H

#include "ImplicitGemmEmitter.h"
#include "TensorCores.h"

namespace mlir::sparseconv {

class RowStages {
public:
  struct Stage {
    OffsetCursor at;
    /// The rows of `at`'s offset.
    Fragment rows;

    void fields(LoopFields &f) { f(at, rows); }
  };

  /// The most stages. A walk goes beyond the last offset by fewer than three
  /// times as many steps.
  static constexpr int64_t kMost = 4;

  /// Registers of a thread for each stage but the first.
  static int64_t estimateRegisters(const ImplicitGemmConfig &config) {
    constexpr int64_t ofCursor = 6;
    return (config.stages - 1) * (FragmentRegisters(config).rows + ofCursor);
  }
  /// Why there cannot be so many, or an empty string.
  static std::string verify(const ImplicitGemmConfig &config);

  RowStages() = default;
  /// Loads neighbours for the first offsets of a walk, and for those after
  /// them; one for each stage.
  RowStages(ImplicitGemmEmitter &e, const OffsetWalk &walk, int64_t count);
  /// Loads the rows of these neighbours.
  void gather(ImplicitGemmEmitter &e);

  /// Where the first stage is: the others have later offsets, or none.
  const OffsetCursor &getFirst() const { return stages.front().at; }
  /// Calls `body` with each stage, in the order of their offsets, and with the
  /// offset whose weights to take: one that the tile has, if it has any. The
  /// body multiplies and moves the stage on.
  void step(GpuBuilder &b, function_ref<void(Stage &stage, Value offset)> body);

  void fields(LoopFields &f) {
    for (Stage &stage : stages)
      f(stage);
  }

private:
  /// The walk that all share is in the first stage's cursor.
  SmallVector<Stage, 0> stages;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GEMM_ROWSTAGES_H
