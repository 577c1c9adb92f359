//===- WeightGradMma.cpp - weight gradients on tensor cores ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inner dimension of the product is the pairs. Asynchronous copies bring
// their rows to a ring in shared memory, as they are in memory. From there they
// go transposed into the fragments of mma.sync: matrices of 16-bit elements by
// one instruction, f32 one element at a time. Behind the last pair, both
// sides are zero.
//
// Pairs are multiplied in steps; a ring of S = 4 stages:
//
//                        prologue     step 0    step 1    step 2    epilogue
//   all threads:
//     wait for copies                 of 0      of 1      of 2
//     barrier                         x         x         x
//     copy into stage    0: 0 1: 1    3: 3      0: 4      1: 5
//                        2: 2
//   warps: mma.sync                      0         1         2
//   store                                                           all
//
// One group of copies is committed for each step, also behind the last one. So
// a wait for all but the last S - 2 groups always means that of the step.
// The barrier then says two things: the rows are there for all, and all are
// done with the step before, whose stage is filled next. The rows of a step's
// pairs are copied S - 1 steps before what lies in them.
//
//===----------------------------------------------------------------------===//

#include "WeightGradEmitter.h"
#include "WeightGradLoops.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
class Mma {
public:
  explicit Mma(WeightGradEmitter &e);
  void emit();

private:
  Value getGroup(Value pointer, int64_t bytes);
  void stage(bool isOut, Value step);
  /// The registers of 16 channels and 16 pairs from `stage` on: of f32 those of
  /// the first eight pairs, then those of the others.
  SmallVector<Value> loadFragment(Value stage, bool isOut, int64_t pair,
                                  int64_t channel);
  void fetch(Value step);
  void multiplyStage(Value step, SmallVector<Value> &sums);
  void multiply(SmallVector<Value> &sums);
  void store(ValueRange sums);
  Value getStage(Value step) {
    return b.offset(e.staged, b.mul(b.andBits(step, config.stages - 1),
                                    config.stageBytes()));
  }

  WeightGradEmitter &e;
  GpuBuilder &b;
  const WeightGradConfig &config;
  MmaType type;
  /// This warp's piece of the tile, and its turn among those of the piece.
  Value owner, in, out;
  /// Byte in a stage of the row of an 8 x 8 matrix that this lane names, or of
  /// this lane's f32 of the first pairs.
  Value xLane, dyLane;
};
} // namespace

Mma::Mma(WeightGradEmitter &e)
    : e(e), b(e.b), config(e.config),
      type(config.xElement.isF32()   ? MmaType::TF32
           : config.xElement.isF16() ? MmaType::F16
                                     : MmaType::BF16) {
  // The same in all lanes, which ptxas then knows.
  Value warp = b.shuffle(e.warp, b.i32(0));
  int64_t columns = config.tileOut / config.pieceOut;
  owner = b.divide(warp, config.pieces());
  Value piece = b.remainder(warp, config.pieces());
  out = b.mul(b.remainder(piece, columns), config.pieceOut);
  in = b.mul(b.divide(piece, columns), config.pieceIn);

  // Matrices of x: pairs 0-7 and channels 0-7, then 8-15, then the same of
  // pairs 8-15. Of dy: channels and pairs the other way round.
  Value row = b.remainder(e.lane, 8);
  Value low = b.mul(b.remainder(b.divide(e.lane, 8), 2), 8);
  Value high = b.mul(b.divide(e.lane, 16), 8);
  Value first = b.mul(owner, 16);
  auto place = [&](Value pair, Value channel, int64_t pitch) {
    return b.add(b.mul(b.add(first, pair), pitch),
                 b.mul(channel, config.elementBytes()));
  };
  if (type == MmaType::TF32) {
    Value pair = b.remainder(e.lane, 4), channel = b.divide(e.lane, 4);
    xLane = place(pair, b.add(in, channel), config.xPitch());
    dyLane = b.add(place(pair, b.add(out, channel), config.dyPitch()),
                   config.pairs * config.xPitch());
    return;
  }
  xLane = place(b.add(row, high), b.add(in, low), config.xPitch());
  dyLane = b.add(place(b.add(row, low), b.add(out, high), config.dyPitch()),
                 config.pairs * config.xPitch());
}

/// Where the thread block's group begins, each having so many bytes.
Value Mma::getGroup(Value pointer, int64_t bytes) {
  if (config.groups == 1)
    return pointer;
  return b.offset(pointer, b.mul(b.extend64(e.firstGroup), b.i64(bytes)));
}

/// Starts the copies of one side of a step's pairs.
void Mma::stage(bool isOut, Value step) {
  int64_t tile = isOut ? config.tileOut : config.tileIn;
  int64_t channels = isOut ? config.outChannels : config.inChannels;
  int64_t pitch = isOut ? config.dyPitch() : config.xPitch();
  Value source = getGroup(isOut ? e.dy : e.x, channels * config.elementBytes());
  Value target =
      b.offset(getStage(step), isOut ? config.pairs * config.xPitch() : 0);
  Value pairs = e.countPairs(step);
  // A copy moves 16 bytes.
  int64_t bytes = config.elementBytes();
  int64_t pieces = tile * bytes / 16, total = config.pairs * pieces;
  b.shareOut(e.thread, config.threads(), total, [&](Value place) {
    Value local = b.divide(place, pieces);
    Value column = b.mul(b.remainder(place, pieces), 16 / bytes);
    Value channel = b.add(isOut ? e.firstOut : e.firstIn, column);
    Value isThere = b.andBits(b.lessUnsigned(local, pairs),
                              b.lessUnsigned(channel, channels));
    Value row = e.loadRow(step, local, isOut);
    if (!isOut)
      isThere = b.andBits(isThere, e.isRow(row));
    row = b.select(isThere, row, b.i32(0));
    Value at =
        b.add(b.mul(b.extend64(row), b.i64(config.groups * channels * bytes)),
              b.extend64(b.mul(b.select(isThere, channel, b.i32(0)), bytes)));
    b.copyAsyncIf(
        isThere,
        b.offset(target, b.add(b.mul(local, pitch), b.mul(column, bytes))),
        b.offset(source, at));
  });
}

void Mma::fetch(Value step) {
  b.ifThen(b.lessUnsigned(step, e.steps), [&] {
    stage(/*isOut=*/false, step);
    stage(/*isOut=*/true, step);
  });
  e.fetchRows(b.add(step, config.stages - 1));
  b.commitCopies();
}

SmallVector<Value> Mma::loadFragment(Value stage, bool isOut, int64_t pair,
                                     int64_t channel) {
  int64_t pitch = isOut ? config.dyPitch() : config.xPitch();
  Value base = b.offset(b.offset(stage, isOut ? dyLane : xLane),
                        pair * pitch + channel * config.elementBytes());
  if (type != MmaType::TF32)
    return b.loadTransposed(base);
  // Of x: both halves of the channels, then the same of the next four pairs.
  // Of dy: both halves of the pairs, then the same of the next channels.
  SmallVector<Value> registers;
  for (int64_t eight : {0, 1})
    for (int64_t high : {0, 1})
      for (int64_t low : {0, 1}) {
        int64_t nextPairs = isOut ? low : high,
                nextChannels = isOut ? high : low;
        Value bits = b.load(b.getI32Type(),
                            b.offset(base, (eight * 8 + nextPairs * 4) * pitch +
                                               nextChannels * 32));
        registers.push_back(b.roundToTf32(bits));
      }
  return registers;
}

void Mma::multiplyStage(Value step, SmallVector<Value> &sums) {
  Value stage = getStage(step);
  int64_t rows = config.pieceIn / 16, columns = config.pieceOut / 16;
  for (int64_t k = 0; k < config.pairs; k += 16 * config.slices) {
    SmallVector<SmallVector<Value>> left, right;
    for (int64_t i : llvm::seq(rows))
      left.push_back(loadFragment(stage, /*isOut=*/false, k, i * 16));
    for (int64_t j : llvm::seq(columns))
      right.push_back(loadFragment(stage, /*isOut=*/true, k, j * 16));
    for (int64_t i : llvm::seq(rows))
      for (int64_t j : llvm::seq(2 * columns)) {
        size_t at = (i * 2 * columns + j) * 4;
        ArrayRef<Value> x = left[i], dy = right[j / 2];
        SmallVector<Value> sum(ArrayRef(sums).slice(at, 4));
        // One instruction for 16 bits, two for the eight pairs each of f32.
        for (size_t half = 0; half < x.size(); half += 4)
          sum = b.mmaSync(type, x.slice(half, 4), dy.slice(half + j % 2 * 2, 2),
                          sum);
        llvm::copy(sum, sums.begin() + at);
      }
  }
}

void Mma::multiply(SmallVector<Value> &sums) {
  int64_t ahead = config.stages - 1;
  e.fetchFirstRows();
  for (int64_t step : llvm::seq(ahead))
    fetch(b.i32(step));
  sums = forLoop(b, b.i32(0), e.steps, b.i32(1), sums,
                 [&](Value step, SmallVector<Value> &sums) {
                   b.waitCopies(ahead - 1);
                   b.barrier();
                   fetch(b.add(step, ahead));
                   multiplyStage(step, sums);
                 });
}

void Mma::store(ValueRange sums) {
  Value split =
      getGroup(e.getSplit(owner), config.inChannels * config.outChannels * 4);
  Value row = b.add(b.add(e.firstIn, in), b.divide(e.lane, 4));
  Value column =
      b.add(b.add(e.firstOut, out), b.mul(b.remainder(e.lane, 4), 2));
  int64_t columns = config.pieceOut / 8;
  auto pairType = VectorType::get(2, b.getF32Type());
  for (int64_t i : llvm::seq(config.pieceIn / 8))
    for (int64_t j : llvm::seq(columns)) {
      Value toRow = b.add(row, i * 8), toColumn = b.add(column, j * 8);
      Value isThere = b.andBits(b.lessUnsigned(toRow, config.inChannels),
                                b.lessUnsigned(toColumn, config.outChannels));
      // Registers 0 and 1 are of the upper eight rows, 2 and 3 of the lower.
      size_t from = ((i / 2) * columns + j) * 4 + i % 2 * 2;
      b.ifThen(isThere, [&] {
        Value value = LLVM::UndefOp::create(b, pairType);
        for (int64_t k : llvm::seq(2))
          value =
              LLVM::InsertElementOp::create(b, value, sums[from + k], b.i32(k));
        Value at = b.add(b.mul(toRow, config.outChannels), toColumn);
        b.store(value, b.offset(split, b.mul(b.extend64(at), b.i64(4))), 8);
      });
    }
}

void Mma::emit() {
  e.emit(
      config.pieceIn * config.pieceOut / kWarpLanes,
      [&](SmallVector<Value> &sums) { multiply(sums); },
      [&](ValueRange sums) { store(sums); });
}

//===----------------------------------------------------------------------===//
// The main loop
//===----------------------------------------------------------------------===//

namespace {
class MmaLoop final : public WeightGradLoop {
public:
  MmaLoop() : WeightGradLoop("mma") {}

  bool usesTensorCores() const override { return true; }
  int64_t threads(const WeightGradConfig &config) const override {
    return 32 * config.pieces() * config.slices;
  }
  // The bytes more put what a warp reads at once into different banks: eight
  // rows of 16 bytes, or of f32 four rows of 32 bytes.
  int64_t rowPitch(const WeightGradConfig &config,
                   int64_t tile) const override {
    return (tile + 8) * config.elementBytes();
  }
  int64_t estimateRegisters(const WeightGradConfig &config) const override;
  std::string verifyShape(const WeightGradShape &shape) const override;
  std::string verify(const WeightGradConfig &config,
                     const TargetInfo &target) const override;
  void chooseSizes(WeightGradConfig &config) const override;
  void emit(WeightGradEmitter &e) const override { Mma(e).emit(); }
};
} // namespace

/// Sums, the fragments of both sides, addresses.
int64_t MmaLoop::estimateRegisters(const WeightGradConfig &config) const {
  int64_t bytes = config.elementBytes();
  return config.pieceIn * config.pieceOut / 32 +
         (config.pieceIn + config.pieceOut) * bytes / 8 + 40;
}

std::string MmaLoop::verifyShape(const WeightGradShape &shape) const {
  if (shape.xElement != shape.dyElement)
    return "tensor cores take two sides of one type";
  if (shape.xElement.isF32() && !shape.allowTf32)
    return "tensor cores multiply f32 in tf32, which the operation does not "
           "allow (tf32 = allowed)";
  int64_t piece = shape.xElement.isF32() ? 4 : 8;
  if (shape.inChannels % piece || shape.outChannels % piece)
    return llvm::formatv("expected rows of whole pieces of 16 bytes, found {0} "
                         "and {1} channels",
                         shape.inChannels, shape.outChannels);
  return "";
}

std::string MmaLoop::verify(const WeightGradConfig &config,
                            const TargetInfo &target) const {
  if (config.tileGroups > 1)
    return llvm::formatv("the main loop mma has one group in a tile, found {0}",
                         config.tileGroups);
  if (config.pieceIn % 16 || config.pieceOut % 16)
    return llvm::formatv("expected pieces of multiples of 16 channels, found "
                         "{0} x {1}",
                         config.pieceIn, config.pieceOut);
  if (config.pairs % (16 * config.slices))
    return llvm::formatv("expected 16 pairs for each of {0} slices, or a "
                         "multiple, found {1}",
                         config.slices, config.pairs);
  if (config.stages < 2 || !llvm::isPowerOf2_64(config.stages))
    return llvm::formatv("expected stages in a power of two of at least 2, "
                         "found {0}",
                         config.stages);
  return "";
}

/// The tile that leaves least unused, and of those the largest.
static int64_t chooseTile(int64_t channels, int64_t widest) {
  int64_t best = 16, padded = INT64_MAX;
  for (int64_t tile : {16, 32, 48, 64, 96, 128}) {
    int64_t total = llvm::alignTo(channels, tile);
    if (tile <= widest && total <= padded) {
      best = tile;
      padded = total;
    }
  }
  return best;
}

void MmaLoop::chooseSizes(WeightGradConfig &config) const {
  // Rows of f32 take twice the shared memory.
  int64_t widest = config.elementBytes() == 4 ? 64 : 128;
  config.tileIn = chooseTile(config.inChannels, widest);
  config.tileOut = chooseTile(config.outChannels, widest);
  auto piece = [](int64_t tile) { return tile % 32 == 0 ? 32 : 16; };
  config.pieceIn = piece(config.tileIn);
  config.pieceOut = piece(config.tileOut);
  // Larger pieces read less from shared memory.
  if (config.tileIn == 128 && config.pieceOut == 32)
    config.pieceIn = 64;
  config.slices = std::max<int64_t>(1, 4 / config.pieces());
  config.pairs = 16 * std::max<int64_t>(2, config.slices);
  config.stages = 4;
  config.blocks = std::max<int64_t>(1, 512 / config.threads());
}

namespace mlir::sparseconv {
const WeightGradLoop &getWeightGradMmaLoop() {
  static const MmaLoop loop;
  return loop;
}
} // namespace mlir::sparseconv
