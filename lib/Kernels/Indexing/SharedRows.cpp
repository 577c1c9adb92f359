//===- SharedRows.cpp - rows of a table in shared memory ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedRows.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "sparseconv/Kernels/Builders/WarpOps.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
/// The words of a warp's rows, in pieces of one or some: those of a lane are 32
/// pieces apart.
struct WarpWords {
  WarpWords(LoopBuilder &b, const LoopBuilder::Thread &t, int64_t threads,
            Value table, int64_t piece = 1) {
    int64_t columns = cast<MemRefType>(table.getType()).getDimSize(1);
    pieces = columns / piece;
    SmallVector<ReassociationIndices> all = {{0, 1}};
    words = memref::CollapseShapeOp::create(b, table, all);
    Value lane = b.andBits(t.thread, b.index(kWarpLanes - 1));
    Value firstThread = b.sub(t.thread, lane);
    inStage = b.add(b.mul(firstThread, pieces), lane);
    inTable = b.mul(b.add(b.mul(t.block, threads * pieces), inStage), piece);
    end = b.mul(b.dim(table, 0), columns);
  }

  /// Of a row.
  int64_t pieces;
  Value words, end, inStage, inTable;
};
} // namespace

Value mlir::sparseconv::getPiecePlace(LoopBuilder &b, Value piece, Value row,
                                      int64_t pieces) {
  // 8 pieces of 16 bytes take all banks.
  constexpr int64_t ofBanks = 8;
  if (pieces % ofBanks != 0)
    return piece;
  return b.xorBits(piece, b.andBits(row, ofBanks - 1));
}

void mlir::sparseconv::readWarpRows(LoopBuilder &b,
                                    const LoopBuilder::Thread &t,
                                    int64_t threads, Value table, Value stage) {
  WarpWords own(b, t, threads, table);
  // All loads come before the stores, which would order them.
  SmallVector<Value> loaded;
  for (int64_t i = 0; i < own.pieces; ++i) {
    Value word = b.min(b.add(own.inTable, kWarpLanes * i), b.sub(own.end, 1));
    loaded.push_back(b.load(own.words, word));
  }
  for (auto [i, value] : llvm::enumerate(loaded))
    b.store(value, stage, b.add(own.inStage, kWarpLanes * i));
  syncWarp(b);
}

void mlir::sparseconv::writeWarpRows(LoopBuilder &b,
                                     const LoopBuilder::Thread &t,
                                     int64_t threads, Value stage,
                                     Value table) {
  Type element = cast<MemRefType>(stage.getType()).getElementType();
  auto vector = dyn_cast<VectorType>(element);
  int64_t piece = vector ? vector.getNumElements() : 1;
  WarpWords own(b, t, threads, table, piece);
  syncWarp(b);
  for (int64_t i = 0; i < own.pieces; ++i) {
    Value word = b.add(own.inTable, kWarpLanes * i * piece);
    Value at = b.add(own.inStage, kWarpLanes * i);
    if (vector)
      at = getPiecePlace(b, at, b.divide(at, own.pieces), own.pieces);
    Value value = b.load(stage, at);
    b.ifThen(b.less(word, own.end), [&] {
      if (vector)
        b.storeVector(value, own.words, word, /*multiple=*/piece);
      else
        b.store(value, own.words, word);
    });
  }
}

/// Words that a lane moves at a time, and the most such pieces of a row that
/// the stage has room for.
static constexpr int64_t kPieceWords = 4, kMostPieces = 8;

MemRefType mlir::sparseconv::getGatherType(LoopBuilder &b, int64_t threads,
                                           int64_t columns) {
  int64_t pieces = std::min(columns / kPieceWords, kMostPieces);
  auto piece = VectorType::get(kPieceWords, b.getI32Type());
  return b.getSharedType({threads * pieces}, piece);
}

namespace {
/// A row that a thread names, by the lanes of its warp.
struct RowGather {
  LoopBuilder &b;
  Value thread, row, table, stage;
  /// Pieces of each row that the stage has room for.
  int64_t room;

  /// Its words of `count` pieces, from piece `first` on.
  SmallVector<Value> loadPieces(int64_t first, int64_t count);
};
} // namespace

SmallVector<Value> RowGather::loadPieces(int64_t first, int64_t count) {
  Value lane = b.andBits(thread, kWarpLanes - 1);
  // Where the warp's part of the stage begins, also for fewer pieces.
  Value start = b.mul(b.sub(thread, lane), room);
  auto getPlace = [&](Value ofRow, Value piece) {
    Value number = b.add(b.add(start, b.mul(ofRow, count)), piece);
    return b.toIndex(getPiecePlace(b, number, ofRow, count));
  };
  // All loads come before the stores, which would order them.
  SmallVector<Value> loaded, places;
  for (int64_t i = 0; i < count; ++i) {
    Value item = b.add(lane, kWarpLanes * i);
    Value ofRow = b.divide(item, count), piece = b.remainder(item, count);
    Value named = b.toIndex(fromLane(b, row, ofRow));
    Value column = b.toIndex(b.mul(b.add(piece, first), kPieceWords));
    loaded.push_back(
        b.loadVector(kPieceWords, table, {named, column}, kPieceWords));
    places.push_back(getPlace(ofRow, piece));
  }
  for (auto [place, piece] : llvm::zip_equal(places, loaded))
    b.store(piece, stage, place);
  syncWarp(b);
  SmallVector<Value> words;
  for (int64_t i = 0; i < count; ++i) {
    Value piece = b.load(stage, getPlace(lane, b.i32(i)));
    for (int64_t j = 0; j < kPieceWords; ++j)
      words.push_back(vector::ExtractOp::create(b, piece, j));
  }
  return words;
}

SmallVector<Value>
mlir::sparseconv::gatherWarpRows(LoopBuilder &b, const LoopBuilder::Thread &t,
                                 Value row, Value table, Value stage) {
  Type i32 = b.getI32Type();
  int64_t columns = cast<MemRefType>(table.getType()).getDimSize(1);
  assert(columns % kPieceWords == 0 && "rows are whole pieces");
  int64_t pieces = columns / kPieceWords;
  Value numRows = b.cast(b.dim(table, 0), i32);
  return b.ifElse(
      b.less(b.i32(0), numRows), SmallVector<Type>(columns, i32),
      [&] {
        Value inside = b.minUnsigned(row, b.sub(numRows, 1));
        RowGather gather{b,     b.cast(t.thread, i32),        inside, table,
                         stage, std::min(pieces, kMostPieces)};
        SmallVector<Value> words;
        for (int64_t first = 0; first < pieces; first += kMostPieces) {
          // What was staged before has been read.
          if (first != 0)
            syncWarp(b);
          int64_t count = std::min(pieces - first, gather.room);
          llvm::append_range(words, gather.loadPieces(first, count));
        }
        return words;
      },
      [&] { return SmallVector<Value>(columns, b.i32(0)); });
}
