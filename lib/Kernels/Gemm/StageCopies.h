//===- StageCopies.h - filling a stage of shared memory --------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stage of main loops whose threads multiply: a chunk of the weights, [tileK,
// tileN], and behind it the same chunk of the rows of the thread block.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_GEMM_STAGECOPIES_H
#define SPARSECONV_LIB_KERNELS_GEMM_STAGECOPIES_H

#include "LaneTile.h"

namespace mlir::sparseconv {

class StageCopies {
public:
  explicit StageCopies(ImplicitGemmEmitter &e) : e(e), b(e.b) {}

  static int64_t getStageBytes(const ImplicitGemmConfig &config);

  /// What is copied. Threads 2 i and 2 i + 1 copy the row that is number i in
  /// the stage, `row` of the input, or zeros where there is none.
  struct Source {
    Value offset, chunk, row;
  };
  /// Starts the copies into the stage at `target`.
  void copy(const Source &source, Value target);
  /// The rows of the tile of number `tile`, and the weights.
  LaneTile::Chunk getChunk(Value stage, Value tile);

private:
  void copyWeights(const Source &source, Value target);
  void copyRows(const Source &source, Value target);

  ImplicitGemmEmitter &e;
  GpuBuilder &b;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GEMM_STAGECOPIES_H
