//===- RowNumbers.cpp - the rows that are kept, counted -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowNumbers.h"
#include "sparseconv/Kernels/Indexing/BlockSums.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Rows, and threads, of a row block on a GPU.
static constexpr int64_t kThreads = 256;
/// Threads of the block that adds up what the row blocks have.
static constexpr int64_t kSumThreads = 512;

RowNumbers::RowNumbers(LoopBuilder &b, Value numRows,
                       function_ref<Value(Value)> keep, Value count)
    : b(b), numRows(numRows),
      rowBlock(b.isGpu() ? kThreads : kDefaultRowBlock) {
  // The end is a row of its own.
  Value numPlaces = b.add(numRows, 1);
  numRowBlocks = b.ceilDiv(numPlaces, rowBlock);
  inBlock = b.alloc({ShapedType::kDynamic}, b.getI32Type(), numPlaces);
  beforeBlock = b.alloc({ShapedType::kDynamic}, b.getI32Type(), numRowBlocks);
  if (b.isGpu()) {
    countInThreads(keep);
    sumUpBlocks(count);
  } else {
    countInLoops(keep, count);
  }
}

Value RowNumbers::toNumber(Value row, function_ref<Value(Value)> keep) {
  return b.ifElse(
      b.less(row, numRows), b.getI32Type(),
      [&]() -> SmallVector<Value> {
        return {b.select(keep(row), b.i32(1), b.i32(0))};
      },
      [&]() -> SmallVector<Value> { return {b.i32(0)}; })[0];
}

void RowNumbers::countInLoops(function_ref<Value(Value)> keep, Value count) {
  forEachRowBlock(
      b, b.add(numRows, 1), rowBlock, [&](Value block, Value begin, Value end) {
        Value number =
            b.forLoop(begin, end, 1, b.i32(0),
                      [&](Value row, ValueRange carried) -> SmallVector<Value> {
                        b.store(carried[0], inBlock, row);
                        return {b.add(carried[0], toNumber(row, keep))};
                      })[0];
        b.store(number, beforeBlock, block);
      });
  Value total =
      b.forLoop(b.index(0), numRowBlocks, 1, b.i32(0),
                [&](Value block, ValueRange sum) -> SmallVector<Value> {
                  Value next = b.add(sum[0], b.load(beforeBlock, block));
                  b.store(sum[0], beforeBlock, block);
                  return {next};
                })[0];
  b.store(b.toIndex(total), count, b.index(0));
}

void RowNumbers::countInThreads(function_ref<Value(Value)> keep) {
  b.launch(numRowBlocks, kThreads, {getBlockSumsType(b, kThreads)},
           [&](const LoopBuilder::Thread &t) {
             b.ifThen(b.less(t.block, numRowBlocks), [&] {
               Value row = b.add(b.mul(t.block, kThreads), t.thread);
               BlockSums sums =
                   sumInBlock(b, t, toNumber(row, keep), t.shared[0], kThreads);
               b.ifThen(b.lessEqual(row, numRows),
                        [&] { b.store(sums.before, inBlock, row); });
               b.ifThen(b.equal(t.thread, b.index(0)),
                        [&] { b.store(sums.total, beforeBlock, t.block); });
             });
           });
}

void RowNumbers::sumUpBlocks(Value count) {
  b.launch(b.index(1), kSumThreads, {getBlockSumsType(b, kSumThreads)},
           [&](const LoopBuilder::Thread &t) {
             Value zero = b.i32(0);
             Value total = b.forLoop(
                 b.index(0), numRowBlocks, kSumThreads, zero,
                 [&](Value first, ValueRange sum) -> SmallVector<Value> {
                   Value block = b.add(first, t.thread);
                   Value isBlock = b.less(block, numRowBlocks);
                   Value place = b.min(block, b.sub(numRowBlocks, 1));
                   Value own =
                       b.select(isBlock, b.load(beforeBlock, place), zero);
                   BlockSums sums =
                       sumInBlock(b, t, own, t.shared[0], kSumThreads);
                   b.ifThen(isBlock, [&] {
                     b.store(b.add(sum[0], sums.before), beforeBlock, block);
                   });
                   return {b.add(sum[0], sums.total)};
                 })[0];
             b.ifThen(b.equal(t.thread, b.index(0)),
                      [&] { b.store(b.toIndex(total), count, b.index(0)); });
           });
}

Value RowNumbers::getNumBefore(Value row) {
  Value before = b.load(beforeBlock, b.divide(row, rowBlock));
  return b.add(before, b.load(inBlock, row));
}

Value RowNumbers::isKept(Value row, Value numBefore) {
  return b.notEqual(getNumBefore(b.add(row, 1)), numBefore);
}

void RowNumbers::dealloc() {
  b.dealloc(inBlock);
  b.dealloc(beforeBlock);
}
