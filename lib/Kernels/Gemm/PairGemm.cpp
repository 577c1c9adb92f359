//===- PairGemm.cpp - gather-GEMM-scatter, mma.sync -----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp, which is a thread block, owns the output rows of a row block, and
// some columns of them: their sums stay in shared memory in f32. It goes over
// the offsets that have pairs, and over the pairs of one offset 16 at a time,
// whose output rows differ. Rows are gathered straight into the A fragments of
// mma.sync, products are added to the sums. No other warp touches those, so the
// order of additions is that of the offsets, and nothing is waited for.
//
// With one chunk of channels per tile of 16 pairs; t0, t1, .. are the tiles,
// those of one offset after those of another:
//
//                          prologue   step t0   step t1   step t2   epilogue
//   segments: next offset  t0         t1        t2
//   pairs: rows            t0         t1        t2
//   x: rows                t0         t1        t2
//   weights, mma.sync                 t0        t1        t2
//   sums: add                         t0        t1        t2
//   y: store                                                        all
//
// In a step the rows of the next tile replace those of this one as these are
// used up.
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Gemm/PairGemm.h"
#include "OffsetList.h"
#include "Resources.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "sparseconv/Kernels/Builders/ConvShape.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::sparseconv;
using llvm::formatv;

/// The tile of one mma.sync.
static constexpr int64_t kTileRows = 16, kTileColumns = 8;

//===----------------------------------------------------------------------===//
// Configurations
//===----------------------------------------------------------------------===//

int64_t PairGemmConfig::sharedBytes() const {
  bool hasList = gemm.maskWords() > 1;
  return accumulatorBytes() + (hasList ? OffsetList::getSharedBytes(gemm) : 0);
}

/// The tiling of an implicit GEMM that has the same weight image.
static GemmTilingAttr getImageTiling(TilingAttr tiling, ShapedType weights,
                                     bool isTransposed) {
  ConvShape shape = ConvShape::get(weights, isTransposed);
  int64_t unit = 256 / weights.getElementTypeBitWidth();
  // Chunks are 128 bytes of a row.
  int64_t whole = llvm::alignTo(shape.in, unit);
  return GemmTilingAttr::get(weights.getContext(), "warp16", /*warps=*/1,
                             /*blocks=*/1, std::min(whole, 4 * unit),
                             tiling.getColumns(), /*stages=*/1,
                             /*resident=*/false);
}

TilingAttr mlir::sparseconv::choosePairTiling(MLIRContext *context,
                                              ShapedType weights,
                                              bool isTransposed) {
  // Sums of 18 KiB: several warps have room on a multiprocessor, and most
  // offsets have more pairs in a row block than fill a tile.
  constexpr int64_t rowBlock = 128, widest = 32;
  ConvShape shape = ConvShape::get(weights, isTransposed);
  int64_t columns = shape.groups * shape.out;
  int64_t tiles = llvm::divideCeil(columns, kTileColumns);
  int64_t share = llvm::divideCeil(tiles, llvm::divideCeil(columns, widest));
  return TilingAttr::get(context, rowBlock, kTileRows, share * kTileColumns,
                         kTileColumns);
}

PairGemmConfig mlir::sparseconv::getPairGemm(TilingAttr tiling,
                                             ShapedType weights,
                                             bool isTransposed) {
  GemmTilingAttr image = getImageTiling(tiling, weights, isTransposed);
  return {getTiledGemm(image, /*splitK=*/1, weights, isTransposed),
          tiling.getRowBlock()};
}

std::string mlir::sparseconv::verifyPairGemm(TilingAttr tiling,
                                             ShapedType weights,
                                             bool isTransposed,
                                             const TargetInfo &target) {
  if (tiling.getRows() != kTileRows || tiling.getLanes() != kTileColumns)
    return formatv("tensor cores take rows = {0} and lanes = {1}, found {2} "
                   "and {3}",
                   kTileRows, kTileColumns, tiling.getRows(),
                   tiling.getLanes());
  if (ConvShape::get(weights, isTransposed).groups > 1)
    return "weight-stationary main loops take no groups on a GPU";
  GemmTilingAttr image = getImageTiling(tiling, weights, isTransposed);
  if (std::string problem =
          verifyTiledGemm(image, /*splitK=*/1, weights, isTransposed, target);
      !problem.empty())
    return problem;
  // Before anything is multiplied by it: far more than there is.
  if (tiling.getRowBlock() > 4096)
    return formatv("expected row_block of at most 4096, found {0}",
                   tiling.getRowBlock());
  PairGemmConfig config = getPairGemm(tiling, weights, isTransposed);
  return verifySharedMemory(/*blocks=*/1, config.sharedBytes(), target);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

namespace {
class PairGemm {
public:
  PairGemm(ImplicitGemmEmitter &e, const PairGemmConfig &config);
  void emit();

private:
  /// A chunk of a tile of pairs.
  struct Cursor {
    OffsetWalk walk;
    /// -1 behind the last one.
    Value offset;
    /// Its pairs that are left, counted from the first of the row block.
    Value begin, end;
    /// Null where a tile has only one.
    Value chunk;
    /// Input and output rows of this lane's two pairs, or -1.
    SmallVector<Value> rows, outRows;

    void fields(LoopFields &f) {
      f(walk, offset, begin, end, chunk, rows, outRows);
    }
  };
  struct State {
    Cursor at;
    Fragment fragment;
    SmallVector<Value> sums;

    void fields(LoopFields &f) { f(at, fragment, sums); }
  };

  // --- Pairs ---------------------------------------------------------------
  /// Where the pairs of an offset begin, counted from those of the row block.
  Value loadBound(Value offset);
  /// Which of the offsets of a mask's word have pairs, as bits.
  Value findOffsets(Value word);
  /// The walk over all offsets that have pairs.
  OffsetWalk startWalk();
  void enterNextOffset(Cursor &at);
  void loadPairs(Cursor &at);
  void moveToNextTile(Cursor &at);
  void moveToNextChunk(Cursor &at);

  // --- Sums ----------------------------------------------------------------
  void clearSums();
  /// Adds the products of a tile to the sums of its output rows.
  void addProducts(ValueRange products, ValueRange outRows);
  void addStrip(ValueRange products, int64_t tile, int64_t half, Value row);
  void storeRows();

  Value step(State &now);
  void multiplyRowBlock();

  ImplicitGemmEmitter &e;
  GpuBuilder &b;
  const PairGemmConfig &config;
  const FragmentLayout &layout;
  Value sums;
  /// The row block's first row, its segments, and its first pair.
  Value firstRow, segments, firstPair;
};
} // namespace

PairGemm::PairGemm(ImplicitGemmEmitter &e, const PairGemmConfig &config)
    : e(e), b(e.b), config(config), layout(e.layout) {
  sums = b.dynamicShared();
  firstRow = b.mul(b.blockId(), config.rowBlock);
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

Value PairGemm::loadBound(Value offset) {
  Value bound = b.loadCount(b.element(segments, offset, 8));
  return b.sub(bound, b.truncate32(firstPair));
}

Value PairGemm::findOffsets(Value word) {
  int64_t offsets = config.gemm.offsets;
  Value offset = b.add(b.mul(word, 32), e.lane);
  Value known = b.minUnsigned(offset, b.i32(offsets - 1));
  Value hasPairs = b.notEqual(loadBound(known), loadBound(b.add(known, 1)));
  return b.ballot(b.andBits(hasPairs, b.lessUnsigned(offset, offsets)));
}

OffsetWalk PairGemm::startWalk() {
  if (config.gemm.maskWords() == 1)
    return {findOffsets(b.i32(0)), Value()};
  OffsetList list(e, b.i32(config.accumulatorBytes()));
  list.write(OffsetRange(), [&](Value word) { return findOffsets(word); });
  return list.start();
}

void PairGemm::enterNextOffset(Cursor &at) {
  at.offset = e.nextOffset(at.walk);
  at.begin = at.end = b.i32(0);
  SmallVector<Value> bounds = {at.begin, at.end};
  bounds = changeIf(
      b, b.greaterEqual(at.offset, 0), bounds, [&](SmallVector<Value> &bounds) {
        bounds = {loadBound(at.offset), loadBound(b.add(at.offset, 1))};
      });
  at.begin = bounds[0];
  at.end = bounds[1];
}

void PairGemm::loadPairs(Cursor &at) {
  at.rows.clear();
  at.outRows.clear();
  for (int64_t half : {0, 8}) {
    Value inBlock = b.add(b.add(at.begin, e.laneGroup), half);
    Value isPair = b.lessUnsigned(inBlock, at.end);
    Value pair = b.add(firstPair, b.extend64(inBlock));
    auto load = [&](Value list) {
      return b.loadIf(isPair, b.element(list, pair, 4), 4, b.i32(-1)).front();
    };
    at.rows.push_back(load(e.table));
    at.outRows.push_back(load(e.order));
  }
}

void PairGemm::moveToNextTile(Cursor &at) {
  at.begin = b.add(at.begin, kTileRows);
  at = changeIf(b, b.greaterEqual(at.begin, at.end), at,
                [&](Cursor &at) { enterNextOffset(at); });
  loadPairs(at);
}

void PairGemm::moveToNextChunk(Cursor &at) {
  if (!at.chunk)
    return moveToNextTile(at);
  at.chunk = b.add(at.chunk, 1);
  at = changeIf(b, b.equal(at.chunk, layout.chunks), at, [&](Cursor &at) {
    moveToNextTile(at);
    at.chunk = b.i32(0);
  });
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

void PairGemm::clearSums() {
  auto four = VectorType::get(4, b.getF32Type());
  Value zeros = b.constant(four, 0);
  b.forLoop(e.lane, b.i32(config.accumulatorBytes() / 16), b.i32(kWarpLanes),
            [&](Value piece) {
              b.store(zeros, b.offset(sums, b.mul(piece, 16)), 16);
            });
}

/// The columns of a strip of tiles that this lane has of one of its rows.
void PairGemm::addStrip(ValueRange products, int64_t tile, int64_t half,
                        Value row) {
  int64_t elements = 2 * layout.stripSize(tile);
  int64_t piece = std::min<int64_t>(elements, 4);
  auto type = VectorType::get(piece, b.getF32Type());
  Value column = b.add(b.mul(e.laneInGroup, elements), tile * 8);
  Value place = b.add(b.mul(row, config.pitch()), column);
  Value pointer = b.offset(sums, b.mul(place, 4));
  for (int64_t at = 0; at < elements; at += piece) {
    Value own = b.offset(pointer, at * 4);
    SmallVector<Value> added = b.unpack(b.load(type, own, piece * 4));
    for (auto [i, value] : llvm::enumerate(added)) {
      int64_t number = at + i;
      value = b.add(value, products[number / 2 * 4 + 2 * half + number % 2]);
    }
    b.store(vector::FromElementsOp::create(b, type, added), own, piece * 4);
  }
}

void PairGemm::addProducts(ValueRange products, ValueRange outRows) {
  for (int64_t half : {0, 1}) {
    Value row = b.sub(outRows[half], firstRow);
    b.ifThen(b.lessUnsigned(row, config.rowBlock), [&] {
      for (int64_t tile = 0; tile < layout.tiles();
           tile += layout.stripSize(tile))
        addStrip(products.slice(tile * 4, layout.stripSize(tile) * 4), tile,
                 half, row);
    });
  }
  // The next tile may give a row to other lanes.
  b.syncWarp();
}

void PairGemm::storeRows() {
  int64_t bytes = config.gemm.outElementBytes();
  int64_t outChannels = config.gemm.outChannels, tileN = config.gemm.tileN;
  int64_t rowBytes = outChannels * bytes;
  int64_t piece = std::min<int64_t>(rowBytes & -rowBytes, 16) / bytes;
  int64_t perRow = tileN / piece;
  Value rows =
      b.minUnsigned(b.sub(e.outRows, firstRow), b.i32(config.rowBlock));
  auto type = VectorType::get(std::min<int64_t>(piece, 4), b.getF32Type());
  auto store = [&](Value item) {
    Value row = b.divide(item, perRow);
    Value column = b.mul(b.remainder(item, perRow), piece);
    Value channel = e.channelInRow(column);
    Value outRow = b.add(firstRow, row);
    Value place = b.add(b.mul(row, config.pitch()), column);
    b.ifThen(b.lessUnsigned(channel, outChannels), [&] {
      SmallVector<Value> values;
      for (int64_t at = 0; at < piece; at += type.getNumElements())
        llvm::append_range(
            values,
            b.unpack(b.load(type, b.offset(sums, b.mul(b.add(place, at), 4)),
                            type.getNumElements() * 4)));
      e.storePiece(values, outRow, channel,
                   b.offset(e.rowPointer(outRow), b.mul(column, bytes)));
    });
  };
  b.forLoop(e.lane, b.mul(rows, perRow), b.i32(kWarpLanes), store);
}

//===----------------------------------------------------------------------===//
// A row block
//===----------------------------------------------------------------------===//

/// Multiplies a chunk and loads the rows of what comes after it in their place.
/// Returns whether there is such a chunk.
Value PairGemm::step(State &now) {
  Cursor before = now.at;
  moveToNextChunk(now.at);
  Value image = e.chunkAddress(before.offset, before.chunk);
  SmallVector<Value> present = e.arePresent(now.at.rows);
  for (int64_t pair : llvm::seq(layout.stepPairs())) {
    e.multiplyStepPair(now.fragment, pair, image, now.sums);
    SmallVector<Value> loaded =
        e.gatherStepPair(now.at.rows, present, 0, pair, now.at.chunk);
    llvm::copy(loaded, now.fragment.registers.begin() + pair * 8);
  }
  now.fragment.present = present;
  auto finishTile = [&](SmallVector<Value> &products) {
    addProducts(products, before.outRows);
    products = e.zeroAccumulators();
  };
  if (before.chunk)
    now.sums = changeIf(b, b.equal(before.chunk, layout.chunks - 1), now.sums,
                        finishTile);
  else
    finishTile(now.sums);
  return b.greaterEqual(now.at.offset, 0);
}

void PairGemm::multiplyRowBlock() {
  Value blockOffsets = b.mul(b.blockId(), config.gemm.offsets + 1);
  segments = b.element(e.masks, blockOffsets, 8);
  firstPair = b.loadConstant(b.getI64Type(), segments);
  clearSums();
  State start;
  start.at.walk = startWalk();
  b.syncWarp();
  enterNextOffset(start.at);
  loadPairs(start.at);
  if (layout.chunks > 1)
    start.at.chunk = b.i32(0);
  start.fragment = e.gatherChunk(start.at.rows, 0);
  start.sums = e.zeroAccumulators();
  doWhileIf(b, b.greaterEqual(start.at.offset, 0), start,
            [&](State &now) { return step(now); });
  storeRows();
}

void PairGemm::emit() {
  b.ifThen(b.lessUnsigned(firstRow, e.outRows), [&] { multiplyRowBlock(); });
}

gpu::GPUFuncOp mlir::sparseconv::buildPairGemm(gpu::GPUModuleOp module,
                                               StringRef name,
                                               const PairGemmConfig &config,
                                               TypeRange epilogueTypes,
                                               GemmEpilogue epilogue) {
  GpuBuilder b(module.getLoc(), module.getContext());
  SmallVector<Type> parameters(9, b.pointerType(Space::Global));
  llvm::append_range(parameters, epilogueTypes);
  gpu::GPUFuncOp kernel = b.startKernel(module, name, parameters, {kWarpLanes});
  ImplicitGemmEmitter e(b, config.gemm, kernel, epilogue);
  PairGemm(e, config).emit();
  b.finishKernel();
  return kernel;
}
