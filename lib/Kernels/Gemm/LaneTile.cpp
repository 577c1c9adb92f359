//===- LaneTile.cpp - what a lane keeps in registers ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneTile.h"
#include <numeric>

using namespace mlir;
using namespace mlir::sparseconv;

LaneTile::LaneTile(ImplicitGemmEmitter &e)
    : e(e), b(e.b), config(e.config), columnLanes(config.tileN % 64 ? 8 : 16),
      rowLanes(kWarpLanes / columnLanes), laneRows(16 / rowLanes),
      laneQuads(config.tileN / 4 / columnLanes) {
  // Of every four lanes two read the same row and two the same weights, which
  // shared memory then serves at once.
  Value low = b.remainder(e.lane, 2), rest = b.divide(e.lane, 2);
  if (rowLanes == 2) {
    rowLane = low;
    columnLane = rest;
  } else {
    rowLane = b.add(low, b.mul(b.remainder(b.divide(e.lane, 8), 2), 2));
    columnLane = b.add(b.remainder(rest, 4), b.mul(b.divide(e.lane, 16), 4));
  }
}

void LaneTile::multiply(const Chunk &chunk, SmallVector<Value> &sums) {
  auto four = VectorType::get(4, b.getF32Type());
  Value weights = b.offset(chunk.weights, b.mul(columnLane, 16));
  Value firstRow = b.add(b.mul(chunk.tile, 16), rowLane);
  Value rows = b.offset(chunk.rows, b.mul(firstRow, chunk.pitch));
  auto loadRow = [&](int64_t i, int64_t channel) {
    int64_t at = i * rowLanes * chunk.pitch + channel * 4;
    return b.unpack(b.load(four, b.offset(rows, at), 16));
  };
  auto loadWeights = [&](int64_t channel, int64_t quad) {
    int64_t at = (channel * config.tileN + quad * columnLanes * 4) * 4;
    return b.unpack(b.load(four, b.offset(weights, at), 16));
  };
  for (int64_t channel = 0; channel < config.tileK; channel += 4) {
    SmallVector<SmallVector<Value>> x;
    for (int64_t i : llvm::seq(laneRows))
      x.push_back(loadRow(i, channel));
    for (int64_t k : llvm::seq(4))
      for (int64_t quad : llvm::seq(laneQuads)) {
        SmallVector<Value> w = loadWeights(channel + k, quad);
        for (int64_t i : llvm::seq(laneRows))
          for (int64_t j : llvm::seq(4)) {
            Value &sum = sums[(i * laneQuads + quad) * 4 + j];
            sum = b.fma(x[i][k], w[j], sum);
          }
      }
  }
}

/// Stores four neighbouring channels of a row, `column` being the first one's
/// place in the column tile.
void LaneTile::storeQuad(ArrayRef<Value> four, Value row, Value column) {
  int64_t piece = std::gcd<int64_t>(config.outChannels, 4);
  bool inside = config.sectionTiles() * config.tileN == config.outChannels;
  Value inGroup = e.channelInSection(column), channel = e.channelInRow(column);
  for (int64_t j = 0; j < 4; j += piece) {
    Value isThere = b.greaterEqual(row, 0);
    if (!inside)
      isThere = b.andBits(
          isThere, b.lessUnsigned(b.add(inGroup, j), config.outChannels));
    b.ifThen(isThere, [&] {
      e.storePiece(four.slice(j, piece), row, b.add(channel, j),
                   b.offset(e.rowPointer(row), b.mul(b.add(column, j), 4)));
    });
  }
}

void LaneTile::store(ValueRange sums, int64_t first,
                     ArrayRef<Value> outputRows) {
  for (int64_t at = 0; at < static_cast<int64_t>(sums.size()); at += 4) {
    int64_t number = first + at / 4;
    Value column =
        b.mul(b.add(columnLane, number % laneQuads * columnLanes), 4);
    storeQuad(SmallVector<Value>(sums.slice(at, 4)),
              outputRows[number / laneQuads], column);
  }
}

void LaneTile::forEachQuad(ValueRange sums, QuadBody body) {
  for (int64_t i : llvm::seq(laneRows)) {
    Value row = b.add(rowLane, i * rowLanes);
    for (int64_t quad : llvm::seq(laneQuads)) {
      Value column = b.mul(b.add(columnLane, quad * columnLanes), 4);
      body(row, column,
           SmallVector<Value>(sums.slice((i * laneQuads + quad) * 4, 4)));
    }
  }
}

SmallVector<Value> LaneTile::loadOutputRows(Value tile) {
  SmallVector<Value> rows;
  Value slot = b.add(b.mul(tile, 16), rowLane);
  Value order = b.element(e.order, slot, 4);
  for (int64_t i : llvm::seq(laneRows))
    rows.push_back(
        b.loadConstant(b.getI32Type(), b.offset(order, i * rowLanes * 4), 4));
  return rows;
}
