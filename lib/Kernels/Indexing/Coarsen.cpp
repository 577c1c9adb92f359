//===- Coarsen.cpp - the cells of a sorted set ----------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The keys of a set are floored and made distinct without a sort, by look-ups
// as in a merge of sorted lists (Cole, "Parallel Merge Sort", SIAM J. Comput.
// 1988, section 2: ranks by binary search).
//
// A cell is made of columns along the last axis. Keys ascend, so what a column
// has of a cell lies together, and a lower bound finds it. A row is the first
// of its cell, and stands for it, if it is the first of its column and the
// columns before have nothing of the cell.
//
// The cells before cell k are the first rows whose cell has a lower key. On
// axis 0, say x, with two columns x and x + s of a cell: all first rows below x
// are among them; of those at x and at x + s, the ones whose remaining axes are
// lower. So from the number of first rows below the place of k in each column,
// the number below the start of that column is taken, and the same holds on the
// axes in between. The start of the first column of a cell on an axis cancels.
// Cells outside a clip region have no first row, and count nowhere.
//
//===----------------------------------------------------------------------===//

#include "CoordinateChecks.h"
#include "RowNumbers.h"
#include "sparseconv/Dialect/SparseConv/IR/SetBounds.h"
#include "sparseconv/Kernels/Indexing/IndexingKernels.h"
#include "sparseconv/Kernels/Indexing/KeyFields.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
class CellMerge {
public:
  CellMerge(LoopBuilder &b, CoarsenOp op);
  void emit();

private:
  /// A column of a cell: its packed offset from the cell's lowest coordinate,
  /// and the first axis behind which that offset is 0.
  struct Column {
    int64_t offset;
    unsigned axis;
  };
  /// What a row is compared with.
  struct Row {
    Value key, cell;
    /// Where the columns of its cell begin, but for its own: they ascend.
    SmallVector<Value> others;
  };
  Row load(Value row);
  /// The coordinates of a key (i64).
  SmallVector<Value> getCoordinates(Value key);
  /// For each query the first position with that key or a higher one (i32).
  SmallVector<Value> find(ArrayRef<Value> queries);
  /// Whether a row is the first of its cell, inside the clip (i1). Leaves its
  /// places in the other columns.
  Value isFirst(Value row);
  /// Writes the cell of a row that is the first of it.
  void write(RowNumbers &firsts, Value row);

  LoopBuilder &b;
  CoarsenOp op;
  CoordsType set;
  PackingAttr packing;
  Type keyType;
  Value keys, numRows;
  SmallVector<Column> columns; // ascending, but for that of offset 0
  /// For each row and column but its own, the first position at or above it.
  Value places;
};
} // namespace

CellMerge::CellMerge(LoopBuilder &b, CoarsenOp op)
    : b(b), op(op), set(cast<CoordsType>(op.getSet())),
      packing(set.getPacking()), keyType(packing.getKeyType()),
      keys(op.getKeys()), numRows(b.dim(keys, 0)) {
  ArrayRef<int64_t> by = op.getBy();
  unsigned dim = set.getDim();
  for (int64_t column = 1; column < getNumCellColumns(by); ++column) {
    SmallVector<int64_t> offset(dim, 0);
    int64_t rest = column;
    unsigned last = 0;
    for (int64_t axis = dim - 2; axis >= 0; --axis) {
      offset[axis] = rest % by[axis] * (set.getStride()[axis] / by[axis]);
      if (offset[axis] != 0)
        last = std::max<unsigned>(last, axis);
      rest /= by[axis];
    }
    columns.push_back({packing.packOffset(offset), last});
  }
}

CellMerge::Row CellMerge::load(Value row) {
  SmallVector<Check> checks;
  Value key = b.load(keys, row);
  Row result{key, floorKey(b, set, key, checks), {}};
  // From its own column on, a row takes the column after.
  Value before = result.cell;
  for (const Column &column : columns) {
    Value next = b.add(result.cell, b.constantInt(keyType, column.offset));
    result.others.push_back(b.select(b.lessUnsigned(key, next), next, before));
    before = next;
  }
  return result;
}

SmallVector<Value> CellMerge::getCoordinates(Value key) {
  SmallVector<Value> coordinates;
  for (unsigned axis = 0; axis < set.getDim(); ++axis)
    coordinates.push_back(getKeyCoordinate(b, packing, key, axis));
  return coordinates;
}

SmallVector<Value> CellMerge::find(ArrayRef<Value> queries) {
  if (queries.empty())
    return {};
  Type i32 = b.getI32Type();
  SmallVector<Value> bases(queries.size(), b.i32(0));
  return findLowerBounds(b, keys, queries, bases, b.cast(numRows, i32));
}

Value CellMerge::isFirst(Value position) {
  Row row = load(position);
  // The key of the cell in the row's own column.
  unsigned last = set.getDim() - 1;
  uint64_t field = ~uint64_t(0) >> (64 - packing.getBits()[last]);
  Value mask =
      b.constantInt(keyType, llvm::SignExtend64(field, packing.getKeyWidth()));
  Value along = b.andBits(b.sub(row.key, row.cell), mask);
  Value previous = b.load(keys, b.max(b.sub(position, 1), b.index(0)));
  Value first = b.orBits(b.equal(position, b.index(0)),
                         b.lessUnsigned(previous, b.sub(row.key, along)));
  if (std::optional<RegionAttr> clip = op.getClip())
    first = b.andBits(first, isInside(b, *clip, getCoordinates(row.cell)));
  Value extent = b.constantInt(keyType, set.getStride()[last]);
  for (auto [column, place] : llvm::enumerate(find(row.others))) {
    b.store(place, places, {position, b.index(column)});
    Value query = row.others[column], at = b.toIndex(place);
    Value key = b.load(keys, b.min(at, b.sub(numRows, 1)));
    Value isThere = b.andBits(b.less(at, numRows),
                              b.lessUnsigned(b.sub(key, query), extent));
    Value isBefore = b.lessUnsigned(query, row.key);
    first = b.andBits(first, b.notBit(b.andBits(isThere, isBefore)));
  }
  return first;
}

void CellMerge::write(RowNumbers &firsts, Value position) {
  Value number = firsts.getNumBefore(position);
  b.ifThen(firsts.isKept(position, number), [&] {
    SmallVector<Check> checks;
    Value cell = floorKey(b, set, b.load(keys, position), checks);
    SmallVector<Value> starts;
    for (const Column &column : columns) {
      // Lower axes at their start.
      unsigned shift = packing.getShift(column.axis);
      Value start = b.add(cell, b.constantInt(keyType, column.offset));
      starts.push_back(b.shiftLeft(b.shiftRight(start, shift), shift));
    }
    auto count = [&](Value place) {
      return firsts.getNumBefore(b.toIndex(place));
    };
    for (auto [column, start] : llvm::enumerate(find(starts))) {
      Value place = b.load(places, {position, b.index(column)});
      number = b.add(number, b.sub(count(place), count(start)));
    }
    b.store(cell, op.getCoarse(), b.toIndex(number));
  });
}

void CellMerge::emit() {
  int64_t numColumns = columns.size();
  if (numColumns != 0)
    places =
        b.alloc({ShapedType::kDynamic, numColumns}, b.getI32Type(), numRows);
  RowNumbers firsts(
      b, numRows, [&](Value row) { return isFirst(row); }, op.getCount());
  forEachRow(b, numRows, kDefaultRowBlock,
             [&](Value row) { write(firsts, row); });
  firsts.dealloc();
  if (places)
    b.dealloc(places);
}

void mlir::sparseconv::emitCoarsen(LoopBuilder &b, CoarsenOp op) {
  CellMerge(b, op).emit();
}
