//===- Producer64.cpp - 64 rows per warpgroup, filled by a producer -------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thread blocks take tasks until there are none (SplitPlan.h), as in Ring64.
// But rows pass through shared memory like the weights, and the last warpgroup
// of a thread block, the producer, does nothing but copy both (warp
// specialisation). So a warpgroup that multiplies has no registers for rows:
// three of them have room for the sums of 64 x 256 each, and share the weights
// of each offset, which two do in Ring64. Where there are many channels, the
// weights that thread blocks read from the L2 cache are what takes time.
//
// A ring of S = 3 stages. c0, c1, .. are the chunks of the thread block's
// offsets in their order; this warpgroup's tile has all offsets but that of c1.
//
//   producer:
//     wait empty                                 0: c0   1: c1    2: c2
//     copy into    0: c0   1: c1   2: c2         0: c3   1: c4    2: c5
//   warpgroup:
//     wait full            0: c0   1: c1   2: c2         0: c3
//     wgmma                   c0    (pass)    c2            c3
//     arrive empty         0: c0   1: c1   2: c2         0: c3
//     store                                                       all
//
// A stage has two barriers:
// - `full`: each thread of the producer arrives once what it copied is there,
//   and one of them starts the bulk copy of the weights, which reports its
//   bytes. Every warp that multiplies waits for it. The rows were written like
//   ordinary memory, so a warp says to wgmma that it has seen them.
// - `empty`: each warp that multiplies arrives when it has used a chunk or let
//   it pass, and the producer waits before it fills the stage again.
//
// The producer gives registers away where the others need more: with 16 warps
// and 256 columns it keeps 32 of the 128 that each thread starts with, and the
// others have 160.
//
// The producer takes the number of the next task when it has started the last
// copy for this one, and sends it to the others (NumberChannel.h). So it is a
// ring ahead of them also at the end of a task, unless there is more than one
// mask word: then all meet between two tasks.
//
//===----------------------------------------------------------------------===//

#include "BlockWalks.h"
#include "MainLoops.h"
#include "NumberChannel.h"
#include "RowRing.h"
#include "SplitPlan.h"
#include "TensorCores.h"
#include "Wgmma.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::sparseconv;
using llvm::formatv;

/// Registers beside its sums that a thread which multiplies can use, and the
/// fewest of them with which ptxas still lets its wgmmas overlap. The fewest
/// registers of the producer.
static constexpr int64_t kUserRegisters = 96, kFewestUserRegisters = 32,
                         kProducerRegisters = 32;

/// How many warpgroups multiply.
static int64_t countUsers(const ImplicitGemmConfig &config) {
  return config.warps / 4 - 1;
}

namespace {

/// Registers of a thread that multiplies and of one of the producer, in steps
/// of 8: as many in all as the threads start with.
struct Registers {
  Registers(const ImplicitGemmConfig &config, const TargetInfo &target);
  int64_t user, producer;
};

class Producer64 {
public:
  explicit Producer64(ImplicitGemmEmitter &e)
      : e(e), b(e.b), users(countUsers(e.config)), ring(e),
        channel(e, RowRing::getSharedBytes(e.config)),
        plan(e, RowRing::getSharedBytes(e.config) +
                    NumberChannel::getSharedBytes()),
        walks(e, users,
              RowRing::getSharedBytes(e.config) +
                  NumberChannel::getSharedBytes() +
                  SplitPlan::getSharedBytes(e.config)) {}

  void emit(const TargetInfo &target);

private:
  struct State {
    /// The warpgroup's own offsets.
    Value offset;
    OffsetWalk walk;
    RowRing::State ring;
    SmallVector<Value> sums;

    void fields(LoopFields &f) { f(offset, walk, ring, sums); }
  };

  /// Where a warpgroup is between two tasks.
  struct Turn {
    Value number, parity;
    RowRing::Place place;

    void fields(LoopFields &f) { f(number, parity, place); }
  };

  /// What a warpgroup does for a task, given the thread block's walk.
  using Work = function_ref<void(const OffsetWalk &walk, Turn &now)>;
  /// Does the work of all tasks.
  void emitTasks(Work work);
  void fill(const OffsetWalk &walk, Turn &now);
  void multiply(const OffsetWalk &walk, Turn &now);
  Value step(State &now);
  void setRows() {
    e.setRows(b.add(b.mul(task.tile, 64), b.mul(warp, 16)), /*inShared=*/true);
  }
  void store(ValueRange sums);

  ImplicitGemmEmitter &e;
  GpuBuilder &b;
  int64_t users;
  RowRing ring;
  NumberChannel channel;
  SplitPlan plan;
  BlockWalks walks;
  Value warpgroup, warp, firstTile, hasTile;
  GemmTask task;
};

} // namespace

/// Those that multiply get what they need, if the producer can spare so many.
Registers::Registers(const ImplicitGemmConfig &config,
                     const TargetInfo &target) {
  int64_t users = countUsers(config);
  int64_t atStart =
      target.registersPerMultiprocessor / config.threads() / 8 * 8;
  int64_t all = atStart * (users + 1);
  int64_t most = (all - kProducerRegisters) / users / 8 * 8;
  int64_t own = llvm::alignTo(config.tileN / 2 + kUserRegisters, 8);
  user = std::clamp(own, atStart, most);
  producer = all - users * user;
}

//===----------------------------------------------------------------------===//
// Copying
//===----------------------------------------------------------------------===//

void Producer64::fill(const OffsetWalk &walk, Turn &now) {
  Value thread = b.sub(e.thread, users * kWarpgroupThreads);
  Value isFirst = b.equal(thread, 0);
  ring.fill(walk, firstTile, thread, now.place);
  Value next = plan.takeNext(now.number, isFirst);
  b.ifThen(isFirst, [&] { channel.send(next, now.parity); });
  b.syncWarp();
}

//===----------------------------------------------------------------------===//
// Multiplying
//===----------------------------------------------------------------------===//

/// Lets pass what is not the warpgroup's and uses all chunks of its offset.
/// Returns whether it has another one.
Value Producer64::step(State &now) {
  ring.skipTo(now.ring, now.offset);
  for (int64_t chunk = 0; chunk < e.layout.chunks; ++chunk) {
    ring.acquire(now.ring);
    b.fenceShared();
    Value stage = now.ring.at.stage;
    now.sums = multiplyChunk(e, ring.getRows(stage, warpgroup),
                             ring.getWeights(stage), now.sums);
    ring.release(now.ring);
  }
  ring.moveToNextOffset(now.ring);
  now.offset = e.nextOffset(now.walk);
  return b.greaterEqual(now.offset, 0);
}

void Producer64::multiply(const OffsetWalk &walk, Turn &now) {
  b.ifThen(hasTile, [&] {
    setRows();
    e.prefetchOutputRows();
  });
  e.waitForKernels();
  State start;
  start.ring = ring.start(walk, now.place);
  start.walk = task.walk;
  start.offset = e.nextOffset(start.walk);
  start.sums = e.zeroAccumulators();
  State end = doWhileIf(b, b.greaterEqual(start.offset, 0), start,
                        [&](State &at) { return step(at); });
  // The others may still need this warpgroup to let chunks pass.
  ring.skipTo(end.ring, b.i32(-1));
  now.place = end.ring.at;
  store(end.sums);
}

void Producer64::store(ValueRange sums) {
  plan.reloadSplit(task, warpgroup);
  b.ifThen(hasTile, [&] {
    setRows();
    SmallVector<Value> rows = e.loadOutputRows();
    e.finishTask(task, sums, warp, [&](ValueRange some, int64_t tile) {
      e.storeTiles(some, rows, tile);
    });
  });
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void Producer64::emitTasks(Work work) {
  Turn start{plan.getFirst(), channel.getStart(), ring.getStart()};
  doWhileIf(b, plan.hasFirst(), start, [&](Turn &now) {
    Value tiles = e.tileCount();
    SplitPlan::Task found = plan.getTask(now.number);
    task.split = found.split;
    task.splits = found.splits;
    firstTile = b.mul(found.rowBlock, users);
    task.tile = b.add(firstTile, warpgroup);
    hasTile = b.lessUnsigned(task.tile, tiles);
    OffsetWalk walk = walks.start(task, firstTile, hasTile, warpgroup);
    work(walk, now);
    now.number = channel.receive(warpgroup, now.parity);
    // The lists of offsets are no longer needed.
    if (walks.meets())
      b.barrier();
    return plan.hasNext(now.number);
  });
}

void Producer64::emit(const TargetInfo &target) {
  ring.setUp();
  channel.setUp(b.equal(e.thread, 0));
  b.barrier();
  warpgroup = b.shuffle(b.divide(e.thread, kWarpgroupThreads), b.i32(0));
  warp = b.remainder(b.divide(e.thread, kWarpLanes), 4);
  plan.make();
  Registers registers(e.config, target);
  bool areMoved = registers.producer < registers.user;
  b.ifElse(
      b.equal(warpgroup, users),
      [&] {
        if (areMoved)
          b.releaseRegisters(registers.producer);
        emitTasks([&](const OffsetWalk &walk, Turn &now) { fill(walk, now); });
        // No thread ends before its copies have.
        b.commitCopies();
        b.waitCopies(0);
      },
      [&] {
        if (areMoved)
          b.acquireRegisters(registers.user);
        emitTasks(
            [&](const OffsetWalk &walk, Turn &now) { multiply(walk, now); });
      });
}

//===----------------------------------------------------------------------===//
// The main loop
//===----------------------------------------------------------------------===//

namespace {
class Producer64MainLoop final : public MainLoop {
public:
  Producer64MainLoop() : MainLoop("producer64") {}

  int64_t rowsPerTile() const override { return 64; }
  int64_t rowsPerBlock(const ImplicitGemmConfig &config) const override {
    return countUsers(config) * 64;
  }
  bool isPersistent() const override { return true; }
  bool hasPrologue() const override { return true; }
  bool plansSplits() const override { return true; }
  ImageOrder getImageOrder() const override {
    return ImageOrder::SwizzledInOrder;
  }
  bool hasStages() const override { return true; }
  bool isChosen(const ImplicitGemmShape &shape) const override;
  int64_t sharedBytes(const ImplicitGemmConfig &config) const override {
    return RowRing::getSharedBytes(config) + NumberChannel::getSharedBytes() +
           SplitPlan::getSharedBytes(config) +
           BlockWalks::getSharedBytes(config);
  }
  int64_t estimateRegisters(const ImplicitGemmConfig &config) const override;
  std::string verify(const ImplicitGemmConfig &config,
                     const TargetInfo &target) const override;
  void
  addCandidates(const ImplicitGemmShape &shape, const TargetInfo &target,
                SmallVectorImpl<ImplicitGemmConfig> &candidates) const override;
  void emit(ImplicitGemmEmitter &e, const TargetInfo &target) const override {
    Producer64(e).emit(target);
  }
};
} // namespace

/// What threads have at the start, which the producer shares with the others.
int64_t
Producer64MainLoop::estimateRegisters(const ImplicitGemmConfig &config) const {
  int64_t users = countUsers(config), sums = config.tileN / 2;
  return llvm::divideCeil(
      users * (sums + kFewestUserRegisters) + kProducerRegisters, users + 1);
}

std::string Producer64MainLoop::verify(const ImplicitGemmConfig &config,
                                       const TargetInfo &target) const {
  if (std::string problem = verifyWgmma(config, target); !problem.empty())
    return problem;
  if (config.warps < 12)
    return formatv("expected a warpgroup that copies and at least two that "
                   "multiply, found {0} warps",
                   config.warps);
  if (config.blocks != 1)
    return formatv("expected one block on a multiprocessor, found {0}",
                   config.blocks);
  if (config.tileK != RowRing::kChannels)
    return formatv("expected tile_k of {0}, found {1}", RowRing::kChannels,
                   config.tileK);
  if (config.inChannels % 8)
    return formatv("expected rows of whole pieces of 16 bytes, found {0} "
                   "channels",
                   config.inChannels);
  if (config.ownChannels() % 8)
    return formatv("expected rows of whole pieces of 16 bytes beside others, "
                   "found {0} channels",
                   config.ownChannels());
  return config.stages < 2 ? "the ring has at least 2 stages" : "";
}

/// Rows that offsets share come from the L1 cache in Ring64, which is faster
/// until the weights of many channels take most of the time.
bool Producer64MainLoop::isChosen(const ImplicitGemmShape &shape) const {
  constexpr int64_t kFewOffsets = 8, kChannels = 128;
  if (shape.offsets <= kFewOffsets)
    return false;
  return shape.outChannels > kChannels ||
         (!shape.isFine() && shape.inChannels > kChannels);
}

/// Column tiles are wide where there are many rows, so that each row is read
/// once. Few rows make too few tasks of them: from some 30 000 rows on there
/// are enough, which even the third set of a network often has.
void Producer64MainLoop::addCandidates(
    const ImplicitGemmShape &shape, const TargetInfo &target,
    SmallVectorImpl<ImplicitGemmConfig> &candidates) const {
  constexpr int64_t kFewestChannels = 96;
  if (!isWorthWgmma(shape, target) ||
      std::min(shape.inChannels, shape.outChannels) < kFewestChannels)
    return;
  auto add = [&](int64_t warps, int64_t widest, int64_t stages) {
    ImplicitGemmConfig config = makeConfig(shape, /*splits=*/true);
    config.warps = warps;
    config.tileK = RowRing::kChannels;
    config.tileN = getEvenTileN(shape.outChannels, widest);
    config.stages = stages;
    candidates.push_back(config);
  };
  constexpr int64_t kFinerStride = 4, kNarrow = 128;
  bool hasManyRows = shape.rowStride > 0 && shape.rowStride <= kFinerStride;
  bool isWide = hasManyRows && shape.outChannels > kNarrow;
  if (!shape.isFine() && !isWide)
    add(12, kNarrow, 6);
  add(12, 256, 4);
  if (shape.isFine())
    add(16, 256, 3);
  else if (isWide)
    add(12, kNarrow, 6);
}

namespace mlir::sparseconv {
const MainLoop &getProducer64MainLoop() {
  static const Producer64MainLoop loop;
  return loop;
}
} // namespace mlir::sparseconv
