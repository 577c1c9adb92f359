//===- Ring64.cpp - 64 rows per warpgroup, weights in a ring --------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The warpgroups of a thread block own 64 output rows each. The weights of
// every offset that any of them has, the thread block's offsets, pass through a
// ring of shared-memory stages, a chunk of input channels at a time; a
// warpgroup lets pass what its rows do not need. Rows are gathered as in
// Group64.
//
// A ring of S = 4 stages. w0, w1, .. are the chunks of the thread block's
// offsets in their order; this warpgroup's tile has all offsets but that of w1.
//
//                  prologue  w0      w1       w2      w3      w4     epilogue
//   thread 0:
//     wait empty                              0: w0   1: w1   2: w2
//     copy into    0: w0    2: w2    3: w3    0: w4   1: w5   2: w6
//                  1: w1
//   warpgroup:
//     wait full             0: w0    1: w1    2: w2   3: w3   0: w4
//     wgmma                    w0    (pass)      w2      w3      w4
//     arrive empty          0: w0    1: w1    2: w2   3: w3   0: w4
//     x: rows      of w0    of w2             of w3   of w4   of w5
//     y: store                                                        all
//
// A stage has two barriers. `full`: thread 0 fills the stage by a bulk copy
// that reports its bytes; every warp waits. `empty`: each warp arrives when it
// has used or let pass a chunk; thread 0 waits before it fills the stage again.
// It fills the stage of the chunk before the last one, so that S - 2 chunks are
// in flight and it seldom waits: by then all warpgroups are done with that
// stage, as a rule. Both are counted by a parity that turns when the ring
// wraps. Rows are loaded by each warp for itself and waited for by the
// scoreboard, a chunk after they were asked for.
//
//===----------------------------------------------------------------------===//

#include "TensorCores.h"
#include "Wgmma.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {

class Ring64 {
public:
  explicit Ring64(ImplicitGemmEmitter &e)
      : e(e), b(e.b), layout(e.layout), stages(e.config.stages),
        warpgroups(e.config.warps / 4) {}

  void emit(const TargetInfo &target);

private:
  /// What the thread block does next: use the chunks of `offset`, from the one
  /// in `stage` on, and copy `putChunk` of `putOffset`. All values are the same
  /// in all threads.
  struct Ring {
    Value offset;
    OffsetWalk walk;
    Value stage, parity;
    Value putOffset, putChunk;
    OffsetWalk putWalk;

    void fields(LoopFields &f) {
      f(offset, walk, stage, parity, putOffset, putChunk, putWalk);
    }
  };
  /// What the warpgroup does next: multiply rows of `offset`, then of `next`.
  struct Own {
    Value offset, next;
    /// Rows of `offset`; needed only while it has chunks left.
    SmallVector<Value> rows;
    SmallVector<Value> nextRows;
    OffsetWalk walk;

    void fields(LoopFields &f) { f(offset, next, rows, nextRows, walk); }
  };
  struct State {
    Own own;
    Ring ring;
    /// The rows of the chunk that is multiplied next.
    Fragment rows;
    SmallVector<Value> sums;

    void fields(LoopFields &f) { f(own, ring, rows, sums); }
  };
  /// Where the walks of the thread block and of the warpgroup start.
  struct Walks {
    OffsetWalk ring, own;
  };

  // --- The ring ------------------------------------------------------------
  void setUp();
  void startCopy(const Ring &ring, Value stage);
  void advancePut(Ring &ring);
  void refill(Ring &ring);
  /// Around the use of a chunk: waits for its weights; lets its stage go.
  void acquire(Ring &ring);
  void release(Ring &ring);
  Value nextOfRing(OffsetWalk &walk) {
    return e.nextOffset(words, Value(), walk);
  }
  /// Lets offsets pass until the thread block is at `target`.
  void skipTo(Ring &ring, Value target);

  // --- The main loop ---------------------------------------------------------
  void emitThreadBlock(Value number);
  Walks startWalks(Value firstTile, Value hasTile);
  Walks splitWalks(Value firstTile, Value ownBits);
  Walks shareWalks(Value firstTile, Value ownBits, Value hasTile);
  Ring fillRing(const OffsetWalk &walk);
  Own startOwn(const OffsetWalk &walk);
  State prologue(const Walks &walks);
  Value step(State &now);
  void multiply(int64_t chunk, State &now);
  void epilogue(State &end, Value hasTile);

  ImplicitGemmEmitter &e;
  GpuBuilder &b;
  const FragmentLayout &layout;
  int64_t stages, warpgroups;
  /// In shared memory: stages, their barriers, and the mask words of the thread
  /// block, or its split.
  Value shared, full, empty, words;
  Value warpgroup, warp, isFirst;
  GemmTask task;
};

} // namespace

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
  warpgroup = b.shuffle(b.divide(e.thread, kWarpgroupThreads), b.i32(0));
  warp = b.remainder(b.divide(e.thread, kWarpLanes), 4);
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
  OffsetWalk walk = ring.putWalk;
  Value offset = nextOfRing(walk);
  if (layout.chunks == 1) {
    ring.putOffset = offset;
    ring.putWalk = walk;
    return;
  }
  Value chunk = b.add(ring.putChunk, 1);
  Value moves = b.equal(chunk, layout.chunks);
  ring.putChunk = b.select(moves, b.i32(0), chunk);
  ring.putOffset = b.select(moves, offset, ring.putOffset);
  ring.putWalk = selectState(b, moves, walk, ring.putWalk);
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

void Ring64::skipTo(Ring &ring, Value target) {
  ring = whileLoop(
      b, ring,
      [&](const Ring &now) {
        return b.compare(arith::CmpIPredicate::ne, now.offset, target);
      },
      [&](Ring &now) {
        for (int64_t chunk = 0; chunk < layout.chunks; ++chunk) {
          acquire(now);
          release(now);
        }
        now.offset = nextOfRing(now.walk);
      });
}

//===----------------------------------------------------------------------===//
// Prologue
//===----------------------------------------------------------------------===//

/// The one mask word of the thread block's offsets, or of its split of them,
/// stays in registers. The split waits in shared memory for the epilogue.
Ring64::Walks Ring64::splitWalks(Value firstTile, Value ownBits) {
  Value zero = b.i32(0);
  Value ringBits = e.joinWords(firstTile, warpgroups, zero);
  if (task.splits) {
    b.ifThen(isFirst, [&] {
      b.store(task.split, words, 4);
      b.store(task.splits, b.offset(words, 4), 4);
    });
    ringBits = e.takeSplit(task, ringBits);
    ownBits = b.andBits(ownBits, ringBits);
  }
  Walks walks;
  walks.ring.bits = b.shuffle(ringBits, zero);
  walks.own.bits = b.shuffle(ownBits, zero);
  b.barrier();
  return walks;
}

/// Several mask words of the thread block's offsets are joined in shared
/// memory.
Ring64::Walks Ring64::shareWalks(Value firstTile, Value ownBits,
                                 Value hasTile) {
  Value zero = b.i32(0);
  int64_t wordCount = e.config.maskWords();
  Walks walks;
  walks.own.bits = b.shuffle(ownBits, zero);
  b.ifThen(b.lessUnsigned(e.thread, wordCount), [&] {
    b.store(e.joinWords(firstTile, warpgroups, e.thread),
            b.offset(words, b.mul(e.thread, 4)), 4);
  });
  task.lastWord = b.select(hasTile, b.i32(wordCount - 1), zero);
  walks.own.word = zero;
  b.barrier();
  walks.ring = {b.load(b.getI32Type(), words, 4), zero};
  return walks;
}

Ring64::Walks Ring64::startWalks(Value firstTile, Value hasTile) {
  Value zero = b.i32(0);
  Value ownBits = b.select(hasTile, e.loadWord(task.tile, zero), zero);
  if (e.config.maskWords() == 1)
    return splitWalks(firstTile, ownBits);
  return shareWalks(firstTile, ownBits, hasTile);
}

/// The first S - 2 chunks are on their way when the first one is used.
Ring64::Ring Ring64::fillRing(const OffsetWalk &walk) {
  Ring ring;
  ring.walk = walk;
  ring.offset = nextOfRing(ring.walk);
  ring.stage = ring.parity = b.i32(0);
  ring.putOffset = ring.offset;
  ring.putWalk = ring.walk;
  ring.putChunk = b.i32(0);
  for (int64_t stage : llvm::seq(stages - 2)) {
    b.ifThen(b.andBits(isFirst, b.greaterEqual(ring.putOffset, 0)),
             [&] { startCopy(ring, b.i32(stage)); });
    advancePut(ring);
  }
  return ring;
}

Ring64::State Ring64::prologue(const Walks &walks) {
  State start;
  start.ring = fillRing(walks.ring);
  e.setRows(b.add(b.mul(task.tile, 64), b.mul(warp, 16)));
  Own &own = start.own;
  own.walk = walks.own;
  own.offset = e.nextOffset(task, own.walk);
  own.next = e.nextOffset(task, own.walk);
  SmallVector<Value> rows = e.loadNeighbours(own.offset);
  own.nextRows = e.loadNeighbours(own.next);
  start.rows = e.gatherChunk(rows, 0);
  if (layout.chunks > 1)
    own.rows = rows;
  start.sums = e.zeroAccumulators();
  return start;
}

//===----------------------------------------------------------------------===//
// Step
//===----------------------------------------------------------------------===//

/// Multiplies the warpgroup's rows by the chunk in the current stage and loads
/// their next chunk, or the rows of its next offset, in their place.
void Ring64::multiply(int64_t chunk, State &now) {
  StepOperands operands = allSteps(e, now.rows);
  Own &own = now.own;
  if (chunk + 1 < layout.chunks) {
    now.rows = e.gatherChunk(own.rows, chunk + 1);
  } else {
    now.rows = e.gatherChunk(own.nextRows, 0);
    own.offset = own.next;
    if (layout.chunks > 1)
      own.rows = own.nextRows;
    own.next = e.nextOffset(task, own.walk);
    own.nextRows = e.loadNeighbours(own.next);
  }
  Value image = b.add(b.sharedAddress(shared),
                      b.mul(now.ring.stage, layout.chunkBytes()));
  now.sums = multiplyChunk(e, operands, image, now.sums);
}

/// Lets pass what is not the warpgroup's and uses all chunks of its offset.
/// Returns whether it has another one.
Value Ring64::step(State &now) {
  skipTo(now.ring, now.own.offset);
  for (int64_t chunk : llvm::seq(layout.chunks)) {
    acquire(now.ring);
    multiply(chunk, now);
    release(now.ring);
  }
  now.ring.offset = nextOfRing(now.ring.walk);
  return b.greaterEqual(now.own.offset, 0);
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

/// The other warpgroups may still need this one to let chunks pass.
void Ring64::epilogue(State &end, Value hasTile) {
  skipTo(end.ring, b.i32(-1));
  if (task.splits) {
    // Read again: the sums leave few registers.
    task.split = b.load(b.getI32Type(), words, 4);
    task.splits = b.load(b.getI32Type(), b.offset(words, 4), 4);
    task.firstSplit = b.mul(task.tile, task.splits);
  }
  b.ifThen(hasTile, [&] {
    SmallVector<Value> rows = e.loadOutputRows();
    e.finishTask(task, end.sums, warp, [&](ValueRange some, int64_t tile) {
      e.storeTiles(some, rows, tile);
    });
  });
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void Ring64::emitThreadBlock(Value number) {
  Value tiles = e.tileCount();
  Value firstTile = b.mul(number, warpgroups);
  task.tile = b.add(firstTile, warpgroup);
  Value hasTile = b.lessUnsigned(task.tile, tiles);
  Walks walks = startWalks(firstTile, hasTile);
  // A warpgroup without a tile has no offsets, but reads somewhere.
  task.tile = b.minUnsigned(task.tile, b.sub(tiles, 1));
  State start = prologue(walks);
  State end = changeIf(
      b, b.greaterEqual(start.own.offset, 0), start, [&](State &state) {
        state = doWhile(b, state, [&](State &now) { return step(now); });
      });
  epilogue(end, hasTile);
}

void Ring64::emit(const TargetInfo &target) {
  setUp();
  e.forThreadBlock(target, task,
                   [&](Value number) { emitThreadBlock(number); });
}

//===----------------------------------------------------------------------===//
// The main loop
//===----------------------------------------------------------------------===//

namespace {
class Ring64MainLoop final : public MainLoop {
public:
  Ring64MainLoop() : MainLoop("ring64") {}

  int64_t rowsPerTile() const override { return 64; }
  ImageOrder getImageOrder() const override { return ImageOrder::Swizzled; }
  bool hasStages() const override { return true; }
  int64_t sharedBytes(const ImplicitGemmConfig &config) const override;
  int64_t estimateRegisters(const ImplicitGemmConfig &config) const override;
  std::string verify(const ImplicitGemmConfig &config,
                     const TargetInfo &target) const override;
  void
  addCandidates(const ImplicitGemmShape &shape, const TargetInfo &target,
                SmallVectorImpl<ImplicitGemmConfig> &candidates) const override;
  void emit(ImplicitGemmEmitter &e, const TargetInfo &target) const override {
    Ring64(e).emit(target);
  }
};
} // namespace

/// Weights, two barriers for each stage; the words of the block's mask; of a
/// split sum the number of the split and how many there are.
int64_t Ring64MainLoop::sharedBytes(const ImplicitGemmConfig &config) const {
  int64_t words = config.maskWords();
  return config.stages * (config.layout().chunkBytes() + 16) +
         (words > 1 ? words * 4 : 0) + (config.splitK > 1 ? 16 : 0);
}

int64_t
Ring64MainLoop::estimateRegisters(const ImplicitGemmConfig &config) const {
  FragmentRegisters fragment(config);
  // The chunks of an offset lie one behind the other in the code.
  int64_t chunks = config.layout().chunks;
  int64_t most = std::min<int64_t>(chunks, 4);
  return config.tileN / 2 + 2 * fragment.rows + 24 +
         (config.splitK > 1 ? 16 : 0) + (config.maskWords() > 1 ? 14 : 0) +
         12 * (most - 1) + 20 * (chunks - most) + fragment.halves;
}

std::string Ring64MainLoop::verify(const ImplicitGemmConfig &config,
                                   const TargetInfo &target) const {
  if (std::string problem = verifyWgmma(config, target); !problem.empty())
    return problem;
  return config.stages < 3 ? "the ring has at least 3 stages" : "";
}

void Ring64MainLoop::addCandidates(
    const ImplicitGemmShape &shape, const TargetInfo &target,
    SmallVectorImpl<ImplicitGemmConfig> &candidates) const {
  if (!isWorthWgmma(shape, target))
    return;
  auto add = [&](int64_t warps, int64_t tileK, int64_t tileN, int64_t stages) {
    ImplicitGemmConfig config = makeConfig(shape, /*splits=*/true);
    config.warps = warps;
    config.tileK = tileK;
    config.tileN = tileN;
    config.stages = stages;
    candidates.push_back(config);
  };
  int64_t whole =
      llvm::alignTo(shape.inChannels, ImplicitGemmConfig(shape).tileUnit());
  int64_t wide = getEvenTileN(shape.outChannels, 256);
  if (shape.inChannels <= 128 && wide <= 128)
    add(12, whole, wide, 6);
  if (shape.inChannels <= 64)
    add(8, whole, wide, 6);
  for (int64_t tileN : {wide, getEvenTileN(shape.outChannels, 128)})
    for (int64_t warps : {12, 8})
      for (int64_t tileK : {64, 32})
        for (int64_t stages : {6, 5, 4})
          // Each chunk always in the same stage: ptxas then finds wgmmas on
          // paths that part, and waits for each.
          if (stages != llvm::divideCeilSigned(shape.inChannels, tileK))
            add(warps, tileK, tileN, stages);
}

namespace mlir::sparseconv {
const MainLoop &getRing64MainLoop() {
  static const Ring64MainLoop loop;
  return loop;
}
} // namespace mlir::sparseconv
