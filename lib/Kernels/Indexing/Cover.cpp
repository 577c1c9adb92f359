//===- Cover.cpp - the cells of a region that a set reaches ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cells of the clip region are bits, in the order of their keys. They are
// cut into slices of some cells on axis 1, a line of cells on the other axes
// behind each, at one cell on axis 0 and one batch item. A worker (a block of a
// GPU, or an iteration on a CPU) takes slices that follow each other, and has
// the bitmap of one at a time. All workers count their bits; then each makes
// its bitmaps again, and writes its cells behind those of the workers before.
//
//===----------------------------------------------------------------------===//

#include "CoordinateChecks.h"
#include "sparseconv/Dialect/SparseConv/IR/SetBounds.h"
#include "sparseconv/Kernels/Indexing/BlockSums.h"
#include "sparseconv/Kernels/Indexing/IndexingKernels.h"
#include "sparseconv/Kernels/Indexing/KeyFields.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Workers, and the threads of each on a GPU.
static constexpr int64_t kGpuWorkers = 2048, kCpuWorkers = 256;
static constexpr int64_t kThreads = 128;
/// Keys that a thread of a GPU loads side by side: the slices where a scan is
/// dense take longest, and their threads wait for keys.
static constexpr int64_t kSideBySide = 4;
/// Threads of the block that adds up what the workers count.
static constexpr int64_t kSumThreads = 512;
/// The most slices of a batch item, where that can be: one for each worker.
static constexpr int64_t kSlices = kGpuWorkers;
/// The most cells of a slice of several lines.
static constexpr int64_t kMaxSlice = int64_t(1) << 15;
static constexpr int64_t kWordBits = 32;

namespace {
/// How the cells of a batch item are cut.
struct Slicing {
  Slicing(CoordsType set, RegionAttr clip);

  /// By axis.
  SmallVector<AxisCells> axes;
  /// Cells of a line; lines of a slice but the last of a place on axis 0;
  /// slices at such a place.
  int64_t lineCells = 1, lines, slices;
  int64_t getNumWords() const {
    return llvm::divideCeil(lines * lineCells, kWordBits);
  }
  int64_t getNumSlices() const { return axes[0].count * slices; }
};

/// What keys reach from one displacement on axis 0: the displacements on the
/// other axes, and the bounds of those on axis 1.
struct Reach {
  int64_t displacement;
  SmallVector<SmallVector<int64_t>> others;
  int64_t getLowest() const;
  int64_t getHighest() const;
};

class CellBitmap {
public:
  CellBitmap(LoopBuilder &b, CoverOp op);
  void emit();

private:
  /// What runs the code of a kernel: one of a worker's threads. On a CPU it has
  /// no thread, and does the share of all.
  struct Worker {
    Value number, thread;
    Value bits, pieces, sums;
  };
  struct Slice {
    /// The key of its first cell; that of axis 1 alone, its lines (i32).
    Value key, firstLine, numLines;
  };

  void forEachWorker(function_ref<void(const Worker &worker)> body);
  /// The thread's share of 0 .. count-1.
  void forShare(const Worker &worker, Value count,
                function_ref<void(Value i)> body);
  void meet();
  /// A loop over the slices of a worker, which carries a number.
  Value forSlices(const Worker &worker, Value init,
                  function_ref<Value(Slice slice, Value carried)> body);
  Slice getSlice(Value number);
  /// Sets the bits of the cells of a slice that keys reach.
  void mark(const Worker &worker, const Slice &slice);
  /// The first key of each piece, and the first one behind it.
  void findPieces(const Worker &worker, const Slice &slice);
  void markPiece(const Worker &worker, const Slice &slice, Value begin,
                 Value end, const Reach &reach);
  void setBit(const Worker &worker, Value cell);
  void markKey(const Worker &worker, const Slice &slice, Value key,
               const Reach &reach);

  BlockSums sumThreads(const Worker &worker, Value own);
  void countWorkers();
  /// Sums before each worker take the place of the counts. Stores the count.
  void sumUp();
  void sumUpInBlock();
  void writeWorkers();
  Value getKey(const Slice &slice, Value cell);
  /// Writes the cells of a word's bits from `place` (i32) on.
  void writeWord(const Slice &slice, Value number, Value word, Value place);
  /// Writes the cells of a slice from `place` (i32) on; returns the place
  /// behind.
  Value writeSlice(const Worker &worker, const Slice &slice, Value place);

  LoopBuilder &b;
  CoverOp op;
  CoordsType set;
  PackingAttr packing;
  Type keyType;
  Slicing slicing;
  SmallVector<Reach> reaches;
  Value keys, numRows;
  SetRoom room;
  int64_t numWorkers;
  Value counts;
};
} // namespace

Slicing::Slicing(CoordsType set, RegionAttr clip) {
  for (unsigned axis = 0; axis < set.getDim(); ++axis) {
    axes.push_back(getAxisCells(set, axis, clip));
    if (axis >= 2)
      lineCells *= axes.back().count;
  }
  int64_t most = std::max<int64_t>(1, kSlices / axes[0].count);
  lines = llvm::divideCeil(axes[1].count, most);
  lines = std::min(lines, std::max<int64_t>(1, kMaxSlice / lineCells));
  slices = llvm::divideCeil(axes[1].count, lines);
}

int64_t Reach::getLowest() const {
  int64_t lowest = others[0][0];
  for (ArrayRef<int64_t> other : others)
    lowest = std::min(lowest, other[0]);
  return lowest;
}

int64_t Reach::getHighest() const {
  int64_t highest = others[0][0];
  for (ArrayRef<int64_t> other : others)
    highest = std::max(highest, other[0]);
  return highest;
}

static SmallVector<Reach> groupByFirstAxis(ArrayRef<int64_t> displacements,
                                           unsigned dim) {
  llvm::MapVector<int64_t, Reach> byFirst;
  for (; !displacements.empty();
       displacements = displacements.drop_front(dim)) {
    Reach &reach = byFirst[displacements[0]];
    reach.displacement = displacements[0];
    reach.others.emplace_back(displacements.slice(1, dim - 1));
  }
  return llvm::to_vector(llvm::make_second_range(byFirst));
}

CellBitmap::CellBitmap(LoopBuilder &b, CoverOp op)
    : b(b), op(op), set(cast<CoordsType>(op.getSet())),
      packing(set.getPacking()), keyType(packing.getKeyType()),
      slicing(set, op.getClip()),
      reaches(groupByFirstAxis(op.getDisplacements(), set.getDim())),
      keys(op.getKeys()), numRows(b.dim(keys, 0)), room(b, op),
      numWorkers(b.isGpu() ? kGpuWorkers : kCpuWorkers) {}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

void CellBitmap::forEachWorker(function_ref<void(const Worker &)> body) {
  int64_t numWords = slicing.getNumWords(), numPieces = reaches.size() * 2;
  Type i32 = b.getI32Type();
  if (b.isGpu())
    return b.launch(
        b.index(numWorkers), kThreads,
        {b.getSharedType({numWords}, i32),
         b.getSharedType({numPieces}, b.getIndexType()),
         getBlockSumsType(b, kThreads)},
        [&](const LoopBuilder::Thread &t) {
          body({t.block, t.thread, t.shared[0], t.shared[1], t.shared[2]});
        });
  b.parallelFor(b.index(numWorkers), [&](Value number) {
    Value bits = b.alloc({numWords}, i32);
    Value pieces = b.alloc({numPieces}, b.getIndexType());
    body({number, {}, bits, pieces, {}});
    b.dealloc(pieces);
    b.dealloc(bits);
  });
}

void CellBitmap::forShare(const Worker &worker, Value count,
                          function_ref<void(Value)> body) {
  if (worker.thread)
    b.forLoop(worker.thread, count, kThreads, body);
  else
    b.forLoop(b.index(0), count, 1, body);
}

void CellBitmap::meet() {
  if (b.isGpu())
    b.barrier();
}

Value CellBitmap::forSlices(const Worker &worker, Value init,
                            function_ref<Value(Slice, Value)> body) {
  // Items behind the last key have nothing.
  Value numItems = b.ifElse(
      b.less(b.index(0), numRows), b.getIndexType(),
      [&]() -> SmallVector<Value> {
        Value last = b.load(keys, b.sub(numRows, 1));
        return {b.add(b.toIndex(getKeyBatch(b, packing, last)), 1)};
      },
      [&]() -> SmallVector<Value> { return {b.index(0)}; })[0];
  Value numSlices = b.mul(numItems, slicing.getNumSlices());
  Value share = b.ceilDiv(numSlices, numWorkers);
  Value begin = b.mul(worker.number, share);
  Value end = b.min(b.add(begin, share), numSlices);
  return b.forLoop(begin, end, 1, init,
                   [&](Value number, ValueRange carried) -> SmallVector<Value> {
                     Slice slice = getSlice(number);
                     mark(worker, slice);
                     return {body(slice, carried[0])};
                   })[0];
}

CellBitmap::Slice CellBitmap::getSlice(Value number) {
  Value place = b.divide(number, slicing.slices);
  Value item = b.divide(place, slicing.axes[0].count);
  Value firstLine = b.mul(b.remainder(number, slicing.slices), slicing.lines);
  SmallVector<int64_t> origin(set.getDim() + 1, 0);
  for (auto [axis, cells] : llvm::enumerate(slicing.axes))
    origin[axis + 1] = cells.lowest;
  auto toKey = [&](Value cells, unsigned axis) {
    Value distance = b.mul(cells, set.getStride()[axis]);
    return b.cast(b.shiftLeft(distance, packing.getShift(axis)), keyType);
  };
  Value key =
      b.constantInt(keyType, static_cast<int64_t>(packing.pack(origin)));
  if (packing.getBatch() != 0)
    key =
        b.add(key, b.cast(b.shiftLeft(item, packing.getBatchShift()), keyType));
  key = b.add(key, toKey(b.remainder(place, slicing.axes[0].count), 0));
  key = b.add(key, toKey(firstLine, 1));
  Value left = b.sub(b.index(slicing.axes[1].count), firstLine);
  Type i32 = b.getI32Type();
  return {key, b.cast(firstLine, i32),
          b.cast(b.min(left, b.index(slicing.lines)), i32)};
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

void CellBitmap::findPieces(const Worker &worker, const Slice &slice) {
  // From the lowest to the highest place on axis 1 that reaches the slice.
  // A coordinate behind the highest one fits its field: clip regions end below
  // the packing.
  unsigned dim = set.getDim(), shift = packing.getShift(1);
  SmallVector<int64_t> toBegin, toEnd, displacement(dim, 0);
  for (const Reach &reach : reaches) {
    displacement[0] = -reach.displacement;
    displacement[1] = -reach.getHighest();
    toBegin.push_back(packing.packOffset(displacement));
    displacement[1] = 1 - reach.getLowest();
    toEnd.push_back(packing.packOffset(displacement));
  }
  Value numReaches = b.index(reaches.size());
  toBegin.append(toEnd);
  Value offsets = getConstantBuffer(b, keyType, toBegin);
  Value height =
      b.mul(b.sub(b.extend(slice.numLines, keyType), 1), set.getStride()[1]);
  Value toLast = b.shiftLeft(height, shift);
  forShare(worker, b.mul(numReaches, 2), [&](Value i) {
    Value query = b.add(slice.key, b.load(offsets, i));
    Value isBegin = b.less(i, numReaches);
    query = b.select(isBegin, query, b.add(query, toLast));
    query = b.shiftLeft(b.shiftRight(query, shift), shift);
    Value bound = worker.thread
                      ? findLowerBoundInFewSteps(b, keys, query)
                      : b.lowerBound(keys, b.index(0), numRows, query);
    b.store(bound, worker.pieces, i);
  });
}

void CellBitmap::setBit(const Worker &worker, Value cell) {
  Value word = b.toIndex(b.shiftRight(cell, llvm::Log2_64(kWordBits)));
  Value mask = b.shiftLeft(b.i32(1), b.andBits(cell, kWordBits - 1));
  if (worker.thread)
    b.atomic(arith::AtomicRMWKind::ori, mask, worker.bits, ValueRange{word});
  else
    b.store(b.orBits(b.load(worker.bits, word), mask), worker.bits, word);
}

void CellBitmap::markKey(const Worker &worker, const Slice &slice, Value key,
                         const Reach &reach) {
  unsigned dim = set.getDim();
  Type i32 = b.getI32Type();
  // From the first cell of the slice.
  SmallVector<Value> from;
  for (unsigned axis = 1; axis < dim; ++axis) {
    Value coordinate = b.cast(getKeyCoordinate(b, packing, key, axis), i32);
    from.push_back(b.sub(coordinate, slicing.axes[axis].lowest));
  }
  from[0] = b.sub(from[0], b.mul(slice.firstLine, set.getStride()[1]));
  for (ArrayRef<int64_t> other : reach.others) {
    Value isInside = b.i1(true), cell;
    for (unsigned axis = 1; axis < dim; ++axis) {
      int64_t stride = set.getStride()[axis];
      Value distance = b.add(from[axis - 1], other[axis - 1]);
      Value count =
          axis == 1 ? slice.numLines : b.i32(slicing.axes[axis].count);
      Value isHere = b.lessUnsigned(distance, b.mul(count, stride));
      Value place = b.divide(distance, stride);
      if (stride != 1)
        isHere = b.andBits(isHere, b.equal(b.mul(place, stride), distance));
      isInside = b.andBits(isInside, isHere);
      cell = axis == 1 ? place
                       : b.add(b.mul(cell, slicing.axes[axis].count), place);
    }
    b.ifThen(isInside, [&] { setBit(worker, cell); });
  }
}

void CellBitmap::markPiece(const Worker &worker, const Slice &slice,
                           Value begin, Value end, const Reach &reach) {
  if (!worker.thread)
    return b.forLoop(begin, end, 1, [&](Value row) {
      markKey(worker, slice, b.load(keys, row), reach);
    });
  Value first = b.add(begin, worker.thread), last = b.sub(end, 1);
  b.forLoop(first, end, kThreads * kSideBySide, [&](Value row) {
    SmallVector<Value> rows, found;
    for (int64_t i = 0; i < kSideBySide; ++i) {
      rows.push_back(b.add(row, i * kThreads));
      found.push_back(b.load(keys, b.min(rows.back(), last)));
    }
    for (auto [row, key] : llvm::zip_equal(rows, found))
      b.ifThen(b.less(row, end), [&] { markKey(worker, slice, key, reach); });
  });
}

void CellBitmap::mark(const Worker &worker, const Slice &slice) {
  forShare(worker, b.index(slicing.getNumWords()),
           [&](Value i) { b.store(b.i32(0), worker.bits, i); });
  findPieces(worker, slice);
  meet();
  for (auto [i, reach] : llvm::enumerate(reaches)) {
    Value begin = b.load(worker.pieces, b.index(i));
    Value end = b.load(worker.pieces, b.index(reaches.size() + i));
    markPiece(worker, slice, begin, end, reach);
  }
  meet();
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

void CellBitmap::countWorkers() {
  forEachWorker([&](const Worker &worker) {
    Value own = forSlices(worker, b.i32(0), [&](Slice, Value carried) {
      // A thread counts the words that it clears for the next slice.
      Value begin = worker.thread ? worker.thread : b.index(0);
      int64_t step = worker.thread ? kThreads : 1;
      return b.forLoop(begin, b.index(slicing.getNumWords()), step, carried,
                       [&](Value i, ValueRange sum) -> SmallVector<Value> {
                         return {
                             b.add(sum[0], b.popCount(b.load(worker.bits, i)))};
                       })[0];
    });
    if (!worker.thread)
      return b.store(own, counts, worker.number);
    Value total = sumThreads(worker, own).total;
    b.ifThen(b.equal(worker.thread, b.index(0)),
             [&] { b.store(total, counts, worker.number); });
  });
}

BlockSums CellBitmap::sumThreads(const Worker &worker, Value own) {
  LoopBuilder::Thread t{worker.number, worker.thread, {}};
  return sumInBlock(b, t, own, worker.sums, kThreads);
}

void CellBitmap::sumUpInBlock() {
  constexpr int64_t each = kGpuWorkers / kSumThreads, half = 16;
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  b.launch(
      b.index(1), kSumThreads, {getBlockSumsType(b, kSumThreads)},
      [&](const LoopBuilder::Thread &t) {
        auto sum = [&](Value own) {
          return sumInBlock(b, t, b.cast(own, i32), t.shared[0], kSumThreads);
        };
        SmallVector<Value> found;
        Value first = b.mul(t.thread, each), own = b.i64(0);
        for (int64_t i = 0; i < each; ++i) {
          found.push_back(b.load(counts, b.add(first, i)));
          own = b.add(own, b.extend(found.back(), i64));
        }
        Value before = sum(own).before;
        for (int64_t i = 0; i < each; ++i) {
          b.store(before, counts, b.add(first, i));
          before = b.add(before, found[i]);
        }
        // The cells may be too many for 32 bits: their number is the sum of
        // two halves.
        Value low = sum(b.andBits(own, (int64_t(1) << half) - 1)).total;
        Value high = sum(b.shiftRight(own, half)).total;
        Value total =
            b.add(b.shiftLeft(b.extend(high, i64), half), b.extend(low, i64));
        b.ifThen(b.equal(t.thread, b.index(0)),
                 [&] { room.storeCount(b, b.toIndex(total)); });
      });
}

void CellBitmap::sumUp() {
  if (b.isGpu())
    return sumUpInBlock();
  Value total = b.forLoop(b.index(0), b.index(numWorkers), 1, b.index(0),
                          [&](Value i, ValueRange sum) -> SmallVector<Value> {
                            Value own = b.toIndex(b.load(counts, i));
                            b.store(b.cast(sum[0], b.getI32Type()), counts, i);
                            return {b.add(sum[0], own)};
                          })[0];
  room.storeCount(b, total);
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

Value CellBitmap::getKey(const Slice &slice, Value cell) {
  Value key = slice.key, rest = cell;
  for (unsigned axis = set.getDim() - 1; axis >= 1; --axis) {
    int64_t count = slicing.axes[axis].count;
    Value place = axis == 1 ? rest : b.remainder(rest, count);
    rest = b.divide(rest, count);
    Value distance = b.mul(b.extend(place, keyType), set.getStride()[axis]);
    key = b.add(key, b.shiftLeft(distance, packing.getShift(axis)));
  }
  return key;
}

void CellBitmap::writeWord(const Slice &slice, Value number, Value word,
                           Value place) {
  Value first = b.mul(b.cast(number, b.getI32Type()), kWordBits);
  b.whileLoop(
      {word, place},
      [&](ValueRange carried) { return b.notEqual(carried[0], b.i32(0)); },
      [&](ValueRange carried) -> SmallVector<Value> {
        Value cell = b.add(first, b.countTrailingZeros(carried[0]));
        b.store(getKey(slice, cell), op.getCoarse(), b.toIndex(carried[1]));
        Value left = b.andBits(carried[0], b.sub(carried[0], 1));
        return {left, b.add(carried[1], 1)};
      });
}

Value CellBitmap::writeSlice(const Worker &worker, const Slice &slice,
                             Value place) {
  Value numWords = b.index(slicing.getNumWords());
  int64_t step = worker.thread ? kThreads : 1;
  return b.forLoop(b.index(0), numWords, step, place,
                   [&](Value first, ValueRange carried) -> SmallVector<Value> {
                     if (!worker.thread) {
                       Value word = b.load(worker.bits, first);
                       writeWord(slice, first, word, carried[0]);
                       return {b.add(carried[0], b.popCount(word))};
                     }
                     Value number = b.add(first, worker.thread);
                     Value at = b.min(number, b.sub(numWords, 1));
                     Value word = b.select(b.less(number, numWords),
                                           b.load(worker.bits, at), b.i32(0));
                     BlockSums sums = sumThreads(worker, b.popCount(word));
                     writeWord(slice, number, word,
                               b.add(carried[0], sums.before));
                     return {b.add(carried[0], sums.total)};
                   })[0];
}

void CellBitmap::writeWorkers() {
  forEachWorker([&](const Worker &worker) {
    // After an error the count is 0, and nothing is written.
    Value isWritten = b.less(b.index(0), b.load(op.getCount(), b.index(0)));
    b.ifThen(isWritten, [&] {
      forSlices(worker, b.load(counts, worker.number),
                [&](Slice slice, Value place) {
                  return writeSlice(worker, slice, place);
                });
    });
  });
}

void CellBitmap::emit() {
  counts = b.alloc({numWorkers}, b.getI32Type());
  countWorkers();
  sumUp();
  writeWorkers();
  b.dealloc(counts);
}

void mlir::sparseconv::emitCover(LoopBuilder &b, CoverOp op) {
  CellBitmap(b, op).emit();
}
