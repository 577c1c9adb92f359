//===- PairGemm.h - generator of gather-GEMM-scatter on a GPU ---*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel that computes `kernel.gather_gemm_scatter`, on tensor cores or, in
// f32, by threads. It has these parameters, all pointers to device memory:
//
//   x         [in rows, in channels]       input rows
//   weights                                image of `buildPackWeights`
//   inPairs   [pairs] i32                  input row of a pair
//   outPairs  [pairs] i32                  output row of a pair
//   segments  [row blocks, offsets + 1] i64
//   y         [out rows, out channels]     output rows
//   inRows, outRows, outRows  i64          sizes
//
// and then those of the epilogue.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNELS_GEMM_PAIRGEMM_H
#define SPARSECONV_KERNELS_GEMM_PAIRGEMM_H

#include "sparseconv/Kernels/Gemm/ImplicitGemm.h"

namespace mlir::sparseconv {

/// A gather-GEMM-scatter by warps, which are thread blocks. Each has a row
/// block and some columns, whose sums it keeps; or, if it is `atomic`, one
/// offset of them, whose products it adds to the output, which is f32 and
/// starts as zeros.
struct PairGemmConfig {
  /// What is multiplied, and the weight image.
  ImplicitGemmConfig gemm;
  /// Output rows of a warp.
  int64_t rowBlock = 1;
  bool atomic = false;

  /// f32 from one row of accumulators to the next. A few unused ones turn the
  /// banks of shared memory from row to row.
  int64_t pitch() const { return gemm.tileN + 4; }
  int64_t accumulatorBytes() const {
    return atomic ? 0 : rowBlock * pitch() * 4;
  }
  /// Whether the offsets that have pairs are listed in shared memory, behind
  /// the sums.
  bool hasList() const { return !atomic && gemm.maskWords() > 1; }
  /// Where the stages of the main loop begin, behind both.
  int64_t stagesBegin() const;
  int64_t sharedBytes() const;
  /// Thread blocks of a row block.
  int64_t blocksPerRowBlock() const { return atomic ? gemm.offsets : 1; }
};

/// The tiling that is taken where none is written.
TilingAttr choosePairTiling(const ConvTask &task);
/// Whether tensor cores multiply, which round f32 to tf32.
bool usesTensorCores(TilingAttr tiling);
/// Why `tiling` describes no kernel on `target`, or an empty string. Weights as
/// for `getTiledGemm`.
std::string verifyPairGemm(TilingAttr tiling, ShapedType weights,
                           bool isTransposed, const TargetInfo &target);
/// The configuration of a tiling that is accepted, with sums in shared memory.
PairGemmConfig getPairGemm(TilingAttr tiling, ShapedType weights,
                           bool isTransposed);

gpu::GPUFuncOp buildPairGemm(gpu::GPUModuleOp module, StringRef name,
                             const PairGemmConfig &config,
                             TypeRange epilogueTypes = {},
                             GemmEpilogue epilogue = {});

} // namespace mlir::sparseconv

#endif // SPARSECONV_KERNELS_GEMM_PAIRGEMM_H
