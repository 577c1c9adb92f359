//===- BlockWalks.h - the offsets of a thread block -------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where thread blocks share weights, a thread block walks over the offsets that
// any of its warpgroups has, or over the task's split of them, and each
// warpgroup over those of its own tile.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_GEMM_BLOCKWALKS_H
#define SPARSECONV_LIB_KERNELS_GEMM_BLOCKWALKS_H

#include "ImplicitGemmEmitter.h"

namespace mlir::sparseconv {

class BlockWalks {
public:
  /// Lists of offsets, if there are any, lie `begin` bytes behind the start of
  /// dynamic shared memory. The first `tiles` warpgroups have a tile each.
  BlockWalks(ImplicitGemmEmitter &e, int64_t tiles, int64_t begin)
      : e(e), b(e.b), tiles(tiles), begin(begin) {}

  static int64_t getSharedBytes(const ImplicitGemmConfig &config);

  /// Sets where the walk of this warpgroup's tile starts, which has none unless
  /// `hasTile`; returns where the thread block's does. All threads call it, and
  /// have met afterwards where `meets`.
  OffsetWalk start(GemmTask &task, Value firstTile, Value hasTile,
                   Value warpgroup);
  bool meets() const { return e.config.maskWords() > 1; }

private:
  OffsetWalk startBits(GemmTask &task, Value firstTile, Value hasTile);
  OffsetWalk startLists(GemmTask &task, Value firstTile, Value hasTile,
                        Value warpgroup);

  ImplicitGemmEmitter &e;
  GpuBuilder &b;
  int64_t tiles, begin;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GEMM_BLOCKWALKS_H
