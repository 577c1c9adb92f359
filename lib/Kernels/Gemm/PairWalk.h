//===- PairWalk.h - a warp on its way through pairs -------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_GEMM_PAIRWALK_H
#define SPARSECONV_LIB_KERNELS_GEMM_PAIRWALK_H

#include "ImplicitGemmEmitter.h"
#include "sparseconv/Kernels/Gemm/PairGemm.h"

namespace mlir::sparseconv {

/// A chunk of a tile of pairs.
struct PairCursor {
  OffsetWalk walk;
  /// -1 behind the last one.
  Value offset;
  /// Its pairs that are left, counted from the first of the row block.
  Value begin, end;
  /// Null where a tile has only one.
  Value chunk;
  /// Input and output rows of this lane's pairs, or -1.
  SmallVector<Value> rows, outRows;

  void fields(LoopFields &f) {
    f(walk, offset, begin, end, chunk, rows, outRows);
  }
};

/// The way of a warp: the offsets of its row block that have pairs, or only one
/// of them where products are added atomically; of each the pairs 16 at a time;
/// of those the chunks of channels.
class PairWalk {
public:
  static constexpr int64_t kTileRows = 16;

  /// `slots` are the pairs of a tile that this lane loads the rows of.
  PairWalk(ImplicitGemmEmitter &e, const PairGemmConfig &config,
           ArrayRef<Value> slots);

  Value getFirstRow() const { return firstRow; }
  /// Whether the row block has rows.
  Value isThere();
  /// The first chunk. What this warp wrote to shared memory is there then.
  PairCursor start();
  void moveToNextChunk(PairCursor &at);
  /// Whether a tile has several chunks, and whether `chunk` is the last.
  bool hasChunks() const { return e.layout.chunks > 1; }
  Value isLast(Value chunk);

private:
  /// Where the pairs of an offset begin, counted from those of the row block.
  Value loadBound(Value offset);
  /// Which of the offsets of a mask's word have pairs, as bits.
  Value findOffsets(Value word);
  OffsetWalk startOffsets();
  void enterOffset(PairCursor &at, Value offset);
  void loadPairs(PairCursor &at);
  void moveToNextTile(PairCursor &at);

  ImplicitGemmEmitter &e;
  GpuBuilder &b;
  const PairGemmConfig &config;
  SmallVector<Value> slots;
  /// The row block, its first row, its segments, and its first pair.
  Value rowBlock, firstRow, segments, firstPair;
  /// The only offset, or null.
  Value ownOffset;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GEMM_PAIRWALK_H
