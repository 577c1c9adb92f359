//===- RowRing.cpp - rows and weights that pass through shared memory -----===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowRing.h"
#include "Wgmma.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Pieces of 16 bytes of a row of a stage, and how far apart the rows are that
/// a thread of the producer copies pieces of.
static constexpr int64_t kPieces = RowRing::kRowBytes / 16;
static constexpr int64_t kRowsApart = kWarpgroupThreads / kPieces;

/// The most rows of a row block whose places the producer has registers to load
/// an offset ahead.
static constexpr int64_t kMostRowsAhead = 128;

int64_t RowRing::getStageBytes(const ImplicitGemmConfig &config) {
  return config.layout().chunkBytes() + config.rowsPerBlock() * kRowBytes;
}

void RowRing::setUp() {
  shared = b.dynamicShared();
  // All threads of the producer arrive when their copies have, and one of them
  // says how many bytes of weights come beside.
  int64_t fills = kWarpgroupThreads + 1;
  int64_t users = e.config.warps - kWarpgroupThreads / kWarpLanes;
  barriers.setUp(b.offset(shared, stages * getStageBytes(e.config)), fills,
                 users, b.equal(e.thread, 0));
}

Value RowRing::getWeights(Value stage) {
  return b.add(b.sharedAddress(shared), b.mul(stage, getStageBytes(e.config)));
}

Value RowRing::getRows(Value stage, Value tile) {
  return b.add(b.add(getWeights(stage), layout.chunkBytes()),
               b.mul(tile, e.config.rowsPerTile() * kRowBytes));
}

//===----------------------------------------------------------------------===//
// The producer
//===----------------------------------------------------------------------===//

/// The piece of `channel` of a row. A chunk that begins in `x` may end in the
/// rows beside, but no piece does.
Value RowRing::findPiece(Value row, Value bytes, Value channel, int64_t first) {
  int64_t own = e.config.ownChannels();
  Value from = e.rowPiece(row, bytes, first);
  if (!e.beside || own <= first || own >= first + kChannels)
    return from;
  Value inBeside = b.offset(e.rowPiece(row, bytes, own), (first - own) * 2);
  return b.select(b.lessUnsigned(b.add(channel, first), own), from, inBeside);
}

void RowRing::copyRows(const Rows &rows, int64_t chunk, Value target) {
  int64_t first = chunk * kChannels;
  bool isWhole = first + kChannels <= e.config.inChannels;
  // What is not there is not read, but has an address. A chunk begins with a
  // channel that is there.
  Value isChannel, bytes = rows.bytes, channel = rows.channel;
  if (!isWhole) {
    isChannel = b.lessUnsigned(b.add(channel, first), e.config.inChannels);
    bytes = b.select(isChannel, bytes, b.i32(0));
    channel = b.select(isChannel, channel, b.i32(0));
  }
  for (auto [i, row] : llvm::enumerate(rows.rows)) {
    Value isThere = b.lessUnsigned(row, e.inRows);
    Value from =
        findPiece(b.select(isThere, row, b.i32(0)), bytes, channel, first);
    if (!isWhole)
      isThere = b.andBits(isThere, isChannel);
    b.copyAsyncIf(isThere, b.offset(target, i * kRowsApart * kRowBytes), from);
  }
}

void RowRing::fillStage(Value offset, int64_t chunk, const Rows &rows,
                        Value thread, Place &at) {
  Value full = barriers.getFull(at);
  Value stage = b.offset(shared, b.mul(at.stage, getStageBytes(e.config)));
  barriers.waitUntilEmpty(at);
  b.ifThen(b.equal(thread, 0), [&] {
    Value bytes = b.i32(layout.chunkBytes());
    Value number = layout.chunks > 1 ? b.i32(chunk) : Value();
    b.arriveExpecting(full, bytes);
    b.copyBulk(stage, e.chunkAddress(offset, number), bytes, full);
  });
  copyRows(rows, chunk,
           b.offset(b.offset(stage, layout.chunkBytes()), rows.target));
  b.arriveAfterCopies(full);
  barriers.advance(at);
}

void RowRing::fill(const OffsetWalk &walk, Value firstTile, Value thread,
                   Place &at) {
  struct State {
    Value offset;
    OffsetWalk walk;
    Place at;
    /// The rows of `offset`, where they are loaded ahead.
    SmallVector<Value> rows;

    void fields(LoopFields &f) { f(offset, walk, at, rows); }
  };
  int64_t rowsPerTile = e.config.rowsPerTile();
  Value row = b.divide(thread, kPieces), piece = b.remainder(thread, kPieces);
  // The thread's rows are a multiple of eight apart, so all of its pieces are
  // permuted alike.
  Value place = b.xorBits(piece, b.remainder(row, 8));
  Rows rows;
  rows.target = b.add(b.mul(row, kRowBytes), b.mul(place, 16));
  rows.bytes = b.mul(piece, 16);
  rows.channel = b.mul(piece, 8);
  Value slot = b.add(b.mul(firstTile, rowsPerTile), row);
  Value left = b.sub(b.mul(e.tileCount(), rowsPerTile), slot);
  auto loadRows = [&](Value offset) {
    Value end = b.select(b.greaterEqual(offset, 0), left, b.i32(0));
    Value entry = e.tableEntry(offset, slot);
    SmallVector<Value> loaded;
    for (int64_t i = 0; i < e.config.rowsPerBlock(); i += kRowsApart)
      loaded.push_back(
          b.loadIf(b.less(b.i32(i), end), b.offset(entry, i * 4), 4, b.i32(-1))
              .front());
    return loaded;
  };
  // The next rows are on their way while those of an offset are copied, if
  // there are registers for both.
  bool isAhead = e.config.rowsPerBlock() <= kMostRowsAhead;
  State start{Value(), walk, at, {}};
  start.offset = e.nextOffset(start.walk);
  if (isAhead)
    start.rows = loadRows(start.offset);
  e.waitForKernels();
  State end = whileLoop(
      b, start, [&](const State &now) { return b.greaterEqual(now.offset, 0); },
      [&](State &now) {
        Value next = e.nextOffset(now.walk);
        rows.rows = isAhead ? now.rows : loadRows(now.offset);
        if (isAhead)
          now.rows = loadRows(next);
        for (int64_t chunk : llvm::seq(layout.chunks))
          fillStage(now.offset, chunk, rows, thread, now.at);
        now.offset = next;
      });
  at = end.at;
}

//===----------------------------------------------------------------------===//
// The others
//===----------------------------------------------------------------------===//

RowRing::State RowRing::start(const OffsetWalk &walk, const Place &at) {
  State now{Value(), walk, at};
  now.offset = e.nextOffset(now.walk);
  return now;
}

void RowRing::acquire(State &now) { barriers.waitUntilFull(now.at); }

void RowRing::release(State &now) {
  barriers.release(now.at, e.lane);
  barriers.advance(now.at);
}

void RowRing::skipTo(State &now, Value target) {
  now = whileLoop(
      b, now, [&](const State &at) { return b.notEqual(at.offset, target); },
      [&](State &at) {
        for (int64_t chunk = 0; chunk < layout.chunks; ++chunk) {
          acquire(at);
          release(at);
        }
        moveToNextOffset(at);
      });
}
