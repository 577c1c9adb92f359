//===- RenumberTable.cpp - tables for rows in another order ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Indexing/IndexingKernels.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::StatusCode;

namespace {
class Renumbering {
public:
  Renumbering(LoopBuilder &b, RenumberTableKernelOp op)
      : b(b), op(op), table(op.getTable()), rows(op.getRows()),
        made(op.getRenumbered()), isOut(op.getSide() == MapSide::Out),
        limit(b.dim(isOut ? table : rows, 0)) {}

  void emit();

private:
  /// The row and the offset of an element of the result.
  SmallVector<Value, 2> getPlace(Value number) {
    Value volume = b.dim(made, 1);
    return {b.divide(number, volume), b.remainder(number, volume)};
  }
  /// What stands for a row of the other array: `rows[i]`, or an entry.
  Value loadIndex(ArrayRef<Value> place) {
    return isOut ? b.load(rows, place[0]) : b.load(table, place);
  }
  /// Writes an element of the result. Returns whether it is at fault (i1).
  Value write(Value number);
  void reportFault(Value number);

  LoopBuilder &b;
  RenumberTableKernelOp op;
  Value table, rows, made;
  bool isOut;
  Value limit;
};
} // namespace

Value Renumbering::write(Value number) {
  SmallVector<Value, 2> place = getPlace(number);
  Value index = loadIndex(place), none = b.i32(-1);
  Value isRow = op.getTrusted() ? b.greaterEqual(index, b.i32(0))
                                : b.lessUnsigned(b.toIndex(index), limit);
  Value entry = b.ifElse(
      isRow, b.getI32Type(),
      [&]() -> SmallVector<Value> {
        Value row = b.toIndex(index);
        return {isOut ? b.load(table, {row, place[1]}) : b.load(rows, row)};
      },
      [&]() -> SmallVector<Value> { return {none}; })[0];
  b.store(entry, made, place);
  return b.andBits(b.notBit(isRow), b.notEqual(index, none));
}

void Renumbering::reportFault(Value number) {
  SmallVector<Value, 2> place = getPlace(number);
  LoopBuilder::Report report{isOut ? StatusCode::RowIndexOutOfRange
                                   : StatusCode::NeighbourOutOfRange,
                             static_cast<int64_t>(op.getOpId())};
  report.row = place[0];
  if (!isOut)
    report.axis = place[1];
  report.value = loadIndex(place);
  report.lower = b.index(-1);
  report.upper = b.sub(limit, 1);
  b.report(op.getStatus(), report);
}

/// Neighbours on a GPU are elements side by side.
void Renumbering::emit() {
  Value size = b.mul(b.dim(made, 0), b.dim(made, 1));
  if (op.getTrusted()) {
    forEachRow(b, size, kDefaultRowBlock, [&](Value number) { write(number); });
    return;
  }
  Value fault = findFirst(b, size, kDefaultRowBlock,
                          [&](Value number) { return write(number); });
  b.ifThen(b.less(fault, size), [&] { reportFault(fault); });
}

void mlir::sparseconv::emitRenumberTable(LoopBuilder &b,
                                         RenumberTableKernelOp op) {
  Renumbering(b, op).emit();
}
