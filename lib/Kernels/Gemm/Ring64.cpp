//===- Ring64.cpp - 64 rows per warpgroup, weights in a ring --------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thread blocks take tasks until there are none (SplitPlan.h). Each warpgroup
// of a thread block owns 64 output rows of a task. The thread block's offsets
// are those that any of its warpgroups has, or the task's split of them. Their
// weights pass through a ring of stages in shared memory, one chunk of input
// channels at a time, and a warpgroup lets pass what its rows do not need. Rows
// are gathered as in Group64.
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
// A stage has two barriers:
// - `full`: thread 0 fills the stage by a bulk copy that reports its bytes, and
//   every warp waits for it.
// - `empty`: each warp arrives when it has used a chunk or let it pass, and
//   thread 0 waits before it fills the stage again.
// Thread 0 fills the stage of the chunk before the last one, so S - 2 chunks
// are in flight. It seldom waits, since all warpgroups are usually done with
// that stage by then. Both barriers are counted by a parity that turns when the
// ring wraps. Each warp loads its own rows; the scoreboard waits for them, one
// chunk after they were asked for.
//
//===----------------------------------------------------------------------===//

#include "BlockWalks.h"
#include "MainLoops.h"
#include "SplitPlan.h"
#include "TensorCores.h"
#include "WeightRing.h"
#include "Wgmma.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {

class Ring64 {
public:
  explicit Ring64(ImplicitGemmEmitter &e)
      : e(e), b(e.b), layout(e.layout), warpgroups(e.config.warps / 4), ring(e),
        plan(e, WeightRing::getSharedBytes(e.config)),
        walks(e, warpgroups,
              WeightRing::getSharedBytes(e.config) +
                  SplitPlan::getSharedBytes(e.config)) {}

  void emit(const TargetInfo &target);

private:
  struct State {
    /// The warpgroup's own offsets.
    OffsetCursor own;
    WeightRing::State ring;
    /// The rows of the chunk that is multiplied next.
    Fragment rows;
    SmallVector<Value> sums;

    void fields(LoopFields &f) {
      f(own.offset, own.next, own.rows, own.nextRows, own.walk, ring, rows,
        sums);
    }
  };

  /// Where a thread block is between two tasks.
  struct Turn {
    Value number;
    WeightRing::Place place;

    void fields(LoopFields &f) { f(number, place); }
  };

  /// Returns whether there is another one.
  Value emitTask(Turn &now);
  State prologue(const OffsetWalk &walk, const WeightRing::Place &place);
  Value step(State &now);
  void multiply(int64_t chunk, State &now);
  void epilogue(const State &end, Value hasTile);

  ImplicitGemmEmitter &e;
  GpuBuilder &b;
  const FragmentLayout &layout;
  int64_t warpgroups;
  WeightRing ring;
  SplitPlan plan;
  BlockWalks walks;
  Value warpgroup, warp;
  GemmTask task;
};

} // namespace

//===----------------------------------------------------------------------===//
// Prologue
//===----------------------------------------------------------------------===//

Ring64::State Ring64::prologue(const OffsetWalk &walk,
                               const WeightRing::Place &place) {
  State start;
  start.ring = ring.fill(walk, place);
  e.setRows(b.add(b.mul(task.tile, 64), b.mul(warp, 16)));
  e.prefetchOutputRows();
  start.own = e.startOffsets(task.walk);
  e.waitForKernels();
  start.rows = e.gatherFirst(start.own);
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
  if (chunk + 1 < layout.chunks) {
    now.rows = e.gatherChunk(now.own.rows, chunk + 1);
  } else {
    now.rows = e.gatherChunk(now.own.nextRows, 0);
    e.moveToNextOffset(now.own);
  }
  Value image = ring.getImage(now.ring.turn);
  now.sums = multiplyChunk(e, operands, image, now.sums);
}

/// Lets pass what is not the warpgroup's and uses all chunks of its offset.
/// Returns whether it has another one.
Value Ring64::step(State &now) {
  ring.skipTo(now.ring, now.own.offset);
  for (int64_t chunk : llvm::seq(layout.chunks)) {
    ring.acquire(now.ring);
    multiply(chunk, now);
    ring.release(now.ring);
  }
  ring.moveToNextOffset(now.ring);
  return b.greaterEqual(now.own.offset, 0);
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

void Ring64::epilogue(const State &end, Value hasTile) {
  plan.reloadSplit(task, warpgroup);
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

Value Ring64::emitTask(Turn &now) {
  Value tiles = e.tileCount();
  SplitPlan::Task found = plan.getTask(now.number);
  task.split = found.split;
  task.splits = found.splits;
  Value firstTile = b.mul(found.rowBlock, warpgroups);
  task.tile = b.add(firstTile, warpgroup);
  Value hasTile = b.lessUnsigned(task.tile, tiles);
  OffsetWalk walk = walks.start(task, firstTile, hasTile, warpgroup);
  // The ring is empty once all have met.
  if (!walks.meets())
    b.barrier();
  // A warpgroup without a tile has no offsets, but reads somewhere.
  task.tile = b.minUnsigned(task.tile, b.sub(tiles, 1));
  State start = prologue(walk, now.place);
  State end = doWhileIf(b, b.greaterEqual(start.own.offset, 0), start,
                        [&](State &at) { return step(at); });
  // The other warpgroups may still need this one to let chunks pass.
  ring.skipTo(end.ring, b.i32(-1));
  // Not before now: a thread block that has much to do would take another one's
  // task. It comes while the sums are stored.
  Value next = plan.takeNext(now.number, ring.isFirst);
  epilogue(end, hasTile);
  now.place = end.ring.turn;
  now.number = plan.share(next, ring.isFirst);
  return plan.hasNext(now.number);
}

void Ring64::emit(const TargetInfo &target) {
  e.keepsAddresses = true;
  ring.setUp();
  warpgroup = b.shuffle(b.divide(e.thread, kWarpgroupThreads), b.i32(0));
  warp = b.remainder(b.divide(e.thread, kWarpLanes), 4);
  plan.make();
  Turn start{plan.getFirst(), ring.getStart()};
  doWhileIf(b, plan.hasFirst(), start,
            [&](Turn &now) { return emitTask(now); });
}

//===----------------------------------------------------------------------===//
// The main loop
//===----------------------------------------------------------------------===//

namespace {
class Ring64MainLoop final : public MainLoop {
public:
  Ring64MainLoop() : MainLoop("ring64") {}

  int64_t rowsPerTile() const override { return 64; }
  bool isPersistent() const override { return true; }
  bool hasPrologue() const override { return true; }
  bool plansSplits() const override { return true; }
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

int64_t Ring64MainLoop::sharedBytes(const ImplicitGemmConfig &config) const {
  return WeightRing::getSharedBytes(config) +
         SplitPlan::getSharedBytes(config) + BlockWalks::getSharedBytes(config);
}

int64_t
Ring64MainLoop::estimateRegisters(const ImplicitGemmConfig &config) const {
  FragmentRegisters fragment(config);
  int64_t sumsAndRows =
      config.tileN / 2 + 2 * fragment.rows + 5 * fragment.halves / 2;
  int64_t chunks = config.layout().chunks;
  // A task's split and its list of offsets are not touched in a step, so ptxas
  // finds room for them. A thread that adds splits up has those of others
  // beside its own.
  if (chunks == 1 && !fragment.halves) {
    int64_t others = config.maskWords() > 4 ? 72 : 64;
    int64_t adding = config.splitK > 1 ? config.tileN / 2 + others : 0;
    return std::max(sumsAndRows + 32, adding);
  }
  // The chunks of an offset lie one behind the other in the code.
  int64_t most = std::min<int64_t>(chunks, 4);
  int64_t splits = config.tileN > 128 ? 28 : 16;
  return sumsAndRows + 24 + (config.splitK > 1 ? splits : 0) +
         (config.maskWords() > 1 ? 14 : 0) + 12 * (most - 1) +
         20 * (chunks - most);
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
  auto add = [&](int64_t warps, int64_t tileK, int64_t tileN, int64_t stages,
                 int64_t blocks = 1) {
    ImplicitGemmConfig config = makeConfig(shape, /*splits=*/true);
    config.warps = warps;
    config.blocks = blocks;
    config.tileK = tileK;
    config.tileN = tileN;
    config.stages = stages;
    // The rows of coarse sets are too few for large row blocks, and odd rows
    // are stored by way of shared memory, with more registers.
    if (warps <= 12 || (shape.isFine() && !config.hasOddRows()))
      candidates.push_back(config);
  };
  int64_t whole =
      llvm::alignTo(shape.inChannels, ImplicitGemmConfig(shape).tileUnit());
  int64_t wide = getEvenTileN(shape.outChannels, 256);
  // All rows of a thread block share the weights that it reads from the L2
  // cache, so it has as many warps as there are registers for.
  if (shape.inChannels <= 64 && wide <= 64) {
    add(20, whole, wide, 6);
    add(8, whole, wide, 6, /*blocks=*/2);
  }
  // A chunk is all channels of an offset. Three stages hide the copies; more
  // would take the L1 cache from the rows.
  if (shape.inChannels <= 128 && wide <= 128)
    for (int64_t warps : {16, 12})
      add(warps, whole, wide, 3);
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
