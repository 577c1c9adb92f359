//===- Group64.cpp - 64 rows a warpgroup, wgmma ---------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warpgroup owns 64 output rows; every warp gathers its 16 straight into the
// A fragments of wgmma, which therefore need no shared memory, so that the
// weights of all offsets fit there. While the rows of one offset are
// multiplied, those of the next are loaded.
//
//===----------------------------------------------------------------------===//

#include "GatherEmitter.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// 128-byte swizzle, 1024 bytes from eight rows to the next eight.
static Value makeDescriptor(GpuBuilder &b, Value address) {
  constexpr uint64_t constant = 0x4000004000010000;
  Value low = b.extend64(b.shiftRight(b.andBits(address, 0x3ffff), 4));
  return b.orBits(low, b.i64(static_cast<int64_t>(constant)));
}

StepOperands mlir::sparseconv::allSteps(GatherEmitter &e,
                                        const GatherEmitter::Fragment &rows) {
  return llvm::map_to_vector(llvm::seq(e.layout.steps()), [&](int64_t step) {
    return e.stepRegisters(rows, step);
  });
}

SmallVector<Value> mlir::sparseconv::multiplyChunk(GatherEmitter &e,
                                                   const StepOperands &rows,
                                                   Value image,
                                                   ValueRange sums) {
  GpuBuilder &b = e.b;
  Value descriptor = makeDescriptor(b, image);
  SmallVector<Value> next(sums);
  b.wgmmaFence();
  for (int64_t step : llvm::seq(e.layout.steps())) {
    // Units of 16 bytes: rows of four steps, then the next 64 channels.
    int64_t units = step / 4 * e.layout.width * 8 + step % 4 * 2;
    Value at = b.add(descriptor, b.i64(units));
    next = b.wgmma(e.mmaType, rows[step], at, next);
  }
  b.wgmmaCommit();
  b.wgmmaWait();
  return next;
}

namespace {

class Group64 {
public:
  explicit Group64(GatherEmitter &e)
      : e(e), b(e.b), weights(e, /*bulk=*/true) {}

  void emit();

private:
  /// Where a warpgroup is in a tile.
  struct Position {
    Value ready, offset, next;
    SmallVector<Value> nextRows, walk;

    SmallVector<Value> pack() const;
    static Position unpack(ValueRange values);
    static constexpr size_t fixed = 5;
  };

  SmallVector<Value> multiplyTile(const GatherTask &task, Value ready);
  /// Multiplies `rows` and loads the next offset's in their place.
  Position step(const GatherTask &task, const Position &now,
                GatherEmitter::Fragment &rows, SmallVector<Value> &sums);

  GatherEmitter &e;
  GpuBuilder &b;
  ResidentWeights weights;
  Value warpgroup, warp;
};

} // namespace

SmallVector<Value> Group64::Position::pack() const {
  SmallVector<Value> values{ready, offset, next};
  llvm::append_range(values, nextRows);
  llvm::append_range(values, walk);
  return values;
}

Group64::Position Group64::Position::unpack(ValueRange values) {
  return {values[0], values[1], values[2], llvm::to_vector(values.slice(3, 2)),
          llvm::to_vector(values.drop_front(fixed))};
}

Group64::Position Group64::step(const GatherTask &task, const Position &now,
                                GatherEmitter::Fragment &rows,
                                SmallVector<Value> &sums) {
  StepOperands operands = allSteps(e, rows);
  rows = e.gatherChunk(now.nextRows, 0);
  Position after;
  after.offset = now.next;
  std::tie(after.next, after.walk) = e.nextOffset(task, now.walk);
  after.nextRows = e.loadNeighbours(after.next);
  after.ready = weights.wait(now.offset, now.ready);
  b.syncWarp();
  Value image = b.add(b.sharedAddress(weights.shared),
                      b.mul(now.offset, e.layout.offsetBytes()));
  sums = multiplyChunk(e, operands, image, sums);
  return after;
}

SmallVector<Value> Group64::multiplyTile(const GatherTask &task, Value ready) {
  e.setRows(b.add(b.mul(task.tile, 64), b.mul(warp, 16)));
  Position start;
  start.ready = ready;
  SmallVector<Value> walk;
  std::tie(start.offset, walk) = e.nextOffset(task, task.walk);
  std::tie(start.next, start.walk) = e.nextOffset(task, walk);
  SmallVector<Value> rows = e.loadNeighbours(start.offset);
  start.nextRows = e.loadNeighbours(start.next);
  GatherEmitter::Fragment fragment = e.gatherChunk(rows, 0);

  size_t fragmentBegin = Position::fixed + start.walk.size();
  size_t sumBegin = fragmentBegin + fragment.size();
  SmallVector<Value> state = start.pack();
  fragment.appendTo(state);
  llvm::append_range(state, e.zeroAccumulators());
  auto turn = [&](ValueRange carried) -> std::pair<Value, SmallVector<Value>> {
    GatherEmitter::Fragment rows =
        fragment.like(carried.drop_front(fragmentBegin));
    SmallVector<Value> sums(carried.drop_front(sumBegin));
    Position now = Position::unpack(carried.take_front(fragmentBegin));
    Position after = step(task, now, rows, sums);
    SmallVector<Value> result = after.pack();
    rows.appendTo(result);
    llvm::append_range(result, sums);
    return {b.greaterEqual(after.offset, 0), result};
  };
  SmallVector<Value> none{ready};
  llvm::append_range(none, e.zeroAccumulators());
  SmallVector<Value> done = b.ifElse(
      b.greaterEqual(start.offset, 0), ValueRange(none).getTypes(),
      [&] {
        SmallVector<Value> end = b.doWhile(state, turn);
        SmallVector<Value> kept{end[0]};
        llvm::append_range(kept, ArrayRef(end).drop_front(sumBegin));
        return kept;
      },
      [&] { return none; });
  e.storeTiles(ArrayRef(done).drop_front(), e.loadOutputRows());
  return {done.front()};
}

void Group64::emit() {
  weights.fetch();
  warpgroup = b.shuffle(b.divide(e.thread, 128), b.i32(0));
  warp = b.remainder(b.divide(e.thread, 32), 4);
  // One thread takes a task for the four warps. Two slots take turns: a warp
  // may be one task ahead of another.
  Value slots = b.sharedAddress(b.offset(weights.slots, b.mul(warpgroup, 8)));
  auto take = [&](ValueRange carried) {
    Value slot =
        LLVM::IntToPtrOp::create(b, b.pointerType(Space::Shared), carried[1]);
    b.ifThen(b.equal(b.remainder(e.thread, 128), 0),
             [&] { b.store(e.takePiece(weights.counter), slot, 4); });
    b.barrier(b.add(warpgroup, 1), 128);
    return b.shuffle(b.load(b.getI32Type(), slot, 4), b.i32(0));
  };
  e.forEachPiece({b.i32(0), slots}, Value(), take,
                 [&](const GatherTask &task, ValueRange carried) {
                   SmallVector<Value> next =
                       multiplyTile(task, carried.front());
                   next.push_back(b.xorBits(carried[1], 4));
                   return next;
                 });
  weights.drain();
}

void mlir::sparseconv::emitGroup64(GatherEmitter &e) { Group64(e).emit(); }
