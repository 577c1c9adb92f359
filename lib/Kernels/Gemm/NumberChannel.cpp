//===- NumberChannel.cpp - a number that a thread sends to others ---------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NumberChannel.h"
#include "Wgmma.h"

using namespace mlir;
using namespace mlir::sparseconv;

void NumberChannel::setUp(Value isFirst) {
  barriers.setUp(b.offset(b.dynamicShared(), begin), /*fills=*/1,
                 e.config.warps, isFirst);
}

Value NumberChannel::getWord() {
  return b.offset(b.dynamicShared(), begin + RingBarriers::getBytes(1));
}

void NumberChannel::send(Value number, Value parity) {
  RingBarriers::Place place = getPlace(parity);
  barriers.waitUntilEmpty(place);
  b.store(number, getWord(), 4);
  b.arrive(barriers.getFull(place));
}

Value NumberChannel::receive(Value warpgroup, Value &parity) {
  RingBarriers::Place place = getPlace(parity);
  barriers.waitUntilFull(place);
  Value number = b.load(b.getI32Type(), getWord(), 4);
  barriers.release(place, e.lane);
  parity = b.xorBits(parity, 1);
  // Without this ptxas takes what depends on the number as different in the
  // threads of a warp, and keeps none of it in uniform registers.
  b.barrier(b.add(warpgroup, 1), kWarpgroupThreads);
  return number;
}
