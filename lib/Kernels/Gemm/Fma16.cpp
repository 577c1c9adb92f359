//===- Fma16.cpp - 16 rows per warp, f32 by multiply-adds -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp owns a tile of 16 output rows and all channels of a column tile. Each
// lane keeps a few rows by a few quads of channels in registers. For every
// offset that a tile of the thread block has, chunks of the weights and of the
// gathered rows pass through a ring of stages in shared memory, filled by
// asynchronous copies. A warp whose tile lacks the offset only helps to copy.
//
// A ring of S = 3 stages. c0, c1, .. are the chunks of the thread block's
// offsets in their order; this warp's tile has all offsets but that of c1.
//
//                        prologue     step c0   step c1   step c2   epilogue
//   table: neighbours     k0, k1      at the first chunk of each offset, for
//                                     the offset after the one it copies
//   all threads:
//     wait for copies                 of c0     of c1     of c2
//     barrier                         x         x         x
//     copy into stage     0: c0       2: c2     0: c3     1: c4
//                         1: c1
//   warp: fma                            c0     (passes)     c2
//   y: store                                                         all
//
// Every thread copies a piece of the weights and of half a row. One group of
// copies is committed for each chunk, also behind the last one. So a wait for
// all but the last S - 2 groups always means the chunk of the step. The
// barrier then says two things: the chunk is there for all, and all are done
// with the chunk before it, whose stage is filled next.
//
//===----------------------------------------------------------------------===//

#include "MainLoops.h"
#include "OffsetList.h"
#include "StageCopies.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {

class Fma16 {
public:
  explicit Fma16(ImplicitGemmEmitter &e);
  void emit(const TargetInfo &target);

private:
  /// What the thread block multiplies next. The same in all threads.
  struct Use {
    ChunkWalk at;
    Value stage;
  };
  /// The offset whose chunks are copied, the row that this thread helps to
  /// gather for it, and both of the next offset.
  struct PutOffset {
    Value offset, row, next, nextRow;
    OffsetWalk walk;

    void fields(LoopFields &f) { f(offset, row, next, nextRow, walk); }
  };
  /// What is copied next.
  struct Put {
    PutOffset at;
    Value stage, chunk;
  };
  struct State {
    Use use;
    Put put;
    SmallVector<Value> sums;

    void fields(LoopFields &f) {
      f(use.at.offset, use.stage, put.at.offset, put.stage, put.at.next,
        put.at.row, put.at.nextRow, use.at.chunk, put.chunk, use.at.walk,
        put.at.walk, sums);
    }
  };

  void emitThreadBlock(Value number);
  OffsetWalk splitWalk(Value firstTile, Value hasTile);
  OffsetWalk listWalk(Value firstTile);
  State prologue(const OffsetWalk &walk);
  Value step(State &now);
  void epilogue(ValueRange sums);

  Value isOwn(Value offset);
  Value loadNeighbour(Value offset);
  Value advanceStage(Value stage);
  /// Starts the copies of a chunk, if there is one, and moves on.
  void fill(Put &put);
  void multiply(Value stage, SmallVector<Value> &sums);

  ImplicitGemmEmitter &e;
  GpuBuilder &b;
  const ImplicitGemmConfig &config;
  const FragmentLayout &layout;
  int64_t stageBytes;
  Value warp;
  LaneTile lanes;
  StageCopies copies;
  Value shared, ownBits;
  Value copiedSlot;
  GemmTask task;
};

} // namespace

Fma16::Fma16(ImplicitGemmEmitter &e)
    : e(e), b(e.b), config(e.config), layout(e.layout),
      stageBytes(StageCopies::getStageBytes(config)),
      warp(b.shuffle(b.divide(e.thread, kWarpLanes), b.i32(0))), lanes(e),
      copies(e) {
  shared = b.dynamicShared();
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

Value Fma16::isOwn(Value offset) {
  Value bits = ownBits;
  if (config.maskWords() > 1)
    bits = e.loadWord(task.tile, b.divide(offset, 32));
  Value bit = b.shiftRight(bits, b.remainder(offset, 32));
  return b.notEqual(b.andBits(bit, 1), 0);
}

/// In the row of the thread block that this thread helps to copy.
Value Fma16::loadNeighbour(Value offset) {
  Value pointer = e.tableEntry(offset, copiedSlot);
  return b.loadIf(b.greaterEqual(offset, 0), pointer, 4, b.i32(-1)).front();
}

Value Fma16::advanceStage(Value stage) {
  Value next = b.add(stage, 1);
  return b.select(b.equal(next, config.stages), b.i32(0), next);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

void Fma16::fill(Put &put) {
  Value isChunk = b.greaterEqual(put.at.offset, 0);
  b.ifThen(isChunk, [&] {
    copies.copy({put.at.offset, put.chunk, put.at.row},
                b.offset(shared, b.mul(put.stage, stageBytes)));
  });
  b.commitCopies();
  put.stage = advanceStage(put.stage);
  auto toNextOffset = [&](PutOffset &at) {
    at.offset = at.next;
    at.row = at.nextRow;
    at.next = e.nextOffset(at.walk);
    at.nextRow = loadNeighbour(at.next);
  };
  if (!put.chunk) {
    toNextOffset(put.at);
    return;
  }
  Value chunk = b.add(put.chunk, 1);
  Value moves = b.equal(chunk, layout.chunks);
  put.chunk = b.select(moves, b.i32(0), chunk);
  put.at = changeIf(b, moves, put.at, toNextOffset);
}

//===----------------------------------------------------------------------===//
// Prologue
//===----------------------------------------------------------------------===//

/// The one mask word of the thread block's offsets, or of its split of them,
/// and of this warp's stay in registers.
OffsetWalk Fma16::splitWalk(Value firstTile, Value hasTile) {
  Value zero = b.i32(0);
  Value bits = e.joinWords(firstTile, config.warps, zero);
  if (task.splits)
    bits = e.takeSplit(task, bits);
  ownBits =
      b.select(hasTile, b.andBits(e.loadWord(task.tile, zero), bits), zero);
  ownBits = b.shuffle(ownBits, zero);
  return {b.shuffle(bits, zero), Value()};
}

/// The offsets of several mask words of the thread block become a list.
OffsetWalk Fma16::listWalk(Value firstTile) {
  auto load = [&](Value word) {
    return e.joinWords(firstTile, config.warps, word);
  };
  OffsetList list(e, b.i32(config.stages * stageBytes));
  OffsetRange range = e.findSplit(task, load);
  b.ifThen(b.equal(warp, 0), [&] { list.write(range, load); });
  b.barrier();
  return list.start();
}

Fma16::State Fma16::prologue(const OffsetWalk &walk) {
  State start;
  Use &use = start.use;
  Put &put = start.put;
  use.at = e.startChunks(walk);
  put.at.offset = use.at.offset;
  put.at.walk = use.at.walk;
  put.at.next = e.nextOffset(put.at.walk);
  put.at.row = loadNeighbour(put.at.offset);
  put.at.nextRow = loadNeighbour(put.at.next);
  use.stage = put.stage = b.i32(0);
  put.chunk = use.at.chunk;
  start.sums = e.zeroAccumulators();
  for ([[maybe_unused]] int64_t stage : llvm::seq(config.stages - 1))
    fill(put);
  return start;
}

//===----------------------------------------------------------------------===//
// Step and epilogue
//===----------------------------------------------------------------------===//

/// Multiplies the warp's rows by the chunk in a stage.
void Fma16::multiply(Value stage, SmallVector<Value> &sums) {
  Value begin = b.offset(shared, b.mul(stage, stageBytes));
  lanes.multiply(copies.getChunk(begin, warp), sums);
}

/// Multiplies a chunk. Returns whether there is one after it.
Value Fma16::step(State &now) {
  b.waitCopies(config.stages - 2);
  // The chunk is there for all, and all are done with the one before.
  b.barrier();
  fill(now.put);
  now.sums = changeIf(
      b, isOwn(now.use.at.offset), now.sums,
      [&](SmallVector<Value> &sums) { multiply(now.use.stage, sums); });
  now.use.stage = advanceStage(now.use.stage);
  e.moveToNextChunk(now.use.at);
  return b.greaterEqual(now.use.at.offset, 0);
}

void Fma16::epilogue(ValueRange sums) {
  SmallVector<Value> rows = lanes.loadOutputRows(task.tile);
  e.finishTask(task, sums, b.i32(0), [&](ValueRange some, int64_t first) {
    lanes.store(some, first, rows);
  });
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void Fma16::emitThreadBlock(Value number) {
  Value tiles = e.tileCount();
  Value firstTile = b.mul(number, config.warps);
  task.tile = b.add(firstTile, warp);
  Value hasTile = b.lessUnsigned(task.tile, tiles);
  if (task.splits)
    task.firstSplit = b.mul(task.tile, task.splits);
  OffsetWalk walk = config.maskWords() == 1 ? splitWalk(firstTile, hasTile)
                                            : listWalk(firstTile);
  copiedSlot = b.add(b.mul(firstTile, 16), b.divide(e.thread, 2));
  // Behind the last tile the table may end.
  copiedSlot = b.minUnsigned(copiedSlot, b.sub(e.pitch, 1));

  State start = prologue(walk);
  State end = doWhileIf(b, b.greaterEqual(start.use.at.offset, 0), start,
                        [&](State &now) { return step(now); });
  b.ifThen(hasTile, [&] { epilogue(end.sums); });
}

void Fma16::emit(const TargetInfo &target) {
  e.forThreadBlock(target, task,
                   [&](Value number) { emitThreadBlock(number); });
}

//===----------------------------------------------------------------------===//
// The main loop
//===----------------------------------------------------------------------===//

namespace {
class Fma16MainLoop final : public MainLoop {
public:
  Fma16MainLoop() : MainLoop("fma16") {}

  int64_t rowsPerTile() const override { return 16; }
  bool usesTensorCores() const override { return false; }
  ImageOrder getImageOrder() const override { return ImageOrder::Plain; }
  bool hasStages() const override { return true; }
  // What threads multiply takes long enough that more blocks than fit at once,
  // the costly ones first, are worth the additions.
  int64_t wavesOfSplit() const override { return 4; }
  int64_t sharedBytes(const ImplicitGemmConfig &config) const override;
  int64_t estimateRegisters(const ImplicitGemmConfig &config) const override;
  std::string verify(const ImplicitGemmConfig &config,
                     const TargetInfo &target) const override;
  void
  addCandidates(const ImplicitGemmShape &shape, const TargetInfo &target,
                SmallVectorImpl<ImplicitGemmConfig> &candidates) const override;
  void emit(ImplicitGemmEmitter &e, const TargetInfo &target) const override {
    Fma16(e).emit(target);
  }
};
} // namespace

/// Weights and rows of each stage; the list of the block's offsets.
int64_t Fma16MainLoop::sharedBytes(const ImplicitGemmConfig &config) const {
  bool hasList = config.maskWords() > 1;
  return config.stages * StageCopies::getStageBytes(config) +
         (hasList ? OffsetList::getSharedBytes(config) : 0);
}

/// Accumulators; rows and weights of four input channels; addresses.
int64_t
Fma16MainLoop::estimateRegisters(const ImplicitGemmConfig &config) const {
  return config.tileN / 2 + config.tileN / 4 + 56;
}

std::string Fma16MainLoop::verify(const ImplicitGemmConfig &config,
                                  const TargetInfo &) const {
  if (config.element != GemmElement::F32)
    return "the main loop fma16 takes f32";
  if (config.tileN % 32 || config.tileN > 128)
    return llvm::formatv(
        "expected tile_n of 32 to 128 in steps of 32, found {0}", config.tileN);
  return config.stages < 2 ? "a ring has at least 2 stages" : "";
}

void Fma16MainLoop::addCandidates(
    const ImplicitGemmShape &shape, const TargetInfo &,
    SmallVectorImpl<ImplicitGemmConfig> &candidates) const {
  // A tile of few channels would be padding mostly.
  bool isNarrow = shape.inChannels < 4 || shape.outChannels < 8;
  if (shape.element != GemmElement::F32 || isNarrow)
    return;
  int64_t columnTiles = llvm::divideCeil(shape.outChannels, 128);
  for (int64_t blocks : {3, 2, 1})
    for (int64_t deepest : {32, 16}) {
      int64_t chunks = llvm::divideCeil(shape.inChannels, deepest);
      ImplicitGemmConfig config = makeConfig(shape, /*splits=*/true);
      config.warps = 4;
      config.blocks = blocks;
      config.tileK =
          llvm::alignTo(llvm::divideCeil(shape.inChannels, chunks), 8);
      config.tileN =
          llvm::alignTo(llvm::divideCeil(shape.outChannels, columnTiles), 32);
      config.stages = 2;
      candidates.push_back(config);
    }
}

namespace mlir::sparseconv {
const MainLoop &getFma16MainLoop() {
  static const Fma16MainLoop loop;
  return loop;
}
} // namespace mlir::sparseconv
