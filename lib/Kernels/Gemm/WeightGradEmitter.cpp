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
  setTeam();
  setTile();
}

/// The thread's place in its team, and the team's share of shared memory: the
/// stages of all teams, their lists, and the totals of all warps.
void WeightGradEmitter::setTeam() {
  int64_t teams = config.tileOffsets;
  thread = b.threadId();
  if (teams > 1) {
    // The same in all lanes, which ptxas then knows.
    team = b.shuffle(b.divide(thread, config.teamThreads()), b.i32(0));
    thread = b.remainder(thread, config.teamThreads());
  }
  lane = b.remainder(thread, kWarpLanes);
  warp = b.divide(thread, kWarpLanes);
  staged = b.dynamicShared();
  list = b.offset(staged, teams * config.ringBytes());
  totals = b.offset(list, teams * config.listBytes());
  if (team) {
    staged = b.offset(staged, b.mul(team, config.ringBytes()));
    list = b.offset(list, b.mul(team, config.listBytes()));
  }
}

/// What the thread block owns.
void WeightGradEmitter::setTile() {
  // The offsets in the middle of a box have most pairs: they come first.
  int64_t offsetTiles = config.offsetTiles();
  Value place = b.divide(b.blockId(), config.rowBlocks);
  rowBlock = b.remainder(b.blockId(), config.rowBlocks);
  offset = b.remainder(b.add(place, offsetTiles / 2), offsetTiles);
  if (team)
    offset = b.add(b.mul(offset, config.tileOffsets), team);
  if (config.offsets % config.tileOffsets) {
    // A team without an offset reads the last one's column and lists nothing.
    hasOffset = b.lessUnsigned(offset, config.offsets);
    offset = b.minUnsigned(offset, b.i32(config.offsets - 1));
    inRows = b.select(hasOffset, inRows, b.i32(0));
  }
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

Value WeightGradEmitter::selectOwn(ArrayRef<Value> ofTeams) {
  Value own = ofTeams.front();
  for (int64_t i : llvm::seq<int64_t>(1, ofTeams.size()))
    own = b.select(b.equal(team, i), ofTeams[i], own);
  return own;
}

/// Where this thread's first pair goes in its team's list. `before` and
/// `inWarp` are the pairs of the warp, `pairs` those that the teams have
/// listed, to which those of all warps are added.
Value WeightGradEmitter::addWarps(SmallVector<Value> &pairs, Value before,
                                  Value inWarp) {
  int64_t teamWarps = config.teamWarps();
  Value warpOfBlock = team ? b.add(b.mul(team, teamWarps), warp) : warp;
  b.ifThen(b.equal(lane, 0),
           [&] { b.store(inWarp, b.offset(totals, b.mul(warpOfBlock, 4))); });
  b.barrier();
  SmallVector<Value> positions;
  for (auto [i, listed] : llvm::enumerate(pairs)) {
    Value position = b.add(listed, before);
    for (int64_t j : llvm::seq(teamWarps)) {
      int64_t place = i * teamWarps + j;
      Value other = b.load(b.getI32Type(), b.offset(totals, place * 4));
      Value isBefore = b.lessUnsigned(b.i32(place), warpOfBlock);
      position = b.add(position, b.select(isBefore, other, b.i32(0)));
      listed = b.add(listed, other);
    }
    positions.push_back(position);
  }
  return selectOwn(positions);
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
  Value position = addWarps(at.pairs, before, inWarp);
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
}

/// Lists of the rows from `row` on, one of them full, or of all that are left.
WeightGradEmitter::List WeightGradEmitter::fillList(Value row) {
  List start{row, SmallVector<Value>(config.tileOffsets, b.i32(0))};
  return doWhile(b, start, [&](List &at) {
    listPairs(at);
    Value goesOn = b.lessUnsigned(at.row, end);
    for (Value listed : at.pairs)
      goesOn = b.andBits(goesOn, b.lessUnsigned(listed, kFullList));
    return goesOn;
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
      multiply(selectOwn(found.pairs), now.sums);
      b.barrier();
      return b.lessUnsigned(found.row, end);
    });
    if (hasOffset)
      b.ifThen(hasOffset, [&] { store(done.sums); });
    else
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
