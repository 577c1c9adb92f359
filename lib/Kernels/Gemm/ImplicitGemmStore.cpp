//===- ImplicitGemmStore.cpp - storing and adding up tiles ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImplicitGemmEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "sparseconv/Kernels/Builders/Epilogue.h"

using namespace mlir;
using namespace mlir::sparseconv;

SmallVector<Value> ImplicitGemmEmitter::zeroAccumulators() {
  return SmallVector<Value>(accumulatorCount(), b.f32(0));
}

void ImplicitGemmEmitter::clearUnless(Value hasProducts,
                                      SmallVector<Value> &sums) {
  for (Value &sum : sums)
    sum = b.select(hasProducts, sum, b.f32(0));
}

void ImplicitGemmEmitter::prefetchOutputRows() {
  // The backend has no such instruction for older chips.
  if (overlaps)
    b.prefetch(b.element(order, slot, 4));
}

SmallVector<Value> ImplicitGemmEmitter::loadOutputRows() {
  Value pointer = b.element(order, slot, 4);
  if (slotsApart == 1)
    return b.unpack(
        b.loadConstant(VectorType::get(2, b.getI32Type()), pointer, 8));
  SmallVector<Value> rows;
  for (int64_t at : {int64_t(0), slotsApart})
    rows.push_back(
        b.loadConstant(b.getI32Type(), b.offset(pointer, at * 4), 4));
  return rows;
}

/// Stores neighbouring channels, rounded to the type of the output.
static void storeValues(GpuBuilder &b, ArrayRef<Value> values, Type element,
                        Value pointer) {
  unsigned elementBytes = element.getIntOrFloatBitWidth() / 8;
  unsigned bytes = values.size() * elementBytes;
  if (values.size() == 1) {
    b.store(b.fromFloat(values.front(), element), pointer, bytes);
    return;
  }
  SmallVector<Value> registers;
  if (elementBytes == 4)
    registers.assign(values.begin(), values.end());
  else
    for (size_t i = 0; i < values.size(); i += 2)
      registers.push_back(b.packPair(values[i], values[i + 1], element));
  if (registers.size() == 1) {
    b.store(registers.front(), pointer, bytes);
    return;
  }
  auto type = VectorType::get(static_cast<int64_t>(registers.size()),
                              registers.front().getType());
  b.store(vector::FromElementsOp::create(b, type, registers), pointer, bytes);
}

void ImplicitGemmEmitter::storePieces(const Pieces &pieces) {
  Type element = config.storesF32 ? b.getF32Type() : elementType;
  auto store = [&](size_t number, ArrayRef<Value> values) {
    storeValues(b, values, element, pieces.pointers[number]);
  };
  if (epilogue)
    return epilogue(b, pieces.pieces, epilogueArguments, store);
  for (auto [number, piece] : llvm::enumerate(pieces.pieces))
    store(number, piece.sums);
}

Value ImplicitGemmEmitter::rowPointer(Value row) {
  return b.element(y, row, config.outRowBytes());
}

bool ImplicitGemmEmitter::areChannels(int64_t tile, int64_t count) {
  return (tile + count) * 8 + (config.sectionTiles() - 1) * config.tileN <=
         config.outChannels;
}

void ImplicitGemmEmitter::addStrip(ValueRange accumulators, int64_t tile,
                                   int64_t half, Value row, Value rowPointer,
                                   Pieces &pieces) {
  int64_t bytes = config.outElementBytes();
  int64_t groupBytes = config.outChannels * bytes;
  int64_t size = layout.stripSize(tile), elements = 2 * size;
  SmallVector<Value> sums;
  for (int64_t i : llvm::seq(elements))
    sums.push_back(accumulators[i / 2 * 4 + 2 * half + i % 2]);
  Value column = b.add(b.mul(laneInGroup, elements), tile * 8);
  Value inGroup = channelInSection(column), channel = channelInRow(column);
  Value pointer = b.offset(rowPointer, b.mul(column, bytes));
  int64_t piece =
      std::min({groupBytes & -groupBytes, elements * bytes, int64_t(16)}) /
      bytes;
  bool inside = areChannels(tile, size);
  for (int64_t at = 0; at < elements; at += piece) {
    ArrayRef<Value> own = ArrayRef(sums).slice(at, piece);
    if (!inside) {
      b.ifThen(b.lessUnsigned(b.add(inGroup, at), config.outChannels), [&] {
        storePiece(own, row, b.add(channel, at), b.offset(pointer, at * bytes));
      });
      continue;
    }
    pieces.pieces.push_back({SmallVector<Value>(own), row, b.add(channel, at)});
    pieces.pointers.push_back(b.offset(pointer, at * bytes));
  }
}

void ImplicitGemmEmitter::storeTiles(ValueRange accumulators,
                                     ValueRange outputRows, int64_t tile) {
  if (config.hasOddRows())
    return storeOddRows(accumulators, outputRows, tile);
  int64_t count = accumulators.size() / 4;
  for (int64_t half : {0, 1}) {
    Value row = outputRows[half];
    b.ifThen(b.greaterEqual(row, 0), [&] {
      Value pointer = rowPointer(row);
      Pieces pieces;
      for (int64_t at = 0; at < count; at += layout.stripSize(tile + at))
        addStrip(accumulators.slice(at * 4, layout.stripSize(tile + at) * 4),
                 tile + at, half, row, pointer, pieces);
      storePieces(pieces);
    });
  }
}

//===----------------------------------------------------------------------===//
// Splits
//===----------------------------------------------------------------------===//

void ImplicitGemmEmitter::addSplits(const GemmTask &task,
                                    ValueRange accumulators, PlaceOfSplit place,
                                    StoreSums store) {
  // Splits whose sums are on their way at a time.
  constexpr int64_t sideBySide = 2;
  auto four = VectorType::get(4, b.getF32Type());
  // In place of its own sums, which are not in memory, this split reads others.
  Value another = b.select(b.equal(task.split, 0), b.i32(1), b.i32(0));
  // A few columns at a time: their sums need not live beside all others.
  for (int64_t tile = 0; tile < layout.tiles();
       tile += layout.stripSize(tile)) {
    int64_t size = layout.stripSize(tile);
    auto add = [&](Value first, SmallVector<Value> &sums) {
      SmallVector<Value> isOwn, isThere, loaded;
      for (int64_t i : llvm::seq(sideBySide)) {
        Value number = b.add(first, i);
        isOwn.push_back(b.equal(number, task.split));
        isThere.push_back(b.lessUnsigned(number, task.splits));
        Value isTheirs = b.andBits(b.notEqual(number, task.split), isThere[i]);
        Value theirs = place(b.select(isTheirs, number, another));
        for (int64_t j : llvm::seq(size))
          loaded.push_back(
              b.load(four, b.offset(theirs, (tile + j) * 512), 16));
      }
      for (int64_t i : llvm::seq(sideBySide))
        for (int64_t j : llvm::seq(size))
          for (auto [k, value] :
               llvm::enumerate(b.unpack(loaded[i * size + j]))) {
            Value own = accumulators[(tile + j) * 4 + k];
            Value &sum = sums[j * 4 + k];
            Value part = b.select(isOwn[i], own, value);
            sum = b.add(sum, b.select(isThere[i], part, b.f32(0)));
          }
    };
    store(forLoop(b, b.i32(0), task.splits, b.i32(sideBySide),
                  SmallVector<Value>(4 * size, b.f32(0)), add),
          tile);
  }
}

/// One number for each split of each warp of each column tile of each tile.
Value ImplicitGemmEmitter::numberInTile(Value index, Value warpInTile) {
  int64_t warps = config.rowsPerTile() / 16;
  if (columnTile)
    index = b.add(b.mul(index, layout.columnTiles), columnTile);
  return warps == 1 ? index : b.add(b.mul(index, warps), warpInTile);
}

Value ImplicitGemmEmitter::splitPointer(const GemmTask &task, Value split,
                                        Value warpInTile) {
  int64_t slotBytes = layout.tiles() * 512;
  Value index = numberInTile(b.add(task.firstSplit, split), warpInTile);
  return b.offset(b.element(scratch, index, slotBytes), b.mul(lane, 16));
}

/// Where the splits of a tile tell each other how far they are: how many have
/// ended, and in the upper half of how many the sums are in memory.
static constexpr int64_t kLeftShift = 16;

/// Leaves the sums of a split in memory.
void ImplicitGemmEmitter::leaveSums(ValueRange accumulators, Value place,
                                    Value counter) {
  auto four = VectorType::get(4, b.getF32Type());
  for (int64_t tile : llvm::seq(layout.tiles()))
    b.store(vector::FromElementsOp::create(b, four,
                                           accumulators.slice(tile * 4, 4)),
            b.offset(place, tile * 512), 16);
  b.fenceDevice();
  b.syncWarp();
  b.ifThen(b.equal(lane, 0),
           [&] { b.atomicAdd(counter, b.i32(int64_t(1) << kLeftShift)); });
}

/// The last split to end keeps its sums. Those of the others are in memory, or
/// on their way there, and none of them waits for anything.
void ImplicitGemmEmitter::finishSplit(const GemmTask &task,
                                      ValueRange accumulators, Value warpInTile,
                                      StoreSums store) {
  auto place = [&](Value split) {
    return splitPointer(task, split, warpInTile);
  };
  Value counter = b.element(counters, numberInTile(task.tile, warpInTile), 4);
  Value ended = fromFirstLane([&] { return b.atomicAdd(counter, b.i32(1)); });
  ended = b.andBits(ended, (1 << kLeftShift) - 1);
  Value others = b.sub(task.splits, 1);
  b.ifElse(
      b.notEqual(ended, others),
      [&] { leaveSums(accumulators, place(task.split), counter); },
      [&] {
        b.ifThen(b.equal(lane, 0), [&] {
          doWhile(b, b.i32(0), [&](Value &left) {
            left = b.shiftRight(b.atomicAdd(counter, b.i32(0)), kLeftShift);
            return b.notEqual(left, others);
          });
          // For the next run.
          b.store(b.i32(0), counter, 4);
        });
        b.syncWarp();
        b.fenceDevice();
        addSplits(task, accumulators, place, store);
      });
}

void ImplicitGemmEmitter::finishTask(const GemmTask &task,
                                     ValueRange accumulators, Value warpInTile,
                                     StoreSums store) {
  if (config.splitK == 1) {
    store(accumulators, 0);
    return;
  }
  // A split tile's last split to arrive adds all of them up in their order, so
  // that the sum does not depend on which one that is.
  Value one = b.i32(1);
  b.ifThen(b.compare(arith::CmpIPredicate::ugt, task.splits, one),
           [&] { finishSplit(task, accumulators, warpInTile, store); });
  b.ifThen(b.compare(arith::CmpIPredicate::ule, task.splits, one),
           [&] { store(accumulators, 0); });
}

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

/// `count` neighbouring elements of an extra operand, a power of two, in loads
/// of up to 16 bytes, or one by one where they are not aligned. Rows may come
/// from the kernel before this one, which may have been running when this one
/// began, and so are no constants.
static SmallVector<Value> loadPiece(GpuBuilder &b, MemRefType extra,
                                    Value pointer, int64_t count,
                                    bool isAligned) {
  Type element = extra.getElementType();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  int64_t lanes = isAligned ? std::min(count, 16 / bytes) : 1;
  auto load = [&](Type type, Value from) {
    unsigned alignment = lanes * bytes;
    return extra.getRank() == 2 ? b.load(type, from, alignment)
                                : b.loadConstant(type, from, alignment);
  };
  SmallVector<Value> elements;
  for (int64_t at = 0; at < count; at += lanes) {
    Value from = b.offset(pointer, at * bytes);
    if (lanes == 1)
      elements.push_back(load(element, from));
    else
      llvm::append_range(elements,
                         b.unpack(load(VectorType::get(lanes, element), from)));
  }
  return elements;
}

/// Whether the values of an extra operand, one for each channel of each row,
/// are loaded before anything is stored: stores would keep later loads waiting,
/// one piece after another. Where they are wider than the output, they would
/// take too many registers.
template <typename OpTy> static bool isLoadedFirst(OpTy op, Value extra) {
  auto type = cast<MemRefType>(extra.getType());
  return type.getRank() == 2 &&
         type.getElementTypeBitWidth() <=
             cast<MemRefType>(op.getY().getType()).getElementTypeBitWidth();
}

/// How many channels of a piece to work on at a time, so that few registers
/// hold operands that are wider than the output: half of what a load brings.
template <typename OpTy> static int64_t getLanes(OpTy op, int64_t count) {
  int64_t lanes = count;
  for (Value extra : op.getExtras()) {
    auto type = cast<MemRefType>(extra.getType());
    if (type.getRank() == 2 && !isLoadedFirst(op, extra))
      lanes = std::min<int64_t>(lanes, 64 / type.getElementTypeBitWidth());
  }
  return lanes;
}

namespace {
/// A piece on its way, by extra operand: where its values begin, those that
/// have been loaded, and whether several may be loaded at once.
struct PieceOperands {
  SmallVector<Value> begins;
  SmallVector<SmallVector<Value>> loaded;
  SmallVector<bool> areAligned;
};
} // namespace

/// The extra operands, with the numbers of their rows where they are picked.
static SmallVector<TiledGemmOp::Extra> getExtrasWithNumbers(TiledGemmOp op) {
  return op.getExtrasWithNumbers();
}

static SmallVector<TiledGemmOp::Extra>
getExtrasWithNumbers(GatherGemmScatterOp op) {
  return llvm::map_to_vector(op.getExtras(), [](Value values) {
    return TiledGemmOp::Extra{values, Value()};
  });
}

template <typename OpTy>
static PieceOperands startPiece(GpuBuilder &b, OpTy op, const GemmPiece &piece,
                                ValueRange pointers) {
  int64_t channels = cast<MemRefType>(op.getY().getType()).getDimSize(1);
  PieceOperands operands;
  for (auto [extra, numbers] : getExtrasWithNumbers(op)) {
    bool isPicked = bool(numbers);
    auto type = cast<MemRefType>(extra.getType());
    Value pointer = pointers.front(), index = b.extend64(piece.channel);
    if (type.getRank() == 2) {
      Value row = b.extend64(piece.row);
      if (isPicked)
        row = b.extend64(b.load(
            b.getI32Type(), b.offset(pointers[1], b.mul(row, 4)), /*align=*/4));
      index = b.add(b.mul(row, channels), index);
    }
    pointers = pointers.drop_front(isPicked ? 2 : 1);
    int64_t bytes = type.getElementTypeBitWidth() / 8;
    Value begin = b.offset(pointer, b.mul(index, bytes));
    bool isAligned = piece.isAligned || type.getRank() == 1;
    operands.begins.push_back(begin);
    operands.areAligned.push_back(isAligned);
    SmallVector<Value> &loaded = operands.loaded.emplace_back();
    if (isLoadedFirst(op, extra))
      loaded = loadPiece(b, type, begin, piece.sums.size(), isAligned);
  }
  return operands;
}

/// The epilogue of some of a piece's channels, from `first` on.
template <typename OpTy>
static void appendEpilogue(GpuBuilder &b, OpTy op, ArrayRef<Value> sums,
                           int64_t first, const PieceOperands &operands,
                           SmallVectorImpl<Value> &results) {
  SmallVector<SmallVector<Value>> arguments{SmallVector<Value>(sums)};
  for (auto [extra, begin, loaded, isAligned] :
       llvm::zip_equal(op.getExtras(), operands.begins, operands.loaded,
                       operands.areAligned)) {
    auto type = cast<MemRefType>(extra.getType());
    int64_t bytes = type.getElementTypeBitWidth() / 8;
    if (loaded.empty())
      arguments.push_back(loadPiece(b, type, b.offset(begin, first * bytes),
                                    sums.size(), isAligned));
    else
      arguments.push_back(
          SmallVector<Value>(ArrayRef(loaded).slice(first, sums.size())));
  }
  for (size_t i : llvm::seq(sums.size())) {
    auto ofChannel = llvm::map_to_vector(
        arguments, [&](ArrayRef<Value> values) { return values[i]; });
    results.push_back(cloneEpilogue(b, op.getEpilogue().front(), ofChannel));
  }
}

template <typename OpTy>
void mlir::sparseconv::applyEpilogue(GpuBuilder &b, OpTy op,
                                     ArrayRef<GemmPiece> pieces,
                                     ValueRange pointers, StorePiece store) {
  auto operands = llvm::map_to_vector(pieces, [&](const GemmPiece &piece) {
    return startPiece(b, op, piece, pointers);
  });
  for (auto [number, piece] : llvm::enumerate(pieces)) {
    int64_t count = piece.sums.size(), lanes = getLanes(op, count);
    SmallVector<Value> results;
    for (int64_t at = 0; at < count; at += lanes)
      appendEpilogue(b, op, ArrayRef(piece.sums).slice(at, lanes), at,
                     operands[number], results);
    store(number, results);
  }
}

template void mlir::sparseconv::applyEpilogue(GpuBuilder &b, TiledGemmOp op,
                                              ArrayRef<GemmPiece> pieces,
                                              ValueRange pointers,
                                              StorePiece store);
template void mlir::sparseconv::applyEpilogue(GpuBuilder &b,
                                              GatherGemmScatterOp op,
                                              ArrayRef<GemmPiece> pieces,
                                              ValueRange pointers,
                                              StorePiece store);
