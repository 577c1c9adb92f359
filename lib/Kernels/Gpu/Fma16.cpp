//===- Fma16.cpp - multiply and add f32 in tiles --------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp owns a tile of 16 output rows and all channels of a part; each lane
// keeps a few rows by a few quads of channels in registers. For every offset
// that a tile of the block has, chunks of the weights and of the gathered rows
// pass through stages of shared memory, filled by asynchronous copies. A warp
// whose tile lacks the offset only helps to copy.
//
//===----------------------------------------------------------------------===//

#include "GatherEmitter.h"
#include <numeric>

using namespace mlir;
using namespace mlir::sparseconv;

namespace {

class Fma16 {
public:
  explicit Fma16(GatherEmitter &e);
  void emit(const GpuChip &chip);

private:
  /// What the block multiplies next. The same in all threads.
  struct Use {
    Value offset, chunk, stage;
    SmallVector<Value> walk;
  };
  /// What is copied next; the row that this thread helps to gather, and that of
  /// the next offset.
  struct Put {
    Value offset, chunk, stage, next, row, nextRow;
    SmallVector<Value> walk;
  };
  struct State {
    Use use;
    Put put;
    SmallVector<Value> sums;
  };
  template <class Visit> void visit(State &state, Visit visit);
  SmallVector<Value> pack(State state);
  State unpack(ValueRange values);

  void emitBlock(Value block);
  std::pair<Value, SmallVector<Value>> nextOfBlock(ValueRange walk);
  Value isOwn(Value offset);
  Value loadNeighbour(Value offset);
  Value advanceStage(Value stage);
  /// Starts the copies of a chunk, if there is one, and moves on.
  void fill(Put &put);
  void copyWeights(const Put &put, Value target);
  void copyRows(const Put &put, Value target);
  void advance(Use &use);
  SmallVector<Value> multiply(Value stage, ValueRange sums);
  void store(ValueRange sums, int64_t first, ArrayRef<Value> rows);

  GatherEmitter &e;
  GpuBuilder &b;
  const GatherGemmConfig &config;
  const FragmentLayout &layout;
  int64_t stageBytes, chunks;
  /// Lanes side by side along rows and channels, and what each owns.
  int64_t columnLanes, rowLanes, laneRows, laneQuads;
  Value warp, rowLane, columnLane;
  Value shared, words, ownBits;
  Value copiedSlot;
  GatherTask task;
};

} // namespace

Fma16::Fma16(GatherEmitter &e)
    : e(e), b(e.b), config(e.config), layout(e.layout),
      stageBytes(layout.chunkBytes() +
                 config.rowsPerBlock() * config.rowPitch()),
      chunks(layout.chunks), columnLanes(config.width % 64 ? 8 : 16),
      rowLanes(32 / columnLanes), laneRows(16 / rowLanes),
      laneQuads(config.width / 4 / columnLanes) {
  warp = b.shuffle(b.divide(e.thread, 32), b.i32(0));
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
  shared = b.dynamicShared();
  words = b.offset(shared, config.stages * stageBytes);
}

template <class Visit> void Fma16::visit(State &state, Visit visit) {
  size_t walk = config.maskWords() == 1 ? 1 : 2;
  state.use.walk.resize(walk);
  state.put.walk.resize(walk);
  visit(state.use.offset);
  visit(state.use.stage);
  visit(state.put.offset);
  visit(state.put.stage);
  visit(state.put.next);
  visit(state.put.row);
  visit(state.put.nextRow);
  if (chunks > 1) {
    visit(state.use.chunk);
    visit(state.put.chunk);
  }
  for (Value &value : state.use.walk)
    visit(value);
  for (Value &value : state.put.walk)
    visit(value);
}

SmallVector<Value> Fma16::pack(State state) {
  SmallVector<Value> values;
  visit(state, [&](Value &value) { values.push_back(value); });
  llvm::append_range(values, state.sums);
  return values;
}

Fma16::State Fma16::unpack(ValueRange values) {
  State state;
  visit(state, [&](Value &value) {
    value = values.front();
    values = values.drop_front();
  });
  state.sums = llvm::to_vector(values);
  return state;
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

std::pair<Value, SmallVector<Value>> Fma16::nextOfBlock(ValueRange walk) {
  return e.nextOffset(words, Value(), walk);
}

Value Fma16::isOwn(Value offset) {
  Value bits = ownBits;
  if (config.maskWords() > 1)
    bits = e.loadWord(task.tile, b.divide(offset, 32));
  Value bit = b.shiftRight(bits, b.remainder(offset, 32));
  return b.notEqual(b.andBits(bit, 1), 0);
}

/// In the row of the block that this thread helps to copy.
Value Fma16::loadNeighbour(Value offset) {
  Value index = b.add(b.mul(b.extend64(offset), b.extend64(e.pitch)),
                      b.extend64(copiedSlot));
  Value pointer = b.element(e.table, index, 4);
  return b.loadIf(b.greaterEqual(offset, 0), pointer, 4, b.i32(-1)).front();
}

Value Fma16::advanceStage(Value stage) {
  Value next = b.add(stage, 1);
  return b.select(b.equal(next, config.stages), b.i32(0), next);
}

void Fma16::advance(Use &use) {
  use.stage = advanceStage(use.stage);
  auto [offset, walk] = nextOfBlock(use.walk);
  if (chunks == 1) {
    use.offset = offset;
    use.walk = walk;
    return;
  }
  Value chunk = b.add(use.chunk, 1);
  Value moves = b.equal(chunk, chunks);
  use.chunk = b.select(moves, b.i32(0), chunk);
  use.offset = b.select(moves, offset, use.offset);
  for (auto [now, after] : llvm::zip(use.walk, walk))
    now = b.select(moves, after, now);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

void Fma16::copyWeights(const Put &put, Value target) {
  Value number = put.offset;
  if (chunks > 1)
    number = b.add(b.mul(number, chunks), put.chunk);
  Value source = b.element(e.weights, number, layout.chunkBytes());
  int64_t pieces = layout.chunkBytes() / 16;
  for (int64_t begin = 0; begin < pieces; begin += config.threads()) {
    auto copy = [&] {
      Value at = b.mul(b.add(e.thread, begin), 16);
      b.copyAsync(b.offset(target, at), b.offset(source, at));
    };
    if (begin + config.threads() <= pieces)
      copy();
    else
      b.ifThen(b.lessUnsigned(e.thread, pieces - begin), copy);
  }
}

void Fma16::copyRows(const Put &put, Value target) {
  // Two threads share a row: its pieces in turn.
  int64_t rowBytes = config.inChannels * 4;
  int64_t unit = std::min<int64_t>(16, rowBytes & -rowBytes);
  Value half = b.mul(b.remainder(e.thread, 2), unit);
  Value to = b.offset(
      target, b.add(b.mul(b.divide(e.thread, 2), config.rowPitch()), half));
  Value present = b.lessUnsigned(put.row, e.inRows);
  Value first = half;
  if (chunks > 1)
    first = b.add(first, b.mul(put.chunk, config.depth * 4));
  // An absent row is not read, but has an address.
  Value row = b.select(present, put.row, b.i32(0));
  Value from = b.offset(b.element(e.x, row, rowBytes), first);
  bool isWhole = chunks * config.depth == config.inChannels;
  for (int64_t at = 0; at < config.depth * 4; at += 2 * unit) {
    Value condition = present, source = b.offset(from, at);
    if (!isWhole) {
      condition =
          b.andBits(present, b.lessUnsigned(b.add(first, at), b.i32(rowBytes)));
      source = b.select(condition, source, e.x);
    }
    b.copyAsyncIf(condition, b.offset(to, at), source, unit);
  }
}

void Fma16::fill(Put &put) {
  Value isChunk = b.greaterEqual(put.offset, 0);
  b.ifThen(isChunk, [&] {
    Value target = b.offset(shared, b.mul(put.stage, stageBytes));
    copyWeights(put, target);
    copyRows(put, b.offset(target, layout.chunkBytes()));
  });
  b.commitCopies();
  put.stage = advanceStage(put.stage);
  auto move = [&] {
    auto [after, walk] = nextOfBlock(put.walk);
    SmallVector<Value> values{put.next, put.nextRow, after,
                              loadNeighbour(after)};
    llvm::append_range(values, walk);
    return values;
  };
  SmallVector<Value> moved;
  if (chunks == 1) {
    moved = move();
  } else {
    Value chunk = b.add(put.chunk, 1);
    Value moves = b.equal(chunk, chunks);
    put.chunk = b.select(moves, b.i32(0), chunk);
    SmallVector<Value> stays{put.offset, put.row, put.next, put.nextRow};
    llvm::append_range(stays, put.walk);
    moved = b.ifElse(moves, ValueRange(stays).getTypes(), move,
                     [&] { return stays; });
  }
  put.offset = moved[0];
  put.row = moved[1];
  put.next = moved[2];
  put.nextRow = moved[3];
  put.walk = llvm::to_vector(ArrayRef(moved).drop_front(4));
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

SmallVector<Value> Fma16::multiply(Value stage, ValueRange sums) {
  auto four = VectorType::get(4, b.getF32Type());
  Value weights = b.offset(b.offset(shared, b.mul(stage, stageBytes)),
                           b.mul(columnLane, 16));
  Value firstRow = b.add(b.mul(warp, 16), rowLane);
  Value rows = b.offset(b.offset(shared, b.mul(stage, stageBytes)),
                        b.mul(firstRow, config.rowPitch()));
  SmallVector<Value> next(sums);
  for (int64_t channel = 0; channel < config.depth; channel += 4) {
    SmallVector<SmallVector<Value>> x;
    for (int64_t i : llvm::seq(laneRows))
      x.push_back(b.unpack(b.load(
          four,
          b.offset(rows, layout.chunkBytes() +
                             i * rowLanes * config.rowPitch() + channel * 4),
          16)));
    for (int64_t k : llvm::seq(4))
      for (int64_t quad : llvm::seq(laneQuads)) {
        SmallVector<Value> w =
            b.unpack(b.load(four,
                            b.offset(weights, ((channel + k) * config.width +
                                               quad * columnLanes * 4) *
                                                  4),
                            16));
        for (int64_t i : llvm::seq(laneRows))
          for (int64_t j : llvm::seq(4)) {
            Value &sum = next[(i * laneQuads + quad) * 4 + j];
            sum = b.fma(x[i][k], w[j], sum);
          }
      }
  }
  return next;
}

/// Stores accumulators, four at a time, from the four of number `first` on.
void Fma16::store(ValueRange sums, int64_t first, ArrayRef<Value> rows) {
  int64_t piece = std::gcd<int64_t>(config.outChannels, 4);
  bool inside = layout.parts * config.width == config.outChannels;
  for (int64_t at = 0; at < static_cast<int64_t>(sums.size()); at += 4) {
    int64_t number = first + at / 4;
    Value row = rows[number / laneQuads];
    Value column =
        b.mul(b.add(columnLane, number % laneQuads * columnLanes), 4);
    Value channel =
        e.part ? b.add(column, b.mul(e.part, config.width)) : column;
    SmallVector<Value> four(sums.slice(at, 4));
    for (int64_t j = 0; j < 4; j += piece) {
      Value isThere = b.greaterEqual(row, 0);
      if (!inside)
        isThere = b.andBits(
            isThere, b.lessUnsigned(b.add(channel, j), config.outChannels));
      b.ifThen(isThere, [&] {
        e.storePiece(ArrayRef(four).slice(j, piece), row, b.add(channel, j),
                     b.offset(e.rowPointer(row), b.mul(b.add(column, j), 4)));
      });
    }
  }
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void Fma16::emitBlock(Value block) {
  Value zero = b.i32(0), tiles = e.tileCount();
  Value firstTile = b.mul(block, config.warps);
  task.tile = b.add(firstTile, warp);
  Value hasTile = b.lessUnsigned(task.tile, tiles);
  if (task.parts)
    task.firstPart = b.mul(task.tile, task.parts);
  SmallVector<Value> walk;
  if (config.maskWords() == 1) {
    Value bits = e.joinWords(firstTile, config.warps, zero);
    if (task.parts)
      bits = e.takePart(task, bits);
    ownBits =
        b.select(hasTile, b.andBits(e.loadWord(task.tile, zero), bits), zero);
    ownBits = b.shuffle(ownBits, zero);
    walk = {b.shuffle(bits, zero)};
  } else {
    b.forLoop(e.thread, b.i32(config.maskWords()), b.i32(config.threads()),
              [&](Value word) {
                b.store(e.joinWords(firstTile, config.warps, word),
                        b.offset(words, b.mul(word, 4)), 4);
              });
    b.barrier();
    walk = {b.load(b.getI32Type(), words, 4), zero};
  }
  copiedSlot = b.add(b.mul(firstTile, 16), b.divide(e.thread, 2));
  // Behind the last tile the table may end.
  copiedSlot = b.minUnsigned(copiedSlot, b.sub(e.pitch, 1));

  State start;
  Put &put = start.put;
  std::tie(start.use.offset, start.use.walk) = nextOfBlock(walk);
  put.offset = start.use.offset;
  std::tie(put.next, put.walk) = nextOfBlock(start.use.walk);
  put.row = loadNeighbour(put.offset);
  put.nextRow = loadNeighbour(put.next);
  start.use.chunk = put.chunk = start.use.stage = put.stage = zero;
  start.sums = e.zeroAccumulators();
  for ([[maybe_unused]] int64_t stage : llvm::seq(config.stages - 1))
    fill(put);

  SmallVector<Value> initial = pack(start);
  auto turn = [&](ValueRange carried) -> std::pair<Value, SmallVector<Value>> {
    State now = unpack(carried);
    b.waitCopies(config.stages - 2);
    // The chunk is there for all, and all are done with the one before.
    b.barrier();
    fill(now.put);
    SmallVector<Value> before = now.sums;
    now.sums = b.ifElse(
        isOwn(now.use.offset), ValueRange(before).getTypes(),
        [&] { return multiply(now.use.stage, before); },
        [&] { return before; });
    advance(now.use);
    return {b.greaterEqual(now.use.offset, 0), pack(now)};
  };
  SmallVector<Value> end = b.ifElse(
      b.greaterEqual(start.use.offset, 0), ValueRange(initial).getTypes(),
      [&] { return b.doWhile(initial, turn); }, [&] { return initial; });
  SmallVector<Value> sums = unpack(end).sums;

  b.ifThen(hasTile, [&] {
    SmallVector<Value> rows;
    Value slot = b.add(b.mul(task.tile, 16), rowLane);
    Value order = b.element(e.order, slot, 4);
    for (int64_t i : llvm::seq(laneRows))
      rows.push_back(
          b.loadConstant(b.getI32Type(), b.offset(order, i * rowLanes * 4), 4));
    e.finishTask(task, sums, zero, [&](ValueRange some, int64_t first) {
      store(some, first, rows);
    });
  });
}

void Fma16::emit(const GpuChip &chip) {
  e.forBlock(chip, task, [&](Value block) { emitBlock(block); });
}

void mlir::sparseconv::emitFma16(GatherEmitter &e, const GpuChip &chip) {
  Fma16(e).emit(chip);
}
