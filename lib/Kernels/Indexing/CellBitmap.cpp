//===- CellBitmap.cpp - the cells of a region as bits, by slices ----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CellBitmap.h"
#include "sparseconv/Kernels/Indexing/IndexingKernels.h"
#include "sparseconv/Kernels/Indexing/KeyFields.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;

static constexpr int64_t kCpuWorkers = 256;
/// Threads of a worker of a GPU.
static constexpr int64_t kThreads = 128;
/// Keys that a thread of a GPU loads side by side: the slices where a scan is
/// dense take longest, and their threads wait for keys.
static constexpr int64_t kSideBySide = 4;
/// The most slices of a batch item, where that can be: one for each worker.
static constexpr int64_t kSlices = CellBitmap::kGpuWorkers;
/// The most cells of a slice of several lines.
static constexpr int64_t kMaxSlice = int64_t(1) << 15;

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

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
    : b(b), set(cast<CoordsType>(op.getSet())), packing(set.getPacking()),
      keyType(packing.getKeyType()), slicing(set, op.getClip()),
      reaches(groupByFirstAxis(op.getDisplacements(), set.getDim())),
      keys(op.getKeys()), numRows(b.dim(keys, 0)),
      numWorkers(b.isGpu() ? kGpuWorkers : kCpuWorkers),
      numThreads(b.isGpu() ? kThreads : 1) {}

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
    body({number, b.index(0), bits, pieces, {}});
    b.dealloc(pieces);
    b.dealloc(bits);
  });
}

void CellBitmap::forShare(const Worker &worker, Value count,
                          function_ref<void(Value)> body) {
  b.forLoop(worker.thread, count, numThreads, body);
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

BlockSums CellBitmap::sumThreads(const Worker &worker, Value own) {
  LoopBuilder::Thread t{worker.number, worker.thread, {}, Value()};
  return sumInBlock(b, t, own, worker.sums, kThreads);
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
    Value bound = b.isGpu() ? findLowerBoundInFewSteps(b, keys, query)
                            : b.lowerBound(keys, b.index(0), numRows, query);
    b.store(bound, worker.pieces, i);
  });
}

void CellBitmap::setBit(const Worker &worker, Value cell) {
  Value word = b.toIndex(b.shiftRight(cell, llvm::Log2_64(kBitmapWord)));
  Value mask = b.shiftLeft(b.i32(1), b.andBits(cell, kBitmapWord - 1));
  if (b.isGpu())
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
  if (!b.isGpu())
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
    for (int64_t i = 0; i < kSideBySide; ++i)
      b.ifThen(b.less(rows[i], end),
               [&] { markKey(worker, slice, found[i], reach); });
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
