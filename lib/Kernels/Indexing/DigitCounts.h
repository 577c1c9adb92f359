//===- DigitCounts.h - how many keys have each digit ------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_DIGITCOUNTS_H
#define SPARSECONV_LIB_KERNELS_INDEXING_DIGITCOUNTS_H

#include "KeyDigits.h"
#include <functional>

namespace mlir::sparseconv {

/// Keys in a buffer. Those that are not there yet are made as the sort first
/// reads them, which saves a kernel.
struct KeySource {
  Value keys;
  /// What a kernel before has cleared (see `allocSortSums`), or null: the sort
  /// clears its own.
  Value sums = {};
  /// What the threads of a block share that makes keys.
  SmallVector<MemRefType> shared = {};
  /// Prepares a block of `threads` threads; a barrier follows. Returns how many
  /// digits keys have (i32) where this depends on them, or null: as many as
  /// there is room for.
  std::function<Value(Value thread, int64_t threads, ValueRange shared)> enter =
      {};
  /// What the key at a position is made of, and the key. A thread loads what
  /// `keysAtOnce` keys are made of before it makes the first.
  std::function<SmallVector<Value>(Value position)> load = {};
  std::function<Value(ValueRange loaded, Value position)> make = {};
  int64_t keysAtOnce = 4;
};

/// Allocates what a sort of keys of up to `bits` bits adds to, and clears it as
/// a part of a kernel before the sort: by the `threads` threads of one thread
/// block.
Value allocSortSums(LoopBuilder &b, int64_t bits);
void clearSortSums(LoopBuilder &b, Value sums, Value thread, int64_t threads);

/// The kernel of a sort that counts keys by their digits. It reads them first,
/// and so makes those that are not there yet.
class DigitCounts {
public:
  DigitCounts(LoopBuilder &b, const KeySource &source, KeyDigits &digits)
      : b(b), source(source), digits(digits), numKeys(b.dim(source.keys, 0)) {}

  /// Allocates what is counted in, and clears it unless a kernel before has.
  void clear();
  /// Counts. Each of the `numBlocks` thread blocks (index) also clears its
  /// share of what tiles will say.
  using ClearTiles =
      function_ref<void(const LoopBuilder::Thread &t, Value numBlocks)>;
  void count(ClearTiles clearTiles);
  void dealloc();

  /// What each kernel behind it does first: learns how many digits keys have.
  void enter();

  /// For each pass how many keys have each digit (i32 [passes + 1, digits]).
  /// The last row has room for the counters of tickets in its first columns,
  /// and the number of passes in the last one, if the source has said it.
  Value getTotals() const { return totals; }

private:
  using Thread = LoopBuilder::Thread;

  void enterCount(const Thread &t);
  void countBlock(const Thread &t, Value numBlocks, ClearTiles clearTiles);
  /// Keys `from`, `from` + `stride` and so on, so many that their loads go side
  /// by side. The threads of a block meet.
  void countKeys(Value from, Value stride, Value counts);
  void forPasses(function_ref<void(int64_t pass)> body);
  SmallVector<Value> getPassesPlace() {
    return {b.index(digits.getMaxPasses()), b.index(kDigits - 1)};
  }

  LoopBuilder &b;
  const KeySource &source;
  KeyDigits &digits;
  Value numKeys, totals;
  /// Whether the source has said how many digits keys have.
  bool isChosen = false;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_DIGITCOUNTS_H
