//===- GatherEmitter.cpp - rows, offsets and work of a tile ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GatherEmitter.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::sparseconv;

gpu::GPUFuncOp mlir::sparseconv::startKernel(GpuBuilder &b,
                                             gpu::GPUModuleOp module,
                                             StringRef name, unsigned pointers,
                                             TypeRange moreTypes,
                                             int64_t threads, int64_t blocks) {
  b.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> types(pointers, b.pointerType(Space::Global));
  llvm::append_range(types, moreTypes);
  auto kernel = gpu::GPUFuncOp::create(b, name, b.getFunctionType(types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel.setKnownBlockSizeAttr(
      b.getDenseI32ArrayAttr({static_cast<int32_t>(threads), 1, 1}));
  // Said also where it is 1: otherwise ptxas may spill to fit more blocks.
  kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                  b.getI32IntegerAttr(blocks));
  b.setInsertionPointToStart(&kernel.getBody().front());
  return kernel;
}

void mlir::sparseconv::finishKernel(GpuBuilder &b) { gpu::ReturnOp::create(b); }

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

GatherEmitter::GatherEmitter(GpuBuilder &b, const GatherGemmConfig &config,
                             gpu::GPUFuncOp kernel, GemmEpilogue epilogue)
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
  epilogueArguments = llvm::to_vector(arguments.drop_front(next));
  inRows = b.loadCount(arguments[6]);
  outRows = b.loadCount(arguments[7]);
  pitch = b.loadCount(arguments[8]);
  thread = b.threadId();
  lane = b.remainder(thread, 32);
  group = b.divide(lane, 4);
  quad = b.remainder(lane, 4);
  if (config.strategy == GatherStrategy::Fma)
    return;
  if (config.parts() > 1) {
    part = b.blockIdY();
    weights =
        b.offset(weights, b.mul(b.extend64(part), b.i64(layout.partBytes())));
    y = b.offset(y, b.mul(part, config.width * config.elementBytes()));
  }
}

//===----------------------------------------------------------------------===//
// Offsets of a tile
//===----------------------------------------------------------------------===//

SmallVector<Value> GatherEmitter::startWalk(Value tile) {
  int64_t words = config.maskWords();
  Value bits =
      b.loadConstant(b.getI32Type(), b.element(masks, tile, 4 * words));
  if (words == 1)
    return {bits};
  return {bits, b.i32(0)};
}

std::pair<Value, SmallVector<Value>>
GatherEmitter::nextOffset(const GatherTask &task, ValueRange walk) {
  Value words = b.element(masks, task.tile, 4 * config.maskWords());
  return nextOffset(words, task.lastWord, walk);
}

std::pair<Value, SmallVector<Value>>
GatherEmitter::nextOffset(Value words, Value lastWord, ValueRange walk) {
  if (config.maskWords() == 1) {
    Value bits = walk.front();
    Value offset =
        b.select(b.notEqual(bits, 0), b.countTrailingZeros(bits), b.i32(-1));
    return {offset, {b.clearLowestBit(bits)}};
  }
  if (!lastWord)
    lastWord = b.i32(config.maskWords() - 1);
  SmallVector<Value> found = b.doWhile(walk, [&](ValueRange carried) {
    Value empty = b.equal(carried[0], 0);
    Value more = b.andBits(empty, b.less(carried[1], lastWord));
    Value word = b.select(more, b.add(carried[1], 1), carried[1]);
    Value loaded = b.load(b.getI32Type(), b.offset(words, b.mul(word, 4)), 4);
    Value next = b.select(more, loaded, carried[0]);
    Value again = b.andBits(more, b.equal(next, 0));
    return std::pair(again, SmallVector<Value>{next, word});
  });
  Value offset = b.select(
      b.notEqual(found[0], 0),
      b.add(b.mul(found[1], 32), b.countTrailingZeros(found[0])), b.i32(-1));
  return {offset, {b.clearLowestBit(found[0]), found[1]}};
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void GatherEmitter::setRows(Value firstRow) { slot = b.add(firstRow, group); }

SmallVector<Value> GatherEmitter::loadNeighbours(Value offset) {
  Value present = b.greaterEqual(offset, 0);
  // Base addresses stay kernel parameters: that takes the fewest registers.
  Value index =
      b.add(b.mul(b.extend64(offset), b.extend64(pitch)), b.extend64(slot));
  Value pointer = b.element(table, index, 4);
  SmallVector<Value> rows;
  for (int64_t half : {0, 1})
    rows.push_back(
        b.loadIf(present, b.offset(pointer, half * 32), 4, b.i32(-1)).front());
  return rows;
}

void GatherEmitter::Fragment::appendTo(SmallVectorImpl<Value> &values) const {
  llvm::append_range(values, registers);
  llvm::append_range(values, present);
}

GatherEmitter::Fragment GatherEmitter::Fragment::like(ValueRange values) const {
  return {llvm::to_vector(values.take_front(registers.size())),
          llvm::to_vector(values.slice(registers.size(), present.size()))};
}

SmallVector<Value> GatherEmitter::arePresent(ValueRange rows) {
  return llvm::map_to_vector(
      rows, [&](Value row) { return b.lessUnsigned(row, inRows); });
}

SmallVector<Value> GatherEmitter::gatherBlock(ValueRange rows,
                                              ValueRange present, int64_t chunk,
                                              int64_t block, Value anyChunk) {
  int64_t registers = layout.registersOf(block);
  int64_t bytes = config.elementBytes();
  int64_t rowBytes = config.inChannels * bytes;
  // The widest load that the start of every row allows.
  int64_t unit = std::min(rowBytes & -rowBytes, registers * 4);
  int64_t first = chunk * layout.depth + layout.blockBegin(block);
  int64_t laneElements = registers * 4 / bytes;
  bool inside = first + 4 * laneElements <= config.inChannels;
  Value lanePart = b.mul(quad, registers * 4);
  Value laneColumn = b.mul(quad, laneElements);
  if (anyChunk) {
    inside = layout.depth * layout.chunks <= config.inChannels;
    lanePart = b.add(lanePart, b.mul(anyChunk, layout.depth * bytes));
    laneColumn = b.add(laneColumn, b.mul(anyChunk, layout.depth));
  }

  SmallVector<Value> loaded;
  for (auto [row, isPresent] : llvm::zip(rows, present)) {
    Value pointer = b.offset(b.element(b.offset(x, lanePart), row, rowBytes),
                             first * bytes);
    SmallVector<Value> parts;
    for (int64_t at = 0; at < registers * 4; at += unit) {
      Value condition = isPresent, otherwise;
      if (!inside) {
        condition = b.andBits(
            isPresent, b.lessUnsigned(b.add(laneColumn, first + at / bytes),
                                      config.inChannels));
        otherwise = b.i32(0);
      }
      llvm::append_range(
          parts, b.loadIf(condition, b.offset(pointer, at), unit, otherwise));
    }
    if (unit > 2) {
      llvm::append_range(loaded, parts);
      continue;
    }
    for (int64_t reg : llvm::seq(registers))
      loaded.push_back(
          b.orBits(parts[2 * reg], b.shiftLeft(parts[2 * reg + 1], 16)));
  }
  return loaded;
}

GatherEmitter::Fragment GatherEmitter::gatherChunk(ValueRange rows,
                                                   int64_t chunk) {
  Fragment fragment;
  fragment.present = arePresent(rows);
  for (int64_t block : llvm::seq(layout.blocks()))
    llvm::append_range(fragment.registers,
                       gatherBlock(rows, fragment.present, chunk, block));
  return fragment;
}

SmallVector<Value> GatherEmitter::stepRegisters(const Fragment &fragment,
                                                int64_t step) {
  int64_t block = step / 2, registers = layout.registersOf(block);
  SmallVector<Value> operands;
  for (int64_t half : {0, 1})
    for (int64_t row : {0, 1}) {
      Value loaded =
          fragment.registers[block * 8 + row * registers + step % 2 * 2 + half];
      Value value = b.select(fragment.present[row], loaded, b.i32(0));
      operands.push_back(mmaType == MmaType::TF32 ? b.roundToTf32(value)
                                                  : value);
    }
  return operands;
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

Value GatherEmitter::tileCount() {
  int64_t rows = config.rowsPerTile();
  return b.divide(b.add(outRows, rows - 1), rows);
}

Value GatherEmitter::loadWord(Value tile, Value word) {
  Value last = b.sub(tileCount(), 1);
  Value at = b.add(b.mul(b.minUnsigned(tile, last), config.maskWords()), word);
  return b.loadConstant(b.getI32Type(), b.element(masks, at, 4), 4);
}

Value GatherEmitter::joinWords(Value firstTile, int64_t tiles, Value word) {
  Value bits = loadWord(firstTile, word);
  for (int64_t i : llvm::seq<int64_t>(1, tiles))
    bits = b.orBits(bits, loadWord(b.add(firstTile, i), word));
  return bits;
}

Value GatherEmitter::countParts(const GpuChip &chip, Value count) {
  Value room =
      b.divide(b.i32(config.roomOfSplit(chip)), b.maxUnsigned(count, b.i32(1)));
  return b.minUnsigned(b.maxUnsigned(room, b.i32(1)), b.i32(config.splitK));
}

GatherTask GatherEmitter::makeTask(Value number, Value parts) {
  GatherTask task;
  task.number = task.tile = number;
  if (!parts)
    return task;
  task.tile = b.divide(number, parts);
  task.part = b.remainder(number, parts);
  task.parts = parts;
  task.firstPart = b.sub(number, task.part);
  return task;
}

void GatherEmitter::forBlock(const GpuChip &chip, GatherTask &task,
                             function_ref<void(Value block)> body) {
  int64_t rows = config.rowsPerBlock();
  Value blocks = b.divide(b.add(outRows, rows - 1), rows);
  Value parts = config.splitK > 1 ? countParts(chip, blocks) : Value();
  GatherTask piece = makeTask(b.blockId(), parts);
  task.part = piece.part;
  task.parts = parts;
  Value pieces = parts ? b.mul(blocks, parts) : blocks;
  // Blocks with many offsets come last in the order and start first.
  b.ifThen(b.lessUnsigned(piece.number, pieces),
           [&] { body(b.sub(b.sub(blocks, piece.tile), 1)); });
}

Value GatherEmitter::takePiece(Value counter) {
  Value number = b.atomicAdd(counter, b.gridSize());
  Value total = b.load(b.getI32Type(), b.offset(counter, 4), 4);
  // Tiles with many offsets come last in the order.
  return b.sub(b.sub(total, number), 1);
}

void GatherEmitter::forEachPiece(
    ValueRange inits, Value parts, function_ref<Value(ValueRange)> take,
    function_ref<SmallVector<Value>(const GatherTask &, ValueRange)> body) {
  auto head = [&](ValueRange carried) {
    Value number = take(carried);
    return std::pair(number, b.greaterEqual(number, 0));
  };
  b.loopUntil(inits, head, [&](Value number, ValueRange carried) {
    GatherTask task = makeTask(number, parts);
    task.walk = startWalk(task.tile);
    for (Value &value : task.walk)
      value = b.shuffle(value, b.i32(0));
    if (parts)
      task.walk = b.ifElse(
          b.greaterEqual(parts, 2), task.walk.front().getType(),
          [&] { return SmallVector<Value>{takePart(task, task.walk[0])}; },
          [&] { return task.walk; });
    return body(task, carried);
  });
}
