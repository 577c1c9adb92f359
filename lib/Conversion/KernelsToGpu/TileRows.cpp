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
  RowTiler(LoopBuilder &b, TileRowsOp op, const ColumnHits *hits)
      : b(b), op(op), hits(hits), table(op.getTable()),
        offsets(cast<MemRefType>(table.getType()).getDimSize(1)),
        numRows(b.dim(table, 0)), numSlots(b.dim(op.getOrder(), 0)),
        i32(b.getI32Type()) {}

  void emit();

private:
  static constexpr int64_t kThreads = 256;

  Value isEntry(Value entry) {
    return b.lessUnsigned(b.toIndex(entry), op.getInRows());
  }
  Value shift(Value value, Value bits) {
    return b.createOrFold<arith::ShLIOp>(value, bits);
  }
  /// masks[r] has bit k where row r has offset k; counts[k] rows have it.
  void makeMasks(Value counts);
  void makeMasksOfBlock(const LoopBuilder::Thread &t, Value counts);
  /// The rows by their keys: a key has a bit for each offset of the row, the
  /// lower the more rows have it, and is their rank in the Gray code.
  Value orderRows();
  /// Keys add up over the bits of a mask (as exclusive or), so that a table for
  /// each byte makes them.
  static constexpr int64_t kNumTables = 4;
  void fillKeyTables(Value thread, int64_t threads, Value counts, Value places,
                     Value tables);
  Value makeKey(Value mask, Value tables);
  /// Slots and masks of tiles, from a permutation of the rows, or null for
  /// their own order.
  void fillSlots(Value permutation);
  void fillBlock(const LoopBuilder::Thread &t, Value permutation);
  /// The entries of up to 32 offsets from `first` on; their bits join those of
  /// the tile at `place` of `masks`.
  void fillWord(Value slot, Value isRow, Value row, int64_t first, Value masks,
                ValueRange place);

  LoopBuilder &b;
  TileRowsOp op;
  /// What the search left instead of the table, or null.
  const ColumnHits *hits;
  Value table, masks;
  int64_t offsets;
  Value numRows, numSlots;
  Type i32;
};
} // namespace

void RowTiler::makeMasks(Value counts) {
  Value numBlocks = b.ceilDiv(numRows, kThreads);
  SmallVector<MemRefType> shared = {b.getSharedType({32}, i32)};
  if (!hits)
    shared.push_back(b.getSharedType({kThreads * offsets}, i32));
  b.launch(numBlocks, kThreads, shared, [&](const LoopBuilder::Thread &t) {
    b.ifThen(b.less(t.block, numBlocks), [&] { makeMasksOfBlock(t, counts); });
  });
}

void RowTiler::makeMasksOfBlock(const LoopBuilder::Thread &t, Value counts) {
  Value sums = t.shared[0];
  Value isCounter = b.less(t.thread, b.index(32));
  b.ifThen(isCounter, [&] { b.store(b.i32(0), sums, t.thread); });
  if (!hits)
    readWarpRows(b, t, kThreads, table, t.shared[1]);
  b.barrier();
  Value row = b.add(b.mul(t.block, kThreads), t.thread);
  Value isRow = b.less(row, numRows);
  Value lane = b.andBits(t.thread, b.index(31));
  Value known = hits ? b.load(masks, b.min(row, b.sub(numRows, 1))) : Value();
  Value mask = b.i32(0), own = b.i32(0);
  for (int64_t k = 0; k < offsets; ++k) {
    Value present;
    if (hits) {
      present = b.notEqual(b.andBits(known, b.bit(k)), b.i32(0));
    } else {
      Value place = b.add(b.mul(t.thread, offsets), k);
      present = isEntry(b.load(t.shared[1], place));
    }
    present = b.andBits(present, isRow);
    mask = b.orBits(mask, b.select(present, b.bit(k), b.i32(0)));
    Value votes = NVVM::VoteSyncOp::create(b, i32, b.i32(-1), present,
                                           NVVM::VoteSyncKind::ballot);
    // Lane k adds what the warp has of offset k.
    own = b.select(b.equal(lane, b.index(k)), votes, own);
  }
  b.atomic(arith::AtomicRMWKind::addi, b.createOrFold<math::CtPopOp>(own), sums,
           ValueRange{lane});
  if (!hits)
    b.ifThen(isRow, [&] { b.store(mask, masks, row); });
  b.barrier();
  b.ifThen(isCounter, [&] {
    b.atomic(arith::AtomicRMWKind::addi, b.load(sums, t.thread), counts,
             ValueRange{t.thread});
  });
}

void RowTiler::fillKeyTables(Value thread, int64_t threads, Value counts,
                             Value places, Value tables) {
  b.forLoop(thread, b.index(offsets), threads, [&](Value k) {
    Value own = b.load(counts, k), place = b.i32(0);
    for (int64_t j = 0; j < offsets; ++j) {
      Value other = b.load(counts, b.index(j));
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
  Value counts = b.alloc({32}, i32), tables;
  KeySource source{b.alloc(dynamic, i32, numRows)};
  source.numCleared = 32;
  source.clear = [&](Value k) { b.store(b.i32(0), counts, k); };
  source.prepare = [&] { makeMasks(counts); };
  source.shared = {b.getSharedType({32}, i32),
                   b.getSharedType({kNumTables, 256}, i32)};
  source.enter = [&](Value thread, int64_t threads, ValueRange shared) {
    tables = shared[1];
    fillKeyTables(thread, threads, counts, shared[0], tables);
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
  Value numBlocks = b.ceilDiv(numSlots, kThreads);
  b.launch(numBlocks, kThreads, {b.getSharedType({tiles, words}, i32)},
           [&](const LoopBuilder::Thread &t) {
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
  b.ifThen(b.less(slot, numSlots), [&] {
    Value isRow = b.less(slot, numRows);
    Value row = b.ifElse(
        isRow, i32,
        [&]() -> SmallVector<Value> {
          return {permutation ? b.load(permutation, slot) : b.cast(slot, i32)};
        },
        [&]() -> SmallVector<Value> { return {b.i32(-1)}; })[0];
    b.store(row, op.getOrder(), slot);
    Value tile = b.createOrFold<arith::DivUIOp>(t.thread, b.index(rows));
    for (int64_t first = 0; first < offsets; first += 32)
      fillWord(slot, isRow, b.toIndex(row), first, masks,
               {tile, b.index(first / 32)});
  });
  b.barrier();
  forWords([&](Value tile, Value word) {
    Value place = b.add(b.mul(t.block, tiles), tile);
    b.ifThen(b.less(place, b.dim(op.getMasks(), 0)), [&] {
      b.store(b.load(masks, {tile, word}), op.getMasks(), {place, word});
    });
  });
}

void RowTiler::fillWord(Value slot, Value isRow, Value row, int64_t first,
                        Value masks, ValueRange place) {
  int64_t end = std::min(first + 32, offsets);
  // All loads come before the stores, which would order them.
  SmallVector<Value> entries = b.ifElse(
      isRow, SmallVector<Type>(end - first, i32),
      [&] {
        if (hits)
          return hits->getEntries(b, row, b.load(hits->masks, row));
        SmallVector<Value> loaded;
        for (int64_t k = first; k < end; ++k)
          loaded.push_back(b.load(table, {row, b.index(k)}));
        return loaded;
      },
      [&] { return SmallVector<Value>(end - first, b.i32(-1)); });
  Value bits = b.i32(0);
  for (auto [bit, entry] : llvm::enumerate(entries)) {
    b.store(entry, op.getTiledTable(), {b.index(first + bit), slot});
    bits = b.orBits(bits, b.select(isEntry(entry), b.bit(bit), b.i32(0)));
  }
  b.atomic(arith::AtomicRMWKind::ori, bits, masks, place);
}

void RowTiler::emit() {
  b.store(op.getInRows(), op.getSizes(), b.index(0));
  b.store(numRows, op.getSizes(), b.index(1));
  b.store(numSlots, op.getSizes(), b.index(2));
  Value permutation;
  // One offset leaves nothing to order by.
  if (offsets > 1 && offsets <= 32)
    permutation = orderRows();
  fillSlots(permutation);
}

void mlir::sparseconv::populateTileRowsToGpuPatterns(
    RewritePatternSet &patterns, const HitsOfTables &hitsOfTables) {
  patterns.add<LoopPattern<TileRowsOp>>(
      patterns.getContext(), [&](LoopBuilder &b, TileRowsOp op) {
        auto it = hitsOfTables.find(op.getTable());
        RowTiler(b, op, it == hitsOfTables.end() ? nullptr : &it->second)
            .emit();
      });
}
