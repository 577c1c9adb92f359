//===- PairWalk.cpp - a warp on its way through pairs ---------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PairWalk.h"
#include "OffsetList.h"

using namespace mlir;
using namespace mlir::sparseconv;

PairWalk::PairWalk(ImplicitGemmEmitter &e, const PairGemmConfig &config,
                   ArrayRef<Value> slots)
    : e(e), b(e.b), config(config), slots(slots), rowBlock(b.blockId()) {
  if (config.atomic) {
    // Blocks with the same rows start together.
    ownOffset = b.remainder(rowBlock, config.gemm.offsets);
    rowBlock = b.divide(rowBlock, config.gemm.offsets);
  }
  firstRow = b.mul(rowBlock, config.rowBlock);
}

Value PairWalk::isThere() { return b.lessUnsigned(firstRow, e.outRows); }

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

Value PairWalk::loadBound(Value offset) {
  Value bound = b.loadCount(b.element(segments, offset, 8));
  return b.sub(bound, b.truncate32(firstPair));
}

Value PairWalk::findOffsets(Value word) {
  int64_t offsets = config.gemm.offsets;
  Value offset = b.add(b.mul(word, 32), e.lane);
  Value known = b.minUnsigned(offset, b.i32(offsets - 1));
  Value hasPairs = b.notEqual(loadBound(known), loadBound(b.add(known, 1)));
  return b.ballot(b.andBits(hasPairs, b.lessUnsigned(offset, offsets)));
}

OffsetWalk PairWalk::startOffsets() {
  if (!config.hasList())
    return {findOffsets(b.i32(0)), Value()};
  OffsetList list(e, b.i32(config.accumulatorBytes()));
  list.write(OffsetRange(), [&](Value word) { return findOffsets(word); });
  return list.start();
}

void PairWalk::enterOffset(PairCursor &at, Value offset) {
  at.offset = offset;
  at.begin = at.end = b.i32(0);
  SmallVector<Value> bounds = {at.begin, at.end};
  bounds = changeIf(
      b, b.greaterEqual(at.offset, 0), bounds, [&](SmallVector<Value> &bounds) {
        bounds = {loadBound(at.offset), loadBound(b.add(at.offset, 1))};
      });
  at.begin = bounds[0];
  at.end = bounds[1];
}

//===----------------------------------------------------------------------===//
// Tiles of pairs
//===----------------------------------------------------------------------===//

void PairWalk::loadPairs(PairCursor &at) {
  at.rows.clear();
  at.outRows.clear();
  for (Value slot : slots) {
    Value inBlock = b.add(at.begin, slot);
    Value isPair = b.lessUnsigned(inBlock, at.end);
    Value pair = b.add(firstPair, b.extend64(inBlock));
    auto load = [&](Value list) {
      return b.loadIf(isPair, b.element(list, pair, 4), 4, b.i32(-1)).front();
    };
    at.rows.push_back(load(e.table));
    at.outRows.push_back(load(e.order));
  }
}

PairCursor PairWalk::start() {
  Value blockOffsets = b.mul(rowBlock, config.gemm.offsets + 1);
  segments = b.element(e.masks, blockOffsets, 8);
  firstPair = b.loadConstant(b.getI64Type(), segments);
  PairCursor at;
  if (ownOffset) {
    enterOffset(at, ownOffset);
    Value hasPairs = b.notEqual(at.begin, at.end);
    at.offset = b.select(hasPairs, ownOffset, b.i32(-1));
  } else {
    at.walk = startOffsets();
    b.syncWarp();
    enterOffset(at, e.nextOffset(at.walk));
  }
  loadPairs(at);
  if (hasChunks())
    at.chunk = b.i32(0);
  return at;
}

void PairWalk::moveToNextTile(PairCursor &at) {
  at.begin = b.add(at.begin, kTileRows);
  at = changeIf(b, b.greaterEqual(at.begin, at.end), at, [&](PairCursor &at) {
    enterOffset(at, ownOffset ? b.i32(-1) : e.nextOffset(at.walk));
  });
  loadPairs(at);
}

void PairWalk::moveToNextChunk(PairCursor &at) {
  if (!at.chunk)
    return moveToNextTile(at);
  at.chunk = b.add(at.chunk, 1);
  at = changeIf(b, b.equal(at.chunk, e.layout.chunks), at, [&](PairCursor &at) {
    moveToNextTile(at);
    at.chunk = b.i32(0);
  });
}

Value PairWalk::isLast(Value chunk) {
  return b.equal(chunk, e.layout.chunks - 1);
}
