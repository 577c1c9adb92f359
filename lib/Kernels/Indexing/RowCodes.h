//===- RowCodes.h - codes of masks ------------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_ROWCODES_H
#define SPARSECONV_LIB_KERNELS_INDEXING_ROWCODES_H

#include "OffsetRanks.h"

namespace mlir::sparseconv {

/// Where ranked masks are in the order of the Gray code: each set bit flips all
/// bits of the word behind it.
Value decodeGray(LoopBuilder &b, Value ranked);

/// Codes of few bits that keep the order of masks.
class RowCodes {
public:
  RowCodes(LoopBuilder &b, OffsetRanks &ranks, RowOrder order)
      : b(b), ranks(ranks), order(order) {}

  /// What `enter` fills: memory that a thread block shares, or that a kernel
  /// before fills for all.
  MemRefType getSharedType() const {
    return b.getSharedType(getShape(), f32());
  }
  Value alloc() const { return b.alloc(getShape(), f32()); }
  /// Cuts intervals by all that pieces of masks can be, once the offsets are
  /// ranked; a barrier follows.
  void enter(Value thread, int64_t threads, Value memory);

  /// The code of a row's mask, of so many bits (i32).
  Value make(ValueRange mask, Value row, Value bits);

private:
  /// A part of a whole of 1: where it starts, and its length (f32).
  struct Interval {
    Value lower, length;
  };
  Type f32() const { return b.getF32Type(); }
  SmallVector<int64_t> getShape() const;
  /// The part that the offset of a rank leaves. `isUpper` and `wasUpper` (i1):
  /// whether it is the upper one, and whether that of the rank before was.
  Interval cut(const Interval &at, Value rank, Value isUpper, Value wasUpper);
  /// Bit by bit of a ranked word whether the upper part is left. `wasUpper`
  /// (i32, 0 or 1) says it of the bit before.
  Value findUpperParts(Value ranked, Value wasUpper);
  /// What all offsets of a word leave of an interval.
  Interval takeWord(Interval left, Value word, Value upper, Value wasUpper);

  LoopBuilder &b;
  OffsetRanks &ranks;
  RowOrder order;
  /// [piece of a mask, the bits of `findUpperParts` for it and the one before,
  /// 2]: what the piece leaves of the interval of all codes.
  Value pieces;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_ROWCODES_H
