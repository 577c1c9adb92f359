//===- WeightGradMma.cpp - weight gradients on tensor cores ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inner dimension of the product are the pairs. Their rows come by
// asynchronous copies to a ring in shared memory, as they lie, and go
// transposed into the fragments of mma.sync. Behind the last pair of a list,
// both sides are zero.
//
//===----------------------------------------------------------------------===//

#include "WeightGradEmitter.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
class Mma {
public:
  explicit Mma(WeightGradEmitter &e);
  void emit();

private:
  void stage(bool isOut, Value step, Value pairs);
  void fetch(Value step, Value pairs);
  SmallVector<Value> multiplyStage(Value step, ValueRange sums);
  SmallVector<Value> multiply(Value pairs, ValueRange sums);
  void store(ValueRange sums);
  Value getStage(Value step) {
    return b.offset(e.staged, b.mul(b.andBits(step, config.stages - 1),
                                    config.stageBytes()));
  }

  WeightGradEmitter &e;
  GpuBuilder &b;
  const WeightGradConfig &config;
  MmaType type;
  /// This warp's piece of the tile, and its turn among those of the piece.
  Value owner, in, out;
  /// Byte in a stage of the row of an 8 x 8 matrix that this lane names.
  Value xLane, dyLane;
};
} // namespace

Mma::Mma(WeightGradEmitter &e)
    : e(e), b(e.b), config(e.config),
      type(config.xElement.isF16() ? MmaType::F16 : MmaType::BF16) {
  // The same in all lanes, which ptxas then knows.
  Value warp = b.shuffle(e.warp, b.i32(0));
  int64_t columns = config.tileOut / config.pieceOut;
  owner = b.divide(warp, config.pieces());
  Value piece = b.remainder(warp, config.pieces());
  out = b.mul(b.remainder(piece, columns), config.pieceOut);
  in = b.mul(b.divide(piece, columns), config.pieceIn);

  // Matrices of x: pairs 0-7 and channels 0-7, then 8-15, then the same of
  // pairs 8-15. Of dy: channels and pairs the other way round.
  Value row = b.remainder(e.lane, 8);
  Value low = b.mul(b.remainder(b.divide(e.lane, 8), 2), 8);
  Value high = b.mul(b.divide(e.lane, 16), 8);
  Value first = b.mul(owner, 16);
  auto place = [&](Value pair, Value channel, int64_t pitch) {
    return b.add(b.mul(b.add(first, pair), pitch), b.mul(channel, 2));
  };
  xLane = place(b.add(row, high), b.add(in, low), config.xPitch());
  dyLane = b.add(place(b.add(row, low), b.add(out, high), config.dyPitch()),
                 config.pairs * config.xPitch());
}

/// Starts the copies of one side of a step's pairs.
void Mma::stage(bool isOut, Value step, Value pairs) {
  int64_t tile = isOut ? config.tileOut : config.tileIn;
  int64_t channels = isOut ? config.outChannels : config.inChannels;
  int64_t pitch = isOut ? config.dyPitch() : config.xPitch();
  Value source = isOut ? e.dy : e.x;
  Value target =
      b.offset(getStage(step), isOut ? config.pairs * config.xPitch() : 0);
  Value firstPair = b.mul(step, config.pairs);
  // A copy moves eight channels.
  int64_t pieces = tile / 8, total = config.pairs * pieces;
  for (int64_t begin = 0; begin < total; begin += config.threads) {
    auto copy = [&] {
      Value place = b.add(e.thread, begin);
      Value local = b.divide(place, pieces);
      Value column = b.mul(b.remainder(place, pieces), 8);
      Value channel = b.add(isOut ? e.firstOut : e.firstIn, column);
      Value pair = b.add(firstPair, local);
      Value isThere = b.andBits(b.lessUnsigned(pair, pairs),
                                b.lessUnsigned(channel, channels));
      Value row = b.select(isThere, e.loadRow(pair, isOut), b.i32(0));
      Value at =
          b.add(b.mul(b.extend64(row), b.i64(channels * 2)),
                b.extend64(b.mul(b.select(isThere, channel, b.i32(0)), 2)));
      b.copyAsyncIf(
          isThere,
          b.offset(target, b.add(b.mul(local, pitch), b.mul(column, 2))),
          b.offset(source, at));
    };
    if (begin + config.threads <= total)
      copy();
    else
      b.ifThen(b.lessUnsigned(e.thread, total - begin), copy);
  }
}

void Mma::fetch(Value step, Value pairs) {
  b.ifThen(b.lessUnsigned(b.mul(step, config.pairs), pairs), [&] {
    stage(/*isOut=*/false, step, pairs);
    stage(/*isOut=*/true, step, pairs);
  });
  b.commitCopies();
}

SmallVector<Value> Mma::multiplyStage(Value step, ValueRange sums) {
  SmallVector<Value> next(sums);
  Value stage = getStage(step);
  int64_t rows = config.pieceIn / 16, columns = config.pieceOut / 16;
  for (int64_t k = 0; k < config.pairs; k += 16 * config.lanes) {
    SmallVector<SmallVector<Value>> left, right;
    for (int64_t i : llvm::seq(rows))
      left.push_back(b.loadTransposed(
          b.offset(b.offset(stage, xLane), k * config.xPitch() + i * 32)));
    for (int64_t j : llvm::seq(columns))
      right.push_back(b.loadTransposed(
          b.offset(b.offset(stage, dyLane), k * config.dyPitch() + j * 32)));
    for (int64_t i : llvm::seq(rows))
      for (int64_t j : llvm::seq(2 * columns)) {
        size_t at = (i * 2 * columns + j) * 4;
        SmallVector<Value> sum =
            b.mmaSync(type, left[i], ArrayRef(right[j / 2]).slice(j % 2 * 2, 2),
                      ArrayRef(next).slice(at, 4));
        llvm::copy(sum, next.begin() + at);
      }
  }
  return next;
}

SmallVector<Value> Mma::multiply(Value pairs, ValueRange sums) {
  int64_t ahead = config.stages - 1;
  for (int64_t step : llvm::seq(ahead))
    fetch(b.i32(step), pairs);
  Value steps = b.divide(b.add(pairs, config.pairs - 1), config.pairs);
  return b.forLoop(b.i32(0), steps, b.i32(1), sums,
                   [&](Value step, ValueRange carried) {
                     b.waitCopies(ahead - 1);
                     b.barrier();
                     fetch(b.add(step, ahead), pairs);
                     return multiplyStage(step, carried);
                   });
}

void Mma::store(ValueRange sums) {
  Value part = e.getPart(owner);
  Value row = b.add(b.add(e.firstIn, in), b.divide(e.lane, 4));
  Value column =
      b.add(b.add(e.firstOut, out), b.mul(b.remainder(e.lane, 4), 2));
  int64_t columns = config.pieceOut / 8;
  auto pairType = VectorType::get(2, b.getF32Type());
  for (int64_t i : llvm::seq(config.pieceIn / 8))
    for (int64_t j : llvm::seq(columns)) {
      Value toRow = b.add(row, i * 8), toColumn = b.add(column, j * 8);
      Value isThere = b.andBits(b.lessUnsigned(toRow, config.inChannels),
                                b.lessUnsigned(toColumn, config.outChannels));
      // Registers 0 and 1 are of the upper eight rows, 2 and 3 of the lower.
      size_t from = ((i / 2) * columns + j) * 4 + i % 2 * 2;
      b.ifThen(isThere, [&] {
        Value value = LLVM::UndefOp::create(b, pairType);
        for (int64_t k : llvm::seq(2))
          value =
              LLVM::InsertElementOp::create(b, value, sums[from + k], b.i32(k));
        Value at = b.add(b.mul(toRow, config.outChannels), toColumn);
        b.store(value, b.offset(part, b.mul(b.extend64(at), b.i64(4))), 8);
      });
    }
}

void Mma::emit() {
  e.emit(
      config.pieceIn * config.pieceOut / 32,
      [&](Value pairs, ValueRange sums) { return multiply(pairs, sums); },
      [&](ValueRange sums) { store(sums); });
}

void mlir::sparseconv::emitWeightGradMma(WeightGradEmitter &e) {
  Mma(e).emit();
}
