//===- ResidentWeights.cpp - all weights in shared memory -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResidentWeights.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;

void ResidentWeights::fetch(Value splits) {
  const ImplicitGemmConfig &config = e.config;
  int64_t bytes = resident ? e.layout.columnTileBytes() : 0;
  shared = b.dynamicShared();
  barriers = b.offset(shared, bytes);
  counter = b.offset(shared, bytes + 256);
  // ptxas makes the address again for each task, unless it is from a shuffle.
  if (e.keepsAddresses)
    counter = LLVM::IntToPtrOp::create(
        b, counter.getType(), b.shuffle(b.sharedAddress(counter), b.i32(0)));
  slots = b.offset(shared, bytes + 272);
  e.listsBegin = bytes + 512;
  slicesPerBarrier = llvm::divideCeil(config.offsets, 32);
  barrierCount = llvm::divideCeil(config.offsets, slicesPerBarrier);
  Value first = b.equal(e.thread, 0);
  b.ifThen(first, [&] { initialise(splits); });
  if (resident && !bulk) {
    b.forLoop(b.mul(e.thread, 16), b.i32(bytes), b.i32(config.threads() * 16),
              [&](Value at) {
                b.copyAsync(b.offset(shared, at), b.offset(e.weights, at));
              });
    b.commitCopies();
    b.waitCopies(/*pending=*/0);
  }
  b.barrier();
  if (bulk)
    b.ifThen(first, [&] { startCopies(b.i32(bytes)); });
}

/// By one thread: the counter of tasks, and the barriers of the copies.
void ResidentWeights::initialise(Value splits) {
  b.store(b.i32(0), counter, 4);
  Value tasks = e.tileCount();
  if (splits) {
    tasks = b.mul(tasks, splits);
    b.store(splits, b.offset(counter, 8), 4);
  }
  b.store(tasks, b.offset(counter, 4), 4);
  if (!bulk)
    return;
  for (int64_t i : llvm::seq(barrierCount))
    b.initBarrier(b.offset(barriers, i * 8), 1);
  b.fenceBarrierInit();
}

Value ResidentWeights::loadSplits() {
  return b.load(b.getI32Type(), b.offset(counter, 8), 4);
}

void ResidentWeights::startCopies(Value size) {
  int64_t offsets = e.config.offsets;
  int64_t slice = e.layout.offsetBytes() * slicesPerBarrier;
  b.forLoop(b.i32(0), b.i32(barrierCount), b.i32(1), [&](Value i) {
    // The centre, which most tiles have, comes first.
    Value index = i;
    if (slicesPerBarrier == 1 && offsets > 1) {
      int64_t centre = offsets / 2;
      Value shifted =
          b.select(b.lessUnsigned(b.i32(centre), i), i, b.sub(i, 1));
      index = b.select(b.equal(i, 0), b.i32(centre), shifted);
    }
    Value at = b.mul(index, slice);
    Value bytes = b.minUnsigned(b.i32(slice), b.sub(size, at));
    Value barrier = b.offset(barriers, b.mul(index, 8));
    b.arriveExpecting(barrier, bytes);
    b.copyBulk(b.offset(shared, at), b.offset(e.weights, at), bytes, barrier);
  });
}

Value ResidentWeights::wait(Value offset, Value ready) {
  if (!bulk)
    return ready;
  Value index =
      slicesPerBarrier == 1 ? offset : b.divide(offset, slicesPerBarrier);
  Value bit = b.shiftLeft(b.i32(1), index);
  b.ifThen(b.equal(b.andBits(ready, bit), 0), [&] {
    b.waitParity(b.offset(barriers, b.mul(index, 8)), b.i32(0));
  });
  return b.orBits(ready, bit);
}

void ResidentWeights::drain() {
  // A thread block must not end while copies into its shared memory are under
  // way.
  if (bulk)
    b.ifThen(b.equal(e.thread, 0), [&] {
      b.forLoop(b.i32(0), b.i32(barrierCount), b.i32(1), [&](Value i) {
        b.waitParity(b.offset(barriers, b.mul(i, 8)), b.i32(0));
      });
    });
}
