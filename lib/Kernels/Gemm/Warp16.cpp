//===- Warp16.cpp - 16 rows per warp, mma.sync ----------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp owns 16 output rows and walks over the offsets that any of them has.
// Rows are gathered straight into the A fragments of mma.sync. Weights are
// resident in shared memory, or read through the L1 cache. Warps work alone:
// each takes its next tile from a counter. With split-K several warps share the
// offsets of the same rows.
//
// One warp, with up to 32 output channels and one chunk of input channels. Its
// tile has the offsets k0, k1 and k2, and the one that it takes next has n0,
// n1, ..
//
//                      tile before   prologue   step k0   step k1   last k2
//   counter: next tile                                               takes
//   mask: next offset      k0 k1                   k2                n0 n1
//   table: neighbours      k0 k1                   k2                n0 n1
//   order: output rows                 all
//   x: rows                            k0          k1        k2
//   weights: wait                                  k0        k1      k2
//   mma.sync                                       k0        k1      k2
//
// and the epilogue stores y. So the next tile's mask and its first neighbours
// come while this one is multiplied and stored. A warp does not take a tile
// sooner, as one that has much to do would take those of others. With more
// channels it takes the next tile behind the epilogue: sums and rows leave no
// registers for what comes after them. With several chunks the steps are (k0,
// chunk 0), (k0, chunk 1), .., and neighbours are loaded at the last chunk of
// an offset only.
//
// Until its first rows a warp does not wait for the kernel before this one
// (ImplicitGemmEmitter::waitForKernels).
//
// Each warp loads its own rows. The scoreboard waits for a load where its
// register is first read, one step after it was asked for. In a step the rows
// of k + 1 replace those of k as these are used up, after every two
// instructions. With several stages (RowStages.h) a step is of as many offsets,
// and all of their rows are on their way together. Resident weights come by
// bulk copies on sm_90 and later: the first warp starts them before any tile,
// and each offset has a barrier, which is waited for at its first use only. On
// other chips cp.async has brought all of them before the first tile.
//
//===----------------------------------------------------------------------===//

#include "MainLoops.h"
#include "ResidentWeights.h"
#include "RowStages.h"
#include "TensorCores.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {

class Warp16 {
public:
  Warp16(ImplicitGemmEmitter &e, const TargetInfo &target)
      : e(e), b(e.b), layout(e.layout), config(e.config), target(target),
        weights(e, target.hasBulkCopy, e.config.resident),
        isAhead(e.accumulatorCount() <= 16 && layout.chunks == 1) {}

  void emit();

private:
  struct State {
    Value ready;
    RowStages rows;
    SmallVector<Value> sums;

    void fields(LoopFields &f) { f(ready, rows, sums); }
  };

  /// A warp between two tiles: the offsets whose weights it has waited for, the
  /// next task, and its first neighbours.
  struct Worker {
    Value ready, number;
    RowStages rows;

    void fields(LoopFields &f) { f(ready, number, rows); }
  };

  Value takeTask();
  void setRows(const GemmTask &task) { e.setRows(b.mul(task.tile, 16)); }
  RowStages startTile(Value number, Value mask);
  void doTask(Worker &worker);
  void multiplyTile(const GemmTask &task, State &now, Worker &worker);
  void multiplyAhead(const GemmTask &task, State &now, Worker &worker);
  void step(State &now, bool isLast);
  void epilogue(const GemmTask &task, ValueRange sums, ValueRange outputRows);

  SmallVector<Value> moveToNextChunk(OffsetCursor &at);
  Value chunkImage(Value offset, Value chunk);

  ImplicitGemmEmitter &e;
  GpuBuilder &b;
  const FragmentLayout &layout;
  const ImplicitGemmConfig &config;
  const TargetInfo &target;
  ResidentWeights weights;
  /// Whether a warp takes its next tile before this one is stored: many sums
  /// leave no registers for what comes after them.
  bool isAhead;
  Value splits;
};

} // namespace

//===----------------------------------------------------------------------===//
// A tile
//===----------------------------------------------------------------------===//

/// Where the weights of a chunk begin; `chunk` is null where it is the only
/// one.
Value Warp16::chunkImage(Value offset, Value chunk) {
  if (!config.resident)
    return e.chunkAddress(offset, chunk);
  return b.offset(weights.shared,
                  b.mul(e.chunkNumber(offset, chunk), layout.chunkBytes()));
}

/// Loads neighbours for the first offsets of a task.
RowStages Warp16::startTile(Value number, Value mask) {
  GemmTask task = e.startTask(number, mask, splits);
  setRows(task);
  return RowStages(e, task.walk, config.stages);
}

/// Moves on to the next chunk. Returns its rows.
SmallVector<Value> Warp16::moveToNextChunk(OffsetCursor &at) {
  if (!at.chunk) {
    SmallVector<Value> rows = at.nextRows;
    e.moveToNextOffset(at);
    return rows;
  }
  at.chunk = b.add(at.chunk, 1);
  at = changeIf(b, b.equal(at.chunk, layout.chunks), at, [&](OffsetCursor &at) {
    e.moveToNextOffset(at);
    at.chunk = b.i32(0);
  });
  return at.rows;
}

/// Multiplies a chunk of each stage. Unless they are the last ones, the rows of
/// what comes after them are loaded in their place.
void Warp16::step(State &now, bool isLast) {
  now.rows.step(b, [&](RowStages::Stage &stage, Value offset) {
    Value chunk = stage.at.chunk;
    SmallVector<Value> rows, present;
    if (!isLast)
      rows = moveToNextChunk(stage.at);
    now.ready = weights.wait(offset, now.ready);
    Value image = chunkImage(offset, chunk);
    if (!isLast)
      present = e.arePresent(rows);
    for (int64_t pair : llvm::seq(layout.stepPairs())) {
      e.multiplyStepPair(stage.rows, pair, image, now.sums);
      if (isLast)
        continue;
      SmallVector<Value> loaded =
          e.gatherStepPair(rows, present, 0, pair, stage.at.chunk);
      llvm::copy(loaded, stage.rows.registers.begin() + pair * 8);
    }
    if (!isLast)
      stage.rows.present = present;
  });
}

void Warp16::epilogue(const GemmTask &task, ValueRange sums,
                      ValueRange outputRows) {
  // Read again, as the sums leave few registers.
  GemmTask ended;
  if (task.splits)
    ended = e.makeTask(task.number, weights.loadSplits());
  e.finishTask(ended, sums, b.i32(0), [&](ValueRange some, int64_t tile) {
    e.storeTiles(some, outputRows, tile);
  });
}

/// Takes the next tile when this one is stored.
void Warp16::multiplyTile(const GemmTask &task, State &now, Worker &worker) {
  auto isLeft = [&](State &now) {
    return b.greaterEqual(now.rows.getFirst().offset, 0);
  };
  now = doWhileIf(b, isLeft(now), now, [&](State &now) {
    step(now, /*isLast=*/false);
    return isLeft(now);
  });
  epilogue(task, now.sums, e.loadOutputRows());
  worker.number = takeTask();
  worker.rows = startTile(worker.number, e.loadMask(worker.number, splits));
}

/// Takes the next tile before the last step of this one.
void Warp16::multiplyAhead(const GemmTask &task, State &now, Worker &worker) {
  SmallVector<Value> outputRows = e.loadOutputRows();
  auto hasNext = [&](State &now) {
    return b.greaterEqual(now.rows.getFirst().next, 0);
  };
  now = doWhileIf(b, hasNext(now), now, [&](State &now) {
    step(now, /*isLast=*/false);
    return hasNext(now);
  });
  worker.number = takeTask();
  Value mask = e.loadMask(worker.number, splits);
  Value hasOffsets = b.greaterEqual(now.rows.getFirst().offset, 0);
  step(now, /*isLast=*/true);
  e.clearUnless(hasOffsets, now.sums);
  worker.rows = startTile(worker.number, mask);
  epilogue(task, now.sums, outputRows);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

Value Warp16::takeTask() {
  return e.fromFirstLane([&] { return e.takeTask(weights.counter); });
}

void Warp16::doTask(Worker &worker) {
  GemmTask task = e.makeTask(worker.number, splits);
  setRows(task);
  State now{worker.ready, worker.rows, e.zeroAccumulators()};
  now.rows.gather(e);
  if (isAhead)
    multiplyAhead(task, now, worker);
  else
    multiplyTile(task, now, worker);
  worker.ready = now.ready;
}

void Warp16::emit() {
  e.keepsAddresses = isAhead;
  if (config.splitK > 1)
    splits = e.countSplits(target, e.tileCount());
  weights.fetch(splits);
  auto hasTask = [&](Value number) { return b.greaterEqual(number, 0); };
  Value first = takeTask();
  b.ifThen(hasTask(first), [&] {
    Worker start{b.i32(0), first, startTile(first, e.loadMask(first, splits))};
    doWhile(b, start, [&](Worker &now) {
      doTask(now);
      return hasTask(now.number);
    });
  });
  weights.drain();
}

//===----------------------------------------------------------------------===//
// The main loop
//===----------------------------------------------------------------------===//

namespace {
class Warp16MainLoop final : public MainLoop {
public:
  Warp16MainLoop() : MainLoop("warp16") {}

  int64_t rowsPerTile() const override { return 16; }
  bool isPersistent() const override { return true; }
  bool hasPrologue() const override { return true; }
  bool hasStages() const override { return true; }
  bool hasResidentWeights() const override { return true; }
  int64_t sharedBytes(const ImplicitGemmConfig &config) const override {
    return ResidentWeights::getSharedBytes(config, config.resident);
  }
  int64_t estimateRegisters(const ImplicitGemmConfig &config) const override;
  std::string verify(const ImplicitGemmConfig &config,
                     const TargetInfo &target) const override;
  void
  addCandidates(const ImplicitGemmShape &shape, const TargetInfo &target,
                SmallVectorImpl<ImplicitGemmConfig> &candidates) const override;
  void emit(ImplicitGemmEmitter &e, const TargetInfo &target) const override {
    Warp16(e, target).emit();
  }
};
} // namespace

int64_t
Warp16MainLoop::estimateRegisters(const ImplicitGemmConfig &config) const {
  FragmentRegisters fragment(config);
  int64_t rows = fragment.rows, halves = fragment.halves;
  int64_t ofStages = RowStages::estimateRegisters(config);
  int64_t uneven = fragment.uneven, tileN = config.tileN;
  bool isExact = config.tileK == config.inChannels;
  bool isTf32 = config.element == GemmElement::TF32;
  bool hasWords = config.maskWords() > 1;
  bool isSplit = config.splitK > 1;
  // Where two blocks share a multiprocessor, ptxas makes do with less.
  if (config.resident && config.blocks > 1)
    return tileN / 2 + (isExact ? rows : 2 * rows) + 40 + uneven +
           (rows > 12 ? 4 : 0) + halves / 8 + ofStages;
  // Splits of odd rows are added up and then stored by way of shared memory.
  int64_t lane = tileN * 3 / 5 + 2 * rows + tileN * rows / 24 + 3 * halves +
                 ofStages + (hasWords ? 15 : 0) +
                 (isSplit ? 14 + 2 * uneven : 0) +
                 (isSplit && config.hasOddRows() ? 16 : 0);
  if (config.resident)
    return lane + 30;
  bool isWhole = config.columnTiles() == 1 && config.tileK >= config.inChannels;
  lane += (isWhole ? 15 : 39) + (isTf32 ? (hasWords ? 9 : 3) : 0);
  return std::max<int64_t>(lane, 80);
}

std::string Warp16MainLoop::verify(const ImplicitGemmConfig &config,
                                   const TargetInfo &) const {
  if (std::string problem = verifyTensorCores(config); !problem.empty())
    return problem;
  return RowStages::verify(config);
}

void Warp16MainLoop::addCandidates(
    const ImplicitGemmShape &shape, const TargetInfo &,
    SmallVectorImpl<ImplicitGemmConfig> &candidates) const {
  if (shape.element == GemmElement::F32)
    return;
  // Weights that fit shared memory as a whole are of layers with many rows,
  // whose sums are not split.
  auto add = [&](int64_t warps, int64_t blocks, int64_t tileK, int64_t tileN,
                 bool resident) {
    ImplicitGemmConfig config = makeConfig(shape, /*splits=*/!resident);
    config.warps = warps;
    config.blocks = blocks;
    config.tileK = tileK;
    config.tileN = tileN;
    config.resident = resident;
    candidates.push_back(config);
  };
  int64_t unit = ImplicitGemmConfig(shape).tileUnit();
  int64_t whole = llvm::alignTo(shape.inChannels, unit);
  // Few channels leave registers for the rows of several offsets, which is
  // worth more than the last warps. Their weights come through the L1 cache as
  // fast as from shared memory, which each thread block would have to fill. Of
  // coarse sets, whose rows are few, the sums of many offsets are split, too.
  bool isHalf = shape.element != GemmElement::TF32;
  int64_t most = std::max(shape.inChannels, shape.outChannels);
  if (isHalf && shape.groups == 1 && most <= 32 && shape.inChannels % 2 == 0) {
    bool isNarrow = most <= 16, hasManyOffsets = shape.offsets > 27;
    bool isSplit = hasManyOffsets && !shape.isFine();
    // Where registers or rows are too few for 20 warps there are 16.
    bool hasRoom = hasManyOffsets ? shape.inChannels <= 16 : shape.isFinest();
    int64_t warps = isNarrow ? (isSplit ? 10 : 12) : (hasRoom ? 20 : 16);
    add(warps, isNarrow ? 2 : 1, whole, llvm::alignTo(shape.outChannels, 8),
        /*resident=*/false);
    candidates.back().stages = isNarrow ? 3 : 2;
    if (!isSplit)
      candidates.back().splitK = 1;
  }
  int64_t wide = getEvenTileN(shape.outChannels, 128);
  int64_t narrow = getEvenTileN(shape.outChannels, 64);
  for (int64_t blocks : {2, 1})
    for (int64_t tileN : {wide, narrow})
      for (int64_t tileK : {whole, 8 * unit, 4 * unit, 2 * unit})
        if (tileK <= whole)
          add(16, blocks, tileK, tileN, /*resident=*/true);
  // Where weights come through the L1 cache, rows in chunks of 128 bytes are
  // worth more than the last warps.
  int64_t line = std::min(whole, 4 * unit);
  for (int64_t tileN : {wide, narrow})
    for (int64_t tileK : {whole, 8 * unit, line})
      if (tileK <= whole)
        add(16, 1, tileK, tileN, /*resident=*/false);
  for (int64_t tileK : {line, std::min(whole, 2 * unit)})
    for (int64_t warps : {16, 12, 8, 4})
      for (int64_t tileN : {wide, narrow})
        add(warps, 1, tileK, tileN, /*resident=*/false);
}

namespace mlir::sparseconv {
const MainLoop &getWarp16MainLoop() {
  static const Warp16MainLoop loop;
  return loop;
}
} // namespace mlir::sparseconv
