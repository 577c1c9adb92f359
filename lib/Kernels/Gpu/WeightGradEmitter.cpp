//===- WeightGradEmitter.cpp - what both weight gradients share -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightGradEmitter.h"
#include "GatherEmitter.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Pairs that are worth multiplying.
static constexpr int64_t kFullList = 512;

WeightGradEmitter::WeightGradEmitter(GpuBuilder &b,
                                     const WeightGradConfig &config,
                                     gpu::GPUFuncOp kernel)
    : b(b), config(config) {
  ValueRange arguments = kernel.getArguments();
  x = arguments[0];
  dy = arguments[1];
  table = arguments[2];
  parts = arguments[3];
  inRows = b.loadCount(arguments[4]);
  rows = b.loadCount(arguments[5]);
  thread = b.threadId();
  lane = b.remainder(thread, 32);
  warp = b.divide(thread, 32);
  staged = b.dynamicShared();
  list = b.offset(staged, config.stages * config.stageBytes());
  totals = b.offset(list, config.listRoom() * 8);

  // The offsets in the middle of a box have most pairs: they come first.
  Value place = b.divide(b.blockId(), config.chunks);
  chunk = b.remainder(b.blockId(), config.chunks);
  offset = b.remainder(b.add(place, config.offsets / 2), config.offsets);
  Value tile = b.blockIdY();
  firstOut = b.mul(b.remainder(tile, config.tilesOut()), config.tileOut);
  tile = b.divide(tile, config.tilesOut());
  firstIn = b.mul(b.remainder(tile, config.tilesIn()), config.tileIn);
  firstGroup = b.mul(b.divide(tile, config.tilesIn()), config.tileGroups);
}

Value WeightGradEmitter::loadRow(Value pair, bool isOut) {
  Value at = b.offset(list, b.mul(pair, 4));
  return b.load(b.getI32Type(),
                b.offset(at, isOut ? config.listRoom() * 4 : 0));
}

Value WeightGradEmitter::getPart(Value lane) {
  Value part = b.add(b.mul(chunk, config.lanes), lane);
  Value slice = b.add(b.mul(part, config.offsets), offset);
  return b.offset(parts,
                  b.mul(b.extend64(slice), b.i64(config.elements() * 4)));
}

/// Lists the pairs of the rows from `row` on behind the first `pairs`, in the
/// order of the rows. Returns the next row and number of pairs.
std::pair<Value, Value> WeightGradEmitter::listPairs(Value row, Value pairs) {
  int64_t perThread = config.rowsPerThread();
  Value first = b.add(row, b.mul(thread, perThread));
  SmallVector<Value> entries, isPair;
  for (int64_t i = 0; i < perThread; i += 4) {
    // Chunks, and the table's columns, end after a multiple of four rows.
    Value at = b.add(first, i);
    Value pointer = b.offset(column, b.mul(b.extend64(at), b.i64(4)));
    llvm::append_range(
        entries, b.loadIf(b.lessUnsigned(at, end), pointer, 16, b.i32(-1)));
  }
  Value before = b.i32(0), inWarp = b.i32(0), lower = b.lanesBefore();
  for (Value entry : entries) {
    isPair.push_back(b.lessUnsigned(entry, inRows));
    Value lanes = b.ballot(isPair.back());
    before = b.add(before, b.popCount(b.andBits(lanes, lower)));
    inWarp = b.add(inWarp, b.popCount(lanes));
  }
  b.ifThen(b.equal(lane, 0),
           [&] { b.store(inWarp, b.offset(totals, b.mul(warp, 4))); });
  b.barrier();
  Value position = b.add(pairs, before), total = pairs;
  for (int64_t i : llvm::seq(config.threads / 32)) {
    Value other = b.load(b.getI32Type(), b.offset(totals, i * 4));
    Value isBefore = b.lessUnsigned(b.i32(i), warp);
    position = b.add(position, b.select(isBefore, other, b.i32(0)));
    total = b.add(total, other);
  }
  for (size_t i : llvm::seq(entries.size())) {
    b.ifThen(isPair[i], [&] {
      Value at = b.offset(list, b.mul(position, 4));
      b.store(entries[i], at);
      b.store(b.add(first, i), b.offset(at, config.listRoom() * 4));
    });
    position = b.add(position, b.select(isPair[i], b.i32(1), b.i32(0)));
  }
  b.barrier();
  return {b.add(row, config.scanRows()), total};
}

void WeightGradEmitter::emit(
    int64_t count, function_ref<SmallVector<Value>(Value, ValueRange)> multiply,
    function_ref<void(ValueRange)> store) {
  constexpr int64_t grain = WeightGradConfig::rowGrain;
  auto roundUp = [&](Value value) {
    return b.mul(b.divide(b.add(value, grain - 1), grain), grain);
  };
  Value share = b.divide(b.add(rows, config.chunks - 1), config.chunks);
  Value perChunk = roundUp(share);
  Value begin = b.mul(chunk, perChunk);
  end = b.minUnsigned(b.add(begin, perChunk), rows);
  Value pitch = b.extend64(roundUp(rows));
  column = b.offset(table, b.mul(b.mul(b.extend64(offset), pitch), b.i64(4)));

  b.ifThen(b.lessUnsigned(begin, end), [&] {
    SmallVector<Value> state{begin};
    state.append(count, b.f32(0));
    auto step = [&](ValueRange carried) {
      SmallVector<Value> found =
          b.doWhile({carried[0], b.i32(0)},
                    [&](ValueRange at) -> std::pair<Value, SmallVector<Value>> {
                      std::pair<Value, Value> next = listPairs(at[0], at[1]);
                      Value more =
                          b.andBits(b.lessUnsigned(next.first, end),
                                    b.lessUnsigned(next.second, kFullList));
                      return {more, {next.first, next.second}};
                    });
      SmallVector<Value> next{found[0]};
      llvm::append_range(next, multiply(found[1], carried.drop_front()));
      b.barrier();
      return std::pair(b.lessUnsigned(found[0], end), next);
    };
    SmallVector<Value> done = b.doWhile(state, step);
    store(ValueRange(done).drop_front());
  });
}

gpu::GPUFuncOp
mlir::sparseconv::buildWeightGrad(gpu::GPUModuleOp module, StringRef name,
                                  const WeightGradConfig &config) {
  GpuBuilder b(module.getLoc(), module.getContext());
  constexpr unsigned pointers = 6;
  gpu::GPUFuncOp kernel =
      startKernel(b, module, name, pointers, {}, config.threads, config.blocks);
  WeightGradEmitter e(b, config, kernel);
  if (config.tensorCores)
    emitWeightGradMma(e);
  else
    emitWeightGradFma(e);
  finishKernel(b);
  return kernel;
}
