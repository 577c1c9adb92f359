//===- WeightGradEmitter.cpp - what both weight gradients share -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightGradEmitter.h"
#include "ImplicitGemmEmitter.h"

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
  splits = arguments[3];
  inRows = b.loadCount(arguments[4]);
  rows = b.loadCount(arguments[5]);
  thread = b.threadId();
  lane = b.remainder(thread, kWarpLanes);
  warp = b.divide(thread, kWarpLanes);
  staged = b.dynamicShared();
  list = b.offset(staged, config.stages * config.stageBytes());
  totals = b.offset(list, config.listRoom() * 8);

  // The offsets in the middle of a box have most pairs: they come first.
  Value place = b.divide(b.blockId(), config.rowBlocks);
  rowBlock = b.remainder(b.blockId(), config.rowBlocks);
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

Value WeightGradEmitter::getSplit(Value lane) {
  Value split = b.add(b.mul(rowBlock, config.slices), lane);
  Value slice = b.add(b.mul(split, config.offsets), offset);
  return b.offset(splits,
                  b.mul(b.extend64(slice), b.i64(config.elements() * 4)));
}

/// The entries of the column that this thread looks at, from row `first` on.
SmallVector<Value> WeightGradEmitter::loadEntries(Value first) {
  SmallVector<Value> entries;
  for (int64_t i = 0; i < config.rowsPerThread(); i += 4) {
    // Row blocks, and the table's columns, end after a multiple of four rows.
    Value at = b.add(first, i);
    Value pointer = b.offset(column, b.mul(b.extend64(at), b.i64(4)));
    llvm::append_range(
        entries, b.loadIf(b.lessUnsigned(at, end), pointer, 16, b.i32(-1)));
  }
  return entries;
}

/// Where this thread's first pair goes in the list, and how long that is then.
/// `before` and `inWarp` are the pairs of the warp, `pairs` those listed so
/// far.
std::pair<Value, Value> WeightGradEmitter::addWarps(Value pairs, Value before,
                                                    Value inWarp) {
  b.ifThen(b.equal(lane, 0),
           [&] { b.store(inWarp, b.offset(totals, b.mul(warp, 4))); });
  b.barrier();
  Value position = b.add(pairs, before), total = pairs;
  for (int64_t i : llvm::seq(config.threads() / kWarpLanes)) {
    Value other = b.load(b.getI32Type(), b.offset(totals, i * 4));
    Value isBefore = b.lessUnsigned(b.i32(i), warp);
    position = b.add(position, b.select(isBefore, other, b.i32(0)));
    total = b.add(total, other);
  }
  return {position, total};
}

/// Lists the pairs of the next rows behind those listed so far, in the order of
/// the rows.
void WeightGradEmitter::listPairs(List &at) {
  Value first = b.add(at.row, b.mul(thread, config.rowsPerThread()));
  SmallVector<Value> entries = loadEntries(first), isPair;
  Value before = b.i32(0), inWarp = b.i32(0), lower = b.lanesBefore();
  for (Value entry : entries) {
    isPair.push_back(b.lessUnsigned(entry, inRows));
    Value lanes = b.ballot(isPair.back());
    before = b.add(before, b.popCount(b.andBits(lanes, lower)));
    inWarp = b.add(inWarp, b.popCount(lanes));
  }
  auto [position, total] = addWarps(at.pairs, before, inWarp);
  for (size_t i : llvm::seq(entries.size())) {
    Value place = position;
    b.ifThen(isPair[i], [&] {
      Value target = b.offset(list, b.mul(place, 4));
      b.store(entries[i], target);
      b.store(b.add(first, i), b.offset(target, config.listRoom() * 4));
    });
    position = b.add(position, b.select(isPair[i], b.i32(1), b.i32(0)));
  }
  b.barrier();
  at.row = b.add(at.row, config.scanRows());
  at.pairs = total;
}

/// A full list of the rows from `row` on, or one of all that are left.
WeightGradEmitter::List WeightGradEmitter::fillList(Value row) {
  return doWhile(b, List{row, b.i32(0)}, [&](List &at) {
    listPairs(at);
    return b.andBits(b.lessUnsigned(at.row, end),
                     b.lessUnsigned(at.pairs, kFullList));
  });
}

/// The rows of this thread block's row block, and the offset's column of the
/// table.
Value WeightGradEmitter::setRows() {
  constexpr int64_t grain = WeightGradConfig::rowGrain;
  auto roundUp = [&](Value value) {
    return b.mul(b.divide(b.add(value, grain - 1), grain), grain);
  };
  Value share = b.divide(b.add(rows, config.rowBlocks - 1), config.rowBlocks);
  Value perRowBlock = roundUp(share);
  Value begin = b.mul(rowBlock, perRowBlock);
  end = b.minUnsigned(b.add(begin, perRowBlock), rows);
  Value pitch = b.extend64(roundUp(rows));
  column = b.offset(table, b.mul(b.mul(b.extend64(offset), pitch), b.i64(4)));
  return begin;
}

void WeightGradEmitter::emit(int64_t count, MultiplyList multiply,
                             function_ref<void(ValueRange)> store) {
  Value begin = setRows();
  b.ifThen(b.lessUnsigned(begin, end), [&] {
    State start{begin, SmallVector<Value>(count, b.f32(0))};
    State done = doWhile(b, start, [&](State &now) {
      List found = fillList(now.row);
      now.row = found.row;
      multiply(found.pairs, now.sums);
      b.barrier();
      return b.lessUnsigned(found.row, end);
    });
    store(done.sums);
  });
}

gpu::GPUFuncOp
mlir::sparseconv::buildWeightGrad(gpu::GPUModuleOp module, StringRef name,
                                  const WeightGradConfig &config) {
  GpuBuilder b(module.getLoc(), module.getContext());
  SmallVector<Type> parameters(6, b.pointerType(Space::Global));
  gpu::GPUFuncOp kernel = b.startKernel(module, name, parameters,
                                        {config.threads(), config.blocks});
  WeightGradEmitter e(b, config, kernel);
  config.loop->emit(e);
  b.finishKernel();
  return kernel;
}
