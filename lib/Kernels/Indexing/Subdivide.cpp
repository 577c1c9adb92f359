//===- Subdivide.cpp - the cells of a sorted set, as loops ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where each cell of a coordinate stands among those of all, without a sort.
// Cells are ordered by axis 0 first, say x. All cells of coordinates with a
// lower x come before. Those with the same x come in as many slabs as x is
// divided into: one for each place of a cell on x, with an equal part of the
// cells of each coordinate. Within a slab the same holds for the next axis. On
// the last axis the cells of one coordinate lie side by side. So the number of
// a cell is a sum over the axes, of where the coordinates that agree up to an
// axis begin, and of how many there are.
//
//===----------------------------------------------------------------------===//

#include "CoordinateChecks.h"
#include "sparseconv/Kernels/Indexing/IndexingKernels.h"
#include "sparseconv/Kernels/Indexing/KeyFields.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::kMaxRows;
using ::sparseconv::StatusCode;
using ::sparseconv::StatusSide;

namespace {
class Subdivision {
public:
  Subdivision(LoopBuilder &b, SubdivideKernelOp op);
  void emit();

private:
  /// The cells of one coordinate: the number of the first, and on each axis how
  /// much higher that of the next cell is (i32).
  struct Places {
    Value first;
    SmallVector<Value> steps;
  };
  Places findPlaces(Value row);
  void storePlaces(Value row, const Places &places);
  Places loadPlaces(Value row);
  /// The number of a cell, by its number among those of its coordinate.
  Value getRow(const Places &places, Value cell);
  /// Where a cell is on each axis, counted from its coordinate (index).
  SmallVector<Value> getPosition(Value cell);

  /// Whether the last cell of a coordinate may be beyond the packing on an
  /// axis.
  bool mayLeave(unsigned axis) const;
  /// Checks that no cell of a row is beyond the packing. The first check that
  /// fails names the first such cell.
  SmallVector<Check> checkCells(Value row);
  /// The lowest row with a cell beyond the packing, or the number of rows.
  Value findOutside();
  void reportNumbers();
  /// Stores the count, or 0 with a report. Returns whether the cells may be
  /// written (i1).
  Value storeCount();
  void writeRow(Value row);
  /// Stores the row of a cell of a point: -1 where it has none, and where cells
  /// are not written.
  void writeCellOfPoint(Value number, Value isWritten);

  LoopBuilder &b;
  SubdivideKernelOp op;
  CoordsType set;
  PackingAttr packing;
  ArrayRef<int64_t> by;
  unsigned dim;
  /// By axis: how many cells of a coordinate share a position on it and on all
  /// axes before.
  SmallVector<int64_t> cellsBelow;
  int64_t numCells;
  Value keys, numRows, total;
  SetRoom room;
  /// `Places` by row: the first number, then the steps.
  Value table;
};
} // namespace

Subdivision::Subdivision(LoopBuilder &b, SubdivideKernelOp op)
    : b(b), op(op), set(cast<CoordsType>(op.getSet())),
      packing(set.getPacking()), by(op.getBy()), dim(set.getDim()),
      numCells(llvm::product_of(by)), keys(op.getKeys()),
      numRows(b.dim(keys, 0)), total(b.mul(numRows, numCells)), room(b, op) {
  int64_t rest = numCells;
  for (int64_t factor : by)
    cellsBelow.push_back(rest /= factor);
}

Subdivision::Places Subdivision::findPlaces(Value row) {
  // Where the coordinates begin and end that agree up to an axis but the last.
  Type i32 = b.getI32Type(), keyType = packing.getKeyType();
  Value key = b.load(keys, row), count = b.cast(numRows, i32);
  SmallVector<Value> queries;
  for (unsigned axis = 0; axis + 1 < dim; ++axis) {
    int64_t shift = packing.getShift(axis);
    Value begin = b.shiftLeft(b.shiftRight(key, shift), shift);
    queries.push_back(begin);
    // The guard keeps the highest field free, so that the sum does not wrap.
    int64_t next =
        llvm::SignExtend64(uint64_t(1) << shift, packing.getKeyWidth());
    queries.push_back(b.add(begin, b.constantInt(keyType, next)));
  }
  SmallVector<Value> bases(queries.size(), b.i32(0)), bounds;
  if (!queries.empty())
    bounds = findLowerBounds(b, keys, queries, bases, count);
  Places places;
  Value own = b.cast(row, i32);
  for (unsigned axis = 0; axis < dim; ++axis) {
    bool isLast = axis + 1 == dim;
    Value begin = isLast ? own : bounds[2 * axis];
    Value end = isLast ? b.add(own, 1) : bounds[2 * axis + 1];
    Value before = axis == 0 ? b.mul(begin, numCells)
                             : b.mul(b.sub(begin, bounds[2 * (axis - 1)]),
                                     cellsBelow[axis - 1]);
    places.first = axis == 0 ? before : b.add(places.first, before);
    places.steps.push_back(b.mul(b.sub(end, begin), cellsBelow[axis]));
  }
  return places;
}

void Subdivision::storePlaces(Value row, const Places &places) {
  b.store(places.first, table, {row, b.index(0)});
  for (auto [axis, step] : llvm::enumerate(places.steps))
    b.store(step, table, {row, b.index(axis + 1)});
}

Subdivision::Places Subdivision::loadPlaces(Value row) {
  Places places{b.load(table, {row, b.index(0)}), {}};
  for (unsigned axis = 0; axis < dim; ++axis)
    places.steps.push_back(b.load(table, {row, b.index(axis + 1)}));
  return places;
}

SmallVector<Value> Subdivision::getPosition(Value cell) {
  SmallVector<Value> position;
  for (auto [below, factor] : llvm::zip_equal(cellsBelow, by))
    position.push_back(
        b.remainder(b.divide(cell, b.index(below)), b.index(factor)));
  return position;
}

Value Subdivision::getRow(const Places &places, Value cell) {
  Value row = places.first;
  for (auto [place, step] : llvm::zip_equal(getPosition(cell), places.steps))
    row = b.add(row, b.mul(b.cast(place, b.getI32Type()), step));
  return row;
}

bool Subdivision::mayLeave(unsigned axis) const {
  int64_t step = set.getStride()[axis], extent = step * by[axis];
  int64_t most = packing.getMax(axis);
  // Coordinates are multiples of the extent.
  int64_t highest = llvm::divideFloorSigned(most, extent) * extent;
  return highest + extent - step > most;
}

SmallVector<Check> Subdivision::checkCells(Value row) {
  SmallVector<Check> checks;
  Value key = b.load(keys, row);
  // The last axis is the fastest: a cell beyond it comes first.
  for (unsigned axis = dim; axis-- > 0;) {
    if (!mayLeave(axis))
      continue;
    int64_t step = set.getStride()[axis];
    Value coordinate = getKeyCoordinate(b, packing, key, axis);
    Value last = b.add(coordinate, step * (by[axis] - 1));
    Check check = checkAxis(b, packing, axis, last);
    Value most = b.i64(packing.getMax(axis));
    Value inside = b.floorDiv(b.sub(most, coordinate), step);
    check.value = b.add(coordinate, b.mul(b.add(inside, 1), step));
    checks.push_back(check);
  }
  return checks;
}

Value Subdivision::findOutside() {
  if (llvm::none_of(llvm::seq(dim),
                    [&](unsigned axis) { return mayLeave(axis); }))
    return numRows;
  return findFirst(b, numRows, kDefaultRowBlock, [&](Value row) {
    return b.notBit(holdAll(b, checkCells(row)));
  });
}

void Subdivision::reportNumbers() {
  LoopBuilder::Report report{StatusCode::RowCountMismatch,
                             static_cast<int64_t>(op.getOpId())};
  // They are operand 1 of subdivide.
  report.axis = b.i64(1);
  report.value = b.dim(op.getPointsOrder(), 0);
  report.lower = numRows;
  report.extra = b.i64(static_cast<int64_t>(StatusSide::Set));
  b.report(op.getStatus(), report);
}

Value Subdivision::storeCount() {
  Value cellsOfPoints = b.mul(b.dim(op.getPointsRowOf(), 0), numCells);
  Value outside = findOutside();
  Value hasNumbers = b.equal(b.dim(op.getPointsOrder(), 0), numRows);
  Value arePointsFew = b.lessEqual(cellsOfPoints, b.index(kMaxRows));
  Value isInside = b.equal(outside, numRows);
  Value holds = b.andBits(hasNumbers, b.andBits(arePointsFew, isInside));
  b.ifElse(
      holds, [&] { room.storeCount(b, total); },
      [&] {
        b.store(b.index(0), op.getCount(), b.index(0));
        // Of several reports of one operation the record keeps the first.
        b.ifThen(b.notBit(hasNumbers), [&] { reportNumbers(); });
        b.ifThen(b.notBit(arePointsFew), [&] {
          reportTooManyRows(b, op.getStatus(), op.getOpId(), cellsOfPoints);
        });
        b.ifThen(b.notBit(isInside), [&] {
          reportFirst(b, op.getStatus(), op.getOpId(), outside,
                      checkCells(outside));
        });
      });
  return b.andBits(holds, room.fits(b, total));
}

void Subdivision::writeRow(Value row) {
  Places places = findPlaces(row);
  storePlaces(row, places);
  Type keyType = packing.getKeyType(), i32 = b.getI32Type();
  Value key = b.load(keys, row);
  Value first = b.mul(b.load(op.getPointsOrder(), row), numCells);
  forOffsets(b, numCells, [&](Value cell) {
    Value fine = key;
    for (auto [axis, place] : llvm::enumerate(getPosition(cell)))
      fine = b.add(fine, b.shiftLeft(b.mul(b.cast(place, keyType),
                                           set.getStride()[axis]),
                                     packing.getShift(axis)));
    Value to = b.toIndex(getRow(places, cell));
    b.store(fine, op.getFine(), to);
    b.store(b.cast(row, i32), op.getRows(), to);
    b.store(b.add(first, b.cast(cell, i32)), op.getOrder(), to);
  });
}

void Subdivision::writeCellOfPoint(Value number, Value isWritten) {
  Value cells = b.index(numCells);
  Value row = b.toIndex(b.load(op.getPointsRowOf(), b.divide(number, cells)));
  auto store = [&](Value cellRow) { b.store(cellRow, op.getRowOf(), number); };
  b.ifElse(
      b.andBits(isWritten, b.lessUnsigned(row, numRows)),
      [&] { store(getRow(loadPlaces(row), b.remainder(number, cells))); },
      [&] { store(b.i32(-1)); });
}

void Subdivision::emit() {
  Value isWritten = storeCount();
  table = b.alloc({ShapedType::kDynamic, dim + 1}, b.getI32Type(), numRows);
  b.ifThen(isWritten, [&] {
    forEachRow(b, numRows, kDefaultRowBlock, [&](Value row) { writeRow(row); });
  });
  Value cellsOfPoints = b.mul(b.dim(op.getPointsRowOf(), 0), numCells);
  forEachRow(b, b.min(b.dim(op.getRowOf(), 0), cellsOfPoints), kDefaultRowBlock,
             [&](Value number) { writeCellOfPoint(number, isWritten); });
  b.dealloc(table);
}

void mlir::sparseconv::emitSubdivide(LoopBuilder &b, SubdivideKernelOp op) {
  Subdivision(b, op).emit();
}
