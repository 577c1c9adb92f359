//===- Rows.cpp - moving rows as loops ------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "sparseconv/Kernels/Indexing/IndexingKernels.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"
#include "sparseconv/Kernels/Rows/RowKernels.h"

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::StatusCode;

/// Whether `entry` (i32) is a row of `rows`.
static Value isRowOf(LoopBuilder &b, Value entry, Value rows) {
  return b.lessUnsigned(b.toIndex(entry), rows);
}

/// Whether `entry` is neither a row nor -1, given whether it is a row.
static Value isFault(LoopBuilder &b, Value entry, Value isRow) {
  return b.andBits(b.notBit(isRow), b.notEqual(entry, b.i32(-1)));
}

static void reportRowIndex(LoopBuilder &b, Value status, int64_t opId,
                           Value position, Value entry, Value rows) {
  b.report(status, {StatusCode::RowIndexOutOfRange, opId, position,
                    /*axis=*/nullptr, entry, b.index(-1), b.sub(rows, 1),
                    /*extra=*/nullptr});
}

void mlir::sparseconv::emitGatherRows(LoopBuilder &b, GatherRowsOp op) {
  Value x = op.getX(), rows = op.getRows(), y = op.getY();
  Value xRows = b.dim(x, 0);
  auto gather = [&](Value row, const Channels &channels) {
    Value entry = b.load(rows, row);
    Value isRow = isRowOf(b, entry, xRows);
    b.ifElse(
        isRow, [&] { copyRow(b, channels, x, b.toIndex(entry), y, row); },
        [&] { clearRow(b, channels, y, row); });
    return isFault(b, entry, isRow);
  };
  if (op.getTrusted())
    return forRows(b, b.dim(rows, 0), b.dim(y, 1), gather);
  forRowsChecked(b, b.dim(rows, 0), b.dim(y, 1), gather, [&](Value row) {
    reportRowIndex(b, op.getStatus(), op.getOpId(), row, b.load(rows, row),
                   xRows);
  });
}

void mlir::sparseconv::emitIm2col(LoopBuilder &b, Im2colOp op) {
  Value x = op.getX(), table = op.getTable(), columns = op.getColumns();
  Value xRows = b.dim(x, 0), offsets = b.dim(table, 1);
  // A row of the result is as many rows of `x` as there are offsets.
  forRows(
      b, b.mul(b.dim(table, 0), offsets), b.dim(x, 1),
      [&](Value item, const Channels &channels) {
        SmallVector<Value> place = {b.divide(item, offsets),
                                    b.remainder(item, offsets)};
        Value entry = b.load(table, place);
        b.ifElse(
            isRowOf(b, entry, xRows),
            [&] { copyRow(b, channels, x, b.toIndex(entry), columns, place); },
            [&] { clearRow(b, channels, columns, place); });
      });
}

//===----------------------------------------------------------------------===//
// Weighted sums
//===----------------------------------------------------------------------===//

void mlir::sparseconv::emitWeightedGather(LoopBuilder &b, WeightedGatherOp op) {
  Value x = op.getX(), rows = op.getRows(), weights = op.getWeights(),
        y = op.getY();
  Value zero = b.index(0), entries = b.dim(rows, 1);
  forRows(b, b.dim(y, 0), b.dim(y, 1), [&](Value row, const Channels &all) {
    forChannels(b, all, [&](Value channel, int64_t lanes) {
      Type type = getLanes(b.getF32Type(), lanes);
      Value sum = b.forLoop(
          zero, entries, 1, b.constant(type, 0),
          [&](Value j, ValueRange carried) -> SmallVector<Value> {
            Value entry = b.load(rows, {row, j});
            return b.ifElse(
                b.greaterEqual(entry, b.i32(0)), type,
                [&]() -> SmallVector<Value> {
                  Value weight = b.load(weights, {row, j});
                  Value term =
                      loadLanes(b, x, {b.toIndex(entry), channel}, lanes);
                  return {b.fma(b.broadcast(weight, lanes), term, carried[0])};
                },
                [&]() -> SmallVector<Value> { return {carried[0]}; });
          })[0];
      storeLanes(b, sum, y, {row, channel});
    });
  });
}

namespace {
/// The pairs (p, j) of a table, ordered by the row that they name. Row r has
/// the pairs ends[r - 1] .. ends[r] - 1 (from 0 for row 0), in ascending order
/// of (p, j): pair e has p = points[e] and the weight weights[e].
struct PairsByRow {
  Value ends, points, weights;

  std::pair<Value, Value> getRange(LoopBuilder &b, Value row) const {
    Value zero = b.index(0);
    Value begin = b.ifElse(
        b.equal(row, zero), b.getIndexType(),
        [&]() -> SmallVector<Value> { return {zero}; },
        [&]() -> SmallVector<Value> {
          return {b.load(ends, b.sub(row, 1))};
        })[0];
    return {begin, b.load(ends, row)};
  }
  void dealloc(LoopBuilder &b) const {
    for (Value buffer : {ends, points, weights})
      b.dealloc(buffer);
  }
};

/// Sorts the pairs of a scatter by counting, each row block of the points on
/// one thread, so that the order stays that of the pairs. Reports the first
/// index that is not a row, and skips it.
class PairSorter {
public:
  PairSorter(LoopBuilder &b, ScatterRowsOp op)
      : b(b), op(op), rows(op.getRows()), yRows(b.dim(op.getY(), 0)),
        count(b.dim(rows, 0)), entries(b.dim(rows, 1)),
        size(b.mul(count, entries)), rowBlocks(b.index(kRowBlocks)),
        perRowBlock(b.ceilDiv(count, kRowBlocks)), zero(b.index(0)) {}

  PairsByRow emit();

private:
  /// Row blocks whose pairs are counted and sorted side by side.
  static constexpr int64_t kRowBlocks = 8;

  /// Counts the pairs of each row in each row block. Returns the first that
  /// names no row, or `size`.
  Value countPairs();
  void countRowBlock(Value rowBlock, Value faults);
  void reportFault(Value fault);
  /// Makes the counts the places of the first pairs.
  void makeEnds(Value ends);
  void placePairs(const PairsByRow &pairs);
  /// The points of a row block.
  std::pair<Value, Value> getPoints(Value rowBlock) {
    Value begin = b.min(b.mul(rowBlock, perRowBlock), count);
    return {begin, b.min(b.add(begin, perRowBlock), count)};
  }

  LoopBuilder &b;
  ScatterRowsOp op;
  Value rows, yRows, count, entries, size, rowBlocks, perRowBlock, zero;
  /// For each row block, the pairs of a row; then the place of its next pair.
  Value places;
};
} // namespace

PairsByRow PairSorter::emit() {
  auto dynamic = {ShapedType::kDynamic};
  PairsByRow pairs{b.alloc(dynamic, b.getIndexType(), yRows),
                   b.alloc(dynamic, b.getI32Type(), size),
                   b.alloc(dynamic, b.getF32Type(), size)};
  // At least one row: MLIR gives a static buffer of 0 columns no form in LLVM.
  places = b.alloc({kRowBlocks, ShapedType::kDynamic}, b.getIndexType(),
                   b.max(yRows, b.index(1)));
  reportFault(countPairs());
  makeEnds(pairs.ends);
  placePairs(pairs);
  b.dealloc(places);
  return pairs;
}

Value PairSorter::countPairs() {
  Value faults = b.alloc(kRowBlocks, b.getIndexType());
  b.parallelFor(rowBlocks,
                [&](Value rowBlock) { countRowBlock(rowBlock, faults); });
  Value fault = findLeast(b, faults, rowBlocks, size);
  b.dealloc(faults);
  return fault;
}

void PairSorter::countRowBlock(Value rowBlock, Value faults) {
  b.forLoop(zero, yRows, 1,
            [&](Value row) { b.store(zero, places, {rowBlock, row}); });
  auto [begin, end] = getPoints(rowBlock);
  auto countPair = [&](Value point, Value j, Value fault) -> Value {
    Value entry = b.load(rows, {point, j});
    Value isRow = isRowOf(b, entry, yRows);
    b.ifThen(isRow, [&] {
      SmallVector<Value> place = {rowBlock, b.toIndex(entry)};
      b.store(b.add(b.load(places, place), 1), places, place);
    });
    Value position = b.add(b.mul(point, entries), j);
    return b.min(fault, b.select(isFault(b, entry, isRow), position, size));
  };
  Value fault =
      b.forLoop(begin, end, 1, size, [&](Value point, ValueRange carried) {
        return b.forLoop(
            zero, entries, 1, carried,
            [&](Value j, ValueRange carried) -> SmallVector<Value> {
              return {countPair(point, j, carried[0])};
            });
      })[0];
  b.store(fault, faults, rowBlock);
}

void PairSorter::reportFault(Value fault) {
  b.ifThen(b.less(fault, size), [&] {
    Value point = b.divide(fault, entries);
    Value j = b.remainder(fault, entries);
    reportRowIndex(b, op.getStatus(), op.getOpId(), fault,
                   b.load(rows, {point, j}), yRows);
  });
}

void PairSorter::makeEnds(Value ends) {
  b.forLoop(zero, yRows, 1, zero, [&](Value row, ValueRange carried) {
    SmallVector<Value> end = b.forLoop(
        zero, rowBlocks, 1, carried,
        [&](Value rowBlock, ValueRange carried) -> SmallVector<Value> {
          Value next = b.add(carried[0], b.load(places, {rowBlock, row}));
          b.store(carried[0], places, {rowBlock, row});
          return {next};
        });
    b.store(end[0], ends, row);
    return end;
  });
}

void PairSorter::placePairs(const PairsByRow &pairs) {
  b.parallelFor(rowBlocks, [&](Value rowBlock) {
    auto placePair = [&](Value point, Value j) {
      Value entry = b.load(rows, {point, j});
      b.ifThen(isRowOf(b, entry, yRows), [&] {
        SmallVector<Value> place = {rowBlock, b.toIndex(entry)};
        Value pair = b.load(places, place);
        b.store(b.cast(point, b.getI32Type()), pairs.points, pair);
        b.store(b.load(op.getWeights(), {point, j}), pairs.weights, pair);
        b.store(b.add(pair, 1), places, place);
      });
    };
    auto [begin, end] = getPoints(rowBlock);
    b.forLoop(begin, end, 1, [&](Value point) {
      b.forLoop(zero, entries, 1, [&](Value j) { placePair(point, j); });
    });
  });
}

/// Sorts the pairs of points that name one row each on a GPU, where a thread
/// has one point: by their rows, stably. What names no row comes last.
static PairsByRow sortPoints(LoopBuilder &b, ScatterRowsOp op) {
  Value rows = op.getRows(), zero = b.index(0);
  Value yRows = b.dim(op.getY(), 0), count = b.dim(rows, 0);
  Type i32 = b.getI32Type();
  auto dynamic = {ShapedType::kDynamic};
  PairsByRow pairs{b.alloc(dynamic, b.getIndexType(), yRows),
                   b.alloc(dynamic, i32, count),
                   b.alloc(dynamic, b.getF32Type(), count)};
  Value keys = b.alloc(dynamic, i32, count);
  Value sorted = b.alloc(dynamic, i32, count);
  Value fault = findFirst(b, count, kDefaultRowBlock, [&](Value point) {
    Value entry = b.load(rows, {point, zero});
    Value isRow = isRowOf(b, entry, yRows);
    b.store(b.select(isRow, entry, b.cast(yRows, i32)), keys, point);
    return isFault(b, entry, isRow);
  });
  b.ifThen(b.less(fault, count), [&] {
    reportRowIndex(b, op.getStatus(), op.getOpId(), fault,
                   b.load(rows, {fault, zero}), yRows);
  });
  emitRadixSort(b, keys, sorted, pairs.points, /*fields=*/{32});
  b.parallelFor(count, [&](Value pair) {
    Value point = b.toIndex(b.load(pairs.points, pair));
    b.store(b.load(op.getWeights(), {point, zero}), pairs.weights, pair);
  });
  b.parallelFor(yRows, [&](Value row) {
    Value next = b.cast(b.add(row, 1), i32);
    b.store(b.lowerBound(sorted, zero, count, next), pairs.ends, row);
  });
  b.dealloc(keys);
  b.dealloc(sorted);
  return pairs;
}

void mlir::sparseconv::emitScatterRows(LoopBuilder &b, ScatterRowsOp op) {
  Value x = op.getX(), y = op.getY();
  PoolKind kind = op.getKind();
  bool namesOne = cast<MemRefType>(op.getRows().getType()).getDimSize(1) == 1;
  PairsByRow pairs =
      b.isGpu() && namesOne ? sortPoints(b, op) : PairSorter(b, op).emit();
  forRows(b, b.dim(y, 0), b.dim(y, 1), [&](Value row, const Channels &all) {
    Value begin, end, divisor;
    std::tie(begin, end) = pairs.getRange(b, row);
    if (kind == PoolKind::Avg) {
      Value sum =
          b.forLoop(begin, end, 1, b.f32(0),
                    [&](Value pair, ValueRange carried) -> SmallVector<Value> {
                      return {b.add(carried[0], b.load(pairs.weights, pair))};
                    })[0];
      Value isPositive = b.createOrFold<arith::CmpFOp>(
          arith::CmpFPredicate::OGT, sum, b.f32(0));
      divisor = b.select(isPositive, sum, b.f32(1));
    }
    forChannels(b, all, [&](Value channel, int64_t lanes) {
      Value zero = b.constant(getLanes(b.getF32Type(), lanes), 0);
      Value result =
          b.forLoop(begin, end, 1, getPoolStart(b, kind, lanes),
                    [&](Value pair, ValueRange carried) -> SmallVector<Value> {
                      Value point = b.toIndex(b.load(pairs.points, pair));
                      Value term = loadLanes(b, x, {point, channel}, lanes);
                      if (kind == PoolKind::Max)
                        return {addToPool(b, kind, carried[0], term)};
                      Value weight =
                          b.broadcast(b.load(pairs.weights, pair), lanes);
                      return {b.fma(weight, term, carried[0])};
                    })[0];
      if (kind == PoolKind::Max)
        result = b.select(b.equal(begin, end), zero, result);
      if (kind == PoolKind::Avg)
        result = b.divide(result, b.broadcast(divisor, lanes));
      storeLanes(b, result, y, {row, channel});
    });
  });
  pairs.dealloc(b);
}
