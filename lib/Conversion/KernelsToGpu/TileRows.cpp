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
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
class RowTiler {
public:
  RowTiler(LoopBuilder &b, TileRowsOp op)
      : b(b), op(op), table(op.getTable()),
        offsets(cast<MemRefType>(table.getType()).getDimSize(1)),
        numRows(b.dim(table, 0)), numSlots(b.dim(op.getOrder(), 0)),
        i32(b.getI32Type()) {}

  void emit();

private:
  static constexpr int64_t kThreads = 256;

  Value isEntry(Value entry) {
    return b.lessUnsigned(b.toIndex(entry), op.getInRows());
  }
  /// The word with bit k alone.
  Value getBit(int64_t k) {
    return b.i32(static_cast<int32_t>(uint32_t(1) << k));
  }
  Value hasBit(Value mask, int64_t k) {
    return b.notEqual(b.andBits(mask, getBit(k)), b.i32(0));
  }
  Value shift(Value value, Value bits) {
    return b.createOrFold<arith::ShLIOp>(value, bits);
  }
  /// masks[r] has bit k where row r has offset k; counts[k] rows have it.
  void makeMasks(Value masks, Value counts);
  /// The bit of each offset in a key: the more rows have it, the lower.
  void placeBits(Value counts, Value places);
  void makeKeys(Value masks, Value places, Value keys);
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
  Value table;
  int64_t offsets;
  Value numRows, numSlots;
  Type i32;
};
} // namespace

void RowTiler::makeMasks(Value masks, Value counts) {
  b.parallelFor(b.index(32), [&](Value k) { b.store(b.i32(0), counts, k); });
  b.launch(
      b.ceilDiv(numRows, kThreads), kThreads, {b.getSharedType({32}, i32)},
      [&](const LoopBuilder::Thread &t) {
        Value sums = t.shared[0];
        b.ifThen(b.less(t.thread, b.index(32)),
                 [&] { b.store(b.i32(0), sums, t.thread); });
        b.barrier();
        Value row = b.add(b.mul(t.block, kThreads), t.thread);
        Value isRow = b.less(row, numRows);
        Value lane = b.createOrFold<arith::AndIOp>(t.thread, b.index(31));
        Value isFirst = b.equal(lane, b.index(0));
        // All loads before the first vote, which would order them.
        Value mask = b.ifElse(
            isRow, i32,
            [&]() -> SmallVector<Value> {
              Value bits = b.i32(0);
              for (int64_t k = 0; k < offsets; ++k) {
                Value present = isEntry(b.load(table, {row, b.index(k)}));
                bits = b.orBits(bits, b.select(present, getBit(k), b.i32(0)));
              }
              return {bits};
            },
            [&]() -> SmallVector<Value> { return {b.i32(0)}; })[0];
        for (int64_t k = 0; k < offsets; ++k) {
          Value present = hasBit(mask, k);
          Value votes = NVVM::VoteSyncOp::create(b, i32, b.i32(-1), present,
                                                 NVVM::VoteSyncKind::ballot);
          b.ifThen(isFirst, [&] {
            memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::addi,
                                        b.createOrFold<math::CtPopOp>(votes),
                                        sums, ValueRange{b.index(k)});
          });
        }
        b.ifThen(isRow, [&] { b.store(mask, masks, row); });
        b.barrier();
        b.ifThen(b.less(t.thread, b.index(32)), [&] {
          memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::addi,
                                      b.load(sums, t.thread), counts,
                                      ValueRange{t.thread});
        });
      });
}

void RowTiler::placeBits(Value counts, Value places) {
  b.parallelFor(b.index(offsets), [&](Value k) {
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
}

void RowTiler::makeKeys(Value masks, Value places, Value keys) {
  b.parallelFor(numRows, [&](Value row) {
    Value mask = b.load(masks, row), key = b.i32(0);
    for (int64_t k = 0; k < offsets; ++k) {
      Value bit = shift(b.i32(1), b.load(places, b.index(k)));
      key = b.orBits(key, b.select(hasBit(mask, k), bit, b.i32(0)));
    }
    for (int64_t distance = 1; distance < 32; distance *= 2)
      key = b.createOrFold<arith::XOrIOp>(key,
                                          b.shiftRightLogical(key, distance));
    b.store(key, keys, row);
  });
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
        SmallVector<Value> loaded;
        for (int64_t k = first; k < end; ++k)
          loaded.push_back(b.load(table, {row, b.index(k)}));
        return loaded;
      },
      [&] { return SmallVector<Value>(end - first, b.i32(-1)); });
  Value bits = b.i32(0);
  for (auto [bit, entry] : llvm::enumerate(entries)) {
    b.store(entry, op.getTiledTable(), {b.index(first + bit), slot});
    bits = b.orBits(bits, b.select(isEntry(entry), getBit(bit), b.i32(0)));
  }
  memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::ori, bits, masks, place);
}

void RowTiler::emit() {
  b.store(op.getInRows(), op.getSizes(), b.index(0));
  b.store(numRows, op.getSizes(), b.index(1));
  b.store(numSlots, op.getSizes(), b.index(2));
  Value permutation;
  // One offset leaves nothing to order by.
  if (offsets > 1 && offsets <= 32) {
    auto dynamic = {ShapedType::kDynamic};
    Value masks = b.alloc(dynamic, i32, numRows);
    Value counts = b.alloc({32}, i32), places = b.alloc({32}, i32);
    Value keys = b.alloc(dynamic, i32, numRows);
    Value sorted = b.alloc(dynamic, i32, numRows);
    permutation = b.alloc(dynamic, i32, numRows);
    makeMasks(masks, counts);
    placeBits(counts, places);
    makeKeys(masks, places, keys);
    sortKeys(b, keys, sorted, permutation, offsets);
  }
  fillSlots(permutation);
}

static void emitTileRows(LoopBuilder &b, TileRowsOp op) {
  RowTiler(b, op).emit();
}

void mlir::sparseconv::populateTileRowsToGpuPatterns(
    RewritePatternSet &patterns) {
  patterns.add<LoopPattern<TileRowsOp>>(patterns.getContext(), emitTileRows);
}
