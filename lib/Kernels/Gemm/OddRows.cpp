//===- OddRows.cpp - storing rows of an odd number of halves --------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of an odd number of channels of two bytes each, every second row begins two
// bytes behind a multiple of four, and no row is whole pieces of 16 bytes. So a
// warp leaves its 16 rows in shared memory, and then its lanes store the words
// of a row, of four bytes each, beside one another. Where a tile is stored
// whole, most sectors of memory are then written at once, which the pairs of
// columns that a lane has would not fill. Columns of wide tiles pass some at a
// time.
//
// Five channels, in rows 0 and 1; | ends a word of memory:
//
//   a0 a1 | a2 a3 | a4 b0 | b1 b2 | b3 b4 |
//
// Lanes store a0 a1, a2 a3, b1 b2, b3 b4, and the halves a4 and b0 by
// themselves. In shared memory each row begins with a word, and lanes put
// together what they store of an odd row from two words.
//
//===----------------------------------------------------------------------===//

#include "ImplicitGemmEmitter.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Tiles of eight columns that pass at a time. Of wide tiles all would take the
/// shared memory that the main loop needs.
static int64_t getTilesAtOnce(const ImplicitGemmConfig &config) {
  constexpr int64_t kMost = 16, kFew = 8;
  int64_t tiles = config.tileN / 8;
  return tiles <= kMost ? tiles : kFew;
}

/// Words from one row to the next: so many that the words which a warp writes
/// at a time, four of each of eight rows, lie in different banks.
static int64_t getPitch(const ImplicitGemmConfig &config) {
  int64_t words = getTilesAtOnce(config) * 4;
  return words % 8 ? words : words + 4;
}

/// Rows of a warp, and the numbers that they have in the output.
static int64_t getWarpBytes(const ImplicitGemmConfig &config) {
  return 16 * (getPitch(config) + 1) * 4;
}

bool ImplicitGemmConfig::hasOddRows() const {
  return groups == 1 && outRowBytes() % 4 == 2;
}

int64_t ImplicitGemmConfig::oddRowBytes() const {
  return hasOddRows() ? warps * getWarpBytes(*this) : 0;
}

namespace {
/// Some tiles of eight columns of a warp's 16 rows.
class OddRows {
public:
  OddRows(ImplicitGemmEmitter &e, int64_t tile, int64_t count)
      : e(e), b(e.b), tile(tile), count(count), pitch(getPitch(e.config)) {
    int64_t begin = e.config.sharedBytes() - e.config.oddRowBytes();
    Value warp = b.divide(e.thread, kWarpLanes);
    rows = b.offset(b.element(b.dynamicShared(), warp, getWarpBytes(e.config)),
                    begin);
    numbers = b.offset(rows, 16 * pitch * 4);
    // Behind the last channel of a row there may be more columns.
    int64_t first = tile * 8, left = e.config.outChannels - first;
    mostChannels = count * 8;
    if (e.config.sectionTiles() == 1)
      mostChannels = std::min(mostChannels, left);
    Value before = e.channelInSection(b.i32(0));
    channels =
        b.select(b.less(before, b.i32(left)),
                 b.minUnsigned(b.sub(b.i32(left), before), b.i32(mostChannels)),
                 b.i32(0));
  }

  void write(ValueRange accumulators, ValueRange outputRows);
  void store();

private:
  /// What is stored where, if it is.
  struct Word {
    Value isThere, value, place;
  };

  Word loadWord(Value line, Value word);
  void storeHalves();
  /// One of the 16 rows in shared memory.
  Value getLine(Value line) { return b.element(rows, line, pitch * 4); }
  /// Where a column of these tiles is in a row of the output.
  Value getPlace(Value row, Value column) {
    return b.offset(e.rowPointer(row),
                    b.mul(b.add(column, tile * 8), kElementBytes));
  }

  static constexpr int64_t kElementBytes = 2;

  ImplicitGemmEmitter &e;
  GpuBuilder &b;
  int64_t tile, count, pitch, mostChannels;
  Value rows, numbers, channels;
};
} // namespace

//===----------------------------------------------------------------------===//
// To shared memory
//===----------------------------------------------------------------------===//

void OddRows::write(ValueRange accumulators, ValueRange outputRows) {
  using Pieces = ImplicitGemmEmitter::Pieces;
  for (int64_t half : {0, 1}) {
    Value row = outputRows[half], place = b.add(e.laneGroup, half * 8);
    b.ifThen(b.equal(e.laneInGroup, 0),
             [&] { b.store(row, b.element(numbers, place, 4), 4); });
    auto getPiece = [&](ValueRange sums, Value column) {
      Value channel = e.channelInRow(b.add(column, tile * 8));
      return Pieces{{{SmallVector<Value>(sums), row, channel, false}},
                    {b.element(getLine(place), column, kElementBytes)}};
    };
    b.ifThen(b.greaterEqual(row, 0), [&] {
      // Few at a time, so that few operands of the epilogue are in registers:
      // stores to shared memory keep no load waiting.
      constexpr size_t kAtOnce = 4;
      Pieces whole;
      auto storeWhole = [&] {
        e.storePieces(whole);
        whole = Pieces();
      };
      for (int64_t i : llvm::seq(count)) {
        ValueRange sums = accumulators.slice(i * 4 + half * 2, 2);
        Value column = b.add(b.mul(e.laneInGroup, 2), i * 8);
        if (e.areChannels(tile + i, 1)) {
          Pieces pair = getPiece(sums, column);
          whole.pieces.push_back(pair.pieces.front());
          whole.pointers.push_back(pair.pointers.front());
          if (whole.pieces.size() == kAtOnce)
            storeWhole();
          continue;
        }
        for (int64_t bit : {0, 1}) {
          Value own = b.add(column, bit);
          b.ifThen(b.lessUnsigned(own, channels),
                   [&] { e.storePieces(getPiece(sums.slice(bit, 1), own)); });
        }
      }
      storeWhole();
    });
  }
}

//===----------------------------------------------------------------------===//
// To memory
//===----------------------------------------------------------------------===//

/// Number `word` of the output's words that lie wholly in row `line`.
OddRows::Word OddRows::loadWord(Value line, Value word) {
  Value number = b.load(b.getI32Type(), b.element(numbers, line, 4), 4);
  Value phase = b.andBits(number, 1), at = b.element(getLine(line), word, 4);
  Value low = b.load(b.getI32Type(), at, 4);
  Value high = b.load(b.getI32Type(), b.offset(at, 4), 4);
  Value odd = b.orBits(b.shiftRight(low, 16), b.shiftLeft(high, 16));
  Value first = b.add(b.mul(word, 2), phase);
  Value isThere = b.andBits(b.greaterEqual(number, 0),
                            b.lessUnsigned(b.add(first, 1), channels));
  return {isThere, b.select(b.equal(phase, 0), low, odd),
          getPlace(number, first)};
}

/// What is left before the first whole word of a row, or behind the last one.
void OddRows::storeHalves() {
  Value isFirst = b.lessUnsigned(e.lane, 16), line = b.remainder(e.lane, 16);
  Value number = b.load(b.getI32Type(), b.element(numbers, line, 4), 4);
  Value phase = b.andBits(number, 1);
  Value isLeft = b.select(isFirst, phase, b.andBits(b.sub(channels, phase), 1));
  Value isThere =
      b.andBits(b.greaterEqual(number, 0), b.lessUnsigned(b.i32(0), channels));
  b.ifThen(b.andBits(isThere, b.notEqual(isLeft, 0)), [&] {
    Value column = b.select(isFirst, b.i32(0), b.sub(channels, 1));
    Value half =
        b.load(b.getI16Type(), b.element(getLine(line), column, kElementBytes),
               kElementBytes);
    b.store(half, getPlace(number, column), kElementBytes);
  });
}

void OddRows::store() {
  // So many words are on their way from shared memory at a time.
  constexpr int64_t kAtOnce = 4;
  int64_t ofRow = mostChannels / 2, all = 16 * ofRow;
  // Where lanes find their words is computed anew for each tile. A compiler
  // that knew the lane would keep all of it in registers during the main loop.
  Value lane = b.shuffle(e.lane, e.lane);
  for (int64_t begin = 0; begin < all; begin += kAtOnce * kWarpLanes) {
    SmallVector<Word> words;
    int64_t end = std::min(all, begin + kAtOnce * kWarpLanes);
    for (int64_t at = begin; at < end; at += kWarpLanes) {
      Value index = b.add(lane, at);
      bool isWhole = at + kWarpLanes <= all;
      // A line that is there in place of one behind the last.
      Value line = b.divide(index, ofRow);
      Word word = loadWord(isWhole ? line : b.minUnsigned(line, b.i32(15)),
                           b.remainder(index, ofRow));
      if (!isWhole)
        word.isThere = b.andBits(word.isThere, b.lessUnsigned(index, all));
      words.push_back(word);
    }
    for (const Word &word : words)
      b.ifThen(word.isThere, [&] { b.store(word.value, word.place, 4); });
  }
  storeHalves();
}

void ImplicitGemmEmitter::storeOddRows(ValueRange accumulators,
                                       ValueRange outputRows, int64_t tile) {
  int64_t count = accumulators.size() / 4, most = getTilesAtOnce(config);
  for (int64_t at = 0; at < count; at += most) {
    int64_t tiles = std::min(most, count - at);
    OddRows rows(*this, tile + at, tiles);
    // Not before all lanes have stored what was there.
    b.syncWarp();
    rows.write(accumulators.slice(at * 4, tiles * 4), outputRows);
    b.syncWarp();
    rows.store();
  }
}
