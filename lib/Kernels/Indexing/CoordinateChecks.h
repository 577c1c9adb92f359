//===- CoordinateChecks.h - what a coordinate has to meet -------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that make coordinates test all rows in parallel for whether every
// check holds, and then look at the lowest failing row once more, to report the
// first check that does not.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_COORDINATECHECKS_H
#define SPARSECONV_LIB_KERNELS_INDEXING_COORDINATECHECKS_H

#include "sparseconv/Dialect/SparseConv/IR/SparseConvTypes.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {

/// One thing that has to hold (i1), and what a report says where it does not.
struct Check {
  Value holds;
  ::sparseconv::StatusCode code;
  int64_t axis;
  Value value;
  int64_t lower, upper;
};

/// lower <= value <= upper (i64).
Check checkRange(LoopBuilder &b, int64_t axis, Value value, int64_t lower,
                 int64_t upper);
/// The packing holds `value` on `axis`.
Check checkAxis(LoopBuilder &b, PackingAttr packing, unsigned axis,
                Value value);
/// All that a set asks of a batch index and coordinates (i64), in the order of
/// the axes, the batch index first.
SmallVector<Check> checkPoint(LoopBuilder &b, CoordsType set, ValueRange point);

/// Whether coordinates (i64), without a batch index, are inside a region (i1).
Value isInside(LoopBuilder &b, RegionAttr region, ValueRange coordinates);

/// Whether `value` (i64) is a multiple of `stride` (i1).
Value isMultiple(LoopBuilder &b, Value value, int64_t stride);

/// Whether all hold (i1).
Value holdAll(LoopBuilder &b, ArrayRef<Check> checks);
/// Reports the first check that does not hold, if any.
void reportFirst(LoopBuilder &b, Value status, int64_t opId, Value row,
                 ArrayRef<Check> checks);
/// Reports `rows` (index) as more than a set may have.
void reportTooManyRows(LoopBuilder &b, Value status, int64_t opId, Value rows);

/// The rows that there is memory for, of a set that an operation makes.
class SetRoom {
public:
  template <typename OpTy>
  SetRoom(LoopBuilder &b, OpTy op)
      : limit(op.getLimit() ? op.getLimit() : b.index(op.getCapacity())),
        count(op.getCount()), status(op.getStatus()), opId(op.getOpId()),
        capacity(op.getCapacity()), grows(op.getLimit()) {}

  /// Whether `total` (index) rows fit (i1).
  Value fits(LoopBuilder &b, Value total) const {
    return b.lessEqual(total, limit);
  }
  /// Stores the number of rows: `total`, or 0 with a report if they do not fit.
  void storeCount(LoopBuilder &b, Value total) const;

private:
  void reportUnfit(LoopBuilder &b, Value total) const;

  Value limit, count, status;
  int64_t opId, capacity;
  bool grows;
};

/// The largest multiple of `stride` up to `coordinate` (i64).
Value floorTo(LoopBuilder &b, Value coordinate, int64_t stride);

/// The key of a coordinate floored to the stride of `set`; what can fail is
/// added to `checks`.
Value floorKey(LoopBuilder &b, CoordsType set, Value key,
               SmallVectorImpl<Check> &checks);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_COORDINATECHECKS_H
