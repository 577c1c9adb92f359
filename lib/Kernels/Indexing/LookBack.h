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

/// Sums of `width` columns, each the work of a thread, in one pass over the
/// tiles or in several, one after the other. What tiles say names the pass
/// (i32) that it is of, so that nothing is cleared between passes.
class LookBack {
public:
  LookBack(LoopBuilder &b, Value numTiles, int64_t width)
      : b(b), numTiles(numTiles), width(width) {}

  void alloc();
  void dealloc();
  /// Clears what a tile will say; in a kernel before.
  void clear(Value tile, Value column);

  /// Says what a tile has (i32), or for the first tile what the sum up to its
  /// end is.
  void tell(Value pass, Value tile, Value column, Value number);
  /// The sum over the tiles before, of which the first has said its own. For
  /// the first tile `lower`, which it has said in addition to `own`.
  Value getSumBefore(Value pass, Value tile, Value column, Value own,
                     Value lower);

private:
  Value getWord(Value tile, Value column) {
    return b.add(b.mul(tile, width), column);
  }
  /// What a word says (i32): twice the pass, and `of`. A greater number is of a
  /// later pass, or says more.
  Value getKind(Value pass, int64_t of) {
    return b.add(b.shiftLeft(pass, 1), of);
  }
  void say(Value kind, Value number, Value word);

  LoopBuilder &b;
  Value numTiles;
  int64_t width;
  Value said;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_LOOKBACK_H
