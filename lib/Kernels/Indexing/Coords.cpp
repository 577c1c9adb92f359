//===- Coords.cpp - coordinates and keys as loops -------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// encode, decode, floor and rescale. Arithmetic on coordinates is in i64
// whatever the width of a key.
//
//===----------------------------------------------------------------------===//

#include "CoordinateChecks.h"
#include "Quantise.h"
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
static SmallVector<Value> loadPoint(LoopBuilder &b, EncodeOp op, Value row) {
  if (op.getOrigin())
    return quantisePoint(b, op.getPoints(), row, *op.getOrigin(),
                         *op.getVoxelSize());
  SmallVector<Value> point;
  for (unsigned column = 0; column <= cast<CoordsType>(op.getSet()).getDim();
       ++column)
    point.push_back(
        b.cast(b.load(op.getPoints(), {row, b.index(column)}), b.getI64Type()));
  return point;
}

/// Whether a point gets no key (i1).
static Value isLeftOut(LoopBuilder &b, std::optional<RegionAttr> clip,
                       ValueRange point) {
  if (!clip)
    return b.i1(false);
  return b.orBits(b.equal(point[0], b.i64(-1)),
                  b.notBit(isInside(b, *clip, point.drop_front())));
}

/// The key of what a clip region leaves out: the bits of all fields are ones.
static Value getNoKey(LoopBuilder &b, Type type, ArrayRef<int64_t> fields) {
  return b.constantInt(type,
                       static_cast<int64_t>(llvm::maskTrailingOnes<uint64_t>(
                           std::min<int64_t>(64, llvm::sum_of(fields)))));
}

void mlir::sparseconv::emitEncode(LoopBuilder &b, EncodeOp op) {
  auto set = cast<CoordsType>(op.getSet());
  int64_t opId = op.getOpId();
  Value status = op.getStatus();
  Value numRows = b.dim(op.getPoints(), 0);
  b.ifElse(
      b.less(b.index(kMaxRows), numRows),
      [&] {
        reportTooManyRows(b, status, opId, numRows);
        b.store(b.index(0), op.getCount(), b.index(0));
      },
      [&] {
        Value failing = findFirst(b, numRows, kDefaultRowBlock, [&](Value row) {
          SmallVector<Value> point = loadPoint(b, op, row);
          Value leftOut = isLeftOut(b, op.getClip(), point);
          PackingAttr packing = set.getPacking();
          Value none = getNoKey(b, set.getKeyType(), packing.getFields());
          b.store(b.select(leftOut, none, packKey(b, packing, point)),
                  op.getKeys(), row);
          Value holds = holdAll(b, checkPoint(b, set, point));
          return b.notBit(b.orBits(leftOut, holds));
        });
        Value holds = b.equal(failing, numRows);
        storeCount(b, op.getCount(), holds, numRows);
        b.ifThen(b.notBit(holds), [&] {
          SmallVector<Value> point = loadPoint(b, op, failing);
          reportFirst(b, status, opId, failing, checkPoint(b, set, point));
        });
      });
}

void mlir::sparseconv::emitCountKeys(LoopBuilder &b, CountKeysOp op) {
  Value sorted = op.getSorted();
  Type type = cast<MemRefType>(sorted.getType()).getElementType();
  Value none = getNoKey(b, type, op.getFields());
  Value numRows = b.dim(sorted, 0);
  Value end = findFirst(b, numRows, kDefaultRowBlock, [&](Value row) {
    Value before = b.max(b.sub(row, 1), b.index(0));
    Value isEnd =
        b.orBits(b.equal(row, 0), b.notEqual(b.load(sorted, before), none));
    return b.andBits(b.equal(b.load(sorted, row), none), isEnd);
  });
  b.store(end, op.getCount(), b.index(0));
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
// floor, rescale
//===----------------------------------------------------------------------===//

/// Applies `change` to each key, and stores how many keys there are, or reports
/// the first check that fails.
template <typename OpTy>
static void
changeKeys(LoopBuilder &b, OpTy op, Value result,
           function_ref<Value(Value key, SmallVectorImpl<Check> &)> change) {
  Value keys = op.getKeys();
  Value numRows = b.dim(keys, 0);
  Value failing = findFirst(b, numRows, kDefaultRowBlock, [&](Value row) {
    SmallVector<Check> checks;
    b.store(change(b.load(keys, row), checks), result, row);
    return b.notBit(holdAll(b, checks));
  });
  Value holds = b.equal(failing, numRows);
  storeCount(b, op.getCount(), holds, numRows);
  b.ifThen(b.notBit(holds), [&] {
    SmallVector<Check> checks;
    change(b.load(keys, failing), checks);
    reportFirst(b, op.getStatus(), op.getOpId(), failing, checks);
  });
}

void mlir::sparseconv::emitFloor(LoopBuilder &b, FloorOp op) {
  auto set = cast<CoordsType>(op.getSet());
  PackingAttr packing = set.getPacking();
  auto floor = [&](Value key, SmallVectorImpl<Check> &checks) -> Value {
    Value floored = floorKey(b, set, key, checks);
    if (!op.getClip())
      return floored;
    SmallVector<Value> cell;
    for (auto [axis, stride] : llvm::enumerate(set.getStride()))
      cell.push_back(
          floorTo(b, getKeyCoordinate(b, packing, key, axis), stride));
    Value leftOut = b.notBit(isInside(b, *op.getClip(), cell));
    for (Check &check : checks)
      check.holds = b.orBits(check.holds, leftOut);
    Value none = getNoKey(b, key.getType(), packing.getFields());
    return b.select(leftOut, none, floored);
  };
  changeKeys(b, op, op.getFloored(), floor);
}

void mlir::sparseconv::emitRescale(LoopBuilder &b, RescaleKernelOp op) {
  PackingAttr packing = cast<CoordsType>(op.getSet()).getPacking();
  auto rescale = [&](Value key, SmallVectorImpl<Check> &checks) {
    Value change = b.i64(0);
    for (auto [axis, factor] : llvm::enumerate(op.getBy())) {
      if (factor == 1)
        continue;
      Value coordinate = getKeyCoordinate(b, packing, key, axis);
      checks.push_back(
          checkAxis(b, packing, axis, b.mul(coordinate, b.i64(factor))));
      change = b.add(change, b.shiftLeft(b.mul(coordinate, b.i64(factor - 1)),
                                         packing.getShift(axis)));
    }
    return b.add(key, b.cast(change, key.getType()));
  };
  changeKeys(b, op, op.getScaled(), rescale);
}
