//===- GivenMaps.cpp - kernel maps that a caller gives --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// table_from_pairs and check_table. Each row and offset of either set belongs
// to the lowest pair, or row, that asks for it: all ask by an atomic minimum,
// and who does not find itself there afterwards is at fault. So the report is
// that of the lowest fault, whatever the order of threads.
//
//===----------------------------------------------------------------------===//

#include "CoordinateChecks.h"
#include "sparseconv/Kernels/Indexing/IndexingKernels.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::StatusCode;

namespace {
/// What has to hold (i1), and what is said where it does not.
struct Demand {
  Value holds;
  LoopBuilder::Report report;
};
} // namespace

/// Reports the first demand that is not met.
static void reportFirst(LoopBuilder &b, Value status,
                        ArrayRef<Demand> demands) {
  if (demands.empty())
    return;
  b.ifElse(
      demands.front().holds,
      [&] { reportFirst(b, status, demands.drop_front()); },
      [&] { b.report(status, demands.front().report); });
}

/// Calls `body` for each row and offset of a table, on all threads.
static void forEachElement(LoopBuilder &b, Value table,
                           function_ref<void(ValueRange place)> body) {
  Value volume = b.dim(table, 1);
  forEachRow(b, b.dim(table, 0), kDefaultRowBlock, [&](Value row) {
    b.forLoop(b.index(0), volume, 1, [&](Value k) { body({row, k}); });
  });
}

static void clear(LoopBuilder &b, Value table) {
  forEachElement(b, table,
                 [&](ValueRange place) { b.store(b.i32(-1), table, place); });
}

/// A table with the rows of the in set, where pairs ask for these.
static Value allocateAsked(LoopBuilder &b, Value table, Value inRows) {
  int64_t volume = cast<MemRefType>(table.getType()).getDimSize(1);
  Value asked = b.alloc({ShapedType::kDynamic, volume}, b.getI32Type(), inRows);
  clear(b, asked);
  return asked;
}

/// Of all that ask for an element of a cleared table the lowest number stays:
/// as an unsigned number -1 is the highest.
static void ask(LoopBuilder &b, Value table, ValueRange place, Value number) {
  b.atomic(arith::AtomicRMWKind::minu, b.cast(number, b.getI32Type()), table,
           place);
}

static Value hasPlace(LoopBuilder &b, Value table, ValueRange place,
                      Value number) {
  return b.equal(b.load(table, place), b.cast(number, b.getI32Type()));
}

/// `place` asks twice for one row of a side (0: in, 1: out).
static LoopBuilder::Report makeRepeated(LoopBuilder &b, int64_t opId,
                                        Value number, int64_t side,
                                        ValueRange place) {
  LoopBuilder::Report report{StatusCode::RepeatedPair, opId};
  report.row = number;
  report.axis = b.index(side);
  report.value = place[0];
  report.lower = place[1];
  return report;
}

//===----------------------------------------------------------------------===//
// table_from_pairs
//===----------------------------------------------------------------------===//

namespace {
class PairTable {
public:
  PairTable(LoopBuilder &b, TableFromPairsOp op)
      : b(b), op(op), pairs(op.getPairs()), table(op.getTable()),
        numPairs(b.dim(pairs, 0)),
        limits{op.getInRows(), b.dim(table, 0), b.dim(table, 1)} {}

  void emit();

private:
  /// The input row, the output row and the offset of a pair.
  SmallVector<Value> loadPair(Value number) {
    SmallVector<Value> pair;
    for (int64_t column = 0; column != 3; ++column)
      pair.push_back(b.toIndex(b.load(pairs, {number, b.index(column)})));
    return pair;
  }
  Value isThere(ArrayRef<Value> pair) {
    Value all = b.i1(true);
    for (auto [number, limit] : llvm::zip(pair, limits))
      all = b.andBits(all, b.lessUnsigned(number, limit));
    return all;
  }
  Value isFault(Value number);
  void reportFault(Value number);
  void check();
  /// Replaces the numbers of pairs by their input rows, or where `holds` (i1)
  /// is false by -1.
  void fill(Value holds);

  LoopBuilder &b;
  TableFromPairsOp op;
  Value pairs, table, asked, numPairs;
  std::array<Value, 3> limits;
};
} // namespace

Value PairTable::isFault(Value number) {
  SmallVector<Value> pair = loadPair(number);
  return b.ifElse(
      isThere(pair), b.getI1Type(),
      [&]() -> SmallVector<Value> {
        Value isLowest =
            b.andBits(hasPlace(b, table, {pair[1], pair[2]}, number),
                      hasPlace(b, asked, {pair[0], pair[2]}, number));
        return {b.notBit(isLowest)};
      },
      [&]() -> SmallVector<Value> { return {b.i1(true)}; })[0];
}

void PairTable::reportFault(Value number) {
  SmallVector<Value> pair = loadPair(number);
  int64_t opId = op.getOpId();
  SmallVector<Demand> demands;
  for (auto [column, limit] : llvm::enumerate(limits)) {
    LoopBuilder::Report report{StatusCode::PairOutOfRange, opId};
    report.row = number;
    report.axis = b.index(column);
    report.value = pair[column];
    report.upper = b.sub(limit, 1);
    demands.push_back({b.lessUnsigned(pair[column], limit), report});
  }
  Value places[2][2] = {{pair[1], pair[2]}, {pair[0], pair[2]}};
  b.ifElse(
      isThere(pair),
      [&] {
        Value isOut = hasPlace(b, table, places[0], number);
        reportFirst(
            b, op.getStatus(),
            {{isOut, makeRepeated(b, opId, number, 1, places[0])},
             {b.i1(false), makeRepeated(b, opId, number, 0, places[1])}});
      },
      [&] { reportFirst(b, op.getStatus(), demands); });
}

void PairTable::fill(Value holds) {
  forEachElement(b, table, [&](ValueRange place) {
    Value number = b.load(table, place);
    Value row = b.ifElse(
        b.andBits(holds, b.greaterEqual(number, b.i32(0))), b.getI32Type(),
        [&]() -> SmallVector<Value> {
          return {b.load(pairs, {b.toIndex(number), b.index(0)})};
        },
        [&]() -> SmallVector<Value> { return {b.i32(-1)}; })[0];
    b.store(row, table, place);
  });
}

void PairTable::check() {
  forEachRow(b, numPairs, kDefaultRowBlock, [&](Value number) {
    SmallVector<Value> pair = loadPair(number);
    b.ifThen(isThere(pair), [&] {
      ask(b, table, {pair[1], pair[2]}, number);
      ask(b, asked, {pair[0], pair[2]}, number);
    });
  });
  Value fault = findFirst(b, numPairs, kDefaultRowBlock,
                          [&](Value number) { return isFault(number); });
  Value holds = b.equal(fault, numPairs);
  b.ifThen(b.notBit(holds), [&] { reportFault(fault); });
  fill(holds);
}

void PairTable::emit() {
  clear(b, table);
  asked = allocateAsked(b, table, op.getInRows());
  b.ifElse(
      b.less(b.index(::sparseconv::kMaxRows), numPairs),
      [&] { reportTooManyRows(b, op.getStatus(), op.getOpId(), numPairs); },
      [&] { check(); });
  b.dealloc(asked);
}

void mlir::sparseconv::emitTableFromPairs(LoopBuilder &b, TableFromPairsOp op) {
  PairTable(b, op).emit();
}

//===----------------------------------------------------------------------===//
// check_table
//===----------------------------------------------------------------------===//

namespace {
class TableCheck {
public:
  TableCheck(LoopBuilder &b, CheckTableOp op)
      : b(b), op(op), given(op.getGiven()), table(op.getTable()),
        inRows(op.getInRows()), volume(b.dim(table, 1)) {}

  void emit();

private:
  Value isRow(Value entry) { return b.lessUnsigned(b.toIndex(entry), inRows); }
  Value isFault(ValueRange place);
  void reportFault(ValueRange place);
  void reportRows();
  void check();

  LoopBuilder &b;
  CheckTableOp op;
  Value given, table, asked, inRows, volume;
};
} // namespace

Value TableCheck::isFault(ValueRange place) {
  Value entry = b.load(given, place);
  return b.ifElse(
      isRow(entry), b.getI1Type(),
      [&]() -> SmallVector<Value> {
        return {b.notBit(
            hasPlace(b, asked, {b.toIndex(entry), place[1]}, place[0]))};
      },
      [&]() -> SmallVector<Value> {
        return {b.notEqual(entry, b.i32(-1))};
      })[0];
}

void TableCheck::reportFault(ValueRange place) {
  Value entry = b.load(given, place);
  int64_t opId = op.getOpId();
  LoopBuilder::Report report{StatusCode::NeighbourOutOfRange, opId};
  report.row = place[0];
  report.axis = place[1];
  report.value = entry;
  report.lower = b.index(-1);
  report.upper = b.sub(inRows, 1);
  reportFirst(b, op.getStatus(),
              {{isRow(entry), report},
               {b.i1(false), makeRepeated(b, opId, place[0], 0,
                                          {b.toIndex(entry), place[1]})}});
}

void TableCheck::reportRows() {
  int64_t opId = op.getOpId();
  LoopBuilder::Report report{StatusCode::RowCountMismatch, opId};
  report.value = b.dim(given, 0);
  report.lower = b.dim(table, 0);
  report.extra =
      b.index(static_cast<int64_t>(::sparseconv::StatusSide::OutSet));
  b.report(op.getStatus(), report);
}

void TableCheck::check() {
  forEachElement(b, given, [&](ValueRange place) {
    Value entry = b.load(given, place);
    b.ifThen(isRow(entry),
             [&] { ask(b, asked, {b.toIndex(entry), place[1]}, place[0]); });
  });
  Value size = b.mul(b.dim(given, 0), volume);
  auto getPlace = [&](Value number) -> SmallVector<Value, 2> {
    return {b.divide(number, volume), b.remainder(number, volume)};
  };
  Value fault = findFirst(b, size, kDefaultRowBlock, [&](Value number) {
    return isFault(getPlace(number));
  });
  Value holds = b.equal(fault, size);
  forEachElement(b, table, [&](ValueRange place) {
    b.store(b.select(holds, b.load(given, place), b.i32(-1)), table, place);
  });
  b.ifThen(b.notBit(holds), [&] { reportFault(getPlace(fault)); });
}

void TableCheck::emit() {
  asked = allocateAsked(b, table, inRows);
  b.ifElse(
      b.equal(b.dim(given, 0), b.dim(table, 0)), [&] { check(); },
      [&] {
        reportRows();
        clear(b, table);
      });
  b.dealloc(asked);
}

void mlir::sparseconv::emitCheckTable(LoopBuilder &b, CheckTableOp op) {
  TableCheck(b, op).emit();
}
