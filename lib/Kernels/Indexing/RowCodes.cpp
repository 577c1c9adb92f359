//===- RowCodes.cpp - codes of masks --------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mask of many bits would take a sort many passes, though most of its bits
// say little: an offset that few rows have is absent, as a rule. A code of few
// bits keeps the order of the masks and spends its bits where masks differ
// (arithmetic coding). It is the lower end of an interval that starts with all
// codes. For each offset, the rarest first, the interval is cut in two in the
// proportion in which rows of a sample lack and have the offset, and the mask's
// bit says which part is left:
//
//   mask, rarest first       0            1            0
//   interval         [0, 100) -> [0, 97) -> [92, 97) -> ...
//
// In the order of the Gray code the part of the rows that have the offset comes
// first where the part before was the upper one. Once an interval is as short
// as a code the words behind no longer count, and are not looked at: on scans
// that have 10 or 40 of 125 offsets in a row, 27 bits leave tiles within 1 to
// 2 % of the offsets that the order by whole masks gives them. An f32 keeps 24
// bits; what rounding takes from the others is the same for equal masks.
//
// What a few bits of a mask leave of an interval depends on these bits alone
// (and on whether the part before was the upper one). So there is a table of
// it, and a row takes several offsets at a time.
//
//===----------------------------------------------------------------------===//

#include "RowCodes.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Offsets that a row takes at a time.
static constexpr int64_t kPieceBits = 4;
static constexpr int64_t kPiecesPerWord = kMaskBits / kPieceBits;
/// Entries of a table: the bits of a piece and the one before.
static constexpr int64_t kEntries = 2 << kPieceBits;
/// The length of the interval of all codes: less than 1, which rounding could
/// exceed.
static constexpr double kAll = 1 - 0x1p-16;

Value mlir::sparseconv::decodeGray(LoopBuilder &b, Value ranked) {
  for (int64_t distance = 1; distance < kMaskBits; distance *= 2)
    ranked = b.xorBits(ranked, b.shiftRight(ranked, distance));
  return ranked;
}

SmallVector<int64_t> RowCodes::getShape() const {
  return {ranks.getNumWords() * kPiecesPerWord, kEntries, 2};
}

RowCodes::Interval RowCodes::cut(const Interval &at, Value rank, Value isUpper,
                                 Value wasUpper) {
  Value without = b.mul(at.length, ranks.getLack(rank));
  Value with = b.sub(at.length, without);
  Value hasOffset =
      order == RowOrder::Mask ? isUpper : b.xorBits(isUpper, wasUpper);
  Value left = b.select(hasOffset, with, without);
  Value other = b.select(hasOffset, without, with);
  return {b.select(isUpper, b.add(at.lower, other), at.lower), left};
}

void RowCodes::enter(Value thread, int64_t threads, Value memory) {
  pieces = memory;
  Value numItems = b.index(getShape()[0] * kEntries);
  b.forLoop(thread, numItems, threads, [&](Value item) {
    Value piece = b.floorDiv(item, kEntries);
    Value entry = b.andBits(item, b.index(kEntries - 1));
    Interval at{b.f32(0), b.f32(1)};
    auto isSet = [&](int64_t bit) {
      return b.notEqual(b.andBits(entry, b.index(int64_t(1) << bit)),
                        b.index(0));
    };
    Value wasUpper = isSet(kPieceBits);
    for (int64_t i = 0; i < kPieceBits; ++i) {
      Value isUpper = isSet(kPieceBits - 1 - i);
      at = cut(at, b.add(b.mul(piece, kPieceBits), i), isUpper, wasUpper);
      wasUpper = isUpper;
    }
    b.store(at.lower, pieces, {piece, entry, b.index(0)});
    b.store(at.length, pieces, {piece, entry, b.index(1)});
  });
}

Value RowCodes::findUpperParts(Value ranked, Value wasUpper) {
  if (order == RowOrder::Mask)
    return ranked;
  return b.xorBits(decodeGray(b, ranked), b.sub(b.i32(0), wasUpper));
}

RowCodes::Interval RowCodes::takeWord(Interval left, Value word, Value upper,
                                      Value wasUpper) {
  for (int64_t i = 0; i < kPiecesPerWord; ++i) {
    int64_t behind = kMaskBits - (i + 1) * kPieceBits;
    Value entry = b.shiftRight(upper, behind);
    if (i == 0)
      entry = b.orBits(entry, b.shiftLeft(wasUpper, kPieceBits));
    else
      entry = b.andBits(entry, kEntries - 1);
    Value piece = b.add(b.mul(word, kPiecesPerWord), i), at = b.toIndex(entry);
    Value lower = b.load(pieces, {piece, at, b.index(0)});
    Value length = b.load(pieces, {piece, at, b.index(1)});
    left.lower = b.add(left.lower, b.mul(left.length, lower));
    left.length = b.mul(left.length, length);
  }
  return left;
}

Value RowCodes::make(ValueRange mask, Value row, Value bits) {
  Value numCodes =
      arith::SIToFPOp::create(b, f32(), b.shiftLeft(b.i32(1), bits));
  Value least = b.divide(b.f32(1), numCodes);
  SmallVector<Value> last = ranks.forWords(
      mask, row, {b.f32(0), b.f32(kAll), b.i32(0)},
      [&](Value word, function_ref<Value()> rankWord,
          ValueRange carried) -> SmallVector<Value> {
        Value isLong = arith::CmpFOp::create(b, arith::CmpFPredicate::OGE,
                                             carried[1], least);
        return b.ifElse(
            isLong, {f32(), f32(), b.getI32Type()},
            [&]() -> SmallVector<Value> {
              Value upper = findUpperParts(rankWord(), carried[2]);
              Interval left =
                  takeWord({carried[0], carried[1]}, word, upper, carried[2]);
              return {left.lower, left.length, b.andBits(upper, 1)};
            },
            [&] { return llvm::to_vector(carried); });
      });
  return arith::FPToSIOp::create(b, b.getI32Type(), b.mul(last[0], numCodes));
}
