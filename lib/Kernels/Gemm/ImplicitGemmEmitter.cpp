//===- ImplicitGemmEmitter.cpp - offsets, rows and work -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImplicitGemmEmitter.h"
#include "OffsetList.h"
#include "sparseconv/Dialect/SparseConv/IR/SearchColumns.h"

using namespace mlir;
using namespace mlir::sparseconv;

static Type elementTypeOf(GpuBuilder &b, GemmElement element) {
  if (element == GemmElement::F16)
    return b.getF16Type();
  if (element == GemmElement::BF16)
    return b.getBF16Type();
  return b.getF32Type();
}

static MmaType mmaTypeOf(GemmElement element) {
  if (element == GemmElement::F16)
    return MmaType::F16;
  return element == GemmElement::BF16 ? MmaType::BF16 : MmaType::TF32;
}

ImplicitGemmEmitter::ImplicitGemmEmitter(GpuBuilder &b,
                                         const ImplicitGemmConfig &config,
                                         gpu::GPUFuncOp kernel,
                                         GemmEpilogue epilogue)
    : b(b), config(config), layout(config.layout()),
      elementType(elementTypeOf(b, config.element)),
      mmaType(mmaTypeOf(config.element)), epilogue(epilogue) {
  ValueRange arguments = kernel.getArguments();
  x = arguments[0];
  weights = arguments[1];
  table = arguments[2];
  order = arguments[3];
  masks = arguments[4];
  y = arguments[5];
  unsigned next = 9;
  if (config.splitK > 1) {
    scratch = arguments[next++];
    counters = arguments[next++];
  }
  if (config.channelsBeside)
    beside = arguments[next++];
  epilogueArguments = llvm::to_vector(arguments.drop_front(next));
  inRows = b.loadCount(arguments[6]);
  outRows = b.loadCount(arguments[7]);
  pitch = b.loadCount(arguments[8]);
  thread = b.threadId();
  lane = b.remainder(thread, kWarpLanes);
  laneGroup = b.divide(lane, 4);
  laneInGroup = b.remainder(lane, 4);
  if (config.columnTiles() > 1)
    enterColumnTile();
}

void ImplicitGemmEmitter::enterColumnTile() {
  columnTile = b.blockIdY();
  weights = b.offset(
      weights, b.mul(b.extend64(columnTile), b.i64(layout.columnTileBytes())));
  int64_t tiles = config.sectionTiles(), outBytes = config.outElementBytes();
  if (config.sections() > 1) {
    section = b.divide(columnTile, tiles);
    x = b.offset(x, b.mul(section, config.inChannels * config.elementBytes()));
    y = b.offset(y, b.mul(section, config.outChannels * outBytes));
  }
  if (tiles > 1) {
    tileInSection = section ? b.remainder(columnTile, tiles) : columnTile;
    y = b.offset(y, b.mul(tileInSection, config.tileN * outBytes));
  }
}

Value ImplicitGemmEmitter::channelInSection(Value column) {
  return tileInSection ? b.add(column, b.mul(tileInSection, config.tileN))
                       : column;
}

Value ImplicitGemmEmitter::channelInRow(Value column) {
  Value channel = channelInSection(column);
  return section ? b.add(channel, b.mul(section, config.sectionChannels()))
                 : channel;
}

//===----------------------------------------------------------------------===//
// Offsets of a tile
//===----------------------------------------------------------------------===//

Value ImplicitGemmEmitter::nextOffset(OffsetWalk &walk) {
  if (walk.entry)
    return OffsetList::takeEntry(b, walk);
  Value hasBit = b.notEqual(walk.bits, 0);
  Value offset = b.select(hasBit, b.countTrailingZeros(walk.bits), b.i32(-1));
  walk.bits = b.clearLowestBit(walk.bits);
  return offset;
}

ChunkWalk ImplicitGemmEmitter::startChunks(const OffsetWalk &walk) {
  ChunkWalk at;
  at.walk = walk;
  at.offset = nextOffset(at.walk);
  if (layout.chunks > 1)
    at.chunk = b.i32(0);
  return at;
}

void ImplicitGemmEmitter::moveToNextChunk(ChunkWalk &at) {
  OffsetWalk walk = at.walk;
  Value offset = nextOffset(walk);
  if (!at.chunk) {
    at.offset = offset;
    at.walk = walk;
    return;
  }
  Value chunk = b.add(at.chunk, 1);
  Value moves = b.equal(chunk, layout.chunks);
  at.chunk = b.select(moves, b.i32(0), chunk);
  at.offset = b.select(moves, offset, at.offset);
  at.walk = selectState(b, moves, walk, at.walk);
}

Value ImplicitGemmEmitter::chunkNumber(Value offset, Value chunk) {
  return chunk ? b.add(b.mul(offset, layout.chunks), chunk) : offset;
}

Value ImplicitGemmEmitter::chunkAddress(Value offset, Value chunk) {
  return b.element(weights, chunkNumber(offset, chunk), layout.chunkBytes());
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

Value ImplicitGemmEmitter::tileCount() {
  int64_t rows = config.rowsPerTile();
  return b.divide(b.add(outRows, rows - 1), rows);
}

Value ImplicitGemmEmitter::loadWord(Value tile, Value word) {
  int64_t parts = config.rowsPerTile() / kMaskRows, words = config.maskWords();
  Value last = b.sub(tileCount(), 1);
  Value at = b.add(b.mul(b.minUnsigned(tile, last), parts * words), word);
  Value pointer = b.element(masks, at, 4);
  SmallVector<Value> loaded;
  if (words == 1 && parts > 1) {
    auto type = VectorType::get(parts, b.getI32Type());
    loaded = b.unpack(b.loadConstant(type, pointer, parts * 4));
  } else {
    for (int64_t part : llvm::seq(parts))
      loaded.push_back(b.loadConstant(b.getI32Type(),
                                      b.offset(pointer, part * words * 4), 4));
  }
  Value bits = loaded.front();
  for (Value more : ArrayRef(loaded).drop_front())
    bits = b.orBits(bits, more);
  return bits;
}

Value ImplicitGemmEmitter::joinWords(Value firstTile, int64_t tiles,
                                     Value word) {
  Value bits = loadWord(firstTile, word);
  for (int64_t i : llvm::seq<int64_t>(1, tiles))
    bits = b.orBits(bits, loadWord(b.add(firstTile, i), word));
  return bits;
}

GemmTask ImplicitGemmEmitter::makeTask(Value number, Value splits) {
  GemmTask task;
  task.number = task.tile = number;
  if (!splits)
    return task;
  task.tile = b.divide(number, splits);
  task.split = b.remainder(number, splits);
  task.splits = splits;
  task.firstSplit = b.sub(number, task.split);
  return task;
}

void ImplicitGemmEmitter::forThreadBlock(
    const TargetInfo &target, GemmTask &task,
    function_ref<void(Value number)> body) {
  int64_t rows = config.rowsPerBlock();
  Value blocks = b.divide(b.add(outRows, rows - 1), rows);
  Value splits = config.splitK > 1 ? countSplits(target, blocks) : Value();
  GemmTask own = makeTask(b.blockId(), splits);
  task.split = own.split;
  task.splits = splits;
  Value tasks = splits ? b.mul(blocks, splits) : blocks;
  // Rows with many offsets come last in the order and start first.
  b.ifThen(b.lessUnsigned(own.number, tasks),
           [&] { body(b.sub(b.sub(blocks, own.tile), 1)); });
}

Value ImplicitGemmEmitter::takeTask(Value counter) {
  // Of an addition ptxas makes a dozen instructions, which add up what all
  // lanes add. So it does of an increment that wraps where an addition would.
  Value before = b.atomicIncrement(counter, b.i32(INT32_MAX));
  Value number = b.add(b.blockId(), b.mul(before, b.gridSize()));
  Value total = b.load(b.getI32Type(), b.offset(counter, 4), 4);
  // Tiles with many offsets come last in the order.
  return b.sub(b.sub(total, number), 1);
}

Value ImplicitGemmEmitter::fromFirstLane(function_ref<Value()> make) {
  Value made = ifElse(
      b, b.equal(lane, 0), b.i32(0), [&](Value &value) { value = make(); },
      [](Value &) {});
  return b.shuffle(made, b.i32(0));
}

/// Each warp has a list of its own, even where several share a tile: none has
/// to wait for another.
OffsetWalk ImplicitGemmEmitter::listOffsets(const GemmTask &task) {
  auto load = [&](Value word) { return loadWord(task.tile, word); };
  int64_t bytes = OffsetList::getSharedBytes(config);
  Value warp = b.shuffle(b.divide(thread, kWarpLanes), b.i32(0));
  OffsetList list(*this, b.add(b.mul(warp, bytes), listsBegin));
  b.syncWarp();
  list.write(findSplit(task, load), load);
  b.syncWarp();
  return list.start();
}

Value ImplicitGemmEmitter::loadMask(Value number, Value splits) {
  if (config.maskWords() > 1)
    return Value();
  return loadWord(makeTask(number, splits).tile, b.i32(0));
}

GemmTask ImplicitGemmEmitter::startTask(Value number, Value mask,
                                        Value splits) {
  GemmTask task = makeTask(number, splits);
  task.tile = b.minUnsigned(task.tile, b.sub(tileCount(), 1));
  if (!mask) {
    task.walk = listOffsets(task);
    return task;
  }
  task.walk.bits = b.shuffle(mask, b.i32(0));
  if (splits)
    task.walk.bits = takeSplit(task, task.walk.bits);
  return task;
}
