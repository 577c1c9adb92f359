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

/// Codes of few bits that keep the order of masks.
class RowCodes {
public:
  RowCodes(LoopBuilder &b, OffsetRanks &ranks, RowOrder order)
      : b(b), ranks(ranks), order(order) {}

  /// The code of a row's mask, of so many bits (i32).
  Value make(ValueRange mask, Value row, Value bits);

private:
  /// What a code is made of.
  struct Interval {
    /// Where it starts and its length (f32), of a whole of 1; and whether the
    /// next cut puts the rows that have the offset first (i1).
    Value lower, length, isFlipped;
  };
  /// The part of an interval that is left by an offset of which rows lack the
  /// share `lack` (f32). `bit` (i1) says whether the row has it.
  Interval cut(const Interval &at, Value lack, Value bit);
  /// The interval behind all offsets of a ranked word, from rank `first` on.
  /// One that is shorter than `least` is left as it is.
  Interval takeWord(const Interval &at, Value first, Value ranked, Value least);
  Value isLong(Value length, Value least);

  LoopBuilder &b;
  OffsetRanks &ranks;
  RowOrder order;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_ROWCODES_H
