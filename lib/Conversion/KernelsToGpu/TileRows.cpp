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
// those that differ in one bit close; with the rarest offset as the highest
// bit, rows that have it are few and apart from the others, and come last.
//
//===----------------------------------------------------------------------===//

#include "../KernelsToLoops/Patterns.h"
#include "OffsetCounts.h"
#include "Patterns.h"
#include "RadixSort.h"
#include "SharedRows.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
class RowTiler {
public:
  RowTiler(LoopBuilder &b, TileRowsOp op, ColumnHits *hits)
      : b(b), op(op), hits(hits), table(op.getTable()),
        offsets(cast<MemRefType>(table.getType()).getDimSize(1)),
        numRows(b.dim(table, 0)), numSlots(b.dim(op.getOrder(), 0)),
        i32(b.getI32Type()) {}

  void emit();

private:
  static constexpr int64_t kThreads = 128;

  Value isEntry(Value entry) {
    return b.lessUnsigned(b.toIndex(entry), op.getInRows());
  }
  Value shift(Value value, Value bits) {
    return b.createOrFold<arith::ShLIOp>(value, bits);
  }
  /// masks[r] has bit k where row r has offset k.
  void makeMasks(const OffsetCounts &counts, Value sortSums);
  void makeMasksOfBlock(const LoopBuilder::Thread &t,
                        const OffsetCounts &counts);
  /// The rows by their keys: a key has a bit for each offset of the row, the
  /// lower the more rows have it, and is their rank in the Gray code.
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
  /// The entries of up to 32 offsets from `first` on; their bits join those of
  /// the tile at `place` of `masks`.
  SmallVector<Value> loadWord(Value isRow, Value row, int64_t first,
                              Value masks, ValueRange place);
  /// Stores those of the offsets in `mask`.
  void storeWord(ArrayRef<Value> entries, Value slot, int64_t first,
                 Value mask);

  LoopBuilder &b;
  TileRowsOp op;
  /// What the search left instead of the table, or null.
  ColumnHits *hits;
  Value table, masks;
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
      key = b.orBits(key, b.select(isSet, shift(b.i32(1), place), b.i32(0)));
    }
    for (int64_t distance = 1; distance < 32; distance *= 2)
      key = b.createOrFold<arith::XOrIOp>(key,
                                          b.shiftRightLogical(key, distance));
    b.store(key, tables, {number, byte});
  });
}

Value RowTiler::makeKey(Value mask, Value tables) {
  Value key = b.i32(0);
  for (int64_t number = 0; number < llvm::divideCeilSigned(offsets, 8);
       ++number) {
    Value byte = b.andBits(b.shiftRightLogical(mask, 8 * number), b.i32(255));
    Value part = b.load(tables, {b.index(number), b.toIndex(byte)});
    key = b.createOrFold<arith::XOrIOp>(key, part);
  }
  return key;
}

Value RowTiler::orderRows() {
  auto dynamic = {ShapedType::kDynamic};
  masks = hits ? hits->masks : b.alloc(dynamic, i32, numRows);
  OffsetCounts counts =
      hits ? hits->counts : OffsetCounts(b, numRows, kThreads);
  Value tables, sortSums = hits ? std::exchange(hits->sortSums, Value())
                                : allocSortSums(b, offsets);
  if (!hits)
    makeMasks(counts, sortSums);
  KeySource source{b.alloc(dynamic, i32, numRows), sortSums};
  source.shared = {b.getSharedType({32}, i32), b.getSharedType({32}, i32),
                   b.getSharedType({kNumTables, 256}, i32)};
  source.enter = [&](Value thread, int64_t threads, ValueRange shared) {
    tables = shared[2];
    counts.sum(b, thread, threads, shared[0]);
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
  int64_t rows = op.getRows(), words = llvm::divideCeil(offsets, 32);
  int64_t tiles = kThreads / rows;
  Value numBlocks = b.ceilDiv(numSlots, kThreads), zero = b.index(0);
  // One block at least: the sizes are there for no rows, too.
  b.launch(b.max(numBlocks, b.index(1)), kThreads,
           {b.getSharedType({tiles, words}, i32)},
           [&](const LoopBuilder::Thread &t) {
             Value isFirst =
                 b.andBits(b.equal(t.block, zero), b.equal(t.thread, zero));
             b.ifThen(isFirst, [&] {
               b.store(op.getInRows(), op.getSizes(), zero);
               b.store(numRows, op.getSizes(), b.index(1));
               b.store(numSlots, op.getSizes(), b.index(2));
             });
             b.ifThen(b.less(t.block, numBlocks),
                      [&] { fillBlock(t, permutation); });
           });
}

void RowTiler::fillBlock(const LoopBuilder::Thread &t, Value permutation) {
  int64_t rows = op.getRows(), words = llvm::divideCeil(offsets, 32);
  int64_t tiles = kThreads / rows;
  Value masks = t.shared[0];
  // One thread for each word of the block's masks, in steps of the block.
  auto forWords = [&](function_ref<void(Value tile, Value word)> body) {
    b.forLoop(t.thread, b.index(tiles * words), kThreads, [&](Value item) {
      body(b.createOrFold<arith::DivUIOp>(item, b.index(words)),
           b.createOrFold<arith::RemUIOp>(item, b.index(words)));
    });
  };
  forWords(
      [&](Value tile, Value word) { b.store(b.i32(0), masks, {tile, word}); });
  b.barrier();
  Value slot = b.add(b.mul(t.block, kThreads), t.thread);
  Value isSlot = b.less(slot, numSlots), isRow = b.less(slot, numRows);
  Value row = b.ifElse(
      isRow, i32,
      [&]() -> SmallVector<Value> {
        return {permutation ? b.load(permutation, slot) : b.cast(slot, i32)};
      },
      [&]() -> SmallVector<Value> { return {b.i32(-1)}; })[0];
  b.ifThen(isSlot, [&] { b.store(row, op.getOrder(), slot); });
  Value tile = b.createOrFold<arith::DivUIOp>(t.thread, b.index(rows));
  for (int64_t first = 0; first < offsets; first += 32) {
    SmallVector<Value> place = {tile, b.index(first / 32)};
    SmallVector<Value> entries =
        loadWord(isRow, b.toIndex(row), first, masks, place);
    b.barrier();
    // Offsets that none of the block's rows has are not looked at.
    Value blockMask = b.i32(0);
    for (int64_t i = 0; i < tiles; ++i)
      blockMask =
          b.orBits(blockMask, b.load(masks, {b.index(i), b.index(first / 32)}));
    b.ifThen(isSlot, [&] { storeWord(entries, slot, first, blockMask); });
  }
  forWords([&](Value tile, Value word) {
    Value place = b.add(b.mul(t.block, tiles), tile);
    b.ifThen(b.less(place, b.dim(op.getMasks(), 0)), [&] {
      b.store(b.load(masks, {tile, word}), op.getMasks(), {place, word});
    });
  });
}

SmallVector<Value> RowTiler::loadWord(Value isRow, Value row, int64_t first,
                                      Value masks, ValueRange place) {
  int64_t end = std::min(first + 32, offsets);
  SmallVector<Value> entries = b.ifElse(
      isRow, SmallVector<Type>(end - first, i32),
      [&] {
        if (hits)
          return hits->getEntries(b, row);
        SmallVector<Value> loaded;
        for (int64_t k = first; k < end; ++k)
          loaded.push_back(b.load(table, {row, b.index(k)}));
        return loaded;
      },
      [&] { return SmallVector<Value>(end - first, b.i32(-1)); });
  Value bits = b.i32(0);
  for (auto [bit, entry] : llvm::enumerate(entries))
    bits = b.orBits(bits, b.select(isEntry(entry), b.bit(bit), b.i32(0)));
  b.atomic(arith::AtomicRMWKind::ori, bits, masks, place);
  return entries;
}

void RowTiler::storeWord(ArrayRef<Value> entries, Value slot, int64_t first,
                         Value mask) {
  for (auto [bit, entry] : llvm::enumerate(entries)) {
    Value isThere = b.notEqual(b.andBits(mask, b.bit(bit)), b.i32(0));
    b.ifThen(isThere, [&, bit = bit, entry = entry] {
      b.store(entry, op.getTiledTable(), {b.index(first + bit), slot});
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

void mlir::sparseconv::populateTileRowsToGpuPatterns(
    RewritePatternSet &patterns, HitsOfTables &hitsOfTables) {
  patterns.add<LoopPattern<TileRowsOp>>(
      patterns.getContext(), [&](LoopBuilder &b, TileRowsOp op) {
        auto it = hitsOfTables.find(op.getTable());
        RowTiler(b, op, it == hitsOfTables.end() ? nullptr : &it->second)
            .emit();
      });
}
