//===- Coords.cpp - coordinates and keys as loops -------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// encode, decode and floor. Arithmetic on coordinates is in i64 whatever the
// width of a key.
//
//===----------------------------------------------------------------------===//

#include "CoordinateChecks.h"
#include "sparseconv/Kernels/Indexing/IndexingKernels.h"
#include "sparseconv/Kernels/Indexing/KeyFields.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::kMaxRows;

//===----------------------------------------------------------------------===//
// encode, decode
//===----------------------------------------------------------------------===//

/// The key of a batch index and coordinates, all i64 and in range.
static Value packKey(LoopBuilder &b, PackingAttr packing, ValueRange point) {
  Value key = packing.getBatch() == 0
                  ? b.i64(0)
                  : b.shiftLeft(point[0], packing.getBatchShift());
  for (unsigned axis = 0; axis < packing.getDim(); ++axis)
    key = b.add(key, b.shiftLeft(b.add(point[axis + 1], packing.getBias(axis)),
                                 packing.getShift(axis)));
  return b.cast(key, packing.getKeyType());
}

/// Writes `count` (of one element): `number`, or 0 where `holds` is false.
static void storeCount(LoopBuilder &b, Value count, Value holds, Value number) {
  b.store(b.select(holds, number, b.index(0)), count, b.index(0));
}

/// Batch index and coordinates of a row of points, as i64.
static SmallVector<Value> loadPoint(LoopBuilder &b, Value points, Value row,
                                    unsigned dim) {
  SmallVector<Value> point;
  for (unsigned column = 0; column <= dim; ++column)
    point.push_back(
        b.cast(b.load(points, {row, b.index(column)}), b.getI64Type()));
  return point;
}

void mlir::sparseconv::emitEncode(LoopBuilder &b, EncodeOp op) {
  auto set = cast<CoordsType>(op.getSet());
  int64_t opId = op.getOpId();
  Value status = op.getStatus(), points = op.getPoints();
  Value numRows = b.dim(points, 0);
  b.ifElse(
      b.less(b.index(kMaxRows), numRows),
      [&] {
        reportTooManyRows(b, status, opId, numRows);
        b.store(b.index(0), op.getCount(), b.index(0));
      },
      [&] {
        Value failing = findFirst(b, numRows, kDefaultRowBlock, [&](Value row) {
          SmallVector<Value> point = loadPoint(b, points, row, set.getDim());
          b.store(packKey(b, set.getPacking(), point), op.getKeys(), row);
          return b.notBit(holdAll(b, checkPoint(b, set, point)));
        });
        Value holds = b.equal(failing, numRows);
        storeCount(b, op.getCount(), holds, numRows);
        b.ifThen(b.notBit(holds), [&] {
          SmallVector<Value> point =
              loadPoint(b, points, failing, set.getDim());
          reportFirst(b, status, opId, failing, checkPoint(b, set, point));
        });
      });
}

void mlir::sparseconv::emitDecode(LoopBuilder &b, DecodeOp op) {
  auto set = cast<CoordsType>(op.getSet());
  PackingAttr packing = set.getPacking();
  forEachRow(b, b.dim(op.getKeys(), 0), kDefaultRowBlock, [&](Value row) {
    Value key = b.load(op.getKeys(), row);
    auto store = [&](unsigned column, Value value) {
      b.store(b.cast(value, b.getI32Type()), op.getPoints(),
              {row, b.index(column)});
    };
    store(0, getKeyBatch(b, packing, key));
    for (unsigned axis = 0; axis < set.getDim(); ++axis)
      store(axis + 1, getKeyCoordinate(b, packing, key, axis));
  });
}

//===----------------------------------------------------------------------===//
// floor
//===----------------------------------------------------------------------===//

void mlir::sparseconv::emitFloor(LoopBuilder &b, FloorOp op) {
  auto set = cast<CoordsType>(op.getSet());
  Value keys = op.getKeys();
  Value numRows = b.dim(keys, 0);
  auto floorRow = [&](Value row, SmallVectorImpl<Check> &checks) {
    return floorKey(b, set, b.load(keys, row), checks);
  };
  Value failing = findFirst(b, numRows, kDefaultRowBlock, [&](Value row) {
    SmallVector<Check> checks;
    b.store(floorRow(row, checks), op.getFloored(), row);
    return b.notBit(holdAll(b, checks));
  });
  Value holds = b.equal(failing, numRows);
  storeCount(b, op.getCount(), holds, numRows);
  b.ifThen(b.notBit(holds), [&] {
    SmallVector<Check> checks;
    floorRow(failing, checks);
    reportFirst(b, op.getStatus(), op.getOpId(), failing, checks);
  });
}
