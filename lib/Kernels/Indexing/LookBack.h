//===- LookBack.h - sums over the tiles before ------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prefix sums over tiles in one kernel (Merrill and Garland, "Single-pass
// Parallel Prefix Scan with Decoupled Look-back", 2016). A tile first says what
// it has. Then it adds up what the tiles before it say, back to one that knows
// the sum up to its own end, and says its own sum. It may have to wait, so
// tiles start in their order.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_LOOKBACK_H
#define SPARSECONV_LIB_KERNELS_INDEXING_LOOKBACK_H

#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {

/// Sums of `width` columns, each the work of a thread. Several kernels (`pass`)
/// use one after the other: what tiles say in one is cleared by the one before.
class LookBack {
public:
  LookBack(LoopBuilder &b, Value numTiles, int64_t width)
      : b(b), numTiles(numTiles), width(width) {}

  void alloc();
  void dealloc();
  /// Clears what a tile will say in pass 0; in a kernel before.
  void clearFirst(Value tile, Value column);
  /// Part of pass `pass`: clears what the tile will say in the next.
  void clearNext(int64_t pass, Value tile, Value column);

  /// Says what a tile has (i32), or for the first tile what the sum up to its
  /// end is.
  void tell(int64_t pass, Value tile, Value column, Value number);
  /// The sum over the tiles before, of which the first has said its own. For
  /// the first tile `lower`, which it has said in addition to `own`.
  Value getSumBefore(int64_t pass, Value tile, Value column, Value own,
                     Value lower);

private:
  Value getWord(Value tile, Value column) {
    return b.add(b.mul(tile, width), column);
  }
  void say(Value kind, Value number, int64_t pass, Value word);

  LoopBuilder &b;
  Value numTiles;
  int64_t width;
  /// What tiles say in even passes, and in odd ones.
  Value said[2];
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_LOOKBACK_H
