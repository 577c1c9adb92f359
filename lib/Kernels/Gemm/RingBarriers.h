//===- RingBarriers.h - barriers of a ring of stages ------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_GEMM_RINGBARRIERS_H
#define SPARSECONV_LIB_KERNELS_GEMM_RINGBARRIERS_H

#include "ImplicitGemmEmitter.h"

namespace mlir::sparseconv {

/// Says which stages of a ring in shared memory are full or empty. Each stage
/// has two barriers:
///
///   full    those that fill the stage arrive, and those that use it wait
///   empty   each warp that uses the stage arrives, and those that fill it wait
///
/// Both are counted by a parity, which turns when the ring wraps.
class RingBarriers {
public:
  RingBarriers(GpuBuilder &b, int64_t stages) : b(b), stages(stages) {}

  static int64_t getBytes(int64_t stages) { return stages * 16; }

  /// Makes the barriers at `memory`, where `fills` arrivals say that a stage is
  /// full and `users` that it is empty. They are ready once all threads have
  /// met.
  void setUp(Value memory, int64_t fills, int64_t users, Value isFirst);

  /// A turn of the ring. The first time round all stages are empty.
  struct Place {
    Value stage, parity;

    void fields(LoopFields &f) { f(stage, parity); }
  };
  Place getStart() { return {b.i32(0), b.i32(0)}; }
  void advance(Place &at);
  /// The turn `distance` ahead, which is less than the number of stages.
  Place getAhead(const Place &at, int64_t distance);

  Value getFull(const Place &at) { return b.offset(full, b.mul(at.stage, 8)); }
  Value getEmpty(const Place &at) {
    return b.offset(empty, b.mul(at.stage, 8));
  }
  void waitUntilFull(const Place &at) { b.waitParity(getFull(at), at.parity); }
  /// Waits until all have used what was in the stage before this turn.
  void waitUntilEmpty(const Place &at) {
    b.waitParity(getEmpty(at), b.xorBits(at.parity, 1));
  }
  /// By a warp: the stage has been used.
  void release(const Place &at, Value lane);

private:
  GpuBuilder &b;
  int64_t stages;
  Value full, empty;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GEMM_RINGBARRIERS_H
