//===- RowRing.h - a ring of rows and weights -------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_GEMM_ROWRING_H
#define SPARSECONV_LIB_KERNELS_GEMM_ROWRING_H

#include "RingBarriers.h"

namespace mlir::sparseconv {

/// The weights of a thread block's offsets and its rows' inputs, chunk after
/// chunk in a ring of stages in shared memory. The threads of the producer, a
/// warpgroup of its own, fill the stages; each warp of the others uses or lets
/// pass each chunk. Producer64.cpp has the timeline.
///
/// A stage has the weights of a chunk and behind them, in the same swizzle, the
/// 64 channels of each row: rows of 128 bytes.
class RowRing {
public:
  /// Input channels of a chunk, and bytes of them.
  static constexpr int64_t kChannels = 64, kRowBytes = 128;

  explicit RowRing(ImplicitGemmEmitter &e)
      : e(e), b(e.b), layout(e.layout), stages(e.config.stages),
        barriers(e.b, stages) {}

  static int64_t getStageBytes(const ImplicitGemmConfig &config);
  /// Bytes of the stages and their barriers.
  static int64_t getSharedBytes(const ImplicitGemmConfig &config) {
    return config.stages * getStageBytes(config) +
           RingBarriers::getBytes(config.stages);
  }

  /// Where the producer or another warp stands.
  using Place = RingBarriers::Place;
  Place getStart() { return barriers.getStart(); }

  /// Makes the barriers, which are ready once all threads have met.
  void setUp();

  // --- The producer ------------------------------------------------------
  /// Fills stages with all chunks of a walk. `thread` is its number in the
  /// producer; rows come from the row block whose first tile is `firstTile`.
  void fill(const OffsetWalk &walk, Value firstTile, Value thread, Place &at);

  // --- The others --------------------------------------------------------
  /// A warp uses the chunks of `offset`, from the one in its stage on.
  struct State {
    Value offset;
    OffsetWalk walk;
    Place at;

    void fields(LoopFields &f) { f(offset, walk, at); }
  };
  State start(const OffsetWalk &walk, const Place &at);
  /// Around the use of a chunk: waits until its stage is full; lets it go.
  void acquire(State &now);
  void release(State &now);
  /// Moves on to the next offset, when all chunks of this one have passed.
  void moveToNextOffset(State &now) { now.offset = e.nextOffset(now.walk); }
  /// Lets offsets pass until the thread block is at `target`.
  void skipTo(State &now, Value target);
  /// Shared addresses of a stage's weights, and of the rows of a tile.
  Value getWeights(Value stage);
  Value getRows(Value stage, Value tile);

private:
  struct Rows {
    SmallVector<Value> rows;
    /// Where the thread's first piece goes in the rows of a stage; where its
    /// pieces begin in a chunk of a row, in bytes and in channels.
    Value target, bytes, channel;
  };
  void fillStage(Value offset, int64_t chunk, const Rows &rows, Value thread,
                 Place &at);
  void copyRows(const Rows &rows, int64_t chunk, Value target);
  Value findPiece(Value row, Value bytes, Value channel, int64_t first);

  ImplicitGemmEmitter &e;
  GpuBuilder &b;
  const FragmentLayout &layout;
  int64_t stages;
  RingBarriers barriers;
  Value shared;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GEMM_ROWRING_H
