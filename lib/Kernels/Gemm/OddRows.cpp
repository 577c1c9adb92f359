//===- OddRows.cpp - storing rows of an odd number of halves --------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane has pairs of neighbouring columns, and stores four bytes at a time. Of
// an odd number of channels of two bytes each, every second row begins two
// bytes behind a multiple of four. In such a row a lane stores its second
// column and the first one of the next lane, which it asks for.
//
//===----------------------------------------------------------------------===//

#include "ImplicitGemmEmitter.h"

using namespace mlir;
using namespace mlir::sparseconv;

bool ImplicitGemmEmitter::hasOddRows() {
  return config.groups == 1 && config.outRowBytes() % 4 == 2;
}

void ImplicitGemmEmitter::storeOddRows(ValueRange accumulators,
                                       ValueRange outputRows, int64_t tile) {
  int64_t count = accumulators.size() / 4, whole = 0;
  while (whole < count && areChannels(tile, whole + 1))
    ++whole;
  int64_t bytes = config.outElementBytes();
  Value isFirst = b.equal(laneInGroup, 0), isLast = b.equal(laneInGroup, 3);
  Value nextLane =
      b.add(b.sub(lane, laneInGroup), b.remainder(b.add(laneInGroup, 1), 4));
  for (int64_t half : {0, 1}) {
    Value row = outputRows[half];
    Value isOdd = b.notEqual(b.andBits(row, 1), 0);
    auto column = [&](int64_t i, int64_t bit) {
      return accumulators[i * 4 + 2 * half + bit];
    };
    SmallVector<SmallVector<Value>> pairs;
    for (int64_t i = 0; i < whole; ++i) {
      // The next lane of the last one is the first, in the next tile.
      Value own = column(i, 0), ahead = column(std::min(i + 1, count - 1), 0);
      Value next = b.shuffle(b.select(isFirst, ahead, own), nextLane);
      pairs.push_back({b.select(isOdd, column(i, 1), own),
                       b.select(isOdd, next, column(i, 1))});
    }
    b.ifThen(b.greaterEqual(row, 0), [&] {
      Value pointer = rowPointer(row);
      Value first =
          b.add(b.mul(laneInGroup, 2), b.select(isOdd, b.i32(1), b.i32(0)));
      auto getPiece = [&](ArrayRef<Value> sums, Value at) {
        return Pieces{
            {{SmallVector<Value>(sums), row, channelInRow(at), false}},
            {b.offset(pointer, b.mul(at, bytes))}};
      };
      Pieces pieces;
      for (int64_t i = 0; i < whole; ++i) {
        Value at = b.add(first, (tile + i) * 8);
        Pieces own = getPiece(pairs[i], at);
        if (i + 1 < count) {
          pieces.pieces.push_back(own.pieces[0]);
          pieces.pointers.push_back(own.pointers[0]);
          continue;
        }
        // What is ahead is not among these tiles. Where it is, and in a tile of
        // which some columns are no channels, it is stored twice: the same.
        b.ifElse(
            b.andBits(isOdd, isLast),
            [&] { storePieces(getPiece(pairs[i][0], at)); },
            [&] { storePieces(own); });
      }
      storePieces(pieces);
      if (whole > 0)
        b.ifThen(b.andBits(isOdd, isFirst),
                 [&] { storePieces(getPiece(column(0, 0), b.i32(tile * 8))); });
      for (int64_t i = whole; i < count; ++i) {
        Pieces rest;
        addStrip(accumulators.slice(i * 4, 4), tile + i, half, row, pointer,
                 rest);
        storePieces(rest);
      }
    });
  }
}
