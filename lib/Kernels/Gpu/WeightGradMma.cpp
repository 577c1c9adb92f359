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
// transposed into the fragments of mma.sync: matrices of 16-bit elements by one
// instruction, f32 an element at a time. Behind the last pair of a list, both
// sides are zero.
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
  /// The registers of 16 channels and 16 pairs from `stage` on: of f32 those of
  /// the first eight pairs, then those of the others.
  SmallVector<Value> loadFragment(Value stage, bool isOut, int64_t pair,
                                  int64_t channel);
  SmallVector<Value> multiplyFragments(ArrayRef<Value> left,
                                       ArrayRef<Value> right, int64_t column,
                                       ValueRange sums);
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
  /// Byte in a stage of the row of an 8 x 8 matrix that this lane names, or of
  /// this lane's f32 of the first pairs.
  Value xLane, dyLane;
};
} // namespace

Mma::Mma(WeightGradEmitter &e)
    : e(e), b(e.b), config(e.config),
      type(config.xElement.isF32()   ? MmaType::TF32
           : config.xElement.isF16() ? MmaType::F16
                                     : MmaType::BF16) {
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
    return b.add(b.mul(b.add(first, pair), pitch),
                 b.mul(channel, config.elementBytes()));
  };
  if (type == MmaType::TF32) {
    Value pair = b.remainder(e.lane, 4), channel = b.divide(e.lane, 4);
    xLane = place(pair, b.add(in, channel), config.xPitch());
    dyLane = b.add(place(pair, b.add(out, channel), config.dyPitch()),
                   config.pairs * config.xPitch());
    return;
  }
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
  // A copy moves 16 bytes.
  int64_t bytes = config.elementBytes();
  int64_t pieces = tile * bytes / 16, total = config.pairs * pieces;
  for (int64_t begin = 0; begin < total; begin += config.threads) {
    auto copy = [&] {
      Value place = b.add(e.thread, begin);
      Value local = b.divide(place, pieces);
      Value column = b.mul(b.remainder(place, pieces), 16 / bytes);
      Value channel = b.add(isOut ? e.firstOut : e.firstIn, column);
      Value pair = b.add(firstPair, local);
      Value isThere = b.andBits(b.lessUnsigned(pair, pairs),
                                b.lessUnsigned(channel, channels));
      Value row = b.select(isThere, e.loadRow(pair, isOut), b.i32(0));
      Value at =
          b.add(b.mul(b.extend64(row), b.i64(channels * bytes)),
                b.extend64(b.mul(b.select(isThere, channel, b.i32(0)), bytes)));
      b.copyAsyncIf(
          isThere,
          b.offset(target, b.add(b.mul(local, pitch), b.mul(column, bytes))),
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

SmallVector<Value> Mma::loadFragment(Value stage, bool isOut, int64_t pair,
                                     int64_t channel) {
  int64_t pitch = isOut ? config.dyPitch() : config.xPitch();
  Value base = b.offset(b.offset(stage, isOut ? dyLane : xLane),
                        pair * pitch + channel * config.elementBytes());
  if (type != MmaType::TF32)
    return b.loadTransposed(base);
  // Of x: both halves of the channels, then the same of the next four pairs.
  // Of dy: both halves of the pairs, then the same of the next channels.
  SmallVector<Value> registers;
  for (int64_t eight : {0, 1})
    for (int64_t high : {0, 1})
      for (int64_t low : {0, 1}) {
        int64_t nextPairs = isOut ? low : high,
                nextChannels = isOut ? high : low;
        Value bits = b.load(b.getI32Type(),
                            b.offset(base, (eight * 8 + nextPairs * 4) * pitch +
                                               nextChannels * 32));
        registers.push_back(b.roundToTf32(bits));
      }
  return registers;
}

SmallVector<Value> Mma::multiplyFragments(ArrayRef<Value> left,
                                          ArrayRef<Value> right, int64_t column,
                                          ValueRange sums) {
  SmallVector<Value> next(sums);
  for (size_t at = 0; at < left.size(); at += 4)
    next = b.mmaSync(type, left.slice(at, 4), right.slice(at + column * 2, 2),
                     next);
  return next;
}

SmallVector<Value> Mma::multiplyStage(Value step, ValueRange sums) {
  SmallVector<Value> next(sums);
  Value stage = getStage(step);
  int64_t rows = config.pieceIn / 16, columns = config.pieceOut / 16;
  for (int64_t k = 0; k < config.pairs; k += 16 * config.lanes) {
    SmallVector<SmallVector<Value>> left, right;
    for (int64_t i : llvm::seq(rows))
      left.push_back(loadFragment(stage, /*isOut=*/false, k, i * 16));
    for (int64_t j : llvm::seq(columns))
      right.push_back(loadFragment(stage, /*isOut=*/true, k, j * 16));
    for (int64_t i : llvm::seq(rows))
      for (int64_t j : llvm::seq(2 * columns)) {
        size_t at = (i * 2 * columns + j) * 4;
        SmallVector<Value> sum = multiplyFragments(left[i], right[j / 2], j % 2,
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
