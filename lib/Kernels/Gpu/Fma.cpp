//===- Fma.cpp - multiply and add in threads ------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every type and shape, groups and depthwise: a warp owns 16 output rows, its
// lanes share them and up to four output channels each out among themselves.
// Sums are in f32.
//
//===----------------------------------------------------------------------===//

#include "GatherEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {

class Fma {
public:
  explicit Fma(GatherEmitter &e);
  void emit();

private:
  void emitTile(Value tile, Value firstChannel);
  void addOffset(Value offset, ValueRange rows, SmallVector<Value> &sums);
  SmallVector<Value> loadWeights(Value offset, Value inChannel);

  GatherEmitter &e;
  GpuBuilder &b;
  const GatherGemmConfig &config;
  int64_t inPerGroup, outPerGroup;
  /// Channels of a lane, lanes side by side along channels, rows of a lane.
  int64_t laneChannels, laneColumns, laneRows;
  /// A lane's channels are always all there or all absent.
  Value channel, inBase, hasChannel, rowInTile;
};

} // namespace

Fma::Fma(GatherEmitter &e)
    : e(e), b(e.b), config(e.config),
      inPerGroup(config.inChannels / config.groups),
      outPerGroup(config.outChannels / config.groups) {
  laneChannels = std::gcd<int64_t>(outPerGroup, 4);
  laneColumns = std::min<int64_t>(32, llvm::PowerOf2Ceil(llvm::divideCeil(
                                          config.outChannels, laneChannels)));
  laneRows = std::max<int64_t>(1, laneColumns / 2);
}

SmallVector<Value> Fma::loadWeights(Value offset, Value inChannel) {
  int64_t bytes = config.elementBytes();
  Value slice =
      b.mul(b.extend64(offset), b.i64(inPerGroup * config.outChannels * bytes));
  Value base = b.offset(e.weights, slice);
  if (config.transposedWeights) {
    SmallVector<Value> values;
    for (int64_t i : llvm::seq(laneChannels)) {
      Value at = b.add(b.mul(b.add(channel, i), inPerGroup), inChannel);
      values.push_back(b.loadConstant(e.elementType,
                                      b.offset(base, b.mul(at, bytes)), bytes));
    }
    return values;
  }
  Value at = b.add(b.mul(inChannel, config.outChannels), channel);
  Value pointer = b.offset(base, b.mul(at, bytes));
  if (laneChannels == 1)
    return {b.loadConstant(e.elementType, pointer, bytes)};
  auto type = VectorType::get(laneChannels, e.elementType);
  return b.unpack(b.loadConstant(type, pointer, laneChannels * bytes));
}

void Fma::addOffset(Value offset, ValueRange rows, SmallVector<Value> &sums) {
  int64_t bytes = config.elementBytes();
  SmallVector<Value> present, pointers;
  for (Value row : rows) {
    present.push_back(b.lessUnsigned(row, e.inRows));
    Value at = b.add(b.mul(b.extend64(row), b.i64(config.inChannels * bytes)),
                     b.extend64(b.mul(inBase, bytes)));
    pointers.push_back(b.offset(e.x, at));
  }
  sums = b.forLoop(
      b.i32(0), b.i32(inPerGroup), b.i32(1), sums,
      [&](Value inChannel, ValueRange carried) {
        SmallVector<Value> weights;
        for (Value weight : loadWeights(offset, inChannel))
          weights.push_back(b.toF32(weight));
        SmallVector<Value> next;
        for (auto [i, pointer] : llvm::enumerate(pointers)) {
          Value bits =
              b.loadIf(present[i], b.offset(pointer, b.mul(inChannel, bytes)),
                       bytes, b.i32(0))
                  .front();
          if (bytes == 2)
            bits = b.createOrFold<arith::TruncIOp>(b.getI16Type(), bits);
          Value value = b.toF32(b.bitcast(bits, e.elementType));
          for (auto [j, weight] : llvm::enumerate(weights))
            next.push_back(b.fma(value, weight, carried[i * laneChannels + j]));
        }
        return next;
      });
}

void Fma::emitTile(Value tile, Value firstChannel) {
  channel = b.add(firstChannel,
                  b.mul(b.remainder(e.lane, laneColumns), laneChannels));
  hasChannel = b.lessUnsigned(channel, config.outChannels);
  channel = b.select(hasChannel, channel, b.i32(0));
  inBase = config.groups == 1
               ? b.i32(0)
               : b.mul(b.divide(channel, outPerGroup), inPerGroup);
  int64_t rowGroups = 32 / laneColumns;
  rowInTile = b.divide(e.lane, laneColumns);
  Value slot = b.add(b.mul(tile, 16), rowInTile);
  // More lanes than rows: those over 16 have none.
  Value hasRow = b.andBits(b.lessUnsigned(rowInTile, 16), hasChannel);
  Value tableLane = b.element(e.table, slot, 4);
  Value orderLane = b.element(e.order, slot, 4);

  GatherTask task;
  task.tile = tile;
  auto [first, firstWalk] = e.nextOffset(task, e.startWalk(tile));
  SmallVector<Value> sums(laneRows * laneChannels, b.f32(0));
  SmallVector<Value> state{first};
  llvm::append_range(state, firstWalk);
  size_t sumBegin = state.size();
  llvm::append_range(state, sums);
  auto step = [&](ValueRange carried) -> std::pair<Value, SmallVector<Value>> {
    Value offset = carried.front();
    Value at = b.mul(b.extend64(offset), b.extend64(e.pitch));
    Value pointer = b.element(tableLane, at, 4);
    SmallVector<Value> rows, next(carried.drop_front(sumBegin));
    for (int64_t i : llvm::seq(laneRows))
      rows.push_back(
          b.loadIf(hasRow, b.offset(pointer, i * rowGroups * 4), 4, b.i32(-1))
              .front());
    addOffset(offset, rows, next);
    auto [after, walk] = e.nextOffset(task, carried.slice(1, sumBegin - 1));
    Value continues = b.greaterEqual(after, 0);
    SmallVector<Value> result{after};
    llvm::append_range(result, walk);
    llvm::append_range(result, next);
    return {continues, result};
  };
  SmallVector<Type> types(sums.size(), b.getF32Type());
  sums = b.ifElse(
      b.greaterEqual(state.front(), 0), types,
      [&] {
        SmallVector<Value> end = b.doWhile(state, step);
        return llvm::to_vector(ArrayRef(end).drop_front(sumBegin));
      },
      [&] { return sums; });
  b.ifThen(hasRow, [&] {
    for (int64_t i : llvm::seq(laneRows)) {
      Value row = b.loadConstant(b.getI32Type(),
                                 b.offset(orderLane, i * rowGroups * 4), 4);
      b.ifThen(b.greaterEqual(row, 0), [&] {
        int64_t rowBytes = config.outChannels * config.elementBytes();
        Value base = b.offset(e.y, b.mul(b.extend64(row), b.i64(rowBytes)));
        e.storePiece(ArrayRef(sums).slice(i * laneChannels, laneChannels), row,
                     channel,
                     b.offset(base, b.mul(channel, config.elementBytes())));
      });
    }
  });
}

void Fma::emit() {
  Value tile = b.add(b.mul(b.blockId(), config.warps),
                     b.shuffle(b.divide(e.thread, 32), b.i32(0)));
  int64_t span = laneColumns * laneChannels;
  b.ifThen(b.lessUnsigned(tile, e.tileCount()), [&] {
    if (span >= config.outChannels)
      return emitTile(tile, b.i32(0));
    b.forLoop(b.i32(0), b.i32(config.outChannels), b.i32(span),
              [&](Value firstChannel) { emitTile(tile, firstChannel); });
  });
}

void mlir::sparseconv::emitFma(GatherEmitter &e) { Fma(e).emit(); }
