//===- RowOrder.cpp - rows with alike offsets side by side ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Masks of a word are sorted as they are; longer ones, and all that are sorted
// within blocks of space whatever they are, by codes of few bits.
//
//===----------------------------------------------------------------------===//

#include "RowOrder.h"
#include "OffsetCounts.h"
#include "RadixSort.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// The fewest bits of a row's place in its block of space.
static constexpr int64_t kMinPlaceBits = 14;
/// Where rows have more than this part of the offsets, blocks of space help.
/// Sweeps have up to 0.31 of 27 offsets, surfaces and rooms 0.55.
static constexpr int64_t kDenseParts = 2, kDenseWhole = 5;

Value mlir::sparseconv::getSpaceBlock(LoopBuilder &b, Value row,
                                      Value numRows) {
  // As many bits of a row's number as there are beyond those of the block.
  Type i32 = b.getI32Type();
  Value unused = b.countLeadingZeros(b.sub(b.cast(numRows, i32), 1));
  Value placeBits =
      b.max(b.sub(b.i32(32 - kSpaceBits), unused), b.i32(kMinPlaceBits));
  return b.shiftRight(b.cast(row, i32), placeBits);
}

namespace {
/// Keys that have one bit for each offset of a row, lower the more rows have
/// that offset; in the order of the Gray code, the rank of these bits. They add
/// up over the bits of a mask (as exclusive or), so that a table for each byte
/// makes them. Where the order is by density and rows have many offsets, a
/// block of space comes before the upper bits of the rank.
class WholeKeys {
public:
  WholeKeys(LoopBuilder &b, int64_t offsets, RowOrder order)
      : b(b), offsets(offsets), order(order) {}

  static constexpr int64_t kNumTables = 4;
  void fillTables(Value thread, int64_t threads, Value sums, Value places,
                  Value tables);
  /// Whether the rows of the sample have many offsets, of which there are
  /// `sums`.
  void findDensity(const OffsetCounts &sample, Value sums);
  Value make(Value mask, Value row, Value numRows, Value tables);

private:
  LoopBuilder &b;
  int64_t offsets;
  RowOrder order;
  Value isDense;
};
} // namespace

void WholeKeys::findDensity(const OffsetCounts &sample, Value sums) {
  if (order != RowOrder::Density)
    return;
  Value pairs = b.i32(0);
  for (int64_t k = 0; k < offsets; ++k)
    pairs = b.add(pairs, b.load(sums, b.index(k)));
  isDense = b.less(b.mul(sample.countRows(b), kDenseParts * offsets),
                   b.mul(pairs, kDenseWhole));
}

void WholeKeys::fillTables(Value thread, int64_t threads, Value sums,
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
    if (order != RowOrder::Mask)
      for (int64_t distance = 1; distance < 32; distance *= 2)
        key = b.xorBits(key, b.shiftRight(key, distance));
    b.store(key, tables, {number, byte});
  });
}

Value WholeKeys::make(Value mask, Value row, Value numRows, Value tables) {
  Value key = b.i32(0);
  for (int64_t number = 0; number < llvm::divideCeilSigned(offsets, 8);
       ++number) {
    Value byte = b.andBits(b.shiftRight(mask, 8 * number), b.i32(255));
    Value ofByte = b.load(tables, {b.index(number), b.toIndex(byte)});
    key = b.xorBits(key, ofByte);
  }
  if (!isDense)
    return key;
  int64_t rankBits = getRowKeyBits(offsets, order) - kSpaceBits;
  Value block = b.shiftLeft(getSpaceBlock(b, row, numRows), rankBits);
  Value rank = b.shiftRight(key, std::max<int64_t>(0, offsets - rankBits));
  return b.select(isDense, b.orBits(block, rank), key);
}

/// Sorts the keys of all rows.
static Value sortRows(LoopBuilder &b, const RowMasks &rows, RowOrder order,
                      const KeySource &source) {
  auto dynamic = {ShapedType::kDynamic};
  Value numRows = b.dim(rows.masks, 1);
  Value sorted = b.alloc(dynamic, b.getI32Type(), numRows);
  Value permutation = b.alloc(dynamic, b.getI32Type(), numRows);
  sortKeys(b, source, sorted, permutation, getRowKeyBits(rows.offsets, order),
           /*isSparse=*/false);
  return permutation;
}

/// Keys are made by the kernel that first reads them.
static Value orderByMasks(LoopBuilder &b, const RowMasks &rows,
                          RowOrder order) {
  Type i32 = b.getI32Type();
  Value numRows = b.dim(rows.masks, 1);
  OffsetCounts sample(b, rows.counts, numRows, rows.sampleRows);
  WholeKeys keys(b, rows.offsets, order);
  Value tables;
  KeySource source{b.alloc({ShapedType::kDynamic}, i32, numRows), rows.sums};
  source.shared = {b.getSharedType({kMaskBits}, i32),
                   b.getSharedType({kMaskBits}, i32),
                   b.getSharedType({WholeKeys::kNumTables, 256}, i32)};
  source.enter = [&](Value thread, int64_t threads, ValueRange shared) {
    tables = shared[2];
    sample.sum(b, thread, threads, shared[0]);
    keys.findDensity(sample, shared[0]);
    keys.fillTables(thread, threads, shared[0], shared[1], tables);
  };
  source.load = [&](Value row) {
    return b.load(rows.masks, {b.index(0), row});
  };
  source.make = [&](Value mask, Value row) {
    return keys.make(mask, row, numRows, tables);
  };
  return sortRows(b, rows, order, source);
}

Value mlir::sparseconv::orderRows(LoopBuilder &b, const RowMasks &rows,
                                  RowOrder order) {
  if (!isOrderedByCodes(rows.offsets, order))
    return orderByMasks(b, rows, order);
  RowMasks cleared = rows;
  if (!cleared.sums)
    cleared.sums = allocSortSums(b, kCodeBits);
  Value keys = makeRowCodes(b, cleared, order, /*clearsSums=*/!rows.sums);
  return sortRows(b, cleared, order, KeySource{keys, cleared.sums});
}
