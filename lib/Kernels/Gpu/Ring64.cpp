//===- Ring64.cpp - wgmma with weights in a ring --------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The warpgroups of a block own 64 output rows each. The weights of every
// offset that any of them has pass through a ring of shared-memory stages, a
// chunk of input channels at a time, filled by bulk copies that one thread
// starts; a warpgroup skips what its rows do not need. Rows are gathered as in
// the kernel with resident weights.
//
//===----------------------------------------------------------------------===//

#include "GatherEmitter.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {

class Ring64 {
public:
  explicit Ring64(GatherEmitter &e)
      : e(e), b(e.b), layout(e.layout), stages(e.config.stages),
        groups(e.config.warps / 4) {}

  void emit(const GpuChip &chip);

private:
  /// What the block does next. All values are the same in all threads.
  struct Ring {
    Value offset; // of the block, now
    SmallVector<Value> walk;
    Value stage, parity; // of the chunk that is used next
    Value putOffset, putChunk;
    SmallVector<Value> putWalk;
  };
  /// What the warpgroup does next.
  struct Own {
    Value offset, next;
    SmallVector<Value> rows, nextRows, walk;
  };
  template <class Visit> void visitRing(Ring &ring, Visit visit);
  template <class Visit> void visitOwn(Own &own, Visit visit);

  void setUp();
  void emitBlock(Value block);
  void startCopy(const Ring &ring, Value stage);
  void advancePut(Ring &ring);
  void refill(Ring &ring);
  /// Around the use of a chunk: waits for its weights; lets its stage go.
  void acquire(Ring &ring);
  void release(Ring &ring);
  std::pair<Value, SmallVector<Value>> nextOfBlock(ValueRange walk);
  void advanceBlock(Ring &ring);
  /// Lets offsets pass until the block is at `target`.
  void skipTo(Ring &ring, Value target);
  void multiply(const Ring &ring, int64_t chunk, Own &own,
                GatherEmitter::Fragment &rows, SmallVector<Value> &sums);
  void useOffset(Ring &ring, Own &own, GatherEmitter::Fragment &rows,
                 SmallVector<Value> &sums);

  GatherEmitter &e;
  GpuBuilder &b;
  const FragmentLayout &layout;
  int64_t stages, groups;
  Value shared, full, empty, words;
  Value warpgroup, warp, isFirst;
  GatherTask task;
  size_t walkSize = 1;
};

} // namespace

template <class Visit> void Ring64::visitRing(Ring &ring, Visit visit) {
  ring.walk.resize(walkSize);
  ring.putWalk.resize(walkSize);
  visit(ring.offset);
  for (Value &value : ring.walk)
    visit(value);
  visit(ring.stage);
  visit(ring.parity);
  visit(ring.putOffset);
  visit(ring.putChunk);
  for (Value &value : ring.putWalk)
    visit(value);
}

template <class Visit> void Ring64::visitOwn(Own &own, Visit visit) {
  own.rows.resize(2);
  own.nextRows.resize(2);
  own.walk.resize(walkSize);
  visit(own.offset);
  visit(own.next);
  // Rows of this offset are needed while it has chunks left.
  if (layout.chunks > 1)
    for (Value &value : own.rows)
      visit(value);
  for (Value &value : own.nextRows)
    visit(value);
  for (Value &value : own.walk)
    visit(value);
}

//===----------------------------------------------------------------------===//
// The ring
//===----------------------------------------------------------------------===//

void Ring64::setUp() {
  shared = b.dynamicShared();
  full = b.offset(shared, stages * layout.chunkBytes());
  empty = b.offset(full, stages * 8);
  words = b.offset(empty, stages * 8);
  isFirst = b.equal(e.thread, 0);
  b.ifThen(isFirst, [&] {
    for (int64_t stage : llvm::seq(stages)) {
      b.initBarrier(b.offset(full, stage * 8), 1);
      b.initBarrier(b.offset(empty, stage * 8), e.config.warps);
    }
    b.fenceBarrierInit();
  });
  warpgroup = b.shuffle(b.divide(e.thread, 128), b.i32(0));
  warp = b.remainder(b.divide(e.thread, 32), 4);
}

std::pair<Value, SmallVector<Value>> Ring64::nextOfBlock(ValueRange walk) {
  return e.nextOffset(words, Value(), walk);
}

void Ring64::startCopy(const Ring &ring, Value stage) {
  Value chunk = b.add(b.mul(ring.putOffset, layout.chunks), ring.putChunk);
  Value source =
      b.offset(e.weights, b.mul(b.extend64(chunk), b.i64(layout.chunkBytes())));
  Value target = b.offset(shared, b.mul(stage, layout.chunkBytes()));
  Value barrier = b.offset(full, b.mul(stage, 8));
  Value bytes = b.i32(layout.chunkBytes());
  b.arriveExpecting(barrier, bytes);
  b.copyBulk(target, source, bytes, barrier);
}

/// Moves on to the next chunk to copy; after the last one the offset is -1.
void Ring64::advancePut(Ring &ring) {
  auto [offset, walk] = nextOfBlock(ring.putWalk);
  if (layout.chunks == 1) {
    ring.putOffset = offset;
    ring.putWalk = walk;
    return;
  }
  Value chunk = b.add(ring.putChunk, 1);
  Value moves = b.equal(chunk, layout.chunks);
  ring.putChunk = b.select(moves, b.i32(0), chunk);
  ring.putOffset = b.select(moves, offset, ring.putOffset);
  for (auto [now, after] : llvm::zip(ring.putWalk, walk))
    now = b.select(moves, after, now);
}

/// Fills the stage that was used two chunks ago: by then all warpgroups are
/// done with it, as a rule. The first two fills find it empty.
void Ring64::refill(Ring &ring) {
  Value wraps = b.lessUnsigned(ring.stage, 2);
  Value stage =
      b.add(ring.stage, b.select(wraps, b.i32(stages - 2), b.i32(-2)));
  Value parity = b.select(wraps, b.xorBits(ring.parity, 1), ring.parity);
  b.ifThen(b.andBits(b.greaterEqual(ring.putOffset, 0), isFirst), [&] {
    b.waitParity(b.offset(empty, b.mul(stage, 8)), parity);
    startCopy(ring, stage);
  });
  advancePut(ring);
}

void Ring64::acquire(Ring &ring) {
  refill(ring);
  b.syncWarp();
  b.waitParity(b.offset(full, b.mul(ring.stage, 8)), ring.parity);
}

void Ring64::release(Ring &ring) {
  b.syncWarp();
  b.ifThen(b.equal(e.lane, 0),
           [&] { b.arrive(b.offset(empty, b.mul(ring.stage, 8))); });
  Value after = b.add(ring.stage, 1);
  Value wraps = b.equal(after, stages);
  ring.parity = b.select(wraps, b.xorBits(ring.parity, 1), ring.parity);
  ring.stage = b.select(wraps, b.i32(0), after);
}

void Ring64::advanceBlock(Ring &ring) {
  SmallVector<Value> walk = ring.walk;
  std::tie(ring.offset, ring.walk) = nextOfBlock(walk);
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

void Ring64::skipTo(Ring &ring, Value target) {
  auto pack = [&](Ring &which) {
    SmallVector<Value> values;
    visitRing(which, [&](Value &value) { values.push_back(value); });
    return values;
  };
  auto unpack = [&](ValueRange values) {
    Ring which;
    visitRing(which, [&](Value &value) {
      value = values.front();
      values = values.drop_front();
    });
    return which;
  };
  auto head = [&](ValueRange carried) {
    Value now = carried.front();
    return std::pair(now, b.compare(arith::CmpIPredicate::ne, now, target));
  };
  SmallVector<Value> end =
      b.loopUntil(pack(ring), head, [&](Value, ValueRange carried) {
        Ring now = unpack(carried);
        for (int64_t chunk = 0; chunk < layout.chunks; ++chunk) {
          acquire(now);
          release(now);
        }
        advanceBlock(now);
        return pack(now);
      });
  ring = unpack(end);
}

/// Multiplies the warpgroup's rows by the chunk in the current stage and loads
/// their next chunk, or the rows of its next offset, in their place.
void Ring64::multiply(const Ring &ring, int64_t chunk, Own &own,
                      GatherEmitter::Fragment &rows, SmallVector<Value> &sums) {
  StepOperands operands = allSteps(e, rows);
  if (chunk + 1 < layout.chunks) {
    rows = e.gatherChunk(own.rows, chunk + 1);
  } else {
    rows = e.gatherChunk(own.nextRows, 0);
    own.offset = own.next;
    own.rows = own.nextRows;
    SmallVector<Value> walk = own.walk;
    std::tie(own.next, own.walk) = e.nextOffset(task, walk);
    own.nextRows = e.loadNeighbours(own.next);
  }
  Value image =
      b.add(b.sharedAddress(shared), b.mul(ring.stage, layout.chunkBytes()));
  sums = multiplyChunk(e, operands, image, sums);
}

/// Uses all chunks of the warpgroup's offset.
void Ring64::useOffset(Ring &ring, Own &own, GatherEmitter::Fragment &rows,
                       SmallVector<Value> &sums) {
  skipTo(ring, own.offset);
  for (int64_t chunk : llvm::seq(layout.chunks)) {
    acquire(ring);
    multiply(ring, chunk, own, rows, sums);
    release(ring);
  }
  advanceBlock(ring);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void Ring64::emitBlock(Value block) {
  Value tiles = e.tileCount();
  Value firstTile = b.mul(block, groups);
  task.tile = b.add(firstTile, warpgroup);
  Value hasTile = b.lessUnsigned(task.tile, tiles);
  int64_t wordCount = e.config.maskWords();
  walkSize = wordCount == 1 ? 1 : 2;
  SmallVector<Value> blockWalk, ownWalk;
  Value zero = b.i32(0);
  Value ownBits = b.select(hasTile, e.loadWord(task.tile, zero), zero);
  if (wordCount == 1) {
    Value blockBits = e.joinWords(firstTile, groups, zero);
    if (task.parts) {
      b.ifThen(isFirst, [&] {
        b.store(task.part, words, 4);
        b.store(task.parts, b.offset(words, 4), 4);
      });
      blockBits = e.takePart(task, blockBits);
      ownBits = b.andBits(ownBits, blockBits);
    }
    blockWalk.push_back(b.shuffle(blockBits, zero));
  }
  ownWalk.push_back(b.shuffle(ownBits, zero));
  if (wordCount > 1) {
    b.ifThen(b.lessUnsigned(e.thread, wordCount), [&] {
      b.store(e.joinWords(firstTile, groups, e.thread),
              b.offset(words, b.mul(e.thread, 4)), 4);
    });
    task.lastWord = b.select(hasTile, b.i32(wordCount - 1), zero);
    ownWalk.push_back(zero);
  }
  b.barrier();
  if (wordCount > 1)
    blockWalk = {b.load(b.getI32Type(), words, 4), zero};
  task.tile = b.minUnsigned(task.tile, b.sub(tiles, 1));

  Ring ring;
  std::tie(ring.offset, ring.walk) = nextOfBlock(blockWalk);
  ring.stage = ring.parity = zero;
  ring.putOffset = ring.offset;
  ring.putWalk = ring.walk;
  ring.putChunk = zero;
  for (int64_t stage : llvm::seq(stages - 2)) {
    b.ifThen(b.andBits(isFirst, b.greaterEqual(ring.putOffset, 0)),
             [&] { startCopy(ring, b.i32(stage)); });
    advancePut(ring);
  }

  e.setRows(b.add(b.mul(task.tile, 64), b.mul(warp, 16)));
  Own own;
  SmallVector<Value> walk;
  std::tie(own.offset, walk) = e.nextOffset(task, ownWalk);
  std::tie(own.next, own.walk) = e.nextOffset(task, walk);
  own.rows = e.loadNeighbours(own.offset);
  own.nextRows = e.loadNeighbours(own.next);
  GatherEmitter::Fragment fragment = e.gatherChunk(own.rows, 0);

  struct State {
    Ring ring;
    Own own;
    GatherEmitter::Fragment rows;
    SmallVector<Value> sums;
  };
  auto pack = [&](State &state) {
    SmallVector<Value> values;
    auto keep = [&](Value &value) { values.push_back(value); };
    visitOwn(state.own, keep);
    visitRing(state.ring, keep);
    state.rows.appendTo(values);
    llvm::append_range(values, state.sums);
    return values;
  };
  auto unpack = [&](ValueRange values) {
    State state;
    auto take = [&](Value &value) {
      value = values.front();
      values = values.drop_front();
    };
    visitOwn(state.own, take);
    visitRing(state.ring, take);
    state.rows = fragment.like(values);
    state.sums = llvm::to_vector(values.drop_front(fragment.size()));
    return state;
  };
  State start{ring, own, fragment, e.zeroAccumulators()};
  SmallVector<Value> initial = pack(start);
  SmallVector<Type> types = llvm::to_vector(ValueRange(initial).getTypes());
  auto turn = [&](ValueRange carried) -> std::pair<Value, SmallVector<Value>> {
    State now = unpack(carried);
    useOffset(now.ring, now.own, now.rows, now.sums);
    return {b.greaterEqual(now.own.offset, 0), pack(now)};
  };
  State end = unpack(b.ifElse(
      b.greaterEqual(own.offset, 0), types,
      [&] { return b.doWhile(initial, turn); }, [&] { return initial; }));
  skipTo(end.ring, b.i32(-1));
  SmallVector<Value> sums = end.sums;
  if (task.parts) {
    // Read again: the sums leave few registers.
    task.part = b.load(b.getI32Type(), words, 4);
    task.parts = b.load(b.getI32Type(), b.offset(words, 4), 4);
    task.firstPart = b.mul(task.tile, task.parts);
  }
  b.ifThen(hasTile, [&] {
    SmallVector<Value> rows = e.loadOutputRows();
    e.finishTask(task, sums, warp, [&](ValueRange some, int64_t tile) {
      e.storeTiles(some, rows, tile);
    });
  });
}

void Ring64::emit(const GpuChip &chip) {
  setUp();
  e.forBlock(chip, task, [&](Value block) { emitBlock(block); });
}

void mlir::sparseconv::emitRing64(GatherEmitter &e, const GpuChip &chip) {
  Ring64(e).emit(chip);
}
