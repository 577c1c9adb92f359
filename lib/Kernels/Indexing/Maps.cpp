//===- Maps.cpp - encodings of kernel maps as loops -----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/IR/SearchColumns.h"
#include "sparseconv/Kernels/Indexing/IndexingKernels.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Calls `body` for each row and offset of a table, on all threads.
static void forEachEntry(LoopBuilder &b, Value table,
                         function_ref<void(Value row, Value k)> body) {
  Value volume = b.dim(table, 1);
  forEachRow(b, b.dim(table, 0), kDefaultRowBlock, [&](Value row) {
    b.forLoop(b.index(0), volume, 1, [&](Value k) { body(row, k); });
  });
}

void mlir::sparseconv::emitInvertTable(LoopBuilder &b, InvertTableOp op) {
  forEachEntry(b, op.getInverse(), [&](Value row, Value k) {
    b.store(b.i32(-1), op.getInverse(), {row, k});
  });
  // An input meets at most one output for each offset: no two rows write the
  // same entry.
  forEachEntry(b, op.getTable(), [&](Value row, Value k) {
    Value neighbour = b.load(op.getTable(), {row, k});
    b.ifThen(b.greaterEqual(neighbour, b.i32(0)), [&] {
      b.store(b.cast(row, b.getI32Type()), op.getInverse(),
              {b.toIndex(neighbour), k});
    });
  });
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// The word of a mask that has an offset, and its bit there (i32).
static std::pair<Value, Value> getMaskBit(LoopBuilder &b, Value offset) {
  Value bits = b.index(kMaskBits);
  Value place = b.cast(b.remainder(offset, bits), b.getI32Type());
  return {b.divide(offset, bits), b.shiftLeft(b.i32(1), place)};
}

/// Without sorting: on a CPU nothing multiplies by tiles, which are only handed
/// on.
void mlir::sparseconv::emitTileRowsLoops(LoopBuilder &b, TileRowsOp op) {
  Value table = op.getTable(), masks = op.getMasks(), none = b.i32(-1);
  Value numRows = b.dim(table, 0), numSlots = b.dim(op.getOrder(), 0);
  for (auto [i, size] :
       llvm::enumerate(SmallVector<Value>{op.getInRows(), numRows, numSlots}))
    b.store(size, op.getSizes(), b.index(i));
  forEachEntry(b, masks, [&](Value tile, Value word) {
    b.store(b.i32(0), masks, {tile, word});
  });
  // A tile is of one thread, which alone changes its masks.
  forEachRow(b, b.dim(masks, 0), kDefaultRowBlock, [&](Value tile) {
    b.forLoop(b.index(0), b.index(kMaskRows), 1, [&](Value place) {
      Value slot = b.add(b.mul(tile, kMaskRows), place);
      Value isRow = b.less(slot, numRows);
      b.store(b.select(isRow, b.cast(slot, b.getI32Type()), none),
              op.getOrder(), slot);
      b.forLoop(b.index(0), b.dim(table, 1), 1, [&](Value k) {
        b.store(none, op.getTiledTable(), {k, slot});
        b.ifThen(isRow, [&] {
          Value entry = b.load(table, {slot, k});
          b.ifThen(b.lessUnsigned(b.toIndex(entry), op.getInRows()), [&] {
            b.store(entry, op.getTiledTable(), {k, slot});
            auto [word, bit] = getMaskBit(b, k);
            Value others = b.load(masks, {tile, word});
            b.store(b.orBits(others, bit), masks, {tile, word});
          });
        });
      });
    });
  });
}

void mlir::sparseconv::emitUntileRows(LoopBuilder &b, UntileRowsOp op) {
  Value table = op.getTable(), masks = op.getMasks();
  forEachEntry(b, table, [&](Value row, Value k) {
    b.store(b.i32(-1), table, {row, k});
  });
  Value numSlots =
      b.min(b.min(b.dim(op.getOrder(), 0), b.dim(op.getTiledTable(), 1)),
            b.mul(b.dim(masks, 0), kMaskRows));
  forEachRow(b, numSlots, kDefaultRowBlock, [&](Value slot) {
    Value row = b.toIndex(b.load(op.getOrder(), slot));
    b.ifThen(b.lessUnsigned(row, b.dim(table, 0)), [&] {
      b.forLoop(b.index(0), b.dim(table, 1), 1, [&](Value k) {
        Value tile = b.divide(slot, b.index(kMaskRows));
        auto [word, bit] = getMaskBit(b, k);
        Value bits = b.andBits(b.load(masks, {tile, word}), bit);
        b.ifThen(b.notEqual(bits, b.i32(0)), [&] {
          b.store(b.load(op.getTiledTable(), {k, slot}), table, {row, k});
        });
      });
    });
  });
}

void mlir::sparseconv::emitKeepOffsets(LoopBuilder &b, KeepOffsetsOp op) {
  int64_t offsets = cast<ShapedType>(op.getTable().getType()).getDimSize(1);
  llvm::SmallBitVector isKept(offsets);
  for (int64_t offset : op.getOffsets())
    isKept.set(offset);
  Value none = b.i32(-1);
  forEachRow(b, b.dim(op.getKept(), 0), kDefaultRowBlock, [&](Value row) {
    for (int64_t offset : llvm::seq(offsets)) {
      SmallVector<Value> place = {row, b.index(offset)};
      Value neighbour = isKept[offset] ? b.load(op.getTable(), place) : none;
      b.store(neighbour, op.getKept(), place);
    }
  });
}
