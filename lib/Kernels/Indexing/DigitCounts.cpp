//===- DigitCounts.cpp - how many keys have each digit --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread block counts its keys by all of their digits in shared memory,
// and adds what it has found to the totals.
//
//===----------------------------------------------------------------------===//

#include "DigitCounts.h"
#include "sparseconv/Kernels/Builders/WarpOps.h"

using namespace mlir;
using namespace mlir::sparseconv;
using arith::AtomicRMWKind;

/// A thread for each digit.
static constexpr int64_t kThreads = kDigits;
/// Keys for each thread, unless that would be too many thread blocks.
static constexpr int64_t kKeysPerThread = 2, kMaxBlocks = 264;

void DigitCounts::clear() {
  int64_t passes = digits.getMaxPasses();
  totals = source.sums ? source.sums : allocSortSums(b, passes * kDigitBits);
  digits.alloc();
  if (source.sums && digits.getNumCleared() == 0)
    return;
  int64_t numTotals = source.sums ? 0 : (passes + 1) * kDigits;
  int64_t most = std::max(numTotals, digits.getNumCleared());
  b.parallelFor(b.index(most), [&](Value i) {
    auto upTo = [&](int64_t end, function_ref<void()> body) {
      b.ifThen(b.less(i, b.index(end)), body);
    };
    upTo(numTotals, [&] {
      Value pass = b.floorDiv(i, kDigits);
      b.store(b.i32(0), totals, {pass, b.andBits(i, b.index(kDigits - 1))});
    });
    upTo(digits.getNumCleared(), [&] { digits.clear(i); });
  });
}

void DigitCounts::count(ClearTiles clearTiles) {
  Value numBlocks =
      b.min(b.ceilDiv(numKeys, kThreads * kKeysPerThread), b.index(kMaxBlocks));
  SmallVector<MemRefType> shared = {
      b.getSharedType({digits.getMaxPasses(), kDigits}, b.getI32Type())};
  llvm::append_range(shared, source.shared);
  b.launch(numBlocks, kThreads, shared, [&](const Thread &t) {
    b.ifThen(b.less(t.block, numBlocks),
             [&] { countBlock(t, numBlocks, clearTiles); });
  });
}

void DigitCounts::dealloc() {
  if (!source.sums)
    b.dealloc(totals);
  digits.dealloc();
}

void DigitCounts::forPasses(function_ref<void(int64_t pass)> body) {
  for (int64_t pass = 0; pass < digits.getMaxPasses(); ++pass)
    b.ifThen(b.less(b.i32(pass), digits.getNumPasses()), [&] { body(pass); });
}

void DigitCounts::enterCount(const Thread &t) {
  enter();
  if (!source.enter)
    return;
  ValueRange shared = ArrayRef(t.shared).drop_front();
  Value passes = source.enter(t.thread, kThreads, shared);
  if (!passes)
    return;
  // Kernels behind this one read it.
  isChosen = true;
  digits.setNumPasses(passes);
  Value isFirst =
      b.andBits(b.equal(t.block, b.index(0)), b.equal(t.thread, b.index(0)));
  b.ifThen(isFirst, [&] { b.store(passes, totals, getPassesPlace()); });
}

void DigitCounts::enter() {
  digits.enter();
  if (isChosen)
    digits.setNumPasses(b.load(totals, getPassesPlace()));
}

void DigitCounts::countBlock(const Thread &t, Value numBlocks,
                             ClearTiles clearTiles) {
  enterCount(t);
  Value counts = t.shared[0];
  forPasses([&](int64_t pass) {
    b.store(b.i32(0), counts, {b.index(pass), t.thread});
  });
  clearTiles(t, numBlocks);
  b.barrier();
  Value stride = b.mul(numBlocks, kThreads);
  b.forLoop(
      b.mul(t.block, kThreads), numKeys, b.mul(stride, source.keysAtOnce),
      [&](Value first) { countKeys(b.add(first, t.thread), stride, counts); });
  b.barrier();
  letNextStart(b);
  forPasses([&](int64_t pass) {
    Value found = b.load(counts, {b.index(pass), t.thread});
    b.ifThen(b.notEqual(found, b.i32(0)), [&] {
      b.atomic(AtomicRMWKind::addi, found, totals,
               ValueRange{b.index(pass), t.thread});
    });
  });
}

void DigitCounts::countKeys(Value from, Value stride, Value counts) {
  // A load cannot move up across a count, nor down across the barrier. So all
  // loads are under way before a thread waits for the first.
  SmallVector<Value> positions;
  SmallVector<SmallVector<Value>> loaded;
  for (int64_t i = 0; i < source.keysAtOnce; ++i) {
    positions.push_back(b.add(from, b.mul(stride, i)));
    Value inside = b.min(positions.back(), b.sub(numKeys, 1));
    if (source.make)
      loaded.push_back(source.load(inside));
    else
      loaded.push_back({b.load(source.keys, inside)});
  }
  b.barrier();
  for (int64_t i = 0; i < source.keysAtOnce; ++i) {
    Value position = positions[i];
    ArrayRef<Value> parts = loaded[i];
    b.ifThen(b.less(position, numKeys), [&] {
      Value key = source.make ? source.make(parts, position) : parts.front();
      if (source.make)
        b.store(key, source.keys, position);
      Value dense = digits.makeDense(key);
      forPasses([&](int64_t pass) {
        Value digit = b.toIndex(digits.getDigit(dense, pass));
        b.atomic(AtomicRMWKind::addi, b.i32(1), counts,
                 ValueRange{b.index(pass), digit});
      });
    });
  }
}

Value mlir::sparseconv::allocSortSums(LoopBuilder &b, int64_t bits) {
  return b.alloc({getNumSortPasses(bits) + 1, kDigits}, b.getI32Type());
}

void mlir::sparseconv::clearSortSums(LoopBuilder &b, Value sums, Value thread,
                                     int64_t threads) {
  int64_t rows = cast<MemRefType>(sums.getType()).getDimSize(0);
  b.forLoop(thread, b.index(rows * kDigits), threads, [&](Value i) {
    Value row = b.floorDiv(i, kDigits);
    b.store(b.i32(0), sums, {row, b.andBits(i, b.index(kDigits - 1))});
  });
}
