//===- Depthwise.cpp - 16 rows per warp, channel by channel ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where each group has one channel in and out, nothing is multiplied that two
// channels share, and memory is all that a kernel waits for. A warp owns a tile
// of 16 output rows and walks over the offsets that any of them has. Its lanes
// stand side by side along the channels of a column tile, each with a piece of
// up to 16 bytes, and have some neighbouring rows each. So the lanes of a row
// read whole sectors of it, and the weights of a piece, which come through the
// L1 cache, serve all rows of a lane.
//
// With 64 channels of f16, lane l has channels 8 (l % 8) .. 8 (l % 8) + 7 of
// rows 4 (l / 8) .. 4 (l / 8) + 3. One step of a warp:
//
//   table: neighbours    of the next offset, 16 bytes of each lane
//   x: a piece           of each row of this offset, zeros where it is absent
//   weights: a piece     of this offset
//   fma                  all pieces
//
// Nothing but the table is read ahead: as many warps as registers allow hide
// the latency.
//
//===----------------------------------------------------------------------===//

#include "MainLoops.h"
#include "OffsetList.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {

class Depthwise {
public:
  explicit Depthwise(ImplicitGemmEmitter &e);
  void emit(const TargetInfo &target);

private:
  struct State {
    Value offset;
    OffsetWalk walk;
    /// The neighbours of this lane's rows.
    SmallVector<Value> rows;
    /// [row][channel].
    SmallVector<Value> sums;

    void fields(LoopFields &f) { f(offset, walk, rows, sums); }
  };

  void multiplyTile(Value tile);
  Value step(State &now);
  void store(ValueRange sums);

  SmallVector<Value> loadNeighbours(Value offset);
  SmallVector<Value> gatherPiece(Value row);
  SmallVector<Value> loadWeights(Value offset);
  /// The elements of registers as f32.
  SmallVector<Value> widen(ArrayRef<Value> registers);
  /// Whether a channel of this lane's piece is one of the tensor's.
  Value isChannel(Value isRow, int64_t inPiece);

  ImplicitGemmEmitter &e;
  GpuBuilder &b;
  const ImplicitGemmConfig &config;
  /// Channels of a row, of a lane's piece, and the rows of a lane.
  int64_t channels, piece, laneRows;
  /// Whether pieces end with the channels.
  bool isWhole;
  /// Number of the warp; the first channel of this lane's piece in the column
  /// tile and in the row; and its first slot, in the tile and among all.
  Value warp, column, channel, slotInTile, slot;
};

} // namespace

/// Channels of a lane's piece: at least two lanes share a row.
static int64_t getPiece(const ImplicitGemmConfig &config) {
  return std::min(16 / config.elementBytes(), config.tileN / 2);
}

Depthwise::Depthwise(ImplicitGemmEmitter &e)
    : e(e), b(e.b), config(e.config), channels(config.sectionChannels()),
      piece(getPiece(config)), isWhole(channels % config.tileN == 0),
      warp(b.shuffle(b.divide(e.thread, kWarpLanes), b.i32(0))) {
  int64_t rowLanes = config.tileN / piece;
  laneRows = 16 * rowLanes / kWarpLanes;
  column = b.mul(b.remainder(e.lane, rowLanes), piece);
  channel = e.channelInRow(column);
  slotInTile = b.mul(b.divide(e.lane, rowLanes), laneRows);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Neighbouring slots lie side by side in the table.
SmallVector<Value> Depthwise::loadNeighbours(Value offset) {
  Value isOffset = b.greaterEqual(offset, 0);
  Value pointer = e.tableEntry(offset, slot);
  int64_t unit = std::min<int64_t>(16, laneRows * 4);
  SmallVector<Value> rows;
  for (int64_t at = 0; at < laneRows * 4; at += unit)
    llvm::append_range(
        rows, b.loadIf(isOffset, b.offset(pointer, at), unit, b.i32(-1)));
  return rows;
}

Value Depthwise::isChannel(Value isRow, int64_t inPiece) {
  if (isWhole)
    return isRow;
  return b.andBits(isRow, b.lessUnsigned(b.add(channel, inPiece), channels));
}

SmallVector<Value> Depthwise::gatherPiece(Value row) {
  int64_t bytes = config.elementBytes(), rowBytes = config.inRowBytes();
  int64_t unit = std::min(rowBytes & -rowBytes, piece * bytes);
  Value present = b.lessUnsigned(row, e.inRows);
  Value pointer =
      b.element(b.offset(e.x, b.mul(channel, bytes)), row, rowBytes);
  SmallVector<Value> loaded;
  for (int64_t at = 0; at < piece * bytes; at += unit)
    llvm::append_range(loaded, b.loadIf(isChannel(present, at / bytes),
                                        b.offset(pointer, at), unit, b.i32(0)));
  return unit > 2 ? loaded : e.joinHalves(loaded);
}

SmallVector<Value> Depthwise::loadWeights(Value offset) {
  int64_t bytes = piece * config.elementBytes();
  Value pointer = b.offset(e.chunkAddress(offset, /*chunk=*/{}),
                           b.mul(column, config.elementBytes()));
  auto type = VectorType::get(bytes / 4, b.getI32Type());
  return widen(b.unpack(b.loadConstant(type, pointer, bytes)));
}

SmallVector<Value> Depthwise::widen(ArrayRef<Value> registers) {
  SmallVector<Value> elements;
  for (Value bits : registers) {
    if (config.elementBytes() == 4) {
      elements.push_back(b.bitcast(bits, b.getF32Type()));
      continue;
    }
    auto pair = VectorType::get(2, e.elementType);
    for (Value element : b.unpack(b.bitcast(bits, pair)))
      elements.push_back(b.toFloat(element));
  }
  return elements;
}

//===----------------------------------------------------------------------===//
// A tile
//===----------------------------------------------------------------------===//

/// Multiplies by the weights of an offset. Returns whether there is one after
/// it.
Value Depthwise::step(State &now) {
  SmallVector<SmallVector<Value>> pieces;
  for (Value row : now.rows)
    pieces.push_back(gatherPiece(row));
  SmallVector<Value> weights = loadWeights(now.offset);
  now.offset = e.nextOffset(now.walk);
  now.rows = loadNeighbours(now.offset);
  for (int64_t i : llvm::seq(laneRows)) {
    SmallVector<Value> row = widen(pieces[i]);
    for (int64_t j : llvm::seq(piece)) {
      Value &sum = now.sums[i * piece + j];
      sum = b.fma(row[j], weights[j], sum);
    }
  }
  return b.greaterEqual(now.offset, 0);
}

void Depthwise::store(ValueRange sums) {
  int64_t bytes = config.elementBytes();
  int64_t unit = std::min(channels & -channels, piece);
  Value order = b.element(e.order, slot, 4);
  for (int64_t i : llvm::seq(laneRows)) {
    Value row = b.loadConstant(b.getI32Type(), b.offset(order, i * 4), 4);
    Value pointer = b.offset(e.rowPointer(row), b.mul(column, bytes));
    for (int64_t at = 0; at < piece; at += unit)
      b.ifThen(isChannel(b.greaterEqual(row, 0), at), [&] {
        e.storePiece(SmallVector<Value>(sums.slice(i * piece + at, unit)), row,
                     b.add(channel, at), b.offset(pointer, at * bytes));
      });
  }
}

void Depthwise::multiplyTile(Value tile) {
  slot = b.add(b.mul(tile, 16), slotInTile);
  State start;
  start.walk = e.startTask(tile, e.loadMask(tile)).walk;
  start.offset = e.nextOffset(start.walk);
  start.rows = loadNeighbours(start.offset);
  start.sums = e.zeroAccumulators();
  State end = doWhileIf(b, b.greaterEqual(start.offset, 0), start,
                        [&](State &now) { return step(now); });
  store(end.sums);
}

void Depthwise::emit(const TargetInfo &target) {
  GemmTask task;
  e.forThreadBlock(target, task, [&](Value number) {
    Value tile = b.add(b.mul(number, config.warps), warp);
    b.ifThen(b.lessUnsigned(tile, e.tileCount()), [&] { multiplyTile(tile); });
  });
}

//===----------------------------------------------------------------------===//
// The main loop
//===----------------------------------------------------------------------===//

namespace {
class DepthwiseMainLoop final : public MainLoop {
public:
  DepthwiseMainLoop() : MainLoop("depthwise") {}

  int64_t rowsPerTile() const override { return 16; }
  bool usesTensorCores() const override { return false; }
  bool joinsGroups() const override { return true; }
  ImageOrder getImageOrder() const override { return ImageOrder::Diagonal; }
  // A row costs little: where there are few, there is nothing to share.
  bool splitsSums() const override { return false; }
  int64_t sharedBytes(const ImplicitGemmConfig &config) const override;
  int64_t estimateRegisters(const ImplicitGemmConfig &config) const override;
  std::string verify(const ImplicitGemmConfig &config,
                     const TargetInfo &target) const override;
  void
  addCandidates(const ImplicitGemmShape &shape, const TargetInfo &target,
                SmallVectorImpl<ImplicitGemmConfig> &candidates) const override;
  void emit(ImplicitGemmEmitter &e, const TargetInfo &target) const override {
    Depthwise(e).emit(target);
  }
};
} // namespace

/// A list of offsets for each warp.
int64_t DepthwiseMainLoop::sharedBytes(const ImplicitGemmConfig &config) const {
  bool hasLists = config.maskWords() > 1;
  return hasLists ? config.warps * OffsetList::getSharedBytes(config) : 0;
}

/// Sums, the pieces of all rows, weights, neighbours and addresses.
int64_t
DepthwiseMainLoop::estimateRegisters(const ImplicitGemmConfig &config) const {
  int64_t sums = config.tileN / 2, piece = getPiece(config);
  bool hasHalves = config.inRowBytes() % 4 != 0;
  int64_t pieces = hasHalves ? sums : sums * config.elementBytes() / 4;
  return sums + pieces + piece + 2 * (sums / piece) + 26;
}

std::string DepthwiseMainLoop::verify(const ImplicitGemmConfig &config,
                                      const TargetInfo &) const {
  constexpr int64_t kWidest = 128;
  if (!llvm::isPowerOf2_64(config.tileN) || config.tileN > kWidest)
    return llvm::formatv("expected tile_n of 8, 16, 32, 64 or {0}, found {1}",
                         kWidest, config.tileN);
  if (config.tileK != ImplicitGemmConfig().tileK)
    return llvm::formatv("the main loop depthwise has no tile_k, found {0}",
                         config.tileK);
  return "";
}

void DepthwiseMainLoop::addCandidates(
    const ImplicitGemmShape &shape, const TargetInfo &,
    SmallVectorImpl<ImplicitGemmConfig> &candidates) const {
  for (int64_t tileN : {64, 32, 16, 8}) {
    // A quarter of the lanes may have nothing to do, for whole sectors.
    int64_t padded = llvm::alignTo(shape.groups, tileN);
    if (tileN > 8 && padded * 3 > shape.groups * 4)
      continue;
    for (int64_t blocks : {8, 6, 4}) {
      ImplicitGemmConfig config = makeConfig(shape, /*splits=*/false);
      if (config.element == GemmElement::TF32)
        config.element = GemmElement::F32;
      config.warps = 4;
      config.blocks = blocks;
      config.tileN = tileN;
      candidates.push_back(config);
    }
  }
}

namespace mlir::sparseconv {
const MainLoop &getDepthwiseMainLoop() {
  static const DepthwiseMainLoop loop;
  return loop;
}
} // namespace mlir::sparseconv
