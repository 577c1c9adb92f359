//===- Cover.cpp - the cells of a region that a set reaches ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All workers count the bits of their slices (CellBitmap.h); then each makes
// its bitmaps again, and writes its cells behind those of the workers before.
//
//===----------------------------------------------------------------------===//

#include "CellBitmap.h"
#include "CoordinateChecks.h"
#include "sparseconv/Kernels/Indexing/IndexingKernels.h"

using namespace mlir;
using namespace mlir::sparseconv;

using Worker = CellBitmap::Worker;
using Slice = CellBitmap::Slice;

/// Threads of the block that adds up what the workers count.
static constexpr int64_t kSumThreads = 512;

namespace {
class CoverKernels {
public:
  CoverKernels(LoopBuilder &b, CoverOp op)
      : b(b), op(op), bitmap(b, op), room(b, op) {}
  void emit();

private:
  void countWorkers();
  /// Sums before each worker take the place of the counts. Stores the count.
  void sumUp();
  void sumUpInBlock();
  void writeWorkers();
  /// Writes the cells of a word's bits from `place` (i32) on.
  void writeWord(const Slice &slice, Value number, Value word, Value place);
  /// Writes the cells of a slice from `place` (i32) on; returns the place
  /// behind.
  Value writeSlice(const Worker &worker, const Slice &slice, Value place);

  LoopBuilder &b;
  CoverOp op;
  CellBitmap bitmap;
  SetRoom room;
  /// By worker.
  Value counts;
};
} // namespace

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

void CoverKernels::countWorkers() {
  bitmap.forEachWorker([&](const Worker &worker) {
    Value own = bitmap.forSlices(worker, b.i32(0), [&](Slice, Value carried) {
      // A thread counts the words that it clears for the next slice.
      return b.forLoop(worker.thread, b.index(bitmap.getNumWords()),
                       bitmap.getNumThreads(), carried,
                       [&](Value i, ValueRange sum) -> SmallVector<Value> {
                         Value word = b.load(worker.bits, i);
                         return {b.add(sum[0], b.popCount(word))};
                       })[0];
    });
    if (!b.isGpu())
      return b.store(own, counts, worker.number);
    Value total = bitmap.sumThreads(worker, own).total;
    b.ifThen(b.equal(worker.thread, b.index(0)),
             [&] { b.store(total, counts, worker.number); });
  });
}

void CoverKernels::sumUpInBlock() {
  constexpr int64_t each = CellBitmap::kGpuWorkers / kSumThreads, half = 16;
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  b.launch(
      b.index(1), kSumThreads, {getBlockSumsType(b, kSumThreads)},
      [&](const LoopBuilder::Thread &t) {
        auto sum = [&](Value own) {
          return sumInBlock(b, t, b.cast(own, i32), t.shared[0], kSumThreads);
        };
        SmallVector<Value> found;
        Value first = b.mul(t.thread, each), own = b.i64(0);
        for (int64_t i = 0; i < each; ++i) {
          found.push_back(b.load(counts, b.add(first, i)));
          own = b.add(own, b.extend(found.back(), i64));
        }
        Value before = sum(own).before;
        for (int64_t i = 0; i < each; ++i) {
          b.store(before, counts, b.add(first, i));
          before = b.add(before, found[i]);
        }
        // The cells may be too many for 32 bits: their number is the sum of
        // two halves.
        Value low = sum(b.andBits(own, (int64_t(1) << half) - 1)).total;
        Value high = sum(b.shiftRight(own, half)).total;
        Value total =
            b.add(b.shiftLeft(b.extend(high, i64), half), b.extend(low, i64));
        b.ifThen(b.equal(t.thread, b.index(0)),
                 [&] { room.storeCount(b, b.toIndex(total)); });
      });
}

void CoverKernels::sumUp() {
  if (b.isGpu())
    return sumUpInBlock();
  Value total =
      b.forLoop(b.index(0), b.index(bitmap.getNumWorkers()), 1, b.index(0),
                [&](Value i, ValueRange sum) -> SmallVector<Value> {
                  Value own = b.toIndex(b.load(counts, i));
                  b.store(b.cast(sum[0], b.getI32Type()), counts, i);
                  return {b.add(sum[0], own)};
                })[0];
  room.storeCount(b, total);
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

void CoverKernels::writeWord(const Slice &slice, Value number, Value word,
                             Value place) {
  Value first = b.mul(b.cast(number, b.getI32Type()), kBitmapWord);
  b.whileLoop(
      {word, place},
      [&](ValueRange carried) { return b.notEqual(carried[0], b.i32(0)); },
      [&](ValueRange carried) -> SmallVector<Value> {
        Value cell = b.add(first, b.countTrailingZeros(carried[0]));
        b.store(bitmap.getKey(slice, cell), op.getCoarse(),
                b.toIndex(carried[1]));
        Value left = b.andBits(carried[0], b.sub(carried[0], 1));
        return {left, b.add(carried[1], 1)};
      });
}

Value CoverKernels::writeSlice(const Worker &worker, const Slice &slice,
                               Value place) {
  Value numWords = b.index(bitmap.getNumWords());
  return b.forLoop(
      b.index(0), numWords, bitmap.getNumThreads(), place,
      [&](Value first, ValueRange carried) -> SmallVector<Value> {
        if (!b.isGpu()) {
          Value word = b.load(worker.bits, first);
          writeWord(slice, first, word, carried[0]);
          return {b.add(carried[0], b.popCount(word))};
        }
        Value number = b.add(first, worker.thread);
        Value at = b.min(number, b.sub(numWords, 1));
        Value word = b.select(b.less(number, numWords), b.load(worker.bits, at),
                              b.i32(0));
        BlockSums sums = bitmap.sumThreads(worker, b.popCount(word));
        writeWord(slice, number, word, b.add(carried[0], sums.before));
        return {b.add(carried[0], sums.total)};
      })[0];
}

void CoverKernels::writeWorkers() {
  bitmap.forEachWorker([&](const Worker &worker) {
    // After an error the count is 0, and nothing is written.
    Value isWritten = b.less(b.index(0), b.load(op.getCount(), b.index(0)));
    b.ifThen(isWritten, [&] {
      bitmap.forSlices(worker, b.load(counts, worker.number),
                       [&](Slice slice, Value place) {
                         return writeSlice(worker, slice, place);
                       });
    });
  });
}

void CoverKernels::emit() {
  counts = b.alloc({bitmap.getNumWorkers()}, b.getI32Type());
  countWorkers();
  sumUp();
  writeWorkers();
  b.dealloc(counts);
}

void mlir::sparseconv::emitCover(LoopBuilder &b, CoverOp op) {
  CoverKernels(b, op).emit();
}
