//===- LaneTile.h - what a lane keeps in registers --------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_GEMM_LANETILE_H
#define SPARSECONV_LIB_KERNELS_GEMM_LANETILE_H

#include "ImplicitGemmEmitter.h"

namespace mlir::sparseconv {

/// The sums of a tile of 16 rows as the lanes of a warp keep them that multiply
/// without tensor cores: each has a few rows by a few quads of channels,
/// [row][quad][channel].
class LaneTile {
public:
  explicit LaneTile(ImplicitGemmEmitter &e);

  /// A chunk in shared memory: weights [tileK, tileN], and the rows of some
  /// tiles, this one's number among which is `tile`, each of `pitch` bytes.
  struct Chunk {
    Value weights, rows, tile;
    int64_t pitch;
  };
  /// Adds the products of a chunk.
  void multiply(const Chunk &chunk, SmallVector<Value> &sums);
  /// Calls `body` with this lane's sums, four neighbouring columns of a row at
  /// a time, and the number of that row in the tile.
  using QuadBody =
      function_ref<void(Value row, Value column, ArrayRef<Value> four)>;
  void forEachQuad(ValueRange sums, QuadBody body);
  /// The output rows of this lane in `tile`.
  SmallVector<Value> loadOutputRows(Value tile);
  /// Stores sums, four at a time, from the four of number `first` on.
  void store(ValueRange sums, int64_t first, ArrayRef<Value> outputRows);

private:
  void storeQuad(ArrayRef<Value> four, Value row, Value column);

  ImplicitGemmEmitter &e;
  GpuBuilder &b;
  const ImplicitGemmConfig &config;
  /// Lanes side by side along rows and channels, and what each owns.
  int64_t columnLanes, rowLanes, laneRows, laneQuads;
  Value rowLane, columnLane;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GEMM_LANETILE_H
