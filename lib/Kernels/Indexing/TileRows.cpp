//===- TileRows.cpp - rows in tiles with alike offsets --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile multiplies every offset that one of its rows has, so rows with alike
// masks belong together. Sorting masks by their rank in the Gray code brings
// those that differ in one bit close together. The rarest offset is the highest
// bit: the rows that have it are few, and come last, apart from the others.
//
//===----------------------------------------------------------------------===//

#include "ColumnHits.h"
#include "OffsetCounts.h"
#include "RadixSort.h"
#include "SharedRows.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "sparseconv/Kernels/Indexing/IndexingKernels.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"
#include <optional>

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
/// The hits of a search, as `tile_hits` has them.
struct Hits {
  SearchColumns columns;
  Value masks, records, counts;
  int64_t sampleRows;
  /// Cleared, for the sort; or null.
  Value totals;
};

/// Where the tiles go.
struct Tiles {
  template <typename OpTy>
  explicit Tiles(OpTy op)
      : table(op.getTiledTable()), order(op.getOrder()), masks(op.getMasks()),
        sizes(op.getSizes()), rows(op.getRows()) {}

  Value table, order, masks, sizes;
  int64_t rows;
};

class RowTiler {
public:
  RowTiler(LoopBuilder &b, TileRowsOp op)
      : RowTiler(b, op.getTable(), op.getInRows(), Tiles(op)) {
    table = op.getTable();
    offsets = cast<MemRefType>(table.getType()).getDimSize(1);
  }
  RowTiler(LoopBuilder &b, TileHitsOp op)
      : RowTiler(b, op.getHits(), op.getInRows(), Tiles(op)) {
    hits = {SearchColumns(op.getDisplacements(), op.getPacking()),
            op.getHits(),
            op.getRecords(),
            op.getCounts(),
            static_cast<int64_t>(op.getSampleRows()),
            op.getTotals()};
    offsets = hits->columns.getNumOffsets();
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
  /// masks[r] has bit k where row r has offset k.
  void makeMasks(const OffsetCounts &counts, Value sortSums);
  void makeMasksOfBlock(const LoopBuilder::Thread &t,
                        const OffsetCounts &counts);
  /// Sorts the rows by their keys. A key has one bit for each offset of the
  /// row, lower the more rows have that offset, and is the rank of these bits
  /// in the Gray code.
  Value orderRows();
  /// Keys add up over the bits of a mask (as exclusive or), so that a table for
  /// each byte makes them.
  static constexpr int64_t kNumTables = 4;
  void fillKeyTables(Value thread, int64_t threads, Value sums, Value places,
                     Value tables);
  Value makeKey(Value mask, Value tables);
  /// Slots and masks of tiles, from a permutation of the rows, or null for
  /// their own order.
  void fillSlots(Value permutation);
  void fillBlock(const LoopBuilder::Thread &t, Value permutation);
  /// What a thread of `fillSlots` works on.
  struct Slot {
    /// Where it is, its row, and its tile among those of the thread block.
    Value slot, row, tile;
    /// Whether they are there (i1).
    Value isSlot, isRow;
    /// The masks of the block's tiles, in shared memory.
    Value masks;
  };
  /// The tiles of a thread block, and the words of their masks that are in
  /// shared memory: all, or one at a time where there are many.
  bool isUnrolled() const { return offsets <= kMaxUnrolledOffsets; }
  int64_t getNumTiles() const { return kThreads / tiles.rows; }
  int64_t getSharedWords() const {
    return isUnrolled() ? llvm::divideCeil(offsets, 32) : 1;
  }
  Value getSharedWord(Value word) { return isUnrolled() ? word : b.index(0); }
  /// A thread for each of those words of the tiles, in steps of the block.
  void forWords(const LoopBuilder::Thread &t,
                function_ref<void(Value tile, Value word)> body);
  void clearMasks(const LoopBuilder::Thread &t);
  void writeMasks(const LoopBuilder::Thread &t, Value firstWord);
  /// The entries of a slot for the `count` offsets of a word (index) of its
  /// mask.
  void fillWord(const Slot &s, Value word, int64_t count);
  /// Loads the entries; their bits join those of the tile.
  SmallVector<Value> loadWord(const Slot &s, Value word, int64_t count);
  /// Stores those of the offsets in `mask`.
  void storeWord(const Slot &s, Value word, ArrayRef<Value> entries,
                 Value mask);

  LoopBuilder &b;
  /// The one or the other.
  Value table;
  std::optional<Hits> hits;
  Value inRows;
  Tiles tiles;
  /// The mask of each row.
  Value masks;
  int64_t offsets;
  Value numRows, numSlots;
  Type i32;
};
} // namespace

void RowTiler::makeMasks(const OffsetCounts &counts, Value sortSums) {
  Value numBlocks = b.ceilDiv(numRows, kThreads);
  SmallVector<MemRefType> shared = {counts.getSharedType(b),
                                    b.getSharedType({kThreads * offsets}, i32)};
  b.launch(numBlocks, kThreads, shared, [&](const LoopBuilder::Thread &t) {
    b.ifThen(b.equal(t.block, b.index(0)),
             [&] { clearSortSums(b, sortSums, t.thread, kThreads); });
    b.ifThen(b.less(t.block, numBlocks), [&] { makeMasksOfBlock(t, counts); });
  });
}

void RowTiler::makeMasksOfBlock(const LoopBuilder::Thread &t,
                                const OffsetCounts &counts) {
  readWarpRows(b, t, kThreads, table, t.shared[1]);
  Value row = b.add(b.mul(t.block, kThreads), t.thread);
  Value isRow = b.less(row, numRows), mask = b.i32(0);
  for (int64_t k = 0; k < offsets; ++k) {
    Value place = b.add(b.mul(t.thread, offsets), k);
    Value present = b.andBits(isEntry(b.load(t.shared[1], place)), isRow);
    mask = b.orBits(mask, b.select(present, b.bit(k), b.i32(0)));
  }
  b.ifThen(isRow, [&] { b.store(mask, masks, row); });
  counts.add(b, t, mask, offsets, t.shared[0]);
}

void RowTiler::fillKeyTables(Value thread, int64_t threads, Value sums,
                             Value places, Value tables) {
  b.forLoop(thread, b.index(offsets), threads, [&](Value k) {
    Value own = b.load(sums, k), place = b.i32(0);
    for (int64_t j = 0; j < offsets; ++j) {
      Value other = b.load(sums, b.index(j));
      Value isMore = b.less(own, other);
      Value isTie = b.andBits(b.equal(own, other), b.less(b.index(j), k));
      place =
          b.add(place, b.select(b.orBits(isMore, isTie), b.i32(1), b.i32(0)));
    }
    b.store(place, places, k);
  });
  b.barrier();
  b.forLoop(thread, b.index(kNumTables * 256), threads, [&](Value item) {
    Value number = b.floorDiv(item, 256), byte = b.andBits(item, b.index(255));
    Value key = b.i32(0);
    for (int64_t bit = 0; bit < 8; ++bit) {
      Value k = b.add(b.mul(number, 8), bit);
      Value isSet = b.notEqual(b.andBits(byte, b.index(1 << bit)), b.index(0));
      isSet = b.andBits(isSet, b.less(k, b.index(offsets)));
      Value place = b.load(places, b.min(k, b.index(offsets - 1)));
      key = b.orBits(key,
                     b.select(isSet, b.shiftLeft(b.i32(1), place), b.i32(0)));
    }
    for (int64_t distance = 1; distance < 32; distance *= 2)
      key = b.xorBits(key, b.shiftRight(key, distance));
    b.store(key, tables, {number, byte});
  });
}

Value RowTiler::makeKey(Value mask, Value tables) {
  Value key = b.i32(0);
  for (int64_t number = 0; number < llvm::divideCeilSigned(offsets, 8);
       ++number) {
    Value byte = b.andBits(b.shiftRight(mask, 8 * number), b.i32(255));
    Value ofByte = b.load(tables, {b.index(number), b.toIndex(byte)});
    key = b.xorBits(key, ofByte);
  }
  return key;
}

Value RowTiler::orderRows() {
  auto dynamic = {ShapedType::kDynamic};
  Value counts, sortSums;
  if (hits) {
    masks = hits->masks;
    counts = hits->counts;
    sortSums = hits->totals;
  } else {
    masks = b.alloc(dynamic, i32, numRows);
    counts = OffsetCounts::alloc(b);
  }
  OffsetCounts sample(b, counts, numRows, hits ? hits->sampleRows : kThreads);
  if (!hits) {
    sortSums = allocSortSums(b, offsets);
    makeMasks(sample, sortSums);
  }
  Value tables;
  KeySource source{b.alloc(dynamic, i32, numRows), sortSums};
  source.shared = {b.getSharedType({32}, i32), b.getSharedType({32}, i32),
                   b.getSharedType({kNumTables, 256}, i32)};
  source.enter = [&](Value thread, int64_t threads, ValueRange shared) {
    tables = shared[2];
    sample.sum(b, thread, threads, shared[0]);
    fillKeyTables(thread, threads, shared[0], shared[1], tables);
  };
  source.load = [&](Value row) { return b.load(masks, row); };
  source.make = [&](Value mask) { return makeKey(mask, tables); };
  Value sorted = b.alloc(dynamic, i32, numRows);
  Value permutation = b.alloc(dynamic, i32, numRows);
  sortKeys(b, source, sorted, permutation, offsets, /*isSparse=*/false);
  return permutation;
}

void RowTiler::fillSlots(Value permutation) {
  Value numBlocks = b.ceilDiv(numSlots, kThreads), zero = b.index(0);
  // One block at least: the sizes are there for no rows, too.
  b.launch(b.max(numBlocks, b.index(1)), kThreads,
           {b.getSharedType({getNumTiles(), getSharedWords()}, i32)},
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

void RowTiler::forWords(const LoopBuilder::Thread &t,
                        function_ref<void(Value, Value)> body) {
  Value words = b.index(getSharedWords());
  b.forLoop(t.thread, b.index(getNumTiles() * getSharedWords()), kThreads,
            [&](Value item) {
              body(b.divide(item, words), b.remainder(item, words));
            });
}

void RowTiler::clearMasks(const LoopBuilder::Thread &t) {
  forWords(t, [&](Value tile, Value word) {
    b.store(b.i32(0), t.shared[0], {tile, word});
  });
  b.barrier();
}

void RowTiler::writeMasks(const LoopBuilder::Thread &t, Value firstWord) {
  forWords(t, [&](Value tile, Value word) {
    Value place = b.add(b.mul(t.block, getNumTiles()), tile);
    b.ifThen(b.less(place, b.dim(tiles.masks, 0)), [&] {
      b.store(b.load(t.shared[0], {tile, word}), tiles.masks,
              {place, b.add(firstWord, word)});
    });
  });
}

void RowTiler::fillBlock(const LoopBuilder::Thread &t, Value permutation) {
  if (isUnrolled())
    clearMasks(t);
  Value slot = b.add(b.mul(t.block, kThreads), t.thread);
  Value isSlot = b.less(slot, numSlots), isRow = b.less(slot, numRows);
  Value row = b.ifElse(
      isRow, i32,
      [&]() -> SmallVector<Value> {
        return {permutation ? b.load(permutation, slot) : b.cast(slot, i32)};
      },
      [&]() -> SmallVector<Value> { return {b.i32(-1)}; })[0];
  b.ifThen(isSlot, [&] { b.store(row, tiles.order, slot); });
  Value tile = b.divide(t.thread, tiles.rows);
  Slot own{slot, b.toIndex(row), tile, isSlot, isRow, t.shared[0]};
  int64_t whole = offsets / 32, rest = offsets % 32;
  if (isUnrolled()) {
    for (int64_t word = 0; word < whole; ++word)
      fillWord(own, b.index(word), 32);
    if (rest != 0)
      fillWord(own, b.index(whole), rest);
    writeMasks(t, b.index(0));
    return;
  }
  // The masks of one word at a time, so that what is shared has a bound.
  auto fillNext = [&](Value word, int64_t count) {
    clearMasks(t);
    fillWord(own, word, count);
    writeMasks(t, word);
    b.barrier();
  };
  b.forLoop(b.index(0), b.index(whole), 1,
            [&](Value word) { fillNext(word, 32); });
  if (rest != 0)
    fillNext(b.index(whole), rest);
}

void RowTiler::fillWord(const Slot &s, Value word, int64_t count) {
  SmallVector<Value> entries = loadWord(s, word, count);
  b.barrier();
  // Offsets that none of the block's rows has are not looked at.
  Value blockMask = b.i32(0);
  for (int64_t i = 0; i < getNumTiles(); ++i)
    blockMask =
        b.orBits(blockMask, b.load(s.masks, {b.index(i), getSharedWord(word)}));
  b.ifThen(s.isSlot, [&] { storeWord(s, word, entries, blockMask); });
}

SmallVector<Value> RowTiler::loadWord(const Slot &s, Value word,
                                      int64_t count) {
  SmallVector<Value> entries = b.ifElse(
      s.isRow, SmallVector<Type>(count, i32),
      [&] {
        if (hits)
          return loadEntries(b, hits->columns, hits->records, s.row);
        Value first = b.mul(word, 32);
        SmallVector<Value> loaded;
        for (int64_t bit = 0; bit < count; ++bit)
          loaded.push_back(b.load(table, {s.row, b.add(first, bit)}));
        return loaded;
      },
      [&] { return SmallVector<Value>(count, b.i32(-1)); });
  Value bits = b.i32(0);
  for (auto [bit, entry] : llvm::enumerate(entries))
    bits = b.orBits(bits, b.select(isEntry(entry), b.bit(bit), b.i32(0)));
  b.atomic(arith::AtomicRMWKind::ori, bits, s.masks,
           {s.tile, getSharedWord(word)});
  return entries;
}

void RowTiler::storeWord(const Slot &s, Value word, ArrayRef<Value> entries,
                         Value mask) {
  Value first = b.mul(word, 32);
  for (auto [bit, entry] : llvm::enumerate(entries)) {
    Value isThere = b.notEqual(b.andBits(mask, b.bit(bit)), b.i32(0));
    b.ifThen(isThere, [&, bit = bit, entry = entry] {
      b.store(entry, tiles.table, {b.add(first, bit), s.slot});
    });
  }
}

void RowTiler::emit() {
  Value permutation;
  // One offset leaves nothing to order by.
  if (offsets > 1 && offsets <= 32)
    permutation = orderRows();
  fillSlots(permutation);
}

void mlir::sparseconv::emitTileRows(LoopBuilder &b, TileRowsOp op) {
  RowTiler(b, op).emit();
}

void mlir::sparseconv::emitTileHits(LoopBuilder &b, TileHitsOp op) {
  RowTiler(b, op).emit();
}
