//===- RowOrder.cpp - rows with alike offsets side by side ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The key of a row says which offsets it has, the rarest first. Masks of one
// word are keys as they are, and longer ones are coded in 27 bits. Where a map
// has few pairs, all masks whose keys would have three digits are coded in two.
// Where rows are ordered within blocks of space, the block comes first.
//
//===----------------------------------------------------------------------===//

#include "RowOrder.h"
#include "DigitCounts.h"
#include "RadixSort.h"
#include "RowCodes.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// The fewest bits of a row's place in its block of space.
static constexpr int64_t kMinPlaceBits = 14;
/// Where rows have more than this part of the offsets, blocks of space help.
/// Sweeps have up to 0.31 of 27 offsets, surfaces and rooms 0.55.
static constexpr int64_t kDenseParts = 2, kDenseWhole = 5;
/// Up to 2^20 pairs, two digits order rows nearly as well as three: tiles of 64
/// rows have up to 1 % more offsets on sweeps, and 2 % in a room. A block of
/// space then takes fewer bits.
static constexpr int64_t kFewPairBits = 20, kShortPasses = 2;
static constexpr int64_t kShortBits = kShortPasses * kDigitBits;
static constexpr int64_t kShortSpaceBits = 3;
/// Words that a thread loads before it makes the first key.
static constexpr int64_t kLoadsAtOnce = 4;

namespace {
/// The keys of rows, by the kernel that first reads them.
class RowKeys {
public:
  RowKeys(LoopBuilder &b, const RowMasks &rows, RowOrder order)
      : b(b), rows(rows), order(order), numRows(b.dim(rows.masks, 1)),
        bits(getRowKeyBits(rows.offsets, order)), ranks(b, rows, mayBeShort()),
        codes(b, ranks, order) {}

  /// The rows in the order of their keys (i32).
  Value sort();

private:
  KeySource getSource();
  bool areCoded() const { return isOrderedByCodes(rows.offsets, order); }
  /// Whether a key may have fewer digits than there is room for.
  bool mayBeShort() const { return getNumSortPasses(bits) > kShortPasses; }

  /// Ranks the offsets by a kernel of one thread block.
  void rankBefore();
  /// Returns how many digits keys have where this depends on the rows.
  Value enter(Value thread, int64_t threads, ValueRange shared);
  void findDensity();
  Value make(ValueRange mask, Value row);
  /// A mask as it is, and a code of it.
  Value makeWhole(ValueRange mask, Value row);
  Value makeCode(ValueRange mask, Value row);
  /// The block of space that a row is in (i32), of so many bits.
  Value getSpaceBlock(Value row, Value spaceBits);

  LoopBuilder &b;
  const RowMasks &rows;
  RowOrder order;
  Value numRows;
  int64_t bits;
  OffsetRanks ranks;
  RowCodes codes;
  /// Whether rows have many offsets, and whether keys are short; or null.
  Value isDense, isShort;
};
} // namespace

Value RowKeys::getSpaceBlock(Value row, Value spaceBits) {
  // As many bits of a row's number as there are beyond those of the block.
  Type i32 = b.getI32Type();
  Value unused = b.countLeadingZeros(b.sub(b.cast(numRows, i32), 1));
  Value rowBits = b.sub(b.i32(32), unused);
  Value placeBits = b.max(b.sub(rowBits, spaceBits), b.i32(kMinPlaceBits));
  return b.shiftRight(b.cast(row, i32), placeBits);
}

void RowKeys::rankBefore() {
  ranks.alloc();
  Value memory = mayBeShort() ? codes.alloc() : Value();
  b.launch(b.index(1), kDigits, ranks.getSharedTypes(),
           [&](const LoopBuilder::Thread &t) {
             Value isWanted = b.andBits(b.equal(t.block, b.index(0)),
                                        b.less(b.index(0), numRows));
             b.ifThen(isWanted, [&] {
               ranks.enter(t.thread, kDigits, t.shared);
               if (memory)
                 codes.enter(t.thread, kDigits, memory);
             });
           });
}

void RowKeys::findDensity() {
  Value pairs = ranks.getPairs(), sampled = ranks.getSampleRows();
  if (order == RowOrder::Density && !areCoded())
    isDense = b.less(b.mul(sampled, kDenseParts * rows.offsets),
                     b.mul(pairs, kDenseWhole));
  if (!mayBeShort())
    return;
  // All rows have as many pairs as those of the sample.
  Type i64 = b.getI64Type();
  Value all = b.mul(b.extend(pairs, i64), b.cast(numRows, i64));
  Value most = b.shiftLeft(b.extend(sampled, i64), kFewPairBits);
  isShort = b.lessEqual(all, most);
}

Value RowKeys::enter(Value thread, int64_t threads, ValueRange shared) {
  if (ranks.isByBlocks()) {
    ranks.enter(thread, threads, shared);
    if (mayBeShort())
      codes.enter(thread, threads, shared.back());
  } else {
    ranks.enterRanked();
  }
  findDensity();
  if (!isShort)
    return {};
  return b.select(isShort, b.i32(kShortPasses), b.i32(getNumSortPasses(bits)));
}

Value RowKeys::makeWhole(ValueRange mask, Value row) {
  Value key = ranks.rankSingleWord(mask);
  if (order != RowOrder::Mask)
    key = decodeGray(b, key);
  Value whole = b.shiftRight(key, kMaskBits - rows.offsets);
  if (!isDense)
    return whole;
  // As much of the rank as leaves room for the block.
  int64_t rankBits = bits - kSpaceBits;
  Value block = getSpaceBlock(row, b.i32(kSpaceBits));
  Value rank =
      b.shiftRight(whole, std::max<int64_t>(0, rows.offsets - rankBits));
  return b.select(isDense, b.orBits(b.shiftLeft(block, rankBits), rank), whole);
}

Value RowKeys::makeCode(ValueRange mask, Value row) {
  assert(isShort && "codes may be short");
  auto choose = [&](int64_t ifShort, int64_t ifLong) {
    return b.select(isShort, b.i32(ifShort), b.i32(ifLong));
  };
  Value all = choose(kShortBits, kCodeBits);
  bool isInSpace = order == RowOrder::Space;
  if (!isInSpace && !isDense)
    return codes.make(mask, row, all);
  Value spaceBits = choose(kShortSpaceBits, kSpaceBits);
  Value block = getSpaceBlock(row, spaceBits);
  if (!isInSpace) {
    spaceBits = b.select(isDense, spaceBits, b.i32(0));
    block = b.select(isDense, block, b.i32(0));
  }
  Value rest = b.sub(all, spaceBits);
  return b.orBits(b.shiftLeft(block, rest), codes.make(mask, row, rest));
}

Value RowKeys::make(ValueRange mask, Value row) {
  if (areCoded())
    return makeCode(mask, row);
  if (!isShort)
    return makeWhole(mask, row);
  return b.ifElse(
      isShort, b.getI32Type(),
      [&]() -> SmallVector<Value> { return {makeCode(mask, row)}; },
      [&]() -> SmallVector<Value> { return {makeWhole(mask, row)}; })[0];
}

KeySource RowKeys::getSource() {
  KeySource source{b.alloc({ShapedType::kDynamic}, b.getI32Type(), numRows),
                   rows.sums};
  if (!ranks.isByBlocks()) {
    rankBefore();
  } else {
    source.shared = ranks.getSharedTypes();
    if (mayBeShort())
      source.shared.push_back(codes.getSharedType());
  }
  source.enter = [&](Value thread, int64_t threads, ValueRange shared) {
    return enter(thread, threads, shared);
  };
  source.keysAtOnce = std::max<int64_t>(1, kLoadsAtOnce / ranks.getNumWords());
  source.load = [&](Value row) { return ranks.load(row); };
  source.make = [&](ValueRange mask, Value row) { return make(mask, row); };
  return source;
}

Value RowKeys::sort() {
  auto dynamic = {ShapedType::kDynamic};
  Value sorted = b.alloc(dynamic, b.getI32Type(), numRows);
  Value permutation = b.alloc(dynamic, b.getI32Type(), numRows);
  sortKeys(b, getSource(), sorted, permutation, bits, /*isSparse=*/false);
  return permutation;
}

Value mlir::sparseconv::orderRows(LoopBuilder &b, const RowMasks &rows,
                                  RowOrder order) {
  return RowKeys(b, rows, order).sort();
}
