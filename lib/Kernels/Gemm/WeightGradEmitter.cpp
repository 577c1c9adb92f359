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

WeightGradEmitter::WeightGradEmitter(GpuBuilder &b,
                                     const WeightGradConfig &config,
                                     gpu::GPUFuncOp kernel)
    : b(b), config(config) {
  ValueRange arguments = kernel.getArguments();
  x = arguments[0];
  dy = arguments[1];
  lists[0] = arguments[2];
  lists[1] = arguments[3];
  counts = arguments[4];
  shares = arguments[5];
  splits = arguments[6];
  inRows = b.loadCount(arguments[7]);
  pitch = b.loadCount(arguments[8]);
  thread = b.threadId();
  lane = b.remainder(thread, kWarpLanes);
  warp = b.divide(thread, kWarpLanes);
  staged = b.dynamicShared();
  rowsOfSteps = b.offset(staged, config.ringBytes());
  setOffset();
  setTile();
}

/// The offset is the first whose thread blocks do not end before this one.
void WeightGradEmitter::setOffset() {
  Value block = b.blockId();
  offset = b.i32(0);
  for (int64_t first = 0; first < config.offsets; first += kWarpLanes) {
    Value k = b.add(lane, first);
    Value known = b.minUnsigned(k, b.i32(config.offsets - 1));
    Value end = b.load(b.getI32Type(), b.element(shares, b.add(known, 1), 4));
    Value isBefore = b.andBits(b.lessUnsigned(k, b.i32(config.offsets)),
                               b.lessUnsigned(end, b.add(block, 1)));
    offset = b.add(offset, b.popCount(b.ballot(isBefore)));
  }
  // The same in all lanes, which ptxas then knows.
  offset = b.shuffle(offset, b.i32(0));
  // Thread blocks behind those of the last offset have nothing to do.
  Value isThere = b.lessUnsigned(offset, b.i32(config.offsets));
  offset = b.minUnsigned(offset, b.i32(config.offsets - 1));
  auto load = [&](Value buffer, Value at) {
    return b.load(b.getI32Type(), b.element(buffer, at, 4));
  };
  Value begin = load(shares, offset), end = load(shares, b.add(offset, 1));
  pairs = load(counts, offset);
  turns = b.maxUnsigned(b.sub(end, begin), b.i32(1));
  turn = b.sub(block, begin);
  Value all = b.divide(b.add(pairs, config.pairs - 1), config.pairs);
  Value own = b.divide(b.add(b.sub(all, turn), b.sub(turns, 1)), turns);
  steps = b.select(isThere, own, b.i32(0));
}

void WeightGradEmitter::setTile() {
  Value tile = b.blockIdY();
  firstOut = b.mul(b.remainder(tile, config.tilesOut()), config.tileOut);
  tile = b.divide(tile, config.tilesOut());
  firstIn = b.mul(b.remainder(tile, config.tilesIn()), config.tileIn);
  firstGroup = b.mul(b.divide(tile, config.tilesIn()), config.tileGroups);
}

Value WeightGradEmitter::getFirstPair(Value step) {
  return b.mul(b.add(turn, b.mul(step, turns)), config.pairs);
}

void WeightGradEmitter::forRowsOf(
    Value step, function_ref<void(Value, Value, Value)> body) {
  Value first = getFirstPair(step), slot = getSlot(step);
  Value column = b.mul(b.extend64(offset), b.extend64(pitch));
  Value isStep = b.lessUnsigned(step, steps);
  b.shareOut(thread, config.threads(), 2 * config.pairs, [&](Value place) {
    Value isOut = b.lessUnsigned(b.i32(config.pairs - 1), place);
    Value local = b.select(isOut, b.sub(place, config.pairs), place);
    Value pair = b.add(first, local);
    Value isThere = b.andBits(isStep, b.lessUnsigned(pair, pairs));
    Value at = b.add(column, b.extend64(b.select(isThere, pair, b.i32(0))));
    Value list = b.select(isOut, lists[1], lists[0]);
    body(isThere, b.offset(slot, b.mul(place, 4)),
         b.offset(list, b.mul(at, b.i64(4))));
  });
}

void WeightGradEmitter::fetchRows(Value step) {
  forRowsOf(step, [&](Value isThere, Value target, Value source) {
    b.copyAsyncIf(isThere, target, source, 4);
  });
}

void WeightGradEmitter::fetchFirstRows() {
  for (int64_t step : llvm::seq(config.stages - 1))
    fetchRows(b.i32(step));
  b.commitCopies();
  b.waitCopies(0);
  b.barrier();
}

void WeightGradEmitter::copyRows(Value step) {
  forRowsOf(step, [&](Value isThere, Value target, Value source) {
    b.store(b.loadIf(isThere, source, 4, b.i32(0)).front(), target);
  });
}

Value WeightGradEmitter::loadRow(Value step, Value local, bool isOut) {
  Value at = b.offset(getSlot(step), b.mul(local, 4));
  return b.load(b.getI32Type(), b.offset(at, isOut ? config.pairs * 4 : 0));
}

Value WeightGradEmitter::getSplit(Value slice) {
  Value split = b.add(b.mul(b.blockId(), config.slices), slice);
  return b.offset(splits,
                  b.mul(b.extend64(split), b.i64(config.elements() * 4)));
}

void WeightGradEmitter::emit(int64_t count,
                             function_ref<void(SmallVector<Value> &)> multiply,
                             function_ref<void(ValueRange)> store) {
  b.ifThen(b.notEqual(steps, b.i32(0)), [&] {
    SmallVector<Value> sums(count, b.f32(0));
    multiply(sums);
    store(sums);
  });
}

gpu::GPUFuncOp
mlir::sparseconv::buildWeightGrad(gpu::GPUModuleOp module, StringRef name,
                                  const WeightGradConfig &config) {
  GpuBuilder b(module.getLoc(), module.getContext());
  SmallVector<Type> parameters(9, b.pointerType(Space::Global));
  gpu::GPUFuncOp kernel = b.startKernel(module, name, parameters,
                                        {config.threads(), config.blocks});
  WeightGradEmitter e(b, config, kernel);
  config.loop->emit(e);
  b.finishKernel();
  return kernel;
}
