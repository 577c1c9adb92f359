//===- WeightGradFma.cpp - weight gradients by threads --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every type and shape, groups and depthwise: the rows of some pairs go to
// shared memory as f32, from where each thread takes what its piece of the
// gradient needs. Where there are more threads than pieces, several share one,
// and each has a part of its own.
//
//===----------------------------------------------------------------------===//

#include "WeightGradEmitter.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
class Fma {
public:
  explicit Fma(WeightGradEmitter &e);
  void emit();

private:
  void stage(bool isOut, Value firstPair, Value pairs);
  SmallVector<Value> multiply(Value pairs, ValueRange sums);
  void store(ValueRange sums);
  /// `count` f32 of row `pair` of one side, from `column` on.
  SmallVector<Value> loadPiece(bool isOut, Value pair, Value column,
                               int64_t count);

  WeightGradEmitter &e;
  GpuBuilder &b;
  const WeightGradConfig &config;
  /// This thread's piece.
  Value owner, group, in, out;
};
} // namespace

Fma::Fma(WeightGradEmitter &e) : e(e), b(e.b), config(e.config) {
  // Threads without a piece repeat what the last one does, without its stores.
  int64_t owners = config.pieces() * config.lanes;
  Value worker = b.minUnsigned(e.thread, b.i32(owners - 1));
  owner = b.divide(worker, config.pieces());
  Value piece = b.remainder(worker, config.pieces());
  int64_t columns = config.tileOut / config.pieceOut;
  int64_t rows = config.tileIn / config.pieceIn;
  out = b.mul(b.remainder(piece, columns), config.pieceOut);
  piece = b.divide(piece, columns);
  in = b.mul(b.remainder(piece, rows), config.pieceIn);
  group = b.divide(piece, rows);
}

/// Brings the rows of one side to shared memory, zeros behind the last pair and
/// channel.
void Fma::stage(bool isOut, Value firstPair, Value pairs) {
  Type element = isOut ? config.dyElement : config.xElement;
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  int64_t tile = isOut ? config.tileOut : config.tileIn;
  int64_t channels = isOut ? config.outChannels : config.inChannels;
  int64_t columns = config.tileGroups * tile;
  Value source = isOut ? e.dy : e.x;
  Value target = b.offset(e.staged, isOut ? config.pairs * config.xPitch() : 0);
  int64_t total = config.pairs * columns;
  for (int64_t begin = 0; begin < total; begin += config.threads) {
    auto copy = [&] {
      Value place = b.add(e.thread, begin);
      Value local = b.divide(place, columns);
      Value column = b.remainder(place, columns);
      Value pair = b.add(firstPair, local);
      Value group = b.add(e.firstGroup, b.divide(column, tile));
      Value channel =
          b.add(isOut ? e.firstOut : e.firstIn, b.remainder(column, tile));
      Value isThere = b.andBits(b.lessUnsigned(pair, pairs),
                                b.andBits(b.lessUnsigned(group, config.groups),
                                          b.lessUnsigned(channel, channels)));
      Value row = b.extend64(e.loadRow(pair, isOut));
      Value at = b.add(b.mul(row, b.i64(config.groups * channels)),
                       b.extend64(b.add(b.mul(group, channels), channel)));
      Value pointer = b.offset(source, b.mul(at, b.i64(bytes)));
      Value bits = b.loadIf(isThere, pointer, bytes, b.i32(0)).front();
      if (bytes == 2)
        bits = b.createOrFold<arith::TruncIOp>(b.getI16Type(), bits);
      b.store(b.toF32(b.bitcast(bits, element)),
              b.offset(target, b.mul(place, 4)));
    };
    if (begin + config.threads <= total)
      copy();
    else
      b.ifThen(b.lessUnsigned(e.thread, total - begin), copy);
  }
}

SmallVector<Value> Fma::loadPiece(bool isOut, Value pair, Value column,
                                  int64_t count) {
  int64_t pitch = isOut ? config.dyPitch() : config.xPitch();
  Value at = b.add(b.mul(pair, pitch), b.mul(column, 4));
  if (isOut)
    at = b.add(at, config.pairs * config.xPitch());
  Value pointer = b.offset(e.staged, at);
  if (count == 1)
    return {b.load(b.getF32Type(), pointer, 4)};
  return b.unpack(
      b.load(VectorType::get(count, b.getF32Type()), pointer, count * 4));
}

SmallVector<Value> Fma::multiply(Value pairs, ValueRange sums) {
  return b.forLoop(
      b.i32(0), pairs, b.i32(config.pairs), sums,
      [&](Value firstPair, ValueRange carried) {
        stage(/*isOut=*/false, firstPair, pairs);
        stage(/*isOut=*/true, firstPair, pairs);
        b.barrier();
        SmallVector<Value> next = b.forLoop(
            b.i32(0), b.i32(config.pairs / config.lanes), b.i32(1), carried,
            [&](Value turn, ValueRange carried) {
              Value pair = b.add(b.mul(turn, config.lanes), owner);
              SmallVector<Value> left =
                  loadPiece(false, pair, b.add(b.mul(group, config.tileIn), in),
                            config.pieceIn);
              SmallVector<Value> right = loadPiece(
                  true, pair, b.add(b.mul(group, config.tileOut), out),
                  config.pieceOut);
              SmallVector<Value> next;
              for (Value l : left)
                for (Value r : right)
                  next.push_back(b.fma(l, r, carried[next.size()]));
              return next;
            });
        b.barrier();
        return next;
      });
}

void Fma::store(ValueRange sums) {
  int64_t owners = config.pieces() * config.lanes;
  Value part = e.getPart(owner);
  Value globalGroup = b.add(e.firstGroup, group);
  Value isMine = b.andBits(b.lessUnsigned(e.thread, owners),
                           b.lessUnsigned(globalGroup, config.groups));
  for (int64_t number : llvm::seq<int64_t>(sums.size())) {
    Value row = b.add(b.add(e.firstIn, in), number / config.pieceOut);
    Value column = b.add(b.add(e.firstOut, out), number % config.pieceOut);
    Value isThere = b.andBits(b.lessUnsigned(row, config.inChannels),
                              b.lessUnsigned(column, config.outChannels));
    b.ifThen(b.andBits(isMine, isThere), [&] {
      Value at = b.add(b.mul(globalGroup, config.inChannels), row);
      at = b.add(b.mul(at, config.outChannels), column);
      b.store(sums[number], b.offset(part, b.mul(b.extend64(at), b.i64(4))));
    });
  }
}

void Fma::emit() {
  e.emit(
      config.pieceIn * config.pieceOut,
      [&](Value pairs, ValueRange sums) { return multiply(pairs, sums); },
      [&](ValueRange sums) { store(sums); });
}

void mlir::sparseconv::emitWeightGradFma(WeightGradEmitter &e) {
  Fma(e).emit();
}
