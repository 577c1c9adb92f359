//===- Sort.cpp - radix sort on a GPU -------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stable radix sort from the least significant digit up, over the bits in
// use: for each digit of 8 bits the keys of each tile are counted by digit, the
// counts (ordered by digit, then tile) become first places, and each tile
// writes its keys behind those of the tiles before (Merrill and Grimshaw, "High
// performance and scalable radix sorting", 2011). Within a tile a warp ranks 32
// keys at a time by the lanes that hold the same digit.
//
//===----------------------------------------------------------------------===//

#include "../KernelsToLoops/BlockSums.h"
#include "../KernelsToLoops/Patterns.h"
#include "Patterns.h"
#include "RadixSort.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::sparseconv;
using arith::AtomicRMWKind;

namespace {
constexpr int64_t kDigitBits = 8, kDigits = 1 << kDigitBits;
constexpr int64_t kThreads = 512, kWarps = kThreads / 32;
/// Keys of a thread; a warp's lie together, 32 after 32.
constexpr int64_t kKeysPerThread = 4;
constexpr int64_t kTile = kThreads * kKeysPerThread;

/// One pass over a digit.
class DigitPass {
public:
  DigitPass(LoopBuilder &b, Value keys, Value numKeys, int64_t shift)
      : b(b), keys(keys), numKeys(numKeys), shift(shift),
        numTiles(b.ceilDiv(numKeys, kTile)) {}

  /// Writes the keys in the order of the digit, and for each the position in
  /// `positions` (or its own, without) of where it was.
  void emit(Value positions, Value sortedKeys, Value sortedPositions);

private:
  void count(Value counts);
  void scatter(Value counts, Value positions, Value sortedKeys,
               Value sortedPositions);
  /// firsts[d] = the place of the tile's first key with digit d.
  void placeDigits(const LoopBuilder::Thread &t, Value counts, Value firsts,
                   Value sums);
  void forDigits(const LoopBuilder::Thread &t, function_ref<void()> body) {
    b.ifThen(b.less(t.thread, b.index(kDigits)), body);
  }
  /// The position of key `i` of a thread.
  Value getPosition(const LoopBuilder::Thread &t, int64_t i) {
    Value warp = b.floorDiv(t.thread, 32);
    Value lane = b.createOrFold<arith::AndIOp>(t.thread, b.index(31));
    Value first =
        b.add(b.mul(t.block, kTile), b.mul(warp, 32 * kKeysPerThread));
    return b.add(b.add(first, lane), 32 * i);
  }
  Value getDigit(Value key) {
    Value digit = b.andBits(b.shiftRightLogical(key, shift),
                            b.constantInt(key.getType(), kDigits - 1));
    return b.cast(digit, b.getI32Type());
  }
  /// Calls `body` in each thread of the tiles that have keys.
  void forTiles(ArrayRef<MemRefType> shared,
                function_ref<void(const LoopBuilder::Thread &)> body) {
    b.launch(numTiles, kThreads, shared, [&](const LoopBuilder::Thread &t) {
      b.ifThen(b.less(t.block, numTiles), [&] { body(t); });
    });
  }

  LoopBuilder &b;
  Value keys, numKeys;
  int64_t shift;
  Value numTiles;
};
} // namespace

void DigitPass::count(Value counts) {
  forTiles({b.getSharedType({kDigits}, b.getI32Type())}, [&](auto &t) {
    Value histogram = t.shared[0];
    forDigits(t, [&] { b.store(b.i32(0), histogram, t.thread); });
    b.barrier();
    for (int64_t i = 0; i < kKeysPerThread; ++i) {
      Value position = getPosition(t, i);
      b.ifThen(b.less(position, numKeys), [&] {
        Value digit = b.toIndex(getDigit(b.load(keys, position)));
        memref::AtomicRMWOp::create(b, AtomicRMWKind::addi, b.i32(1), histogram,
                                    ValueRange{digit});
      });
    }
    b.barrier();
    forDigits(t, [&] {
      b.store(b.load(histogram, t.thread), counts, {t.block, t.thread});
    });
  });
}

void DigitPass::placeDigits(const LoopBuilder::Thread &t, Value counts,
                            Value firsts, Value sums) {
  Value zero = b.i32(0);
  // Loads of one step do not wait for each other.
  constexpr int64_t step = 8;
  Value digit = b.min(t.thread, b.index(kDigits - 1));
  SmallVector<Value> found = b.forLoop(
      b.index(0), numTiles, step, {zero, zero},
      [&](Value first, ValueRange carried) -> SmallVector<Value> {
        Value all = carried[0], before = carried[1];
        SmallVector<Value> tiles, loaded;
        for (int64_t i = 0; i < step; ++i) {
          tiles.push_back(b.add(first, i));
          Value tile = b.min(tiles.back(), b.sub(numTiles, 1));
          loaded.push_back(b.load(counts, {tile, digit}));
        }
        for (auto [tile, count] : llvm::zip(tiles, loaded)) {
          all = b.add(all, b.select(b.less(tile, numTiles), count, zero));
          before = b.add(before, b.select(b.less(tile, t.block), count, zero));
        }
        return {all, before};
      });
  Value isDigit = b.less(t.thread, b.index(kDigits));
  Value lower =
      sumInBlock(b, t, b.select(isDigit, found[0], zero), sums, kThreads)
          .before;
  forDigits(t, [&] { b.store(b.add(lower, found[1]), firsts, t.thread); });
}

void DigitPass::scatter(Value counts, Value positions, Value sortedKeys,
                        Value sortedPositions) {
  Type i32 = b.getI32Type();
  MemRefType shared[] = {b.getSharedType({kWarps, kDigits}, i32),
                         b.getSharedType({kDigits}, i32),
                         getBlockSumsType(b, kThreads)};
  forTiles(shared, [&](auto &t) {
    // For each warp and digit: keys so far, then those of the warps before.
    Value seen = t.shared[0], firsts = t.shared[1];
    forDigits(t, [&] {
      for (int64_t warp = 0; warp < kWarps; ++warp)
        b.store(b.i32(0), seen, {b.index(warp), t.thread});
    });
    placeDigits(t, counts, firsts, t.shared[2]);
    Value warp = b.floorDiv(t.thread, 32);
    Value all = b.i32(-1);
    Value lower = NVVM::LaneMaskLtOp::create(b, i32);
    SmallVector<Value> digits, ranks, kept;
    for (int64_t i = 0; i < kKeysPerThread; ++i) {
      Value position = getPosition(t, i);
      Value isKey = b.less(position, numKeys);
      // Lanes without a key share a digit that no key has.
      Value key = b.ifElse(
          isKey, getElementTypeOrSelf(keys.getType()),
          [&]() -> SmallVector<Value> { return {b.load(keys, position)}; },
          [&]() -> SmallVector<Value> {
            return {b.constantInt(getElementTypeOrSelf(keys.getType()), 0)};
          })[0];
      Value digit = b.select(isKey, getDigit(key), b.i32(kDigits));
      Value peers = NVVM::MatchSyncOp::create(b, i32, all, digit,
                                              NVVM::MatchSyncKind::any);
      Value before = b.andBits(peers, lower);
      Value rank = b.createOrFold<math::CtPopOp>(before);
      Value slot = b.toIndex(digit);
      rank = b.ifElse(
          isKey, i32,
          [&]() -> SmallVector<Value> {
            return {b.add(rank, b.load(seen, {warp, slot}))};
          },
          [&]() -> SmallVector<Value> { return {rank}; })[0];
      NVVM::SyncWarpOp::create(b, all);
      // The first of the lanes with a digit counts them all.
      b.ifThen(b.andBits(isKey, b.equal(before, b.i32(0))), [&] {
        Value total = b.add(b.load(seen, {warp, slot}),
                            b.createOrFold<math::CtPopOp>(peers));
        b.store(total, seen, {warp, slot});
      });
      NVVM::SyncWarpOp::create(b, all);
      digits.push_back(slot);
      ranks.push_back(rank);
      kept.push_back(key);
    }
    b.barrier();
    forDigits(t, [&] {
      Value sum = b.load(firsts, t.thread);
      for (int64_t w = 0; w < kWarps; ++w) {
        SmallVector<Value> place = {b.index(w), t.thread};
        Value own = b.load(seen, place);
        b.store(sum, seen, place);
        sum = b.add(sum, own);
      }
    });
    b.barrier();
    for (int64_t i = 0; i < kKeysPerThread; ++i) {
      Value position = getPosition(t, i);
      b.ifThen(b.less(position, numKeys), [&] {
        Value place =
            b.toIndex(b.add(b.load(seen, {warp, digits[i]}), ranks[i]));
        b.store(kept[i], sortedKeys, place);
        b.store(positions ? b.load(positions, position) : b.cast(position, i32),
                sortedPositions, place);
      });
    }
  });
}

void DigitPass::emit(Value positions, Value sortedKeys, Value sortedPositions) {
  Value counts =
      b.alloc({ShapedType::kDynamic, kDigits}, b.getI32Type(), numTiles);
  count(counts);
  scatter(counts, positions, sortedKeys, sortedPositions);
  b.dealloc(counts);
}

void mlir::sparseconv::sortKeys(LoopBuilder &b, Value keys, Value sorted,
                                Value permutation, int64_t bits) {
  Value positions;
  Value numKeys = b.dim(keys, 0);
  int64_t numPasses = std::max<int64_t>(
      1, llvm::divideCeil(static_cast<uint64_t>(bits), kDigitBits));
  // The last pass writes the results, the one before it to a side, and so on.
  Value sideKeys, sidePositions;
  if (numPasses > 1) {
    auto dynamic = {ShapedType::kDynamic};
    sideKeys = b.alloc(dynamic, getElementTypeOrSelf(keys.getType()), numKeys);
    sidePositions = b.alloc(dynamic, b.getI32Type(), numKeys);
  }
  for (int64_t pass = 0; pass < numPasses; ++pass) {
    bool isToSide = (numPasses - 1 - pass) % 2;
    Value toKeys = isToSide ? sideKeys : sorted;
    Value toPositions = isToSide ? sidePositions : permutation;
    DigitPass(b, keys, numKeys, pass * kDigitBits)
        .emit(positions, toKeys, toPositions);
    keys = toKeys;
    positions = toPositions;
  }
  if (numPasses > 1) {
    b.dealloc(sideKeys);
    b.dealloc(sidePositions);
  }
}

static void emitSort(LoopBuilder &b, SortOp op) {
  sortKeys(b, op.getKeys(), op.getSorted(), op.getPermutation(), op.getBits());
}

void mlir::sparseconv::populateSortToGpuPatterns(RewritePatternSet &patterns) {
  patterns.add<LoopPattern<SortOp>>(patterns.getContext(), emitSort);
}
