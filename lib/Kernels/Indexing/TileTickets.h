//===- TileTickets.h - tiles in order of thread blocks ----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thread blocks draw tickets for tiles, so that they take them in the order in
// which they start: a tile may wait for those before it, which have started,
// however few thread blocks a device runs at once.
//
// So may passes, each of which reads what the one before has written, without a
// kernel for each. Tickets go on from one pass to the next, and whoever draws a
// tile of the next pass waits until all tiles of this one are done.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_TILETICKETS_H
#define SPARSECONV_LIB_KERNELS_INDEXING_TILETICKETS_H

#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {

class TileTickets {
public:
  /// Where in `counters` (i32 [rows, columns]) the tickets are counted; behind
  /// them, for each pass that has one behind it, the tiles that are done. A
  /// kernel before clears them.
  struct Place {
    int64_t row, column;
  };
  TileTickets(LoopBuilder &b, Value counters, Place at, Value numTiles)
      : b(b), counters(counters), at(at), numTiles(numTiles) {}

  /// What a thread block keeps its ticket in.
  static MemRefType getSharedType(LoopBuilder &b) {
    return b.getSharedType({1}, b.getI32Type());
  }

  /// Calls `body` for tiles (index) of the passes 0 .. numPasses - 1 (i32).
  /// What other tiles have stored in passes before can be read there. All
  /// threads of a block come here, and meet before and behind `body`.
  void forTiles(const LoopBuilder::Thread &t, Value shared, Value numPasses,
                function_ref<void(Value pass, Value tile)> body);
  /// The same for the next tile, in launches that have a pass each, one after
  /// the other, and at least a thread block for each tile. Which pass it is
  /// follows from the tickets that the launches before have drawn, so that all
  /// are of one kernel.
  void forTile(const LoopBuilder::Thread &t, Value shared, Value numPasses,
               function_ref<void(Value pass, Value tile)> body);

private:
  /// A counter is read, or adds one and returns what it was before.
  Value read(Value number);
  Value addOne(Value number);
  SmallVector<Value> getIndices(Value number) {
    return {b.index(at.row), b.toIndex(b.add(number, at.column))};
  }
  /// Puts the next ticket in `shared`, and waits until its tile may be begun.
  void draw(Value shared, Value end);
  Value getPass(Value ticket, Value ticketsPerPass);

  LoopBuilder &b;
  Value counters;
  Place at;
  Value numTiles;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_TILETICKETS_H
