//===- BlockWalks.cpp - the offsets of a thread block ---------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockWalks.h"
#include "OffsetList.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// One list for the thread block, and one for each warpgroup.
int64_t BlockWalks::getSharedBytes(const ImplicitGemmConfig &config) {
  int64_t lists = config.maskWords() > 1 ? config.warps / 4 + 1 : 0;
  return lists * OffsetList::getSharedBytes(config);
}

/// The one mask word of the thread block's offsets, or of its split of them,
/// stays in registers.
OffsetWalk BlockWalks::startBits(GemmTask &task, Value firstTile,
                                 Value hasTile) {
  Value zero = b.i32(0);
  Value ownBits = b.select(hasTile, e.loadWord(task.tile, zero), zero);
  Value blockBits = e.joinWords(firstTile, tiles, zero);
  if (task.splits) {
    blockBits = e.takeSplit(task, blockBits);
    ownBits = b.andBits(ownBits, blockBits);
  }
  OffsetWalk ofBlock{b.shuffle(blockBits, zero), Value()};
  task.walk.bits = b.shuffle(ownBits, zero);
  return ofBlock;
}

/// The offsets of several mask words, or of the thread block's split of them,
/// become lists.
OffsetWalk BlockWalks::startLists(GemmTask &task, Value firstTile,
                                  Value hasTile, Value warpgroup) {
  Value zero = b.i32(0);
  auto joined = [&](Value word) { return e.joinWords(firstTile, tiles, word); };
  OffsetRange range = e.findSplit(task, joined);
  Value first = b.i32(begin);
  Value bytes = b.i32(OffsetList::getSharedBytes(e.config));
  OffsetList ofBlock(e, first);
  OffsetList own(e, b.add(first, b.mul(b.add(warpgroup, 1), bytes)));
  Value warp = b.divide(e.thread, kWarpLanes);
  b.ifThen(b.equal(b.remainder(warp, 4), 0), [&] {
    own.write(range, [&](Value word) {
      return b.select(hasTile, e.loadWord(task.tile, word), zero);
    });
  });
  b.ifThen(b.equal(warp, 1), [&] { ofBlock.write(range, joined); });
  b.barrier();
  task.walk = own.start();
  return ofBlock.start();
}

OffsetWalk BlockWalks::start(GemmTask &task, Value firstTile, Value hasTile,
                             Value warpgroup) {
  return meets() ? startLists(task, firstTile, hasTile, warpgroup)
                 : startBits(task, firstTile, hasTile);
}
