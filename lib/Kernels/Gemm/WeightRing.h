//===- WeightRing.h - weights that pass through shared memory ---*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_GEMM_WEIGHTRING_H
#define SPARSECONV_LIB_KERNELS_GEMM_WEIGHTRING_H

#include "RingBarriers.h"

namespace mlir::sparseconv {

/// The weights of a thread block's offsets, chunk after chunk in a ring of
/// stages in shared memory: thread 0 fills them by bulk copies, every warp uses
/// or lets pass each chunk. Ring64.cpp has the timeline.
class WeightRing {
public:
  explicit WeightRing(ImplicitGemmEmitter &e)
      : e(e), b(e.b), layout(e.layout), stages(e.config.stages),
        barriers(e.b, stages) {}

  using Place = RingBarriers::Place;
  /// Where the thread block is: it uses the chunks of `offset`, from the one of
  /// this turn on, and copies the chunk `put`. All values are the same in all
  /// threads.
  struct State {
    Value offset;
    OffsetWalk walk;
    Place turn;
    ChunkWalk put;

    void fields(LoopFields &f) {
      f(offset, walk, turn, put.offset, put.chunk, put.walk);
    }
  };

  /// Bytes of the stages and their barriers.
  static int64_t getSharedBytes(const ImplicitGemmConfig &config) {
    return config.stages * config.layout().chunkBytes() +
           RingBarriers::getBytes(config.stages);
  }

  /// Makes the barriers, which are ready once all threads have met.
  void setUp();
  Place getStart() { return barriers.getStart(); }
  /// Starts the first S - 2 copies of a walk, from `turn` on: so many are on
  /// their way when the first chunk is used. The stages of the walk before are
  /// empty once all threads have met behind it.
  State fill(const OffsetWalk &walk, const Place &turn);
  /// Around the use of a chunk: waits for its weights; lets its stage go.
  void acquire(State &at);
  void release(State &at);
  /// Moves on to the next offset, when all chunks of this one have passed.
  void moveToNextOffset(State &at) { at.offset = e.nextOffset(at.walk); }
  /// Lets offsets pass until the thread block is at `target`.
  void skipTo(State &at, Value target);
  /// The shared address of the weights in a stage.
  Value getImage(const Place &turn) {
    return b.add(b.sharedAddress(shared),
                 b.mul(turn.stage, layout.chunkBytes()));
  }

  /// Whether this is thread 0.
  Value isFirst;

private:
  void copy(ChunkWalk &put, const Place &turn, bool isEmpty);

  ImplicitGemmEmitter &e;
  GpuBuilder &b;
  const FragmentLayout &layout;
  int64_t stages;
  RingBarriers barriers;
  Value shared;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GEMM_WEIGHTRING_H
