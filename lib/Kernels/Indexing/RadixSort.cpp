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
/// Keys of a thread; a warp's lie together, 32 after 32. Up to so few keys
/// tiles are smaller, as there are fewer of them than multiprocessors. Where
/// there are so many that the tiles do not all run at a time, keys of 32 bits
/// have larger ones.
constexpr int64_t kFewerKeysPerThread = 2, kKeysPerThread = 4,
                  kMoreKeysPerThread = 8;
constexpr int64_t kFewKeys = 96 << 10, kManyKeys = int64_t(1) << 19;
/// Bits for the rank of a key in its tile.
constexpr int64_t kRankBits = 16;
/// Passes that have a kernel each.
constexpr int64_t kUsualPasses = 4;

/// What the threads of a block share. `seen` counts, for each warp and digit,
/// the keys so far; then it has the place of the warp's first in the tile.
/// Where keys were is staged behind them if it has their type, and else apart.
/// In large tiles it takes their place.
enum SharedBuffer {
  Seen,
  Firsts,
  Sums,
  Ticket,
  StagedKeys,
  Digits,
  StagedFrom
};

class RadixSort {
public:
  RadixSort(LoopBuilder &b, const KeySource &source, KeyDigits &digits)
      : b(b), digits(digits), keys(source.keys),
        keyType(getElementTypeOrSelf(keys.getType())), numKeys(b.dim(keys, 0)),
        usualTiles(b.ceilDiv(numKeys, kThreads * kKeysPerThread)),
        mostTiles(b.max(usualTiles, getMostSmallTiles())),
        lists(b, keys, digits), counts(b, source, digits),
        lookBack(b, mostTiles, kDigits) {}

  void emit(const KeyList &result);

private:
  using Thread = LoopBuilder::Thread;

  /// The keys that a thread block moves at a time.
  struct Tile {
    Value pass, number;
    int64_t keysPerThread;
    int64_t size() const { return kThreads * keysPerThread; }
    /// Whether keys are staged, and then where they were, as there is no room
    /// for both.
    bool isInTurns() const { return keysPerThread > kKeysPerThread; }
  };
  /// A key of a thread, where it was before the sort, its digit, and its rank
  /// among the keys of its warp with the same digit. The last two share a word,
  /// as registers are what a thread block is short of. `slot` is where the key
  /// is among those of its tile in their order.
  struct Item {
    Value isKey, key, from, digitAndRank, slot;
  };

  /// What the threads of a block share, in the order of SharedBuffer.
  SmallVector<MemRefType> getMoveBuffers();
  bool hasLargeTiles() const { return keyType.isInteger(32); }
  /// Small tiles of as many keys as have them.
  Value getMostSmallTiles() {
    Value few = b.min(numKeys, b.index(kFewKeys));
    return b.ceilDiv(few, kThreads * kFewerKeysPerThread);
  }
  /// A kernel that moves the keys to the order of the next digit, or of all
  /// those that are left.
  void moveByNext();
  void moveByRest();
  void moveTile(const Thread &t, const Tile &tile);
  SmallVector<Item> loadKeys(const Thread &t, const Tile &tile);
  void rankKeys(const Thread &t, Value pass, MutableArrayRef<Item> items);
  /// Makes of the counts in `Seen` places in the tile, from `start` on, or only
  /// returns their sum. With one thread for each digit.
  Value sumOverWarps(const Thread &t, Value start, bool storesStarts);
  /// How many keys have digits lower than each thread's; for the first tile, 0
  /// for the others.
  Value countLower(const Thread &t, const Tile &tile);
  void stageKey(const Thread &t, const Tile &tile, Item &item);
  /// Where in shared memory it is staged where a key was.
  std::pair<Value, Value> getFromPlace(const Thread &t, const Tile &tile,
                                       Value slot);
  /// Stores keys, and then where they were, in their order: neighbours have
  /// neighbours' places for the most part.
  void storeInOrder(const Thread &t, const Tile &tile, ArrayRef<Item> items);
  Value getDigit(Value key, Value pass) {
    return digits.getDigit(digits.makeDense(key), pass);
  }
  Value widen(Value number) { return b.extend(number, b.getI32Type()); }
  Value getWarp(const Thread &t) { return b.floorDiv(t.thread, kWarpLanes); }
  /// The position of key `i` of a thread.
  Value getPosition(const Thread &t, int64_t i, const Tile &tile) {
    Value lane = b.andBits(t.thread, b.index(kWarpLanes - 1));
    Value first = b.add(b.mul(tile.number, tile.size()),
                        b.mul(getWarp(t), kWarpLanes * tile.keysPerThread));
    return b.add(b.add(first, lane), kWarpLanes * i);
  }

  LoopBuilder &b;
  KeyDigits &digits;
  Value keys;
  Type keyType;
  /// How many keys there are; tiles of the usual size, and the most of any.
  Value numKeys, usualTiles, mostTiles;
  SortLists lists;
  DigitCounts counts;
  /// Where the keys of a tile go: behind those of the tiles before.
  LookBack lookBack;
};
} // namespace

SmallVector<RadixSort::Item> RadixSort::loadKeys(const Thread &t,
                                                 const Tile &tile) {
  SmallVector<Item> items(tile.keysPerThread);
  SmallVector<Value> positions;
  for (auto [i, item] : llvm::enumerate(items)) {
    Value position = getPosition(t, i, tile);
    item.isKey = b.less(position, numKeys);
    positions.push_back(b.min(position, b.sub(numKeys, 1)));
  }
  SmallVector<Value> loaded = lists.load(tile.pass, positions);
  for (auto [i, item] : llvm::enumerate(items)) {
    item.key = loaded[i];
    item.from = loaded[items.size() + i];
  }
  return items;
}

void RadixSort::rankKeys(const Thread &t, Value pass,
                         MutableArrayRef<Item> items) {
  Type i32 = b.getI32Type(), i16 = b.getI16Type();
  Value seen = t.shared[Seen], warp = getWarp(t);
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

Value RadixSort::sumOverWarps(const Thread &t, Value start, bool storesStarts) {
  Value seen = t.shared[Seen], sum = start;
  for (int64_t w = 0; w < kWarps; ++w) {
    SmallVector<Value> place = {b.index(w), t.thread};
    Value count = widen(b.load(seen, place));
    if (storesStarts)
      b.store(b.cast(sum, b.getI16Type()), seen, place);
    sum = b.add(sum, count);
  }
  return sum;
}

Value RadixSort::countLower(const Thread &t, const Tile &tile) {
  return b.ifElse(
      b.equal(tile.number, b.index(0)), b.getI32Type(),
      [&]() -> SmallVector<Value> {
        Value total =
            b.load(counts.getTotals(), {b.toIndex(tile.pass), t.thread});
        return {sumInBlock(b, t, total, t.shared[Sums], kThreads).before};
      },
      [&]() -> SmallVector<Value> { return {b.i32(0)}; })[0];
}

std::pair<Value, Value> RadixSort::getFromPlace(const Thread &t,
                                                const Tile &tile, Value slot) {
  if (!hasLargeTiles())
    return {t.shared[StagedFrom], slot};
  return {t.shared[StagedKeys],
          tile.isInTurns() ? slot : b.add(slot, tile.size())};
}

void RadixSort::stageKey(const Thread &t, const Tile &tile, Item &item) {
  auto stage = [&]() -> SmallVector<Value> {
    Value digit = b.shiftRight(item.digitAndRank, kRankBits);
    Value rank = b.andBits(item.digitAndRank, b.i32((1 << kRankBits) - 1));
    Value start = b.load(t.shared[Seen], {getWarp(t), b.toIndex(digit)});
    Value slot = b.add(widen(start), rank), place = b.toIndex(slot);
    b.store(item.key, t.shared[StagedKeys], place);
    b.store(b.cast(digit, b.getI16Type()), t.shared[Digits], place);
    if (!tile.isInTurns()) {
      auto [staged, at] = getFromPlace(t, tile, place);
      b.store(item.from, staged, at);
    }
    return {slot};
  };
  auto skip = [&]() -> SmallVector<Value> { return {b.i32(0)}; };
  item.slot = b.ifElse(item.isKey, b.getI32Type(), stage, skip)[0];
}

void RadixSort::storeInOrder(const Thread &t, const Tile &tile,
                             ArrayRef<Item> items) {
  Type i32 = b.getI32Type();
  Value rest = b.sub(numKeys, b.mul(tile.number, tile.size()));
  SmallVector<Value> positions, places;
  auto storeFrom = [&](Value position, Value place) {
    auto [staged, at] = getFromPlace(t, tile, position);
    lists.storePosition(tile.pass, b.load(staged, at), b.toIndex(place));
  };
  for (int64_t i = 0; i < tile.keysPerThread; ++i) {
    Value position = b.add(t.thread, i * kThreads);
    auto store = [&]() -> SmallVector<Value> {
      Value key = b.load(t.shared[StagedKeys], position);
      Value digit = b.toIndex(widen(b.load(t.shared[Digits], position)));
      Value first = b.load(t.shared[Firsts], digit);
      Value place = b.add(first, b.cast(position, i32));
      lists.storeKey(tile.pass, key, b.toIndex(place));
      if (!tile.isInTurns())
        storeFrom(position, place);
      return {place};
    };
    auto skip = [&]() -> SmallVector<Value> { return {b.i32(0)}; };
    positions.push_back(position);
    places.push_back(b.ifElse(b.less(position, rest), i32, store, skip)[0]);
  }
  if (!tile.isInTurns())
    return;
  b.barrier();
  for (const Item &item : items)
    b.ifThen(item.isKey, [&] {
      auto [staged, at] = getFromPlace(t, tile, b.toIndex(item.slot));
      b.store(item.from, staged, at);
    });
  b.barrier();
  for (size_t i = 0; i < positions.size(); ++i)
    b.ifThen(b.less(positions[i], rest),
             [&] { storeFrom(positions[i], places[i]); });
}

void RadixSort::moveTile(const Thread &t, const Tile &tile) {
  for (int64_t w = 0; w < kWarps; ++w)
    b.store(b.constantInt(b.getI16Type(), 0), t.shared[Seen],
            {b.index(w), t.thread});
  SmallVector<Item> items = loadKeys(t, tile);
  b.barrier();
  rankKeys(t, tile.pass, items);
  b.barrier();

  // With one thread for each digit: how many keys of the tile have it, where
  // they are among the tile's keys in their order, and where among all keys.
  Value own = sumOverWarps(t, b.i32(0), /*storesStarts=*/false);
  Value lower = countLower(t, tile);
  lookBack.tell(tile.pass, tile.number, t.thread, b.add(lower, own));
  letNextStart(b);
  Value inTile = sumInBlock(b, t, own, t.shared[Sums], kThreads).before;
  sumOverWarps(t, inTile, /*storesStarts=*/true);
  b.barrier();
  for (Item &item : items)
    stageKey(t, tile, item);
  Value first =
      lookBack.getSumBefore(tile.pass, tile.number, t.thread, own, lower);
  b.store(b.sub(first, inTile), t.shared[Firsts], t.thread);
  b.barrier();
  storeInOrder(t, tile, items);
}

SmallVector<MemRefType> RadixSort::getMoveBuffers() {
  Type i32 = b.getI32Type(), i16 = b.getI16Type();
  int64_t most =
      kThreads * (hasLargeTiles() ? kMoreKeysPerThread : kKeysPerThread);
  SmallVector<MemRefType> buffers = {
      b.getSharedType({kWarps, kDigits}, i16), b.getSharedType({kDigits}, i32),
      getBlockSumsType(b, kThreads),           TileTickets::getSharedType(b),
      b.getSharedType({most}, keyType),        b.getSharedType({most}, i16)};
  if (!hasLargeTiles())
    buffers.push_back(b.getSharedType({most}, i32));
  return buffers;
}

void RadixSort::moveByNext() {
  b.launch(mostTiles, kThreads, getMoveBuffers(), [&](const Thread &t) {
    counts.enter();
    TileTickets::Place place = {digits.getMaxPasses(), 0};
    auto move = [&](int64_t keysPerThread) {
      Value numTiles = b.ceilDiv(numKeys, kThreads * keysPerThread);
      TileTickets tickets(b, counts.getTotals(), place, numTiles);
      tickets.forTile(t, t.shared[Ticket], digits.getNumPasses(),
                      [&](Value pass, Value tile) {
                        moveTile(t, {pass, tile, keysPerThread});
                      });
    };
    auto moveMore = [&] {
      if (!hasLargeTiles())
        return move(kKeysPerThread);
      b.ifElse(
          b.less(numKeys, b.index(kManyKeys)), [&] { move(kKeysPerThread); },
          [&] { move(kMoreKeysPerThread); });
    };
    b.ifElse(b.less(b.index(kFewKeys), numKeys), moveMore,
             [&] { move(kFewerKeysPerThread); });
  });
}

void RadixSort::moveByRest() {
  b.launch(mostTiles, kThreads, getMoveBuffers(), [&](const Thread &t) {
    counts.enter();
    Value first = b.i32(kUsualPasses);
    Value left = b.sub(digits.getNumPasses(), first);
    b.ifThen(b.less(b.i32(0), left), [&] {
      TileTickets tickets(b, counts.getTotals(), {digits.getMaxPasses(), 1},
                          usualTiles);
      tickets.forTiles(t, t.shared[Ticket], left, [&](Value pass, Value tile) {
        // Read anew for each tile, as there are no registers to keep it in.
        counts.enter();
        moveTile(t, {b.add(first, pass), tile, kKeysPerThread});
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
    b.forLoop(t.block, mostTiles, numBlocks,
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
