//===- CoordinateChecks.cpp - what a coordinate has to meet ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CoordinateChecks.h"
#include "sparseconv/Kernels/Indexing/KeyFields.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::kMaxRows;
using ::sparseconv::StatusCode;

Value mlir::sparseconv::isMultiple(LoopBuilder &b, Value value,
                                   int64_t stride) {
  Value rest = llvm::isPowerOf2_64(stride)
                   ? b.andBits(value, b.i64(stride - 1))
                   : b.createOrFold<arith::RemSIOp>(value, b.i64(stride));
  return b.equal(rest, b.i64(0));
}

/// Whether lower <= value <= upper (i1).
static Value isWithin(LoopBuilder &b, Value value, int64_t lower,
                      int64_t upper) {
  return b.compare(arith::CmpIPredicate::ule, b.sub(value, lower),
                   b.i64(upper - lower));
}

Check mlir::sparseconv::checkRange(LoopBuilder &b, int64_t axis, Value value,
                                   int64_t lower, int64_t upper) {
  return {isWithin(b, value, lower, upper),
          StatusCode::OutOfRange,
          axis,
          value,
          lower,
          upper};
}

Check mlir::sparseconv::checkAxis(LoopBuilder &b, PackingAttr packing,
                                  unsigned axis, Value value) {
  return checkRange(b, axis, value, packing.getMin(axis), packing.getMax(axis));
}

SmallVector<Check> mlir::sparseconv::checkPoint(LoopBuilder &b, CoordsType set,
                                                ValueRange point) {
  PackingAttr packing = set.getPacking();
  SmallVector<Check> checks{
      checkRange(b, -1, point[0], 0, packing.getMaxBatch())};
  for (unsigned axis = 0; axis < set.getDim(); ++axis) {
    Value value = point[axis + 1];
    checks.push_back(checkAxis(b, packing, axis, value));
    int64_t stride = set.getStride()[axis];
    if (stride != 1)
      checks.push_back({isMultiple(b, value, stride),
                        StatusCode::NotMultipleOfStride, axis, value, stride,
                        0});
  }
  return checks;
}

Value mlir::sparseconv::isInside(LoopBuilder &b, RegionAttr region,
                                 ValueRange coordinates) {
  Value inside = b.i1(true);
  for (auto [coordinate, lower, upper] :
       llvm::zip_equal(coordinates, region.getLower(), region.getUpper())) {
    inside = b.andBits(inside, b.lessEqual(b.i64(lower), coordinate));
    inside = b.andBits(inside, b.less(coordinate, b.i64(upper)));
  }
  return inside;
}

Value mlir::sparseconv::holdAll(LoopBuilder &b, ArrayRef<Check> checks) {
  Value all = b.i1(true);
  for (const Check &check : checks)
    all = b.andBits(all, check.holds);
  return all;
}

void mlir::sparseconv::reportFirst(LoopBuilder &b, Value status, int64_t opId,
                                   Value row, ArrayRef<Check> checks) {
  if (checks.empty())
    return;
  const Check &check = checks.front();
  b.ifElse(
      check.holds,
      [&] { reportFirst(b, status, opId, row, checks.drop_front()); },
      [&] {
        LoopBuilder::Report report{check.code, opId};
        report.row = row;
        report.axis = b.i64(check.axis);
        report.value = check.value;
        report.lower = b.i64(check.lower);
        report.upper = b.i64(check.upper);
        b.report(status, report);
      });
}

void mlir::sparseconv::reportTooManyRows(LoopBuilder &b, Value status,
                                         int64_t opId, Value rows) {
  LoopBuilder::Report report{StatusCode::TooManyRows, opId};
  report.value = rows;
  report.upper = b.i64(kMaxRows);
  b.report(status, report);
}

void SetRoom::reportUnfit(LoopBuilder &b, Value total) const {
  auto overCapacity = [&] {
    LoopBuilder::Report report{StatusCode::OverCapacity, opId};
    report.value = total;
    report.upper = limit;
    b.report(status, report);
  };
  // What no memory would be enough for is another error.
  auto tooMany = [&] { reportTooManyRows(b, status, opId, total); };
  if (grows)
    b.ifElse(b.lessEqual(total, b.index(kMaxRows)), overCapacity, tooMany);
  else if (capacity < kMaxRows)
    overCapacity();
  else
    tooMany();
}

void SetRoom::storeCount(LoopBuilder &b, Value total) const {
  Value isFitting = fits(b, total), zero = b.index(0);
  b.store(b.select(isFitting, total, zero), count, zero);
  b.ifThen(b.notBit(isFitting), [&] { reportUnfit(b, total); });
}

Value mlir::sparseconv::floorTo(LoopBuilder &b, Value coordinate,
                                int64_t stride) {
  if (llvm::isPowerOf2_64(stride))
    return b.andBits(coordinate, b.i64(-stride));
  return b.mul(b.floorDiv(coordinate, stride), stride);
}

Value mlir::sparseconv::floorKey(LoopBuilder &b, CoordsType set, Value key,
                                 SmallVectorImpl<Check> &checks) {
  PackingAttr packing = set.getPacking();
  uint64_t cleared = 0;
  Value change = b.i64(0);
  for (unsigned axis = 0; axis < set.getDim(); ++axis) {
    int64_t stride = set.getStride()[axis];
    if (stride == 1)
      continue;
    Value coordinate = getKeyCoordinate(b, packing, key, axis);
    Value floored = floorTo(b, coordinate, stride);
    // A power of two is below the bias, and so divides it: the stored field is
    // a multiple where the coordinate is one.
    if (llvm::isPowerOf2_64(stride))
      cleared |= static_cast<uint64_t>(stride - 1) << packing.getShift(axis);
    else
      change = b.add(change, b.shiftLeft(b.sub(floored, coordinate),
                                         packing.getShift(axis)));
    if (packing.getMin(axis) % stride != 0)
      checks.push_back(checkAxis(b, packing, axis, floored));
  }
  Value mask = b.constantInt(
      key.getType(), llvm::SignExtend64(~cleared, packing.getKeyWidth()));
  return b.add(b.andBits(key, mask), b.cast(change, key.getType()));
}
