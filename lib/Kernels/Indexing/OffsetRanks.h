//===- OffsetRanks.h - offsets, the rarest first ----------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An order of rows looks at rare offsets first. A sample of the rows says how
// rare an offset is, and its rank is how many others are rarer. The bits of a
// mask are put in the order of the ranks:
//
//   offsets       a b c d           ranked    c a d b    (c is the rarest)
//   mask          1 0 0 1                     0 1 1 0
//
// Each thread block that makes keys ranks the offsets for itself, and fills
// tables by which some bits of a mask are ranked at once. Where there are too
// many offsets for that, a kernel before ranks them, and bits go one by one.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_OFFSETRANKS_H
#define SPARSECONV_LIB_KERNELS_INDEXING_OFFSETRANKS_H

#include "OffsetCounts.h"
#include "RowOrder.h"

namespace mlir::sparseconv {

class OffsetRanks {
public:
  /// `hasShares`: whether `getLack` will be called.
  OffsetRanks(LoopBuilder &b, const RowMasks &rows, bool hasShares);

  int64_t getNumWords() const { return words; }
  /// Whether each thread block ranks the offsets, and not a kernel before.
  bool isByBlocks() const;

  /// What the threads of a block that ranks offsets share.
  SmallVector<MemRefType> getSharedTypes() const;
  /// Ranks the offsets; the threads of a block meet at the end.
  void enter(Value thread, int64_t threads, ValueRange shared);
  /// What a kernel before leaves for `enterRanked`, which others call then.
  void alloc();
  void enterRanked();

  /// The pairs of the rows of the sample, and how many rows these are (i32).
  Value getPairs() const { return pairs; }
  Value getSampleRows() const { return sampleRows; }
  /// The share of the rows that lack the offset of a rank (f32): neither 0 nor
  /// 1, but for 1 behind the last.
  Value getLack(Value rank) { return b.load(lacks, rank); }

  /// What of a row's mask is loaded ahead.
  SmallVector<Value> load(Value row);
  /// Calls `body` with the numbers of the words (index), which carries values
  /// from one to the next.
  using Body = function_ref<SmallVector<Value>(
      Value number, function_ref<Value()> rankWord, ValueRange carried)>;
  /// `rankWord` ranks a word of a row's mask (i32), whose highest bits are of
  /// the rarest offsets.
  SmallVector<Value> forWords(ValueRange mask, Value row, ValueRange inits,
                              Body body);
  /// The only word, ranked.
  Value rankSingleWord(ValueRange mask) { return rankByTables(mask, 0); }

private:
  /// Sums up the sample, and counts its pairs.
  void addSample(Value thread, int64_t threads);
  void rank(Value thread, int64_t threads);
  /// Bits for the number of an offset.
  int64_t getNumberBits() const;
  /// How many of a quarter of the offsets are rarer than one with `own` in
  /// `sums`.
  Value countRarer(Value own, Value quarter);
  void setRank(Value k, Value rank);
  void setShare(Value k, Value rank, Value count);
  /// Bits of a mask that a table ranks at once, and how many such pieces a word
  /// has.
  int64_t getPieceBits() const { return words == 1 ? 8 : 4; }
  int64_t getNumPieces() const { return kMaskBits / getPieceBits(); }
  void fillTables(Value thread, int64_t threads);
  Value rankByTables(ValueRange mask, int64_t word);
  /// Looks up the bits of a word one by one.
  Value gather(Value row, Value word);

  LoopBuilder &b;
  const RowMasks &rows;
  bool hasShares;
  int64_t words;
  OffsetCounts sample;
  /// [offsets, in whole words]: how many rows have an offset, before its
  /// number; its rank, or, by a kernel before, the offset of a rank; for a
  /// rank, the share of rows without the offset.
  Value sums, ranks, lacks;
  /// [word, piece, its bits]: where those bits are in a ranked word.
  Value tables;
  Value pairs, sampleRows;
  /// The pairs, by a kernel before.
  Value record;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_OFFSETRANKS_H
