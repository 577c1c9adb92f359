//===- TileRows.cpp - rows in tiles with alike offsets --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of a table, or the hits of a search, in the slots of tiles. What is
// written of a row are the entries of those offsets that a row nearby has.
//
//===----------------------------------------------------------------------===//

#include "ColumnHits.h"
#include "RowOrder.h"
#include "SharedRows.h"
#include "sparseconv/Kernels/Builders/WarpOps.h"
#include "sparseconv/Kernels/Indexing/IndexingKernels.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"
#include <optional>

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
/// The hits of a search, as `tile_hits` has them.
struct Hits {
  SearchColumns columns;
  Value records;
  RowMasks masks;
};

/// Where the tiles go.
struct Tiles {
  template <typename OpTy>
  explicit Tiles(OpTy op)
      : table(op.getTiledTable()), order(op.getOrder()), masks(op.getMasks()),
        sizes(op.getSizes()),
        rowOrder(op.getRowOrder().value_or(RowOrder::Gray)) {}

  Value table, order, masks, sizes;
  RowOrder rowOrder;
};

class RowTiler {
public:
  RowTiler(LoopBuilder &b, TileRowsOp op)
      : RowTiler(b, op.getTable(), op.getInRows(), Tiles(op)) {
    table = op.getTable();
    offsets = cast<MemRefType>(table.getType()).getDimSize(1);
  }
  RowTiler(LoopBuilder &b, TileHitsOp op)
      : RowTiler(b, op.getRecords(), op.getInRows(), Tiles(op)) {
    SearchColumns columns(op.getDisplacements(), op.getPacking());
    offsets = columns.getNumOffsets();
    RowMasks masks{offsets, op.getHits(), op.getCounts(),
                   static_cast<int64_t>(op.getSampleRows()), op.getTotals()};
    hits = {std::move(columns), op.getRecords(), masks};
  }

  void emit();

private:
  /// `rowsOf` has a row for each row.
  RowTiler(LoopBuilder &b, Value rowsOf, Value inRows, const Tiles &tiles)
      : b(b), inRows(inRows), tiles(tiles), numRows(b.dim(rowsOf, 0)),
        numSlots(b.dim(tiles.order, 0)), i32(b.getI32Type()) {}

  static constexpr int64_t kThreads = 128;

  Value isEntry(Value entry) {
    return b.lessUnsigned(b.toIndex(entry), inRows);
  }
  /// Slots and masks of tiles, from a permutation of the rows, or null for
  /// their own order.
  void fillSlots(Value permutation);
  void fillBlock(const LoopBuilder::Thread &t, Value permutation);
  /// What a thread of `fillSlots` works on.
  struct Slot {
    /// Where it is, its row (i32, -1 where there is none), and its tile among
    /// those of the thread block.
    Value slot, row, tile;
    /// Whether they are there (i1).
    Value isSlot, isRow;
    /// The masks of the block's tiles, in shared memory.
    Value masks;
  };
  /// The tiles of a thread block, and the words of their masks that are in
  /// shared memory: all, or one at a time where there are many.
  bool isUnrolled() const { return hits || offsets <= kMaxUnrolledOffsets; }
  int64_t getNumTiles() const { return kThreads / kMaskRows; }
  int64_t getSharedWords() const {
    return isUnrolled() ? getMaskWords(offsets) : 1;
  }
  Value getSharedWord(Value word) { return isUnrolled() ? word : b.index(0); }
  /// Writes those words of the tiles, an item to each thread at a time.
  void writeMasks(const LoopBuilder::Thread &t, Value firstWord);
  /// A word of a mask: its number, and how many offsets it has.
  struct Word {
    Value number;
    int64_t count;
  };
  /// A word of a tile's mask becomes the bits that the tile's lanes have.
  void storeTileMask(const Slot &s, Value bits, Value word);
  /// The same from the hits of a search.
  void fillFromHits(const LoopBuilder::Thread &t, const Slot &s);
  /// The offsets of a word that a row of the thread block has.
  Value getBlockMask(const Slot &s, Value word);
  /// The entries of a slot for the offsets of a word of its mask.
  void fillWord(const Slot &s, const Word &word);
  /// Loads the entries, and stores the tile's word of what its rows have.
  SmallVector<Value> loadWord(const Slot &s, const Word &word);
  /// Stores those of the offsets in `mask`, number by number in their word.
  void storeWord(const Slot &s, const Word &word, Value mask,
                 function_ref<Value(int64_t bit)> getEntry);

  LoopBuilder &b;
  /// The one or the other.
  Value table;
  std::optional<Hits> hits;
  Value inRows;
  Tiles tiles;
  int64_t offsets;
  Value numRows, numSlots;
  Type i32;
};
} // namespace

void RowTiler::fillSlots(Value permutation) {
  Value numBlocks = b.ceilDiv(numSlots, kThreads), zero = b.index(0);
  SmallVector<MemRefType> shared = {
      b.getSharedType({getNumTiles(), getSharedWords()}, i32)};
  if (hits)
    shared.push_back(getGatherType(b, kThreads, hits->columns.getRecordSize()));
  // One block at least: the sizes are there for no rows, too.
  b.launch(b.max(numBlocks, b.index(1)), kThreads, shared,
           [&](const LoopBuilder::Thread &t) {
             Value isFirst =
                 b.andBits(b.equal(t.block, zero), b.equal(t.thread, zero));
             b.ifThen(isFirst, [&] {
               b.store(inRows, tiles.sizes, zero);
               b.store(numRows, tiles.sizes, b.index(1));
               b.store(numSlots, tiles.sizes, b.index(2));
             });
             b.ifThen(b.less(t.block, numBlocks),
                      [&] { fillBlock(t, permutation); });
           });
}

void RowTiler::writeMasks(const LoopBuilder::Thread &t, Value firstWord) {
  Value words = b.index(getSharedWords());
  Value numItems = b.index(getNumTiles() * getSharedWords());
  b.forLoop(t.thread, numItems, kThreads, [&](Value item) {
    Value tile = b.divide(item, words), word = b.remainder(item, words);
    Value place = b.add(b.mul(t.block, getNumTiles()), tile);
    b.ifThen(b.less(place, b.dim(tiles.masks, 0)), [&] {
      b.store(b.load(t.shared[0], {tile, word}), tiles.masks,
              {place, b.add(firstWord, word)});
    });
  });
}

void RowTiler::fillBlock(const LoopBuilder::Thread &t, Value permutation) {
  Value slot = b.add(b.mul(t.block, kThreads), t.thread);
  Value isSlot = b.less(slot, numSlots), isRow = b.less(slot, numRows);
  Value row = b.ifElse(
      isRow, i32,
      [&]() -> SmallVector<Value> {
        return {permutation ? b.load(permutation, slot) : b.cast(slot, i32)};
      },
      [&]() -> SmallVector<Value> { return {b.i32(-1)}; })[0];
  b.ifThen(isSlot, [&] { b.store(row, tiles.order, slot); });
  Value tile = b.divide(t.thread, kMaskRows);
  Slot own{slot, row, tile, isSlot, isRow, t.shared[0]};
  int64_t whole = offsets / kMaskBits, rest = offsets % kMaskBits;
  if (hits) {
    fillFromHits(t, own);
    writeMasks(t, b.index(0));
    return;
  }
  if (isUnrolled()) {
    for (int64_t word = 0; word < getMaskWords(offsets); ++word)
      fillWord(own, {b.index(word), word < whole ? kMaskBits : rest});
    writeMasks(t, b.index(0));
    return;
  }
  // The masks of one word at a time, so that what is shared has a bound.
  auto fillNext = [&](Value word, int64_t count) {
    fillWord(own, {word, count});
    writeMasks(t, word);
    b.barrier();
  };
  b.forLoop(b.index(0), b.index(whole), 1,
            [&](Value word) { fillNext(word, kMaskBits); });
  if (rest != 0)
    fillNext(b.index(whole), rest);
}

void RowTiler::storeTileMask(const Slot &s, Value bits, Value word) {
  // Atomic updates by all lanes of a tile would wait for each other.
  Value tile = b.remainder(s.tile, kWarpLanes / kMaskRows), all = b.i32(0);
  for (int64_t i = 0; i < kWarpLanes / kMaskRows; ++i) {
    Value isOwn = b.equal(tile, b.index(i));
    Value ofTile = orOfLanes(b, b.select(isOwn, bits, b.i32(0)));
    all = b.select(isOwn, ofTile, all);
  }
  Value isFirst = b.equal(b.remainder(s.slot, kMaskRows), b.index(0));
  b.ifThen(isFirst, [&] { b.store(all, s.masks, {s.tile, word}); });
}

void RowTiler::fillFromHits(const LoopBuilder::Thread &t, const Slot &s) {
  SmallVector<Value> ofRow =
      gatherWarpRows(b, t, s.row, hits->records, t.shared[1]);
  HitRecord record(b, hits->columns, ofRow, s.isRow);
  int64_t words = getMaskWords(offsets);
  for (int64_t word = 0; word < words; ++word)
    storeTileMask(s, record.getMask(word), b.index(word));
  b.barrier();
  letNextStart(b);
  // An entry takes some work, so only those are made that go to memory.
  b.ifThen(s.isSlot, [&] {
    for (int64_t word = 0; word < words; ++word) {
      int64_t first = word * kMaskBits;
      int64_t count = std::min(offsets - first, kMaskBits);
      storeWord(s, {b.index(word), count}, getBlockMask(s, b.index(word)),
                [&](int64_t bit) { return record.getEntry(b, first + bit); });
    }
  });
}

Value RowTiler::getBlockMask(const Slot &s, Value word) {
  Value mask = b.i32(0);
  for (int64_t i = 0; i < getNumTiles(); ++i)
    mask = b.orBits(mask, b.load(s.masks, {b.index(i), getSharedWord(word)}));
  return mask;
}

void RowTiler::fillWord(const Slot &s, const Word &word) {
  SmallVector<Value> entries = loadWord(s, word);
  b.barrier();
  // Offsets that none of the block's rows has are not looked at.
  Value blockMask = getBlockMask(s, word.number);
  b.ifThen(s.isSlot, [&] {
    storeWord(s, word, blockMask, [&](int64_t bit) { return entries[bit]; });
  });
}

SmallVector<Value> RowTiler::loadWord(const Slot &s, const Word &word) {
  SmallVector<Value> entries = b.ifElse(
      s.isRow, SmallVector<Type>(word.count, i32),
      [&] {
        Value first = b.mul(word.number, kMaskBits), row = b.toIndex(s.row);
        SmallVector<Value> loaded;
        for (int64_t bit = 0; bit < word.count; ++bit)
          loaded.push_back(b.load(table, {row, b.add(first, bit)}));
        return loaded;
      },
      [&] { return SmallVector<Value>(word.count, b.i32(-1)); });
  Value bits = b.i32(0);
  for (auto [bit, entry] : llvm::enumerate(entries))
    bits = b.orBits(bits, b.select(isEntry(entry), b.bit(bit), b.i32(0)));
  storeTileMask(s, bits, getSharedWord(word.number));
  return entries;
}

void RowTiler::storeWord(const Slot &s, const Word &word, Value mask,
                         function_ref<Value(int64_t)> getEntry) {
  Value first = b.mul(word.number, kMaskBits);
  for (int64_t bit = 0; bit < word.count; ++bit) {
    Value isThere = b.notEqual(b.andBits(mask, b.bit(bit)), b.i32(0));
    b.ifThen(isThere, [&] {
      b.store(getEntry(bit), tiles.table, {b.add(first, bit), s.slot});
    });
  }
}

void RowTiler::emit() {
  Value permutation;
  // One offset leaves nothing to order by.
  if (offsets > 1) {
    RowOrder order = tiles.rowOrder;
    RowMasks masks = hits ? hits->masks : makeRowMasks(b, table, inRows, order);
    permutation = orderRows(b, masks, order);
  }
  fillSlots(permutation);
}

void mlir::sparseconv::emitTileRows(LoopBuilder &b, TileRowsOp op) {
  RowTiler(b, op).emit();
}

void mlir::sparseconv::emitTileHits(LoopBuilder &b, TileHitsOp op) {
  RowTiler(b, op).emit();
}
