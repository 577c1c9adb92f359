//===- GatherStore.cpp - storing and adding up tiles ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GatherEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::sparseconv;

SmallVector<Value> GatherEmitter::zeroAccumulators() {
  return SmallVector<Value>(accumulatorCount(), b.f32(0));
}

SmallVector<Value> GatherEmitter::loadOutputRows() {
  SmallVector<Value> rows;
  Value orderLane = b.element(order, slot, 4);
  for (int64_t half : {0, 1})
    rows.push_back(
        b.loadConstant(b.getI32Type(), b.offset(orderLane, half * 32), 4));
  return rows;
}

void GatherEmitter::storePiece(ArrayRef<Value> sums, Value row, Value channel,
                               Value pointer) {
  SmallVector<Value> values(sums);
  if (epilogue)
    for (auto [i, value] : llvm::enumerate(values))
      value = epilogue(b, value, row, b.add(channel, i), epilogueArguments);
  unsigned bytes = values.size() * config.elementBytes();
  if (values.size() == 1) {
    b.store(b.fromF32(values.front(), elementType), pointer, bytes);
    return;
  }
  SmallVector<Value> registers;
  if (config.elementBytes() == 4)
    registers = values;
  else
    for (size_t i = 0; i < values.size(); i += 2)
      registers.push_back(b.packPair(values[i], values[i + 1], elementType));
  if (registers.size() == 1) {
    b.store(registers.front(), pointer, bytes);
    return;
  }
  auto type = VectorType::get(static_cast<int64_t>(registers.size()),
                              registers.front().getType());
  b.store(vector::FromElementsOp::create(b, type, registers), pointer, bytes);
}

Value GatherEmitter::rowPointer(Value row) {
  return b.element(y, row, config.outChannels * config.elementBytes());
}

void GatherEmitter::storeGroup(ValueRange accumulators, int64_t tile,
                               int64_t half, Value row, Value rowPointer) {
  int64_t bytes = config.elementBytes();
  int64_t rowBytes = config.outChannels * bytes;
  int64_t size = layout.groupSize(tile), elements = 2 * size;
  SmallVector<Value> sums;
  for (int64_t i : llvm::seq(elements))
    sums.push_back(accumulators[i / 2 * 4 + 2 * half + i % 2]);
  Value column = b.add(b.mul(quad, elements), tile * 8);
  Value channel = part ? b.add(column, b.mul(part, config.width)) : column;
  Value pointer = b.offset(rowPointer, b.mul(column, bytes));
  int64_t piece =
      std::min({rowBytes & -rowBytes, elements * bytes, int64_t(16)}) / bytes;
  bool inside = (tile + size) * 8 + (layout.parts - 1) * config.width <=
                config.outChannels;
  for (int64_t at = 0; at < elements; at += piece) {
    Value pieceChannel = b.add(channel, at);
    auto store = [&] {
      storePiece(ArrayRef(sums).slice(at, piece), row, pieceChannel,
                 b.offset(pointer, at * bytes));
    };
    if (inside)
      store();
    else
      b.ifThen(b.lessUnsigned(pieceChannel, config.outChannels), store);
  }
}

void GatherEmitter::storeTiles(ValueRange accumulators, ValueRange outputRows,
                               int64_t tile) {
  int64_t count = accumulators.size() / 4;
  for (int64_t half : {0, 1}) {
    Value row = outputRows[half];
    b.ifThen(b.greaterEqual(row, 0), [&] {
      Value pointer = rowPointer(row);
      for (int64_t at = 0; at < count; at += layout.groupSize(tile + at))
        storeGroup(accumulators.slice(at * 4, layout.groupSize(tile + at) * 4),
                   tile + at, half, row, pointer);
    });
  }
}

void GatherEmitter::storeParts(function_ref<Value(Value)> place, Value parts,
                               StoreSums store) {
  auto four = VectorType::get(4, b.getF32Type());
  // A few columns at a time: their sums need not live beside all others.
  for (int64_t tile = 0; tile < layout.tiles();
       tile += layout.groupSize(tile)) {
    int64_t size = layout.groupSize(tile);
    SmallVector<Value> sums = b.forLoop(
        b.i32(0), parts, b.i32(1), SmallVector<Value>(4 * size, b.f32(0)),
        [&](Value number, ValueRange carried) {
          Value theirs = place(number);
          SmallVector<Value> next;
          for (int64_t i : llvm::seq(size)) {
            Value values = b.load(four, b.offset(theirs, (tile + i) * 512), 16);
            for (auto [j, value] : llvm::enumerate(b.unpack(values)))
              next.push_back(b.add(carried[i * 4 + j], value));
          }
          return next;
        });
    store(sums, tile);
  }
}

Value GatherEmitter::takePart(const GatherTask &task, Value bits) {
  Value count = b.popCount(bits);
  auto dropFirst = [&](Value part) {
    Value end = b.divide(b.mul(count, part), task.parts);
    return b
        .forLoop(b.i32(0), end, b.i32(1), bits,
                 [&](Value, ValueRange left) {
                   return SmallVector<Value>{b.clearLowestBit(left.front())};
                 })
        .front();
  };
  return b.xorBits(dropFirst(task.part), dropFirst(b.add(task.part, 1)));
}

void GatherEmitter::finishTask(const GatherTask &task, ValueRange accumulators,
                               Value warpInTile, StoreSums store) {
  if (config.splitK == 1) {
    store(accumulators, 0);
    return;
  }
  Value one = b.i32(1);
  Value isSplit = b.compare(arith::CmpIPredicate::ugt, task.parts, one);
  // A split tile's last part to arrive adds all of them up in their order, so
  // that the sum does not depend on which one that is.
  b.ifThen(isSplit, [&] {
    int64_t warps = config.rowsPerTile() / 16;
    auto perWarp = [&](Value index) {
      if (part)
        index = b.add(b.mul(index, layout.parts), part);
      return warps == 1 ? index : b.add(b.mul(index, warps), warpInTile);
    };
    int64_t slotBytes = layout.tiles() * 512;
    auto place = [&](Value number) {
      Value index = perWarp(b.add(task.firstPart, number));
      return b.offset(b.element(scratch, index, slotBytes), b.mul(lane, 16));
    };
    auto four = VectorType::get(4, b.getF32Type());
    Value ours = place(task.part);
    for (int64_t tile : llvm::seq(layout.tiles()))
      b.store(vector::FromElementsOp::create(b, four,
                                             accumulators.slice(tile * 4, 4)),
              b.offset(ours, tile * 512), 16);
    b.fenceDevice();
    b.syncWarp();
    Value counter = b.element(counters, perWarp(task.tile), 4);
    Value first = b.equal(lane, 0);
    Value arrived =
        b.ifElse(
             first, b.getI32Type(),
             [&] { return SmallVector<Value>{b.atomicAdd(counter, one)}; },
             [&] { return SmallVector<Value>{b.i32(0)}; })
            .front();
    arrived = b.shuffle(arrived, b.i32(0));
    b.ifThen(b.equal(arrived, b.sub(task.parts, 1)), [&] {
      b.fenceDevice();
      b.ifThen(first, [&] { b.store(b.i32(0), counter, 4); });
      storeParts(place, task.parts, store);
    });
  });
  b.ifThen(b.compare(arith::CmpIPredicate::ule, task.parts, one),
           [&] { store(accumulators, 0); });
}
