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
// first where the bit before, as a rank, is 1. Once an interval is as short as
// a code the bits behind no longer count, and are not looked at: on scans that
// have 10 or 40 of 125 offsets in a row, 27 bits leave tiles within 1 to 2 % of
// the offsets that the order by whole masks gives them, and a row looks at 106
// or 48 offsets. An f32 keeps 24 bits; what rounding takes from the others is
// the same for equal masks.
//
//===----------------------------------------------------------------------===//

#include "RowCodes.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Cuts between two looks at whether an interval is as short as a code.
static constexpr int64_t kCutsAtOnce = 8;
/// The length of the interval of all codes: less than 1, which rounding could
/// exceed.
static constexpr double kAll = 1 - 0x1p-16;

RowCodes::Interval RowCodes::cut(const Interval &at, Value lack, Value bit) {
  Value without = b.mul(at.length, lack), with = b.sub(at.length, without);
  Interval next = at;
  next.length = b.select(bit, with, without);
  Value isUpper = bit;
  if (order != RowOrder::Mask)
    next.isFlipped = isUpper = b.xorBits(bit, at.isFlipped);
  Value other = b.select(bit, without, with);
  next.lower = b.select(isUpper, b.add(at.lower, other), at.lower);
  return next;
}

Value RowCodes::isLong(Value length, Value least) {
  return arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, length, least);
}

RowCodes::Interval RowCodes::takeWord(const Interval &at, Value first,
                                      Value ranked, Value least) {
  Value end = b.add(first, kMaskBits);
  SmallVector<Value> last = b.whileLoop(
      {first, ranked, at.lower, at.length, at.isFlipped},
      [&](ValueRange carried) {
        return b.andBits(b.less(carried[0], end), isLong(carried[3], least));
      },
      [&](ValueRange carried) -> SmallVector<Value> {
        Interval next{carried[2], carried[3], carried[4]};
        Value bits = carried[1];
        for (int64_t i = 0; i < kCutsAtOnce; ++i) {
          Value bit = b.andBits(bits, b.bit(kMaskBits - 1 - i));
          next = cut(next, ranks.getLack(b.add(carried[0], i)),
                     b.notEqual(bit, 0));
        }
        return {b.add(carried[0], kCutsAtOnce), b.shiftLeft(bits, kCutsAtOnce),
                next.lower, next.length, next.isFlipped};
      });
  return {last[2], last[3], last[4]};
}

Value RowCodes::make(ValueRange mask, Value row, Value bits) {
  Type f32 = b.getF32Type();
  Value numCodes = arith::SIToFPOp::create(b, f32, b.shiftLeft(b.i32(1), bits));
  Value least = b.divide(b.f32(1), numCodes);
  SmallVector<Value> all = {b.f32(0), b.f32(kAll), b.i1(false)};
  SmallVector<Value> last =
      ranks.forWords(mask, row, all,
                     [&](Value number, function_ref<Value()> rankWord,
                         ValueRange carried) -> SmallVector<Value> {
                       return b.ifElse(
                           isLong(carried[1], least), {f32, f32, b.getI1Type()},
                           [&]() -> SmallVector<Value> {
                             Interval at{carried[0], carried[1], carried[2]};
                             Value first = b.mul(number, kMaskBits);
                             Interval next =
                                 takeWord(at, first, rankWord(), least);
                             return {next.lower, next.length, next.isFlipped};
                           },
                           [&] { return llvm::to_vector(carried); });
                     });
  return arith::FPToSIOp::create(b, b.getI32Type(), b.mul(last[0], numCodes));
}
