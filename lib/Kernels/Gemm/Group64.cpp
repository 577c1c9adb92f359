//===- Group64.cpp - 64 rows per warpgroup, wgmma -------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warpgroup owns 64 output rows, and each of its warps gathers 16 of them
// straight into the A fragments of wgmma. Rows therefore need no shared memory,
// and the weights of all offsets fit there. A chunk is all input channels.
//
// One warpgroup; k0, k1, .. are the offsets that its tile has:
//
//                     prologue   step k0    step k1    step k2    epilogue
//   mask: next offset  k0 k1     k2         k3         k4
//   table: neighbours  k0 k1     k2         k3         k4
//   x: rows            k0        k1         k2         k3
//   weights: wait                k0         k1         k2
//   wgmma                        k0         k1         k2
//   y: store                                                       all
//
// Each warp loads its own rows. That is the first thing that a step does, and
// the last one is to wait for them and to move them to the registers of the
// operands, which the wgmmas have left by then. So rows are on their way all
// the time, and take no more registers than twice those of a chunk: ptxas has
// no others to which it could move them sooner. Weights come by bulk copies
// that the first thread starts before any tile. Each offset has a barrier,
// which a warp waits for at its first use only. A step waits for the wgmmas
// that it starts: while one warpgroup waits, the others multiply.
//
//===----------------------------------------------------------------------===//

#include "MainLoops.h"
#include "ResidentWeights.h"
#include "TensorCores.h"
#include "Wgmma.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {

class Group64 {
public:
  explicit Group64(ImplicitGemmEmitter &e)
      : e(e), b(e.b), weights(e, /*bulk=*/true, /*resident=*/true) {}

  void emit();

private:
  /// What a warpgroup carries from tile to tile: the offsets whose weights it
  /// has waited for, and the address of the slot that its next task comes in.
  struct Worker {
    Value ready, slot;

    void fields(LoopFields &f) { f(ready, slot); }
  };
  struct State {
    Value ready;
    OffsetCursor at;
    /// The rows of the current offset.
    StepOperands rows;
    SmallVector<Value> sums;

    void fields(LoopFields &f) { f(ready, at, rows, sums); }
  };

  Value takeTask(Value slotAddress);
  void multiplyTile(const GemmTask &task, Value &ready);
  State prologue(const GemmTask &task, Value ready);
  Value step(State &now);

  ImplicitGemmEmitter &e;
  GpuBuilder &b;
  ResidentWeights weights;
  Value warpgroup, warp;
};

} // namespace

//===----------------------------------------------------------------------===//
// A tile
//===----------------------------------------------------------------------===//

Group64::State Group64::prologue(const GemmTask &task, Value ready) {
  e.setRows(b.add(b.mul(task.tile, 64), b.mul(warp, 16)));
  e.prefetchOutputRows();
  State start;
  start.ready = ready;
  // Registers that a load may leave as they were would be kept for that from
  // task to task.
  start.rows =
      allSteps(e, e.startOffsets(task.walk, start.at, /*clears=*/true));
  start.sums = e.zeroAccumulators();
  return start;
}

/// Multiplies the rows of an offset while those of the next one come. Returns
/// whether there is one.
Value Group64::step(State &now) {
  Fragment next = e.gatherChunk(now.at.nextRows, 0);
  Value offset = now.at.offset;
  e.moveToNextOffset(now.at);
  now.ready = weights.wait(offset, now.ready);
  b.syncWarp();
  Value image = b.add(b.sharedAddress(weights.shared),
                      b.mul(offset, e.layout.offsetBytes()));
  now.sums = multiplyChunk(e, now.rows, image, now.sums);
  now.rows = allSteps(e, next);
  return b.greaterEqual(now.at.offset, 0);
}

void Group64::multiplyTile(const GemmTask &task, Value &ready) {
  State start = prologue(task, ready);
  State end = doWhileIf(b, b.greaterEqual(start.at.offset, 0), start,
                        [&](State &now) { return step(now); });
  ready = end.ready;
  // The epilogue: tiles are never split.
  e.storeTiles(end.sums, e.loadOutputRows());
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// One thread takes a task for the four warps.
Value Group64::takeTask(Value slotAddress) {
  Value slot =
      LLVM::IntToPtrOp::create(b, b.pointerType(Space::Shared), slotAddress);
  b.ifThen(b.equal(b.remainder(e.thread, kWarpgroupThreads), 0),
           [&] { b.store(e.takeTask(weights.counter), slot, 4); });
  b.barrier(b.add(warpgroup, 1), kWarpgroupThreads);
  return b.shuffle(b.load(b.getI32Type(), slot, 4), b.i32(0));
}

void Group64::emit() {
  e.areNeighboursConstant = false;
  weights.fetch();
  warpgroup = b.shuffle(b.divide(e.thread, kWarpgroupThreads), b.i32(0));
  warp = b.remainder(b.divide(e.thread, kWarpLanes), 4);
  // Two slots take turns: a warp may be one task ahead of another.
  Worker start{b.i32(0),
               b.sharedAddress(b.offset(weights.slots, b.mul(warpgroup, 8)))};
  e.forEachTask(
      start, Value(), [&](const Worker &now) { return takeTask(now.slot); },
      [&](const GemmTask &task, Worker &now) {
        multiplyTile(task, now.ready);
        now.slot = b.xorBits(now.slot, 4);
      });
  weights.drain();
}

//===----------------------------------------------------------------------===//
// The main loop
//===----------------------------------------------------------------------===//

namespace {
class Group64MainLoop final : public MainLoop {
public:
  Group64MainLoop() : MainLoop("group64") {}

  int64_t rowsPerTile() const override { return 64; }
  bool isPersistent() const override { return true; }
  bool hasPrologue() const override { return true; }
  ImageOrder getImageOrder() const override { return ImageOrder::Swizzled; }
  // Weights that fit shared memory as a whole are of layers with many rows.
  bool splitsSums() const override { return false; }
  int64_t sharedBytes(const ImplicitGemmConfig &config) const override {
    return ResidentWeights::getSharedBytes(config, /*resident=*/true);
  }
  int64_t estimateRegisters(const ImplicitGemmConfig &config) const override;
  std::string verify(const ImplicitGemmConfig &config,
                     const TargetInfo &target) const override;
  void
  addCandidates(const ImplicitGemmShape &shape, const TargetInfo &target,
                SmallVectorImpl<ImplicitGemmConfig> &candidates) const override;
  void emit(ImplicitGemmEmitter &e, const TargetInfo &target) const override {
    Group64(e).emit();
  }
};
} // namespace

int64_t
Group64MainLoop::estimateRegisters(const ImplicitGemmConfig &config) const {
  FragmentRegisters fragment(config);
  bool isExact = config.tileK == config.inChannels;
  return config.tileN / 2 + 2 * fragment.rows + 24 + (isExact ? 4 : 12) +
         fragment.uneven + 3 * fragment.halves;
}

std::string Group64MainLoop::verify(const ImplicitGemmConfig &config,
                                    const TargetInfo &target) const {
  if (std::string problem = verifyWgmma(config, target); !problem.empty())
    return problem;
  if (config.tileK < config.inChannels)
    return "the kernel with resident weights takes all input channels per step";
  return "";
}

void Group64MainLoop::addCandidates(
    const ImplicitGemmShape &shape, const TargetInfo &target,
    SmallVectorImpl<ImplicitGemmConfig> &candidates) const {
  if (!isWorthWgmma(shape, target) || shape.inChannels > 128)
    return;
  auto add = [&](int64_t warps) {
    ImplicitGemmConfig config = makeConfig(shape, /*splits=*/false);
    config.warps = warps;
    config.tileK = llvm::alignTo(shape.inChannels, config.tileUnit());
    config.tileN = getEvenTileN(shape.outChannels, 256);
    candidates.push_back(config);
  };
  add(20);
  // Of one offset, rows are all that a warpgroup waits for, and in a ring it
  // would wait for others, too.
  if (shape.offsets == 1)
    for (int64_t warps : {16, 12})
      add(warps);
}

namespace mlir::sparseconv {
const MainLoop &getGroup64MainLoop() {
  static const Group64MainLoop loop;
  return loop;
}
} // namespace mlir::sparseconv
