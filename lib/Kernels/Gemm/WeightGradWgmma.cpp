//===- WeightGradWgmma.cpp - weight gradients by warpgroups ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inner dimension of the product is the pairs. wgmma takes both sides from
// shared memory with their channels contiguous, so rows stay as they are in
// memory. Behind the last pair, both sides are zero.
//
// Pairs are multiplied in steps; a ring of S = 4 stages:
//
//                        prologue     step 0    step 1    step 2    epilogue
//   all threads:
//     wait for copies                 of 0      of 1      of 2
//     barrier                         x         x         x
//   warpgroups: wgmma                    0         1         2
//   all threads:
//     copy into stage    0: 0 1: 1    3: 3      0: 4      1: 5
//                        2: 2
//     wait for wgmma                     0         1         2
//   store                                                           all
//
// One group of copies is committed for each step, also behind the last one. So
// a wait for all but the last S - 2 groups always means that of the step. Each
// thread then shows wgmma what its copies wrote. The barrier says two things:
// the rows are there for all, and all have waited for the wgmmas of the step
// before, whose stage is filled next, while the tensor cores work on this one.
//
// The rows of a step's pairs are copied S - 1 steps before what lies in them.
//
//===----------------------------------------------------------------------===//

#include "WeightGradEmitter.h"
#include "Wgmma.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::sparseconv;
using llvm::formatv;

/// Channels that a swizzled matrix has side by side, and the bytes they take.
/// Of each row, they are 128 bytes whose pieces of 16 are permuted by the row.
static constexpr int64_t kBlockChannels = 64, kRowBytes = 128;
/// Pairs that one instruction multiplies.
static constexpr int64_t kStepPairs = 16;

namespace {
/// One side of the product.
struct Side {
  int64_t tile, channels;
  Value source;
  /// Byte of the side in a stage.
  int64_t begin;
  /// The thread's first pair of a step, and where its first piece goes in a
  /// stage; whether its pieces are of channels that there are.
  Value pair, target, isThere;
};

class Wgmma {
public:
  explicit Wgmma(WeightGradEmitter &e);
  void emit();

private:
  Side makeSide(bool isOut);
  void stage(bool isOut, Value step);
  void fetch(Value step);
  void multiplyStage(Value step, SmallVector<Value> &sums);
  void multiply(SmallVector<Value> &sums);
  void store(ValueRange sums);
  /// Byte of a step's stage in the ring.
  Value getStage(Value step) {
    return b.mul(b.andBits(step, config.stages - 1), config.stageBytes());
  }
  /// Bytes of a stage from 64 channels to the next.
  int64_t blockBytes() const { return config.pairs * kRowBytes; }
  /// Pieces of 16 bytes in a row of a tile.
  static int64_t piecesOf(int64_t tile) { return tile / 8; }

  WeightGradEmitter &e;
  GpuBuilder &b;
  const WeightGradConfig &config;
  MmaType type;
  Side x, dy;
  /// This warpgroup's piece of the tile.
  Value in, out;
};
} // namespace

Wgmma::Wgmma(WeightGradEmitter &e)
    : e(e), b(e.b), config(e.config),
      type(config.xElement.isF16() ? MmaType::F16 : MmaType::BF16) {
  x = makeSide(/*isOut=*/false);
  dy = makeSide(/*isOut=*/true);
  // The same in all lanes, which ptxas then knows.
  Value warp = b.shuffle(e.warp, b.i32(0));
  Value warpgroup = b.divide(warp, 4);
  int64_t columns = config.tileOut / config.pieceOut;
  out = b.mul(b.remainder(warpgroup, columns), config.pieceOut);
  in = b.mul(b.divide(warpgroup, columns), config.pieceIn);
}

/// Neighbouring threads copy neighbouring pieces of a row.
Side Wgmma::makeSide(bool isOut) {
  Side side;
  side.tile = isOut ? config.tileOut : config.tileIn;
  side.channels = isOut ? config.outChannels : config.inChannels;
  side.begin = isOut ? config.pairs * config.xPitch() : 0;
  int64_t pieces = piecesOf(side.tile);
  Value piece = b.remainder(e.thread, pieces);
  side.pair = b.divide(e.thread, pieces);
  Value permuted = b.xorBits(b.remainder(piece, 8), b.remainder(side.pair, 8));
  Value place = b.add(b.mul(b.divide(piece, 8), blockBytes()),
                      b.add(b.mul(side.pair, kRowBytes), b.mul(permuted, 16)));
  side.target = b.offset(b.offset(e.staged, place), side.begin);
  Value channel = b.add(isOut ? e.firstOut : e.firstIn, b.mul(piece, 8));
  side.isThere = b.lessUnsigned(channel, side.channels);
  side.source = b.offset(isOut ? e.dy : e.x,
                         b.mul(b.select(side.isThere, channel, b.i32(0)), 2));
  return side;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Starts the copies of one side of a step's pairs. The thread's pairs are a
/// multiple of eight apart, so the permutation is the same in all of them.
void Wgmma::stage(bool isOut, Value step) {
  const Side &side = isOut ? dy : x;
  Value target = b.offset(side.target, getStage(step));
  Value pairs = e.countPairs(step);
  int64_t apart = config.threads() / piecesOf(side.tile);
  for (int64_t i = 0; i < config.pairs; i += apart) {
    Value local = b.add(side.pair, i);
    Value isThere = b.andBits(side.isThere, b.lessUnsigned(local, pairs));
    Value row = e.loadRow(step, local, isOut);
    if (!isOut)
      isThere = b.andBits(isThere, e.isRow(row));
    row = b.select(isThere, row, b.i32(0));
    b.copyAsyncIf(isThere, b.offset(target, i * kRowBytes),
                  b.element(side.source, row, side.channels * 2));
  }
}

void Wgmma::fetch(Value step) {
  b.ifThen(b.lessUnsigned(step, e.steps), [&] {
    stage(/*isOut=*/false, step);
    stage(/*isOut=*/true, step);
  });
  e.fetchRows(b.add(step, config.stages - 1));
  b.commitCopies();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Starts the wgmmas of a step.
void Wgmma::multiplyStage(Value step, SmallVector<Value> &sums) {
  // A matrix has rows of 128 bytes, one for each pair, that hold 64 channels.
  // Eight pairs on come the next eight; all pairs of the step on come the next
  // 64 channels.
  MatrixDescriptor matrix;
  matrix.leadingByteOffset = blockBytes();
  matrix.strideByteOffset = 8 * kRowBytes;
  matrix.swizzle = Swizzle::Bytes128;
  Value stage = b.add(b.sharedAddress(e.staged), getStage(step));
  auto describe = [&](const Side &side, Value channel) {
    Value block = b.mul(b.divide(channel, kBlockChannels), blockBytes());
    return matrix.encode(b, b.add(b.add(stage, block), side.begin));
  };
  auto further = [&](Value descriptor, int64_t bytes) {
    return b.add(descriptor, b.i64(MatrixDescriptor::encodeOffset(bytes)));
  };
  Value left = describe(x, in), right = describe(dy, out);
  size_t count = config.pieceOut / 2;
  b.wgmmaFence();
  for (int64_t k = 0; k < config.pairs; k += kStepPairs)
    for (int64_t i : llvm::seq(config.pieceIn / kBlockChannels)) {
      SmallVector<Value> sum(ArrayRef(sums).slice(i * count, count));
      sum = b.wgmmaShared(type, further(left, i * blockBytes() + k * kRowBytes),
                          further(right, k * kRowBytes), sum,
                          /*transposed=*/true);
      llvm::copy(sum, sums.begin() + i * count);
    }
  b.wgmmaCommit();
}

void Wgmma::multiply(SmallVector<Value> &sums) {
  int64_t ahead = config.stages - 1;
  e.fetchFirstRows();
  for (int64_t step : llvm::seq(ahead))
    fetch(b.i32(step));
  sums = forLoop(b, b.i32(0), e.steps, b.i32(1), sums,
                 [&](Value step, SmallVector<Value> &sums) {
                   b.waitCopies(ahead - 1);
                   b.fenceShared();
                   b.barrier();
                   multiplyStage(step, sums);
                   fetch(b.add(step, ahead));
                   b.wgmmaWait(/*pending=*/0);
                 });
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// A warp has 16 rows of each 64; of its four registers for eight columns, 0
/// and 1 are of the upper eight rows, 2 and 3 of the lower.
void Wgmma::store(ValueRange sums) {
  Value split = e.getSplit(b.i32(0));
  Value row =
      b.add(b.add(b.add(e.firstIn, in), b.mul(b.remainder(e.warp, 4), 16)),
            b.divide(e.lane, 4));
  Value column =
      b.add(b.add(e.firstOut, out), b.mul(b.remainder(e.lane, 4), 2));
  Value at = b.add(b.mul(row, config.outChannels), column);
  Value target = b.element(split, at, 4);
  bool isWhole = config.inChannels % config.tileIn == 0 &&
                 config.outChannels % config.tileOut == 0;
  auto pairType = VectorType::get(2, b.getF32Type());
  int64_t eights = config.pieceOut / 8;
  for (auto number : llvm::seq<int64_t>(sums.size() / 2)) {
    int64_t half = number % 2, eight = number / 2 % eights,
            block = number / 2 / eights;
    Value value = LLVM::UndefOp::create(b, pairType);
    for (int64_t k : llvm::seq(2))
      value = LLVM::InsertElementOp::create(b, value, sums[2 * number + k],
                                            b.i32(k));
    int64_t rows = block * kBlockChannels + half * 8;
    auto store = [&] {
      b.store(value,
              b.offset(target, (rows * config.outChannels + eight * 8) * 4), 8);
    };
    if (isWhole) {
      store();
      continue;
    }
    Value isRow = b.lessUnsigned(b.add(row, rows), config.inChannels);
    Value isColumn =
        b.lessUnsigned(b.add(column, eight * 8), config.outChannels);
    b.ifThen(b.andBits(isRow, isColumn), store);
  }
}

void Wgmma::emit() {
  e.emit(
      config.pieceIn * config.pieceOut / kWarpgroupThreads,
      [&](SmallVector<Value> &sums) { multiply(sums); },
      [&](ValueRange sums) { store(sums); });
}

//===----------------------------------------------------------------------===//
// The main loop
//===----------------------------------------------------------------------===//

namespace {
class WgmmaLoop final : public WeightGradLoop {
public:
  WgmmaLoop() : WeightGradLoop("wgmma") {}

  bool usesTensorCores() const override { return true; }
  int64_t threads(const WeightGradConfig &config) const override {
    return kWarpgroupThreads * config.pieces();
  }
  int64_t rowPitch(const WeightGradConfig &config,
                   int64_t tile) const override {
    return tile * config.elementBytes();
  }
  /// Sums, addresses, entries of the table.
  int64_t estimateRegisters(const WeightGradConfig &config) const override {
    return config.pieceIn * config.pieceOut / kWarpgroupThreads + 40;
  }
  std::string verifyShape(const WeightGradShape &shape) const override;
  /// Not where most of a tile is left unused.
  bool isChosen(const WeightGradShape &shape) const override {
    return std::min(shape.inChannels, shape.outChannels) >= 48;
  }
  std::string verify(const WeightGradConfig &config,
                     const TargetInfo &target) const override;
  void chooseSizes(WeightGradConfig &config) const override;
  void emit(WeightGradEmitter &e) const override { Wgmma(e).emit(); }
};
} // namespace

std::string WgmmaLoop::verifyShape(const WeightGradShape &shape) const {
  if (shape.xElement != shape.dyElement || shape.xElement.isF32())
    return "the main loop wgmma takes two sides of f16 or of bf16";
  if (shape.groups > 1)
    return "the main loop wgmma takes no groups";
  if (shape.inChannels % 8 || shape.outChannels % 8)
    return formatv("expected rows of whole pieces of 16 bytes, found {0} and "
                   "{1} channels",
                   shape.inChannels, shape.outChannels);
  return "";
}

std::string WgmmaLoop::verify(const WeightGradConfig &config,
                              const TargetInfo &target) const {
  if (!target.hasWgmma)
    return formatv("{0} has no wgmma", target.chip);
  if (config.pieceIn % kBlockChannels || config.pieceOut % kBlockChannels ||
      config.pieceOut > 256)
    return formatv("expected pieces of multiples of {0} channels, of at most "
                   "256 output channels, found {1} x {2}",
                   kBlockChannels, config.pieceIn, config.pieceOut);
  if (config.slices != 1)
    return formatv("expected one slice, found {0}", config.slices);
  // Each thread copies the same piece of each of its rows.
  int64_t threads = config.threads();
  for (int64_t tile : {config.tileIn, config.tileOut})
    if (threads * 8 % tile || config.pairs % (threads * 8 / tile) ||
        threads * 8 / tile % 8)
      return formatv("expected pairs in multiples of {0}, found {1}",
                     threads * 8 / tile, config.pairs);
  if (config.pairs % kStepPairs)
    return formatv("expected pairs in multiples of {0}, found {1}", kStepPairs,
                   config.pairs);
  if (config.stages < 2 || !llvm::isPowerOf2_64(config.stages))
    return formatv("expected stages in a power of two of at least 2, found "
                   "{0}",
                   config.stages);
  return "";
}

void WgmmaLoop::chooseSizes(WeightGradConfig &config) const {
  // The tile that leaves least unused, and of those the larger.
  auto tile = [](int64_t channels) {
    return llvm::alignTo(channels, 128) > llvm::alignTo(channels, 64) ? 64
                                                                      : 128;
  };
  config.tileIn = tile(config.inChannels);
  config.tileOut = config.outChannels % 256 ? tile(config.outChannels) : 256;
  config.pieceIn = 64;
  config.pieceOut = config.tileOut;
  config.pairs = 32;
  config.stages = 4;
  // Registers have room for the sums of eight times 64 x 64 channels.
  int64_t blocks = 8 * 64 * 64 / (config.tileIn * config.tileOut);
  config.blocks = std::clamp<int64_t>(blocks, 1, 4);
}

namespace mlir::sparseconv {
const WeightGradLoop &getWeightGradWgmmaLoop() {
  static const WgmmaLoop loop;
  return loop;
}
} // namespace mlir::sparseconv
