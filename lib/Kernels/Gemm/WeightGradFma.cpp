//===- WeightGradFma.cpp - weight gradients by threads --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every type and shape, groups and depthwise: the rows of some pairs go to
// shared memory as f32, from where each thread takes what its piece of the
// gradient needs. Where there are more threads than pieces, several share one,
// and each has a split of its own.
//
// Pairs are multiplied in steps of as many as fit:
//
//                        step 0                  step 1            epilogue
//   all threads: copy    numbers of rows         numbers of rows
//   barrier              x                       x
//   all threads: copy    rows                    rows
//   barrier                  x                       x
//   each owner: fma             its pairs               its pairs
//   store                                                           all
//
// Nothing is in flight across a step: the copies pass through registers, where
// elements become f32, and the stage is filled again once all have used it.
//
//===----------------------------------------------------------------------===//

#include "WeightGradEmitter.h"
#include "WeightGradLoops.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
class Fma {
public:
  explicit Fma(WeightGradEmitter &e);
  void emit();

private:
  void stage(bool isOut, Value step);
  void multiply(SmallVector<Value> &sums);
  void step(SmallVector<Value> &sums);
  void store(ValueRange sums);
  /// `count` f32 of row `pair` of one side, from `column` on.
  SmallVector<Value> loadPiece(bool isOut, Value pair, Value column,
                               int64_t count);

  WeightGradEmitter &e;
  GpuBuilder &b;
  const WeightGradConfig &config;
  /// This thread's piece.
  Value owner, group, in, out;
};
} // namespace

Fma::Fma(WeightGradEmitter &e) : e(e), b(e.b), config(e.config) {
  // Threads without a piece repeat what the last one does, without its stores.
  int64_t owners = config.pieces() * config.slices;
  Value worker = b.minUnsigned(e.thread, b.i32(owners - 1));
  owner = b.divide(worker, config.pieces());
  Value piece = b.remainder(worker, config.pieces());
  int64_t columns = config.tileOut / config.pieceOut;
  int64_t rows = config.tileIn / config.pieceIn;
  out = b.mul(b.remainder(piece, columns), config.pieceOut);
  piece = b.divide(piece, columns);
  in = b.mul(b.remainder(piece, rows), config.pieceIn);
  group = b.divide(piece, rows);
}

/// Brings the rows of one side to shared memory, zeros behind the last pair and
/// channel.
void Fma::stage(bool isOut, Value step) {
  Type element = isOut ? config.dyElement : config.xElement;
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  int64_t tile = isOut ? config.tileOut : config.tileIn;
  int64_t channels = isOut ? config.outChannels : config.inChannels;
  int64_t columns = config.tileGroups * tile;
  Value source = isOut ? e.dy : e.x;
  Value target = b.offset(e.staged, isOut ? config.pairs * config.xPitch() : 0);
  int64_t total = config.pairs * columns;
  Value pairs = e.countPairs(step);
  b.shareOut(e.thread, config.threads(), total, [&](Value place) {
    Value local = b.divide(place, columns);
    Value column = b.remainder(place, columns);
    Value group = b.add(e.firstGroup, b.divide(column, tile));
    Value channel =
        b.add(isOut ? e.firstOut : e.firstIn, b.remainder(column, tile));
    Value isThere = b.andBits(b.lessUnsigned(local, pairs),
                              b.andBits(b.lessUnsigned(group, config.groups),
                                        b.lessUnsigned(channel, channels)));
    Value row = e.loadRow(step, local, isOut);
    if (!isOut)
      isThere = b.andBits(isThere, e.isRow(row));
    Value at = b.add(b.mul(b.extend64(row), b.i64(config.groups * channels)),
                     b.extend64(b.add(b.mul(group, channels), channel)));
    Value pointer = b.offset(source, b.mul(at, b.i64(bytes)));
    Value bits = b.loadIf(isThere, pointer, bytes, b.i32(0)).front();
    if (bytes == 2)
      bits = b.createOrFold<arith::TruncIOp>(b.getI16Type(), bits);
    b.store(b.toFloat(b.bitcast(bits, element)),
            b.offset(target, b.mul(place, 4)));
  });
}

SmallVector<Value> Fma::loadPiece(bool isOut, Value pair, Value column,
                                  int64_t count) {
  int64_t pitch = isOut ? config.dyPitch() : config.xPitch();
  Value at = b.add(b.mul(pair, pitch), b.mul(column, 4));
  if (isOut)
    at = b.add(at, config.pairs * config.xPitch());
  Value pointer = b.offset(e.staged, at);
  if (count == 1)
    return {b.load(b.getF32Type(), pointer, 4)};
  return b.unpack(
      b.load(VectorType::get(count, b.getF32Type()), pointer, count * 4));
}

/// Adds the products of the staged pairs that are this thread's.
void Fma::step(SmallVector<Value> &sums) {
  sums = forLoop(b, b.i32(0), b.i32(config.pairs / config.slices), b.i32(1),
                 sums, [&](Value turn, SmallVector<Value> &sums) {
                   Value pair = b.add(b.mul(turn, config.slices), owner);
                   SmallVector<Value> left = loadPiece(
                       false, pair, b.add(b.mul(group, config.tileIn), in),
                       config.pieceIn);
                   SmallVector<Value> right = loadPiece(
                       true, pair, b.add(b.mul(group, config.tileOut), out),
                       config.pieceOut);
                   size_t at = 0;
                   for (Value l : left)
                     for (Value r : right) {
                       sums[at] = b.fma(l, r, sums[at]);
                       ++at;
                     }
                 });
}

void Fma::multiply(SmallVector<Value> &sums) {
  sums = forLoop(b, b.i32(0), e.steps, b.i32(1), sums,
                 [&](Value number, SmallVector<Value> &sums) {
                   e.copyRows(number);
                   b.barrier();
                   stage(/*isOut=*/false, number);
                   stage(/*isOut=*/true, number);
                   b.barrier();
                   step(sums);
                 });
}

void Fma::store(ValueRange sums) {
  int64_t owners = config.pieces() * config.slices;
  Value split = e.getSplit(owner);
  Value globalGroup = b.add(e.firstGroup, group);
  Value isMine = b.andBits(b.lessUnsigned(e.thread, owners),
                           b.lessUnsigned(globalGroup, config.groups));
  for (int64_t number : llvm::seq<int64_t>(sums.size())) {
    Value row = b.add(b.add(e.firstIn, in), number / config.pieceOut);
    Value column = b.add(b.add(e.firstOut, out), number % config.pieceOut);
    Value isThere = b.andBits(b.lessUnsigned(row, config.inChannels),
                              b.lessUnsigned(column, config.outChannels));
    b.ifThen(b.andBits(isMine, isThere), [&] {
      Value at = b.add(b.mul(globalGroup, config.inChannels), row);
      at = b.add(b.mul(at, config.outChannels), column);
      b.store(sums[number], b.offset(split, b.mul(b.extend64(at), b.i64(4))));
    });
  }
}

void Fma::emit() {
  e.emit(
      config.pieceIn * config.pieceOut,
      [&](SmallVector<Value> &sums) { multiply(sums); },
      [&](ValueRange sums) { store(sums); });
}

//===----------------------------------------------------------------------===//
// The main loop
//===----------------------------------------------------------------------===//

namespace {
class FmaLoop final : public WeightGradLoop {
public:
  FmaLoop() : WeightGradLoop("fma") {}

  bool usesTensorCores() const override { return false; }
  int64_t threads(const WeightGradConfig &) const override { return kThreads; }
  int64_t rowPitch(const WeightGradConfig &config,
                   int64_t tile) const override {
    return config.tileGroups * tile * 4;
  }
  /// Sums, what is multiplied, addresses.
  int64_t estimateRegisters(const WeightGradConfig &config) const override {
    return config.pieceIn * config.pieceOut + config.pieceIn + config.pieceOut +
           40;
  }
  /// Every shape.
  std::string verifyShape(const WeightGradShape &) const override { return ""; }
  std::string verify(const WeightGradConfig &config,
                     const TargetInfo &target) const override;
  void chooseSizes(WeightGradConfig &config) const override;
  void emit(WeightGradEmitter &e) const override { Fma(e).emit(); }

private:
  static constexpr int64_t kThreads = 256;
};
} // namespace

std::string FmaLoop::verify(const WeightGradConfig &config,
                            const TargetInfo &target) const {
  auto isPiece = [](int64_t size) {
    return size == 1 || size == 2 || size == 4;
  };
  if (!isPiece(config.pieceIn) || !isPiece(config.pieceOut))
    return llvm::formatv("expected pieces of 1, 2 or 4 channels, found {0} x "
                         "{1}",
                         config.pieceIn, config.pieceOut);
  if (config.pairs % 4 || config.pairs % config.slices)
    return llvm::formatv("expected pairs in a multiple of 4 and of the {0} "
                         "slices, found {1}",
                         config.slices, config.pairs);
  if (config.pieces() * config.slices > kThreads)
    return llvm::formatv("{0} pieces in {1} slices are more than {2} threads",
                         config.pieces(), config.slices, kThreads);
  if (config.stages != 1)
    return llvm::formatv("the main loop fma has no stages, found {0}",
                         config.stages);
  return "";
}

void FmaLoop::chooseSizes(WeightGradConfig &config) const {
  constexpr int64_t widest = 64, mostColumns = 512;
  // Equal tiles of whole pieces of up to four channels.
  auto choose = [](int64_t channels, int64_t &tile, int64_t &piece) {
    piece = std::min<int64_t>(4, llvm::PowerOf2Ceil(channels));
    int64_t tiles = llvm::divideCeil(channels, widest);
    tile = llvm::alignTo(llvm::divideCeil(channels, tiles), piece);
  };
  choose(config.inChannels, config.tileIn, config.pieceIn);
  choose(config.outChannels, config.tileOut, config.pieceOut);
  if (config.tilesIn() == 1 && config.tilesOut() == 1) {
    int64_t groups = std::min({config.groups, kThreads / config.pieces(),
                               mostColumns / (config.tileIn + config.tileOut)});
    config.tileGroups = llvm::divideCeil(
        config.groups, llvm::divideCeil(config.groups, groups));
  }
  int64_t columns = config.tileGroups * (config.tileIn + config.tileOut);
  config.pairs =
      std::clamp<int64_t>(llvm::bit_floor<uint64_t>(4096 / columns), 16, 64);
  config.slices = std::min<int64_t>(
      config.pairs, llvm::bit_floor<uint64_t>(kThreads / config.pieces()));
  config.blocks = 2;
}

namespace mlir::sparseconv {
const WeightGradLoop &getWeightGradFmaLoop() {
  static const FmaLoop loop;
  return loop;
}
} // namespace mlir::sparseconv
