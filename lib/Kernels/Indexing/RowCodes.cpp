//===- RowCodes.cpp - codes of masks --------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mask of a hundred bits and more would take a sort many passes, though most
// of its bits say little: an offset that few rows have is absent, as a rule. A
// code of few bits keeps the order of the masks and spends its bits where masks
// differ (arithmetic coding). It is the lower end of an interval that starts
// with all codes. For each offset, the rarest first, the interval is cut in two
// in the proportion in which rows of a sample lack and have the offset, and the
// mask's bit says which part is left:
//
//   mask, rarest first       0            1            0
//   interval         [0, 100) -> [0, 97) -> [92, 97) -> ...
//
// In the order of the Gray code the part of the rows that have the offset comes
// first where the bit before, as a rank, is 1. Once an interval is as short
// as a code the bits behind no longer count, and are not looked at: on scans
// that have 10 or 40 of 125 offsets in a row, 27 bits leave tiles within 1 to
// 2 % of the offsets that the order by whole masks gives them, and a row looks
// at 102 or 44 offsets.
//
//===----------------------------------------------------------------------===//

#include "OffsetCounts.h"
#include "RadixSort.h"
#include "RowOrder.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <functional>

using namespace mlir;
using namespace mlir::sparseconv;

/// A proportion is in the upper bits of a word, an offset's number in the lower
/// ones. As a fraction of 2^32 the word is the proportion, all but exactly.
static constexpr int64_t kShareBits = 16;
/// Cuts between two looks at whether an interval is as short as a code.
static constexpr int64_t kCutsAtOnce = 4;
/// Places that a thread compares side by side.
static constexpr int64_t kSideBySide = 8;

namespace {
class RowCodes {
public:
  RowCodes(LoopBuilder &b, const RowMasks &rows, RowOrder order)
      : b(b), rows(rows), order(order), numRows(b.dim(rows.masks, 1)),
        words(getMaskWords(rows.offsets)), i32(b.getI32Type()),
        sample(b, rows.counts, numRows, rows.sampleRows) {}

  Value make(bool clearsSums);

private:
  /// steps[i] says which offset is the i-th rarest and which share of the rows
  /// lacks it. Steps that fill up the last cuts are of offsets that no row has.
  /// By one thread block.
  void rankOffsets(const LoopBuilder::Thread &t);
  /// How many offsets are more frequent than offset k, or as frequent and
  /// before it.
  Value countBefore(Value sums, Value k, Value own);
  /// What a code is made of.
  struct Interval {
    /// The lower end and the length in units of 2^-32 (i32), and whether the
    /// next cut puts the rows that have the offset first (i1).
    Value lower, length, isFlipped;
  };
  Interval cut(const Interval &at, Value step,
               function_ref<Value(Value)> getWord);
  int64_t getNumSteps() const {
    return llvm::alignTo(rows.offsets, kCutsAtOnce);
  }
  Value makeKey(Value row);
  /// A word of a row's mask, by its number (i32), which all threads agree on.
  std::function<Value(Value number)> loadMask(Value row);

  LoopBuilder &b;
  const RowMasks &rows;
  RowOrder order;
  Value numRows;
  int64_t words;
  Type i32;
  OffsetCounts sample;
  Value steps;
};
} // namespace

Value RowCodes::countBefore(Value sums, Value k, Value own) {
  int64_t padded = llvm::alignTo(rows.offsets, kSideBySide);
  return b.forLoop(b.index(0), b.index(padded), kSideBySide, b.i32(0),
                   [&](Value first, ValueRange carried) -> SmallVector<Value> {
                     Value count = carried[0];
                     for (int64_t i = 0; i < kSideBySide; ++i) {
                       Value j = b.add(first, i), other = b.load(sums, j);
                       Value isMore = b.less(own, other);
                       Value isTie =
                           b.andBits(b.equal(own, other), b.less(j, k));
                       Value isBefore = b.orBits(isMore, isTie);
                       count =
                           b.add(count, b.select(isBefore, b.i32(1), b.i32(0)));
                     }
                     return {count};
                   })[0];
}

void RowCodes::rankOffsets(const LoopBuilder::Thread &t) {
  Value sums = t.shared[0], offsets = b.index(rows.offsets);
  b.forLoop(t.thread, b.index(words * kMaskBits), kDigits, [&](Value k) {
    // Places behind the offsets count as rarer than all.
    b.store(b.select(b.less(k, offsets), b.i32(0), b.i32(-1)), sums, k);
  });
  b.barrier();
  sample.sum(b, t.thread, kDigits, sums);
  Value sampled = sample.countRows(b);
  auto makeStep = [&](Value k, Value own) {
    // Neither share is 0, so that every mask has a code.
    Value without = b.shiftLeft(b.sub(b.add(sampled, 1), own), kShareBits);
    Value share = b.divide(without, b.add(sampled, 2));
    return b.orBits(b.shiftLeft(share, kShareBits), b.cast(k, i32));
  };
  b.forLoop(t.thread, offsets, kDigits, [&](Value k) {
    Value own = b.load(sums, k), before = countBefore(sums, k, own);
    b.store(makeStep(k, own), steps,
            b.toIndex(b.sub(b.i32(rows.offsets - 1), before)));
  });
  // The last word of a mask has bits for them: it has as many as words have, or
  // there are none.
  for (int64_t k = rows.offsets; k < getNumSteps(); ++k)
    b.store(makeStep(b.index(k), b.i32(0)), steps, b.index(k));
}

RowCodes::Interval RowCodes::cut(const Interval &at, Value step,
                                 function_ref<Value(Value)> getWord) {
  Type i64 = b.getI64Type();
  Value k = b.andBits(step, (1 << kShareBits) - 1);
  Value word = getWord(b.divide(k, kMaskBits));
  Value bit = b.shiftRight(word, b.remainder(k, kMaskBits));
  Value isThere = b.notEqual(b.andBits(bit, 1), b.i32(0));
  Value product = b.mul(b.extend(at.length, i64), b.extend(step, i64));
  Value without = b.cast(b.shiftRight(product, 32), i32);
  Interval next = at;
  next.length = b.select(isThere, b.sub(at.length, without), without);
  Value isUpper = isThere;
  if (order != RowOrder::Mask)
    next.isFlipped = isUpper = b.xorBits(isThere, at.isFlipped);
  Value above = b.sub(at.length, next.length);
  next.lower = b.add(at.lower, b.select(isUpper, above, b.i32(0)));
  return next;
}

std::function<Value(Value)> RowCodes::loadMask(Value row) {
  // More would take too many registers.
  constexpr int64_t most = 4;
  if (words > most)
    return [this, row](Value number) {
      return b.load(rows.masks, {b.toIndex(number), row});
    };
  SmallVector<Value> mask;
  for (int64_t word = 0; word < most; ++word)
    mask.push_back(
        b.load(rows.masks, {b.index(std::min(word, words - 1)), row}));
  return [this, mask](Value number) {
    // One bit of the number after the other halves the words.
    ArrayRef<Value> left = mask;
    SmallVector<Value> half;
    for (int64_t bit = 1; left.size() > 1; bit *= 2) {
      Value isOdd = b.notEqual(b.andBits(number, bit), b.i32(0));
      SmallVector<Value> next;
      for (size_t i = 0; i < left.size(); i += 2)
        next.push_back(b.select(isOdd, left[i + 1], left[i]));
      half = std::move(next);
      left = half;
    }
    return left.front();
  };
}

Value RowCodes::makeKey(Value row) {
  bool isInSpace = order == RowOrder::Space;
  int64_t bits = isInSpace ? kCodeBits - kSpaceBits : kCodeBits;
  Interval all{b.i32(0), b.i32(-1), b.i1(false)};
  Value end = b.index(getNumSteps());
  auto getWord = loadMask(row);
  SmallVector<Value> last = b.whileLoop(
      {b.index(0), all.lower, all.length, all.isFlipped},
      [&](ValueRange carried) {
        Value isOneCode = b.lessUnsigned(carried[2], int64_t(1) << (32 - bits));
        return b.andBits(b.less(carried[0], end), b.notBit(isOneCode));
      },
      [&](ValueRange carried) -> SmallVector<Value> {
        Interval at{carried[1], carried[2], carried[3]};
        Value next = b.loadVector(kCutsAtOnce, steps, carried[0], kCutsAtOnce);
        for (int64_t i = 0; i < kCutsAtOnce; ++i)
          at = cut(at, vector::ExtractOp::create(b, next, i), getWord);
        return {b.add(carried[0], kCutsAtOnce), at.lower, at.length,
                at.isFlipped};
      });
  Value code = b.shiftRight(last[1], 32 - bits);
  if (!isInSpace)
    return code;
  return b.orBits(b.shiftLeft(getSpaceBlock(b, row, numRows), bits), code);
}

Value RowCodes::make(bool clearsSums) {
  steps = b.alloc({getNumSteps()}, i32);
  Value keys = b.alloc({ShapedType::kDynamic}, i32, numRows);
  b.launch(b.index(1), kDigits, {b.getSharedType({words * kMaskBits}, i32)},
           [&](const LoopBuilder::Thread &t) {
             Value isWanted = b.andBits(b.equal(t.block, b.index(0)),
                                        b.less(b.index(0), numRows));
             b.ifThen(isWanted, [&] {
               if (clearsSums)
                 clearSortSums(b, rows.sums, t.thread, kDigits);
               rankOffsets(t);
             });
           });
  b.parallelFor(numRows, [&](Value row) { b.store(makeKey(row), keys, row); });
  return keys;
}

Value mlir::sparseconv::makeRowCodes(LoopBuilder &b, const RowMasks &rows,
                                     RowOrder order, bool clearsSums) {
  return RowCodes(b, rows, order).make(clearsSums);
}
