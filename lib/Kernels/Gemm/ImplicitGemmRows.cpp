//===- ImplicitGemmRows.cpp - gathering and multiplying rows --------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImplicitGemmEmitter.h"

using namespace mlir;
using namespace mlir::sparseconv;

void ImplicitGemmEmitter::setRows(Value firstRow, bool inShared) {
  slot = b.add(firstRow, b.mul(laneGroup, inShared ? 1 : 2));
  slotsApart = inShared ? 8 : 1;
  entry = keepsAddresses ? b.element(table, slot, 4) : Value();
}

Value ImplicitGemmEmitter::tableEntry(Value offset, Value slot) {
  // Base addresses stay kernel parameters: that takes the fewest registers.
  Value index =
      b.add(b.mul(b.extend64(offset), b.extend64(pitch)), b.extend64(slot));
  return b.element(table, index, 4);
}

SmallVector<Value> ImplicitGemmEmitter::loadNeighbours(Value offset) {
  Value pointer = entry ? b.offset(entry, b.mul(b.extend64(b.mul(offset, 4)),
                                                b.extend64(pitch)))
                        : tableEntry(offset, slot);
  return b.loadIf(b.greaterEqual(offset, 0), pointer, 8, b.i32(-1),
                  areNeighboursConstant);
}

SmallVector<Value> ImplicitGemmEmitter::arePresent(ValueRange rows) {
  return llvm::map_to_vector(
      rows, [&](Value row) { return b.lessUnsigned(row, inRows); });
}

Value ImplicitGemmEmitter::rowPiece(Value row, Value laneBytes, int64_t channel,
                                    Value anyChunk) {
  int64_t bytes = config.elementBytes(), own = config.ownChannels();
  auto inRow = [&](Value rows, int64_t rowBytes, int64_t begin) {
    Value pointer = b.element(b.offset(rows, laneBytes), row, rowBytes);
    return b.offset(pointer, (channel - begin) * bytes);
  };
  auto inX = [&] { return inRow(x, config.inRowBytes(), 0); };
  auto inBeside = [&] {
    return inRow(beside, config.channelsBeside * bytes, own);
  };
  if (!beside)
    return inX();
  if (!anyChunk)
    return channel < own ? inX() : inBeside();
  Value isOwn =
      b.lessUnsigned(b.add(b.mul(anyChunk, layout.tileK), channel), own);
  Value ofX = inX();
  return b.select(isOwn, ofX, inBeside());
}

SmallVector<Value>
ImplicitGemmEmitter::gatherStepPair(ValueRange rows, ValueRange present,
                                    int64_t chunk, int64_t pair, Value anyChunk,
                                    bool clears) {
  int64_t registers = layout.registersOf(pair);
  int64_t bytes = config.elementBytes();
  int64_t rowBytes = (config.ownChannels() | config.channelsBeside) * bytes;
  // The widest load that the start of every row allows, and of every group.
  int64_t unit = std::min(rowBytes & -rowBytes, registers * 4);
  int64_t first = chunk * layout.tileK + layout.stepPairBegin(pair);
  int64_t laneElements = registers * 4 / bytes;
  bool inside = first + 4 * laneElements <= config.inChannels;
  Value laneBytes = b.mul(laneInGroup, registers * 4);
  Value laneColumn = b.mul(laneInGroup, laneElements);
  if (anyChunk) {
    inside = layout.tileK * layout.chunks <= config.inChannels;
    laneBytes = b.add(laneBytes, b.mul(anyChunk, layout.tileK * bytes));
    laneColumn = b.add(laneColumn, b.mul(anyChunk, layout.tileK));
  }

  SmallVector<Value> loaded;
  for (auto [row, isPresent] : llvm::zip(rows, present)) {
    Value pointer = rowPiece(row, laneBytes, first, anyChunk);
    SmallVector<Value> pieces;
    for (int64_t at = 0; at < registers * 4; at += unit) {
      Value condition = isPresent;
      if (!inside)
        condition = b.andBits(
            isPresent, b.lessUnsigned(b.add(laneColumn, first + at / bytes),
                                      config.inChannels));
      Value otherwise = clears || !inside ? b.i32(0) : Value();
      llvm::append_range(pieces, b.loadIf(condition, b.offset(pointer, at),
                                          unit, otherwise,
                                          /*isConstant=*/!overlaps));
    }
    llvm::append_range(loaded, unit > 2 ? pieces : joinHalves(pieces));
  }
  return loaded;
}

SmallVector<Value> ImplicitGemmEmitter::joinHalves(ArrayRef<Value> halves) {
  SmallVector<Value> registers;
  for (size_t i = 0; i < halves.size(); i += 2)
    registers.push_back(b.orBits(halves[i], b.shiftLeft(halves[i + 1], 16)));
  return registers;
}

Fragment ImplicitGemmEmitter::gatherChunk(ValueRange rows, int64_t chunk,
                                          bool clears) {
  Fragment fragment;
  SmallVector<Value> present = arePresent(rows);
  for (int64_t pair : llvm::seq(layout.stepPairs()))
    llvm::append_range(fragment.registers,
                       gatherStepPair(rows, present, chunk, pair,
                                      /*anyChunk=*/Value(), clears));
  if (!clears)
    fragment.present = std::move(present);
  return fragment;
}

OffsetCursor ImplicitGemmEmitter::startOffsets(const OffsetWalk &walk) {
  OffsetCursor at;
  at.walk = walk;
  at.offset = nextOffset(at.walk);
  at.next = nextOffset(at.walk);
  at.rows = loadNeighbours(at.offset);
  at.nextRows = loadNeighbours(at.next);
  return at;
}

Fragment ImplicitGemmEmitter::gatherFirst(OffsetCursor &at, bool clears) {
  Fragment rows = gatherChunk(at.rows, 0, clears);
  if (layout.chunks == 1)
    at.rows.clear(); // only further chunks read them again
  return rows;
}

void ImplicitGemmEmitter::moveToNextOffset(OffsetCursor &at) {
  at.offset = at.next;
  if (layout.chunks > 1)
    at.rows = at.nextRows;
  at.next = nextOffset(at.walk);
  at.nextRows = loadNeighbours(at.next);
}

SmallVector<Value> ImplicitGemmEmitter::stepRegisters(const Fragment &fragment,
                                                      int64_t step) {
  int64_t pair = step / 2, registers = layout.registersOf(pair);
  SmallVector<Value> operands;
  for (int64_t half : {0, 1})
    for (int64_t row : {0, 1}) {
      Value loaded =
          fragment.registers[pair * 8 + row * registers + step % 2 * 2 + half];
      Value value = fragment.present.empty()
                        ? loaded
                        : b.select(fragment.present[row], loaded, b.i32(0));
      operands.push_back(mmaType == MmaType::TF32 ? b.roundToTf32(value)
                                                  : value);
    }
  return operands;
}

//===----------------------------------------------------------------------===//
// Multiplying by mma.sync
//===----------------------------------------------------------------------===//

SmallVector<SmallVector<Value>>
ImplicitGemmEmitter::loadWeights(Value lanePointer, int64_t pair, int64_t begin,
                                 int64_t end) {
  int64_t registers = layout.registersOf(pair);
  auto type = VectorType::get(registers, b.getI32Type());
  int64_t pairBytes = pair * layout.tiles() * 512;
  SmallVector<SmallVector<Value>> slices;
  for (int64_t tile : llvm::seq(begin, end)) {
    Value pointer = b.offset(lanePointer, pairBytes + tile * registers * 128);
    slices.push_back(b.unpack(
        config.resident ? b.load(type, pointer, registers * 4)
                        : b.loadConstant(type, pointer, registers * 4)));
  }
  return slices;
}

void ImplicitGemmEmitter::multiplyStepPair(const Fragment &fragment,
                                           int64_t pair, Value image,
                                           SmallVector<Value> &sums) {
  int64_t registers = layout.registersOf(pair);
  Value lanePointer = b.offset(image, b.mul(lane, registers * 4));
  SmallVector<SmallVector<Value>> rows;
  for (int64_t half : llvm::seq(registers / 2))
    rows.push_back(stepRegisters(fragment, pair * 2 + half));
  for (int64_t begin = 0; begin < layout.tiles(); begin += 4) {
    // Keeps ptxas from loading more weights ahead than there are registers.
    if (!config.resident)
      b.syncWarp();
    int64_t end = std::min(begin + 4, layout.tiles());
    SmallVector<SmallVector<Value>> slices =
        loadWeights(lanePointer, pair, begin, end);
    for (int64_t half : llvm::seq(registers / 2))
      for (int64_t tile : llvm::seq(begin, end)) {
        ArrayRef<Value> slice = slices[tile - begin];
        SmallVector<Value> sum =
            b.mmaSync(mmaType, rows[half], slice.slice(half * 2, 2),
                      ArrayRef(sums).slice(tile * 4, 4));
        llvm::copy(sum, sums.begin() + tile * 4);
      }
  }
}
