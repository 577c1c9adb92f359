//===- Warp16.cpp - 16 rows a warp, mma.sync ------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp owns 16 output rows and walks over the offsets that any of them has.
// Rows are gathered straight into fragments; the rows of the next offset are
// under way while this one's are multiplied. Weights are resident in shared
// memory, where work starts once the first slices have arrived, or read through
// the L1 cache. With split-K several warps share the offsets of the same rows.
//
//===----------------------------------------------------------------------===//

#include "GatherEmitter.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {

class Warp16 {
public:
  Warp16(GatherEmitter &e, const GpuChip &chip)
      : e(e), b(e.b), layout(e.layout), config(e.config), chip(chip),
        weights(e, chip.capability >= 90) {}

  void emit();

private:
  SmallVector<Value> multiplyBlock(const GatherEmitter::Fragment &fragment,
                                   int64_t block, Value chunkImage,
                                   ValueRange sums);
  SmallVector<Value> multiplyTile(const GatherTask &task, Value ready);

  GatherEmitter &e;
  GpuBuilder &b;
  const FragmentLayout &layout;
  const GatherGemmConfig &config;
  const GpuChip &chip;
  ResidentWeights weights;
};

} // namespace

SmallVector<Value>
Warp16::multiplyBlock(const GatherEmitter::Fragment &fragment, int64_t block,
                      Value chunkImage, ValueRange sums) {
  int64_t registers = layout.registersOf(block);
  auto type = VectorType::get(registers, b.getI32Type());
  Value lanePointer = b.offset(chunkImage, b.mul(e.lane, registers * 4));
  int64_t blockBytes = block * layout.tiles() * 512;
  SmallVector<Value> next(sums);
  SmallVector<SmallVector<Value>> rows;
  for (int64_t half : llvm::seq(registers / 2))
    rows.push_back(e.stepRegisters(fragment, block * 2 + half));
  for (int64_t begin = 0; begin < layout.tiles(); begin += 4) {
    // Keeps ptxas from loading more weights ahead than there are registers.
    if (!config.resident)
      b.syncWarp();
    int64_t end = std::min(begin + 4, layout.tiles());
    SmallVector<SmallVector<Value>> slices;
    for (int64_t tile : llvm::seq(begin, end)) {
      Value pointer =
          b.offset(lanePointer, blockBytes + tile * registers * 128);
      slices.push_back(b.unpack(
          config.resident ? b.load(type, pointer, registers * 4)
                          : b.loadConstant(type, pointer, registers * 4)));
    }
    for (int64_t half : llvm::seq(registers / 2))
      for (int64_t tile : llvm::seq(begin, end)) {
        ArrayRef<Value> slice = slices[tile - begin];
        SmallVector<Value> sum =
            b.mmaSync(e.mmaType, rows[half], slice.slice(half * 2, 2),
                      ArrayRef(next).slice(tile * 4, 4));
        llvm::copy(sum, next.begin() + tile * 4);
      }
  }
  return next;
}

SmallVector<Value> Warp16::multiplyTile(const GatherTask &task, Value ready) {
  e.setRows(b.mul(task.tile, 16));
  auto [offset, walk1] = e.nextOffset(task, task.walk);
  auto [later, walk] = e.nextOffset(task, walk1);
  SmallVector<Value> rows = e.loadNeighbours(offset);
  SmallVector<Value> laterRows = e.loadNeighbours(later);
  GatherEmitter::Fragment fragment = e.gatherChunk(rows, 0);

  // Carried: ready, offset, later, rows of the next, walk, with several chunks
  // rows of this offset and the chunk, fragment, sums.
  bool hasChunks = layout.chunks > 1;
  SmallVector<Value> state{ready, offset, later};
  llvm::append_range(state, laterRows);
  llvm::append_range(state, walk);
  size_t chunkBegin = state.size();
  if (hasChunks) {
    llvm::append_range(state, rows);
    state.push_back(b.i32(0));
  }
  size_t fragmentBegin = state.size();
  fragment.appendTo(state);
  size_t sumBegin = state.size();
  llvm::append_range(state, e.zeroAccumulators());

  auto step = [&](ValueRange carried) -> std::pair<Value, SmallVector<Value>> {
    Value now = carried[1];
    SmallVector<Value> nextRows(carried.slice(3, 2));
    // What the next step works on: the next offset, or the next chunk.
    auto advance = [&] {
      auto [after, afterWalk] =
          e.nextOffset(task, carried.slice(5, chunkBegin - 5));
      SmallVector<Value> values{carried[2], after};
      llvm::append_range(values, e.loadNeighbours(after));
      llvm::append_range(values, afterWalk);
      if (hasChunks) {
        llvm::append_range(values, nextRows);
        values.push_back(b.i32(0));
      }
      return values;
    };
    SmallVector<Value> moved;
    Value chunk, nextChunk;
    SmallVector<Value> loadedRows = nextRows;
    if (hasChunks) {
      chunk = carried[fragmentBegin - 1];
      SmallVector<Value> stays(carried.slice(1, fragmentBegin - 2));
      stays.push_back(b.add(chunk, 1));
      moved = b.ifElse(b.equal(stays.back(), layout.chunks),
                       ValueRange(stays).getTypes(), advance,
                       [&] { return stays; });
      loadedRows.assign(moved.end() - 3, moved.end() - 1);
      nextChunk = moved.back();
    } else {
      moved = advance();
    }
    Value nextReady = weights.wait(now, carried[0]);
    Value slice = now;
    if (hasChunks)
      slice = b.add(b.mul(now, layout.chunks), chunk);
    Value chunkImage =
        config.resident
            ? b.offset(weights.shared, b.mul(slice, layout.chunkBytes()))
            : b.offset(e.weights,
                       b.mul(b.extend64(slice), b.i64(layout.chunkBytes())));
    GatherEmitter::Fragment parts =
        fragment.like(carried.drop_front(fragmentBegin));
    SmallVector<Value> sums(carried.drop_front(sumBegin));
    SmallVector<Value> nextPresent = e.arePresent(loadedRows);
    for (int64_t block : llvm::seq(layout.blocks())) {
      sums = multiplyBlock(parts, block, chunkImage, sums);
      SmallVector<Value> loaded =
          e.gatherBlock(loadedRows, nextPresent, 0, block, nextChunk);
      llvm::copy(loaded, parts.registers.begin() + block * 8);
    }
    parts.present = nextPresent;
    SmallVector<Value> result{nextReady};
    llvm::append_range(result, moved);
    parts.appendTo(result);
    llvm::append_range(result, sums);
    return {b.greaterEqual(moved.front(), 0), result};
  };
  SmallVector<Type> types{b.getI32Type()};
  types.append(e.accumulatorCount(), b.getF32Type());
  SmallVector<Value> done = b.ifElse(
      b.greaterEqual(offset, 0), types,
      [&] {
        SmallVector<Value> end = b.doWhile(state, step);
        SmallVector<Value> kept{end[0]};
        llvm::append_range(kept, ArrayRef(end).drop_front(sumBegin));
        return kept;
      },
      [&] {
        SmallVector<Value> kept{ready};
        llvm::append_range(kept, e.zeroAccumulators());
        return kept;
      });
  // Read again, as the sums leave few registers.
  GatherTask ended;
  if (task.parts)
    ended = e.makeTask(task.number,
                       b.load(b.getI32Type(), b.offset(weights.counter, 8), 4));
  SmallVector<Value> outputRows = e.loadOutputRows();
  e.finishTask(ended, ArrayRef(done).drop_front(), b.i32(0),
               [&](ValueRange some, int64_t tile) {
                 e.storeTiles(some, outputRows, tile);
               });
  return {done.front()};
}

void Warp16::emit() {
  Value parts;
  if (config.splitK > 1)
    parts = e.countParts(chip, e.tileCount());
  weights.fetch(parts);
  auto take = [&](ValueRange) {
    Value taken =
        b.ifElse(
             b.equal(e.lane, 0), b.getI32Type(),
             [&] { return SmallVector<Value>{e.takePiece(weights.counter)}; },
             [&] { return SmallVector<Value>{b.i32(0)}; })
            .front();
    return b.shuffle(taken, b.i32(0));
  };
  e.forEachPiece(b.i32(0), parts, take,
                 [&](const GatherTask &task, ValueRange carried) {
                   return multiplyTile(task, carried.front());
                 });
  weights.drain();
}

void mlir::sparseconv::emitWarp16(GatherEmitter &e, const GpuChip &chip) {
  Warp16(e, chip).emit();
}
