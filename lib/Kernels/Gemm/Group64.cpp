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
// One warpgroup. Its tile has the offsets k0, k1 and k2, and the one that it
// takes next has n0, n1, ..:
//
//                      tile before   prologue   step k0   step k1   last k2
//   counter: next tile                                               takes
//   mask: next offset      k0 k1                   k2                n0 n1
//   table: neighbours      k0 k1                   k2                n0 n1
//   order: output rows                 all
//   x: rows                            k0          k1        k2
//   weights: wait                                  k0        k1      k2
//   wgmma                                          k0        k1      k2
//
// and the epilogue stores y. Each warp loads its own rows. That is the first
// thing that a step does, and the last one is to wait for them and to move them
// to the registers of the operands, which the wgmmas have left by then. So rows
// are on their way all the time, and take no more registers than twice those of
// a chunk: ptxas has no others to which it could move them sooner. The next
// tile's mask and its first neighbours come while this one is multiplied and
// stored (as in Warp16). Weights come by bulk copies that the first thread
// starts before any tile. Each offset has a barrier, which a warp waits for at
// its first use only. A step waits for the wgmmas that it starts: while one
// warpgroup waits, the others multiply.
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
  /// A warpgroup between two tiles: the offsets whose weights it has waited
  /// for, the address of the slot that its tasks come in, the next task and its
  /// first neighbours.
  struct Worker {
    Value ready, slot, number;
    OffsetCursor at;

    void fields(LoopFields &f) { f(ready, slot, number, at); }
  };
  struct State {
    Value ready;
    OffsetCursor at;
    /// The rows of the current offset.
    StepOperands rows;
    SmallVector<Value> sums;

    void fields(LoopFields &f) { f(ready, at, rows, sums); }
  };

  Value takeTask(Value &slotAddress);
  OffsetCursor startTile(Value number, Value mask);
  void setRows(Value tile);
  void multiplyTile(Worker &worker);
  void multiply(State &now, Value offset);
  void step(State &now);

  ImplicitGemmEmitter &e;
  GpuBuilder &b;
  ResidentWeights weights;
  Value warpgroup, warp;
};

} // namespace

//===----------------------------------------------------------------------===//
// A tile
//===----------------------------------------------------------------------===//

void Group64::setRows(Value tile) {
  e.setRows(b.add(b.mul(tile, 64), b.mul(warp, 16)));
}

/// Loads neighbours for the first offsets of a task.
OffsetCursor Group64::startTile(Value number, Value mask) {
  GemmTask task = e.startTask(number, mask);
  setRows(task.tile);
  return e.startOffsets(task.walk);
}

void Group64::multiply(State &now, Value offset) {
  now.ready = weights.wait(offset, now.ready);
  b.syncWarp();
  Value image = b.add(b.sharedAddress(weights.shared),
                      b.mul(offset, e.layout.offsetBytes()));
  now.sums = multiplyChunk(e, now.rows, image, now.sums);
}

/// Multiplies the rows of an offset while those of the next one come.
void Group64::step(State &now) {
  Fragment next = e.gatherChunk(now.at.nextRows, 0);
  Value offset = now.at.offset;
  e.moveToNextOffset(now.at);
  multiply(now, offset);
  now.rows = allSteps(e, next);
}

void Group64::multiplyTile(Worker &worker) {
  setRows(worker.number);
  State start;
  start.ready = worker.ready;
  start.at = worker.at;
  e.waitForKernels();
  // Registers that a load may leave as they were would be kept for that from
  // task to task.
  start.rows = allSteps(e, e.gatherFirst(start.at, /*clears=*/true));
  start.sums = e.zeroAccumulators();
  SmallVector<Value> outputRows = e.loadOutputRows();
  auto hasNext = [&](const State &now) {
    return b.greaterEqual(now.at.next, 0);
  };
  State last = doWhileIf(b, hasNext(start), start, [&](State &now) {
    step(now);
    return hasNext(now);
  });
  worker.number = takeTask(worker.slot);
  Value mask = e.loadMask(worker.number);
  multiply(last, b.max(last.at.offset, b.i32(0)));
  e.clearUnless(b.greaterEqual(last.at.offset, 0), last.sums);
  worker.ready = last.ready;
  worker.at = startTile(worker.number, mask);
  // Tiles are never split.
  e.storeTiles(last.sums, outputRows);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// One thread takes a task for the four warps.
Value Group64::takeTask(Value &slotAddress) {
  Value slot =
      LLVM::IntToPtrOp::create(b, b.pointerType(Space::Shared), slotAddress);
  b.ifThen(b.equal(b.remainder(e.thread, kWarpgroupThreads), 0),
           [&] { b.store(e.takeTask(weights.counter), slot, 4); });
  b.barrier(b.add(warpgroup, 1), kWarpgroupThreads);
  // Two slots take turns: a warp may be one task ahead of another.
  slotAddress = b.xorBits(slotAddress, 4);
  return b.shuffle(b.load(b.getI32Type(), slot, 4), b.i32(0));
}

void Group64::emit() {
  e.areNeighboursConstant = false;
  e.keepsAddresses = true;
  weights.fetch();
  warpgroup = b.shuffle(b.divide(e.thread, kWarpgroupThreads), b.i32(0));
  warp = b.remainder(b.divide(e.thread, kWarpLanes), 4);
  auto hasTask = [&](const Worker &now) {
    return b.greaterEqual(now.number, 0);
  };
  Worker first;
  first.ready = b.i32(0);
  first.slot = b.sharedAddress(b.offset(weights.slots, b.mul(warpgroup, 8)));
  first.number = takeTask(first.slot);
  b.ifThen(hasTask(first), [&] {
    Worker start = first;
    start.at = startTile(start.number, e.loadMask(start.number));
    doWhile(b, start, [&](Worker &now) {
      multiplyTile(now);
      return hasTask(now);
    });
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
