//===- RadixSort.cpp - radix sort on a GPU --------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stable radix sort from the least significant digit up, with one pass over
// the keys per digit (Adinets and Merrill, "Onesweep: A Faster Least
// Significant Digit Radix Sort for GPUs", arXiv 2206.01784). The keys are
// counted by all of their digits at once. Then, digit by digit, each tile
// counts its keys, learns from the tiles before it how many keys with the same
// digit they have, and writes its own behind those. Within a tile a warp ranks
// 32 keys at a time by the lanes that hold the same digit. Keys are put in
// their order before they are written. The passes that scans take are launches
// of one kernel, a launch for each. Those of higher digits, which few sets use,
// are one launch together, which is over at once for all others. (One launch
// for all passes is slower: that every tile waits for the last one of the pass
// before costs more than a launch.)
//
//===----------------------------------------------------------------------===//

#include "RadixSort.h"
#include "DigitCounts.h"
#include "LookBack.h"
#include "SortLists.h"
#include "TileTickets.h"
#include "mlir/IR/TypeUtilities.h"
#include "sparseconv/Kernels/Builders/WarpOps.h"
#include "sparseconv/Kernels/Indexing/BlockSums.h"
#include "sparseconv/Kernels/Indexing/IndexingKernels.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
/// A thread for each digit.
constexpr int64_t kThreads = kDigits, kWarps = kThreads / kWarpLanes;
/// Keys of a thread; a warp's lie together, 32 after 32.
constexpr int64_t kKeysPerThread = 4;
constexpr int64_t kTile = kThreads * kKeysPerThread;
/// Bits for the rank of a key in its tile.
constexpr int64_t kRankBits = 16;
/// Passes that have a kernel each.
constexpr int64_t kUsualPasses = 4;

/// What the threads of a block share. `seen` counts, for each warp and digit,
/// the keys so far; then it has the place of the warp's first in the tile.
enum SharedBuffer {
  Seen,
  Firsts,
  Sums,
  Ticket,
  StagedKeys,
  StagedFrom,
  StagedDigits
};

class RadixSort {
public:
  RadixSort(LoopBuilder &b, const KeySource &source, KeyDigits &digits)
      : b(b), digits(digits), keys(source.keys),
        keyType(getElementTypeOrSelf(keys.getType())), numKeys(b.dim(keys, 0)),
        numTiles(b.ceilDiv(numKeys, kTile)), lists(b, keys, digits),
        counts(b, source, digits), lookBack(b, numTiles, kDigits) {}

  void emit(const KeyList &result);

private:
  using Thread = LoopBuilder::Thread;

  /// What the threads of a block share, in the order of SharedBuffer.
  SmallVector<MemRefType> getMoveBuffers();
  /// A kernel that moves the keys to the order of the next digit, or of all
  /// those that are left.
  void moveByNext();
  void moveByRest();
  void moveTile(const Thread &t, Value pass, Value tile);
  /// How many keys have digits lower than each thread's; for the first tile, 0
  /// for the others.
  Value countLower(const Thread &t, Value pass, Value tile);
  /// A key of a thread, where it was before the sort, its digit, and its rank
  /// among the keys of its warp with the same digit. The last two share a word,
  /// as registers are what a thread block is short of.
  struct Item {
    Value isKey, key, from, digitAndRank;
  };
  void rankKeys(const Thread &t, Value pass, MutableArrayRef<Item> items);
  Value getDigit(Value key, Value pass) {
    return digits.getDigit(digits.makeDense(key), pass);
  }
  Value widen(Value number) { return b.extend(number, b.getI32Type()); }
  /// The position of key `i` of a thread.
  Value getPosition(const Thread &t, int64_t i, Value tile) {
    Value warp = b.floorDiv(t.thread, kWarpLanes);
    Value lane = b.andBits(t.thread, b.index(kWarpLanes - 1));
    Value first =
        b.add(b.mul(tile, kTile), b.mul(warp, kWarpLanes * kKeysPerThread));
    return b.add(b.add(first, lane), kWarpLanes * i);
  }

  LoopBuilder &b;
  KeyDigits &digits;
  Value keys;
  Type keyType;
  Value numKeys, numTiles;
  SortLists lists;
  DigitCounts counts;
  /// Where the keys of a tile go: behind those of the tiles before.
  LookBack lookBack;
};
} // namespace

Value RadixSort::countLower(const Thread &t, Value pass, Value tile) {
  return b.ifElse(
      b.equal(tile, b.index(0)), b.getI32Type(),
      [&]() -> SmallVector<Value> {
        Value total = b.load(counts.getTotals(), {b.toIndex(pass), t.thread});
        return {sumInBlock(b, t, total, t.shared[Sums], kThreads).before};
      },
      [&]() -> SmallVector<Value> { return {b.i32(0)}; })[0];
}

void RadixSort::rankKeys(const Thread &t, Value pass,
                         MutableArrayRef<Item> items) {
  Type i32 = b.getI32Type(), i16 = b.getI16Type();
  Value seen = t.shared[Seen], warp = b.floorDiv(t.thread, kWarpLanes);
  Value zero = b.i32(0);
  Value lower = lanesBefore(b);
  for (Item &item : items) {
    // Lanes without a key share a digit that no key has.
    Value digit =
        b.select(item.isKey, getDigit(item.key, pass), b.i32(kDigits));
    Value peers = lanesWithSame(b, digit);
    Value before = b.andBits(peers, lower);
    SmallVector<Value> place = {warp, b.toIndex(digit)};
    Value known = b.ifElse(
        item.isKey, i32,
        [&]() -> SmallVector<Value> { return {widen(b.load(seen, place))}; },
        [&]() -> SmallVector<Value> { return {zero}; })[0];
    Value rank = b.add(b.popCount(before), known);
    item.digitAndRank = b.orBits(b.shiftLeft(digit, kRankBits), rank);
    syncWarp(b);
    // The first of the lanes with a digit counts them all.
    b.ifThen(b.andBits(item.isKey, b.equal(before, zero)), [&] {
      Value total = b.add(known, b.popCount(peers));
      b.store(b.cast(total, i16), seen, place);
    });
    syncWarp(b);
  }
}

void RadixSort::moveTile(const Thread &t, Value pass, Value tile) {
  Type i16 = b.getI16Type();
  Value seen = t.shared[Seen], firsts = t.shared[Firsts];
  Value stagedKeys = t.shared[StagedKeys], stagedFrom = t.shared[StagedFrom];
  Value stagedDigits = t.shared[StagedDigits];
  for (int64_t w = 0; w < kWarps; ++w)
    b.store(b.constantInt(i16, 0), seen, {b.index(w), t.thread});
  SmallVector<Item> items(kKeysPerThread);
  SmallVector<Value> positions;
  for (auto [i, item] : llvm::enumerate(items)) {
    Value position = getPosition(t, i, tile);
    item.isKey = b.less(position, numKeys);
    positions.push_back(b.min(position, b.sub(numKeys, 1)));
  }
  SmallVector<Value> loaded = lists.load(pass, positions);
  for (auto [i, item] : llvm::enumerate(items)) {
    item.key = loaded[i];
    item.from = loaded[kKeysPerThread + i];
  }
  b.barrier();
  rankKeys(t, pass, items);
  b.barrier();

  // With one thread for each digit: how many keys of the tile have it, where
  // they are among the tile's keys in their order, and where among all keys.
  auto forWarps = [&](Value start, bool storesStarts) {
    Value sum = start;
    for (int64_t w = 0; w < kWarps; ++w) {
      SmallVector<Value> place = {b.index(w), t.thread};
      Value count = widen(b.load(seen, place));
      if (storesStarts)
        b.store(b.cast(sum, i16), seen, place);
      sum = b.add(sum, count);
    }
    return sum;
  };
  Value own = forWarps(b.i32(0), /*storesStarts=*/false);
  Value lower = countLower(t, pass, tile);
  lookBack.tell(pass, tile, t.thread, b.add(lower, own));
  letNextStart(b);
  Value inTile = sumInBlock(b, t, own, t.shared[Sums], kThreads).before;
  forWarps(inTile, /*storesStarts=*/true);
  b.barrier();
  Value warp = b.floorDiv(t.thread, kWarpLanes);
  for (Item &item : items)
    b.ifThen(item.isKey, [&] {
      Value digit = b.shiftRight(item.digitAndRank, kRankBits);
      Value rank = b.andBits(item.digitAndRank, b.i32((1 << kRankBits) - 1));
      Value place =
          b.toIndex(b.add(widen(b.load(seen, {warp, b.toIndex(digit)})), rank));
      b.store(item.key, stagedKeys, place);
      b.store(item.from, stagedFrom, place);
      b.store(b.cast(digit, i16), stagedDigits, place);
    });
  Value first = lookBack.getSumBefore(pass, tile, t.thread, own, lower);
  b.store(b.sub(first, inTile), firsts, t.thread);
  b.barrier();

  // In their order, neighbours have neighbours' places for the most part.
  Value size = b.min(b.sub(numKeys, b.mul(tile, kTile)), b.index(kTile));
  for (int64_t i = 0; i < kKeysPerThread; ++i) {
    Value position = b.add(t.thread, i * kThreads);
    b.ifThen(b.less(position, size), [&] {
      Value key = b.load(stagedKeys, position);
      Value digit = b.toIndex(widen(b.load(stagedDigits, position)));
      Value place =
          b.add(b.load(firsts, digit), b.cast(position, b.getI32Type()));
      lists.store(pass, key, b.load(stagedFrom, position), b.toIndex(place));
    });
  }
}

SmallVector<MemRefType> RadixSort::getMoveBuffers() {
  Type i32 = b.getI32Type(), i16 = b.getI16Type();
  return {b.getSharedType({kWarps, kDigits}, i16),
          b.getSharedType({kDigits}, i32),
          getBlockSumsType(b, kThreads),
          TileTickets::getSharedType(b),
          b.getSharedType({kTile}, keyType),
          b.getSharedType({kTile}, i32),
          b.getSharedType({kTile}, i16)};
}

void RadixSort::moveByNext() {
  b.launch(numTiles, kThreads, getMoveBuffers(), [&](const Thread &t) {
    counts.enter();
    TileTickets tickets(b, counts.getTotals(), {digits.getMaxPasses(), 0},
                        numTiles);
    tickets.forTile(t, t.shared[Ticket], digits.getNumPasses(),
                    [&](Value pass, Value tile) { moveTile(t, pass, tile); });
  });
}

void RadixSort::moveByRest() {
  b.launch(numTiles, kThreads, getMoveBuffers(), [&](const Thread &t) {
    counts.enter();
    Value first = b.i32(kUsualPasses);
    Value left = b.sub(digits.getNumPasses(), first);
    b.ifThen(b.less(b.i32(0), left), [&] {
      TileTickets tickets(b, counts.getTotals(), {digits.getMaxPasses(), 1},
                          numTiles);
      tickets.forTiles(t, t.shared[Ticket], left, [&](Value pass, Value tile) {
        // Read anew for each tile, as there are no registers to keep it in.
        counts.enter();
        moveTile(t, b.add(first, pass), tile);
      });
    });
  });
}

void RadixSort::emit(const KeyList &result) {
  lists.alloc(result, numKeys);
  lookBack.alloc();
  counts.clear();
  digits.measure(keys, numKeys);
  counts.count([&](const Thread &t, Value numBlocks) {
    b.forLoop(t.block, numTiles, numBlocks,
              [&](Value tile) { lookBack.clear(tile, t.thread); });
  });
  int64_t passes = digits.getMaxPasses();
  for (int64_t pass = 0; pass < std::min(passes, kUsualPasses); ++pass)
    moveByNext();
  if (passes > kUsualPasses)
    moveByRest();
  counts.dealloc();
  lookBack.dealloc();
  lists.dealloc();
}

void mlir::sparseconv::sortKeys(LoopBuilder &b, const KeySource &source,
                                Value sorted, Value permutation,
                                ArrayRef<int64_t> fields, bool isSparse) {
  Type keyType = getElementTypeOrSelf(source.keys.getType());
  KeyDigits digits(b, keyType, fields, isSparse);
  RadixSort(b, source, digits).emit({sorted, permutation});
}

void mlir::sparseconv::emitRadixSort(LoopBuilder &b, Value keys, Value sorted,
                                     Value permutation,
                                     ArrayRef<int64_t> fields) {
  // To look for the bits in use takes as long as to sort by one digit.
  bool isSparse = llvm::sum_of(fields) > 2 * kDigitBits;
  sortKeys(b, KeySource{keys}, sorted, permutation, fields, isSparse);
}

void mlir::sparseconv::emitRadixSort(LoopBuilder &b, SortOp op) {
  emitRadixSort(b, op.getKeys(), op.getSorted(), op.getPermutation(),
                op.getFields());
}
