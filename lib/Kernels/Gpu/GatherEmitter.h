//===- GatherEmitter.h - what the convolution kernels share -----*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_GPU_GATHEREMITTER_H
#define SPARSECONV_LIB_KERNELS_GPU_GATHEREMITTER_H

#include "sparseconv/Kernels/GatherGemm.h"

namespace mlir::sparseconv {

/// Makes a kernel with `pointers` leading pointer parameters and puts the
/// builder in its body; `finishKernel` ends it.
gpu::GPUFuncOp startKernel(GpuBuilder &b, gpu::GPUModuleOp module,
                           StringRef name, unsigned pointers,
                           TypeRange moreTypes, int64_t threads,
                           int64_t blocks);
void finishKernel(GpuBuilder &b);

/// One piece of work: a tile, or some of its offsets.
struct GatherTask {
  /// Among all pieces.
  Value number;
  Value tile;
  /// Where the walk over its offsets starts.
  SmallVector<Value> walk;
  /// Last mask word it reads; null for all.
  Value lastWord;
  /// Of a tile that may be split: part number, number of parts, number of the
  /// tile's first part among all.
  Value part, parts, firstPart;
};

/// The pieces that the strategies put together: walking over a tile's offsets,
/// gathering rows into fragments, storing a tile, adding up the parts of a
/// split tile. One emitter writes one kernel.
class GatherEmitter {
public:
  GatherEmitter(GpuBuilder &b, const GatherGemmConfig &config,
                gpu::GPUFuncOp kernel, GemmEpilogue epilogue);

  /// A chunk of two rows as it was loaded: registers [block][row][register],
  /// which hold anything where the row is absent, and which row is there.
  struct Fragment {
    SmallVector<Value> registers;
    SmallVector<Value> present;

    size_t size() const { return registers.size() + present.size(); }
    void appendTo(SmallVectorImpl<Value> &values) const;
    /// A fragment of the same shape with the first `size()` of the values.
    Fragment like(ValueRange values) const;
  };

  // --- Offsets of a tile -------------------------------------------------
  /// The walk over all offsets of a tile.
  SmallVector<Value> startWalk(Value tile);
  /// The next offset, or -1, and the walk after it.
  std::pair<Value, SmallVector<Value>> nextOffset(const GatherTask &task,
                                                  ValueRange walk);
  /// The same over words at any pointer.
  std::pair<Value, SmallVector<Value>> nextOffset(Value words, Value lastWord,
                                                  ValueRange walk);

  // --- Rows --------------------------------------------------------------
  /// Sets this lane's two slots: `firstRow + lane / 4` and 8 further on.
  void setRows(Value firstRow);
  /// Neighbours of this lane's two slots, -1 where `offset` is.
  SmallVector<Value> loadNeighbours(Value offset);
  SmallVector<Value> arePresent(ValueRange rows);
  /// Registers of block `block` of chunk `chunk` of two rows. A chunk that is
  /// known on the device only comes as `anyChunk`.
  SmallVector<Value> gatherBlock(ValueRange rows, ValueRange present,
                                 int64_t chunk, int64_t block,
                                 Value anyChunk = {});
  /// All blocks of a chunk.
  Fragment gatherChunk(ValueRange rows, int64_t chunk);
  /// The four A registers of a step, zero where a row is absent. An instruction
  /// wants them side by side, which loads of whole rows cannot give; the select
  /// that clears a register also moves it, and only once it is needed.
  SmallVector<Value> stepRegisters(const Fragment &fragment, int64_t step);

  // --- Results -----------------------------------------------------------
  int64_t accumulatorCount() const { return config.width / 2; }
  SmallVector<Value> zeroAccumulators();
  /// Output rows of this lane's slots.
  SmallVector<Value> loadOutputRows();
  /// Stores the accumulators of this lane's columns from `tile` on, four for
  /// each tile of eight channels.
  void storeTiles(ValueRange accumulators, ValueRange outputRows,
                  int64_t tile = 0);
  /// Stores some accumulators, from the four of number `tile` on.
  using StoreSums = function_ref<void(ValueRange sums, int64_t tile)>;
  /// Adds up the parts of a tile, each at `place(number)`, and stores the sums.
  void storeParts(function_ref<Value(Value number)> place, Value parts,
                  StoreSums store);
  Value rowPointer(Value row);
  /// Stores channels from `channel` on of one row, after the epilogue.
  void storePiece(ArrayRef<Value> sums, Value row, Value channel,
                  Value pointer);
  /// Stores the parts of split tiles, and whole tiles at once. `warpInTile`
  /// says which 16 rows this warp has.
  void finishTask(const GatherTask &task, ValueRange accumulators,
                  Value warpInTile, StoreSums store);
  /// Of the offsets of a word, those of the task's part.
  Value takePart(const GatherTask &task, Value bits);

  // --- Work --------------------------------------------------------------
  /// Number of tiles.
  Value tileCount();
  /// With split-K: the parts of each of `count` blocks, or of tiles where warps
  /// take those, that the device has room for.
  Value countParts(const GpuChip &chip, Value count);
  /// A piece by its number; `parts` is null where tiles are whole.
  GatherTask makeTask(Value number, Value parts);
  /// A mask word of a tile; behind the last tile, of the last one.
  Value loadWord(Value tile, Value word);
  /// The offsets in this word that any tile of a block has.
  Value joinWords(Value firstTile, int64_t tiles, Value word);
  /// Calls `body` with the number of this block's rows, if it has any. With
  /// split-K several blocks share them, and `task` says which part this one
  /// has.
  void forBlock(const GpuChip &chip, GatherTask &task,
                function_ref<void(Value block)> body);
  /// By one thread: the next piece of this block, or a negative number. At
  /// `counter` are the number of the next one and, behind it, of all.
  Value takePiece(Value counter);
  /// Calls `body` for every piece that `take` hands out, until that is
  /// negative. Carries `inits` along.
  void forEachPiece(
      ValueRange inits, Value parts, function_ref<Value(ValueRange)> take,
      function_ref<SmallVector<Value>(const GatherTask &, ValueRange)> body);

  GpuBuilder &b;
  const GatherGemmConfig &config;
  FragmentLayout layout;
  Value x, weights, table, order, masks, y, inRows, outRows, pitch;
  Value scratch, counters;
  SmallVector<Value> epilogueArguments;
  Value thread, lane, group, quad, part;
  Type elementType;
  MmaType mmaType;

private:
  /// One of a lane's two rows, in the columns of one group of tiles.
  void storeGroup(ValueRange accumulators, int64_t tile, int64_t half,
                  Value row, Value rowPointer);

  GemmEpilogue epilogue;
  Value slot;
};

/// Weights of one part in shared memory, all offsets at once, and the counter
/// that hands out work; behind it are the number of pieces and of the parts of
/// a tile. Where the chip has bulk copies, a slice is used as soon as it is
/// there.
class ResidentWeights {
public:
  ResidentWeights(GatherEmitter &e, bool bulk) : e(e), b(e.b), bulk(bulk) {}

  /// Starts the copies; to be called by all threads.
  void fetch(Value parts = {});
  /// Waits for the weights of an offset unless `ready` has its bit; returns
  /// `ready` with it.
  Value wait(Value offset, Value ready);
  /// Waits for what has not been used.
  void drain();

  Value shared, counter, slots;

private:
  void startCopies(Value size);

  GatherEmitter &e;
  GpuBuilder &b;
  bool bulk;
  Value barriers;
  int64_t slicesPerBarrier = 1, barrierCount = 1;
};

/// The A registers of all steps of a chunk.
using StepOperands = SmallVector<SmallVector<Value>>;
StepOperands allSteps(GatherEmitter &e, const GatherEmitter::Fragment &rows);
/// The wgmmas of one chunk whose weights begin at shared address `image`.
SmallVector<Value> multiplyChunk(GatherEmitter &e, const StepOperands &rows,
                                 Value image, ValueRange sums);

/// The bodies of the kernels.
void emitWarp16(GatherEmitter &e, const GpuChip &chip);
void emitGroup64(GatherEmitter &e);
void emitRing64(GatherEmitter &e, const GpuChip &chip);
void emitFma(GatherEmitter &e);
void emitFma16(GatherEmitter &e, const GpuChip &chip);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GPU_GATHEREMITTER_H
