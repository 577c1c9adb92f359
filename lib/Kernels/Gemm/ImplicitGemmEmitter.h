//===- ImplicitGemmEmitter.h - what the main loops share --------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pieces that the main loops put together: walking over the offsets of a
// tile, gathering rows into fragments, handing out tasks, storing a tile and
// adding up the splits of one. Where lanes of a warp share a row or a result,
// they do so as the fragments of mma.sync and wgmma want it: lane l has rows
// l / 4 and l / 4 + 8 of a tile of 16.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_GEMM_IMPLICITGEMMEMITTER_H
#define SPARSECONV_LIB_KERNELS_GEMM_IMPLICITGEMMEMITTER_H

#include "sparseconv/Kernels/Builders/LoopState.h"
#include "sparseconv/Kernels/Gemm/ImplicitGemm.h"

namespace mlir::sparseconv {

/// Where a walk over offsets is: what is left of a mask of one word; or, with
/// more than 32 offsets, the next entry of an OffsetList, in bytes of dynamic
/// shared memory. The other one is null.
struct OffsetWalk {
  Value bits, entry;

  void fields(LoopFields &f) { f(bits, entry); }
};

/// A chunk of the offsets that a thread block works through.
struct ChunkWalk {
  /// -1 behind the last one.
  Value offset;
  /// Null where an offset has only one.
  Value chunk;
  OffsetWalk walk;
};

/// A piece of work: a tile, or with split-K one split of its offsets.
struct GemmTask {
  /// Among all tasks.
  Value number;
  Value tile;
  /// Where the walk over its offsets starts.
  OffsetWalk walk;
  /// Of a tile that may be split: number of the split, how many there are, and
  /// the number of the tile's first split among all.
  Value split, splits, firstSplit;
};

/// Offsets from `first` up to `end`, by their numbers; null for all.
struct OffsetRange {
  Value first, end;

  void fields(LoopFields &f) { f(first, end); }
};

/// A chunk of two rows of a lane as it was loaded: registers [step
/// pair][row][register]. `present` says which row is there, as the registers of
/// an absent one hold anything; it is empty where they hold zeros.
struct Fragment {
  SmallVector<Value> registers, present;

  void fields(LoopFields &f) { f(registers, present); }
};

/// The offset whose rows are multiplied, and the one after it, whose rows are
/// loaded next.
struct OffsetCursor {
  Value offset, next;
  SmallVector<Value> nextRows;
  OffsetWalk walk;
  /// The rows of `offset`, until its first chunk is loaded; from then on only
  /// where it has several.
  SmallVector<Value> rows;
  /// Which of its chunks, where that is known on the device only.
  Value chunk;

  void fields(LoopFields &f) { f(offset, next, nextRows, walk, rows, chunk); }
};

/// One emitter writes one kernel.
class ImplicitGemmEmitter {
public:
  ImplicitGemmEmitter(GpuBuilder &b, const ImplicitGemmConfig &config,
                      gpu::GPUFuncOp kernel, GemmEpilogue epilogue);

  // --- Offsets of a tile -------------------------------------------------
  /// The next offset, or -1; moves the walk on.
  Value nextOffset(OffsetWalk &walk);
  /// The first chunk of a walk's offsets, and the one after another.
  ChunkWalk startChunks(const OffsetWalk &walk);
  void moveToNextChunk(ChunkWalk &at);
  /// The weights of a chunk in global memory, and its number among all of the
  /// column tile; `chunk` is null where an offset has only one.
  Value chunkAddress(Value offset, Value chunk);
  Value chunkNumber(Value offset, Value chunk);

  // --- Rows --------------------------------------------------------------
  /// Sets this lane's two slots: `firstRow + lane / 4 * 2` and the next one, as
  /// these share a load; or, where rows are in shared memory in the order of
  /// slots, `firstRow + lane / 4` and 8 further on.
  void setRows(Value firstRow, bool inShared = false);
  /// The address of a slot's neighbour in the table.
  Value tableEntry(Value offset, Value slot);
  /// Neighbours of this lane's two slots, -1 where `offset` is.
  SmallVector<Value> loadNeighbours(Value offset);
  SmallVector<Value> arePresent(ValueRange rows);
  /// Registers of step pair `pair` of chunk `chunk` of two rows. A chunk that
  /// is known on the device only comes as `anyChunk`. Absent rows are zeros
  /// where they are cleared, and else anything.
  SmallVector<Value> gatherStepPair(ValueRange rows, ValueRange present,
                                    int64_t chunk, int64_t pair,
                                    Value anyChunk = {}, bool clears = false);
  /// Registers of elements of 16 bits, each of which was loaded by itself.
  SmallVector<Value> joinHalves(ArrayRef<Value> halves);
  /// `laneBytes` behind a channel of a row, in `x` or in the rows beside. The
  /// channel is that in `anyChunk`, if there is one.
  Value rowPiece(Value row, Value laneBytes, int64_t channel,
                 Value anyChunk = {});
  /// All step pairs of a chunk.
  Fragment gatherChunk(ValueRange rows, int64_t chunk, bool clears = false);
  /// Starts at the first offset of a task, with its neighbours in `rows`.
  OffsetCursor startOffsets(const OffsetWalk &walk);
  /// The first chunk of these neighbours.
  Fragment gatherFirst(OffsetCursor &at, bool clears = false);
  void moveToNextOffset(OffsetCursor &at);
  /// The four A registers of a step, zero where a row is absent. An instruction
  /// wants them side by side, which loads of whole rows cannot give; the select
  /// that clears a register also moves it, and only once it is needed.
  SmallVector<Value> stepRegisters(const Fragment &fragment, int64_t step);
  /// The one or two mma.sync of a step pair, for all tiles of eight output
  /// channels. The chunk of the weight image is at `image`.
  void multiplyStepPair(const Fragment &fragment, int64_t pair, Value image,
                        SmallVector<Value> &sums);

  // --- Results -----------------------------------------------------------
  int64_t accumulatorCount() const { return config.tileN / 2; }
  /// What a column of this thread block's column tile is: a channel of its
  /// section, and of the row.
  Value channelInSection(Value column);
  Value channelInRow(Value column);
  SmallVector<Value> zeroAccumulators();
  /// Zeros, unless there are products. What was multiplied without any may be
  /// NaN, as weights may be.
  void clearUnless(Value hasProducts, SmallVector<Value> &sums);
  /// Asks for the output rows of this lane's slots, which are loaded when there
  /// are sums: then they come from the L1 cache.
  void prefetchOutputRows();
  /// Output rows of this lane's slots.
  SmallVector<Value> loadOutputRows();
  /// Stores the accumulators of this lane's columns from `tile` on, four for
  /// each tile of eight channels.
  void storeTiles(ValueRange accumulators, ValueRange outputRows,
                  int64_t tile = 0);
  Value rowPointer(Value row);
  /// Whether all columns of `count` tiles from `tile` on are channels, in each
  /// column tile.
  bool areChannels(int64_t tile, int64_t count);
  /// Pieces of rows, and where they are stored.
  struct Pieces {
    SmallVector<GemmPiece> pieces;
    SmallVector<Value> pointers;
  };
  /// Stores pieces after the epilogue.
  void storePieces(const Pieces &pieces);
  /// Stores channels from `channel` on of one row, after the epilogue.
  void storePiece(ArrayRef<Value> sums, Value row, Value channel,
                  Value pointer) {
    storePieces({{{SmallVector<Value>(sums), row, channel}}, {pointer}});
  }
  /// Stores some accumulators, from the four of number `tile` on.
  using StoreSums = function_ref<void(ValueRange sums, int64_t tile)>;
  /// Leaves the sums of a split tile in scratch memory, but for those of the
  /// last split to end, which adds all of them up; stores a whole tile at once.
  /// `warpInTile` says which 16 rows this warp has.
  void finishTask(const GemmTask &task, ValueRange accumulators,
                  Value warpInTile, StoreSums store);

  // --- Work --------------------------------------------------------------
  /// Waits for the kernels that come before this one, which may be running
  /// until then. Before, it writes nothing, and reads what no kernel of this
  /// kind writes: weights, masks, the table and counts. To be called in each
  /// task before its first rows are read or written, and by all threads at the
  /// end, so that no kernel ends before those that come before it.
  void waitForKernels() {
    if (overlaps)
      b.endPrologue();
  }
  /// Number of tiles.
  Value tileCount();
  /// With split-K: the splits of each of `count` thread blocks, or of tiles
  /// where warps take those, that the device has room for.
  Value countSplits(const TargetInfo &target, Value count);
  /// A task by its number; `splits` is null where tiles are whole.
  GemmTask makeTask(Value number, Value splits);
  /// The mask of a task's tile, or null where it has several words.
  Value loadMask(Value number, Value splits = {});
  /// The task with the walk over its offsets, for all lanes of a warp. `mask`
  /// is what `loadMask` gave. A task behind the last one has a tile, too.
  GemmTask startTask(Value number, Value mask, Value splits = {});
  /// Of the offsets of a word, those of the task's split.
  Value takeSplit(const GemmTask &task, Value bits);
  using LoadWord = function_ref<Value(Value word)>;
  /// Of the offsets of several mask words, those of the task's split.
  OffsetRange findSplit(const GemmTask &task, LoadWord loadWord);
  /// A mask word of a tile; behind the last tile, of the last one.
  Value loadWord(Value tile, Value word);
  /// The offsets in this word that any of some tiles has.
  Value joinWords(Value firstTile, int64_t tiles, Value word);
  /// Calls `body` with the number of this thread block's rows, if it has any.
  /// With split-K several thread blocks share them, and `task` says which split
  /// this one has.
  void forThreadBlock(const TargetInfo &target, GemmTask &task,
                      function_ref<void(Value number)> body);
  /// What the first lane of a warp makes, an i32, in all lanes.
  Value fromFirstLane(function_ref<Value()> make);
  /// By one thread: the next task of this thread block, or a negative number.
  /// At `counter` are how many it has taken and, behind it, how many all have.
  Value takeTask(Value counter);

  GpuBuilder &b;
  const ImplicitGemmConfig &config;
  /// Whether it may run beside the end of the kernel before it.
  bool overlaps = false;
  /// Whether neighbours are loaded as constants. ptxas moves loads of constants
  /// to where it likes, past barriers, too; others stay in their order.
  bool areNeighboursConstant = true;
  /// Whether there are registers for addresses from which fewer instructions
  /// lead to others. To be set before anything is emitted.
  bool keepsAddresses = false;
  FragmentLayout layout;
  Value x, weights, table, order, masks, y, inRows, outRows, pitch;
  Value scratch, counters, beside;
  /// Where the lists of warps begin, in bytes of dynamic shared memory.
  int64_t listsBegin = 0;
  SmallVector<Value> epilogueArguments;
  /// The four lanes of a lane group share two rows.
  Value thread, lane, laneGroup, laneInGroup;
  /// Which column tile of which section this thread block has, and its number
  /// among all; null where there is only one.
  Value columnTile, tileInSection, section;
  Type elementType;
  MmaType mmaType;

private:
  /// Moves the addresses to the column tile of this thread block.
  void enterColumnTile();
  /// The B fragments of a step pair for some tiles of eight output channels.
  SmallVector<SmallVector<Value>> loadWeights(Value lanePointer, int64_t pair,
                                              int64_t begin, int64_t end);
  /// The offset of several mask words that `ordinal` others come before; behind
  /// the last word where there are not so many.
  Value findOffset(LoadWord loadWord, Value ordinal);
  /// The walk over a task's offsets of several mask words.
  OffsetWalk listOffsets(const GemmTask &task);
  /// `storeTiles` for odd rows.
  void storeOddRows(ValueRange accumulators, ValueRange outputRows,
                    int64_t tile);
  /// Adds one of a lane's two rows, in the columns of one strip of tiles, to
  /// what is to be stored; or stores it, where some columns are no channels.
  void addStrip(ValueRange accumulators, int64_t tile, int64_t half, Value row,
                Value rowPointer, Pieces &pieces);
  /// Where in scratch memory a split of this warp's tile leaves its sums.
  Value splitPointer(const GemmTask &task, Value split, Value warpInTile);
  Value numberInTile(Value index, Value warpInTile);
  void finishSplit(const GemmTask &task, ValueRange accumulators,
                   Value warpInTile, StoreSums store);
  void leaveSums(ValueRange accumulators, Value place, Value counter);
  using PlaceOfSplit = function_ref<Value(Value split)>;
  /// Adds up the splits of a tile in their order, this one's own and those at
  /// their places, and stores the sums.
  void addSplits(const GemmTask &task, ValueRange accumulators,
                 PlaceOfSplit place, StoreSums store);

  GemmEpilogue epilogue;
  /// The first of this lane's two slots, and the address of its neighbour of
  /// offset 0, if that is kept.
  Value slot, entry;
  int64_t slotsApart = 1;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GEMM_IMPLICITGEMMEMITTER_H
