//===- WeightRing.h - weights that pass through shared memory ---*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_GEMM_WEIGHTRING_H
#define SPARSECONV_LIB_KERNELS_GEMM_WEIGHTRING_H

#include "ImplicitGemmEmitter.h"

namespace mlir::sparseconv {

/// The weights of a thread block's offsets, chunk after chunk in a ring of
/// stages in shared memory: thread 0 fills them by bulk copies, every warp uses
/// or lets pass each chunk. Ring64.cpp has the timeline.
class WeightRing {
public:
  explicit WeightRing(ImplicitGemmEmitter &e)
      : e(e), b(e.b), layout(e.layout), stages(e.config.stages) {}

  /// Where the thread block is: it uses the chunks of `offset`, from the one in
  /// `stage` on, and copies the chunk `put`. All values are the same in all
  /// threads.
  struct State {
    Value offset;
    OffsetWalk walk;
    Value stage, parity;
    ChunkWalk put;

    void fields(LoopFields &f) {
      f(offset, walk, stage, parity, put.offset, put.chunk, put.walk);
    }
  };

  /// Bytes of the stages and their barriers.
  static int64_t getSharedBytes(const ImplicitGemmConfig &config) {
    return config.stages * (config.layout().chunkBytes() + 16);
  }

  /// Makes the barriers, which are ready once all threads have met.
  void setUp();
  /// Where the ring stands between two walks; at first at its first stage.
  struct Place {
    Value stage, parity;

    void fields(LoopFields &f) { f(stage, parity); }
  };
  Place getStart() { return {b.i32(0), b.i32(0)}; }
  /// Starts the first S - 2 copies of a walk, from `place` on: so many are on
  /// their way when the first chunk is used. The stages of the walk before are
  /// empty once all threads have met behind it.
  State fill(const OffsetWalk &walk, const Place &place);
  /// Around the use of a chunk: waits for its weights; lets its stage go.
  void acquire(State &at);
  void release(State &at);
  /// Moves on to the next offset, when all chunks of this one have passed.
  void moveToNextOffset(State &at) { at.offset = e.nextOffset(at.walk); }
  /// Lets offsets pass until the thread block is at `target`.
  void skipTo(State &at, Value target);
  /// The shared address of the weights in a stage.
  Value getImage(Value stage) {
    return b.add(b.sharedAddress(shared), b.mul(stage, layout.chunkBytes()));
  }

  /// Whether this is thread 0.
  Value isFirst;

private:
  Value getStageAfter(Value stage);
  void startCopy(const State &at, Value stage);
  void refill(State &at);

  ImplicitGemmEmitter &e;
  GpuBuilder &b;
  const FragmentLayout &layout;
  int64_t stages;
  /// The stages, and the barriers of each.
  Value shared, full, empty;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GEMM_WEIGHTRING_H
