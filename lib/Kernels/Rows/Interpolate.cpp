//===- Interpolate.cpp - the voxels around points as loops ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "sparseconv/Kernels/Indexing/KeyFields.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"
#include "sparseconv/Kernels/Rows/RowKernels.h"

using namespace mlir;
using namespace mlir::sparseconv;
using arith::CmpFPredicate;
using ::sparseconv::StatusCode;

/// Further than any packing goes; closer coordinates convert to i64.
static constexpr double kFarAway = 0x1p40;

static Value compare(LoopBuilder &b, CmpFPredicate predicate, Value lhs,
                     Value rhs) {
  return b.createOrFold<arith::CmpFOp>(predicate, lhs, rhs);
}

static Value isFinite(LoopBuilder &b, Value value) {
  Value infinity = b.i32(0x7f800000);
  Value bits = b.createOrFold<arith::BitcastOp>(b.getI32Type(), value);
  return b.notEqual(b.andBits(bits, infinity), infinity);
}

/// A whole f32 as i64; 0 where it is not one that converts.
static Value toInteger(LoopBuilder &b, Value value, Value converts) {
  return b.createOrFold<arith::FPToSIOp>(b.getI64Type(),
                                         b.select(converts, value, b.f32(0)));
}

/// lower <= value <= upper, on i64.
static Value isWithin(LoopBuilder &b, Value value, int64_t lower,
                      int64_t upper) {
  return b.andBits(b.greaterEqual(value, b.i64(lower)),
                   b.lessEqual(value, b.i64(upper)));
}

namespace {
/// One of the two grid coordinates beside a point on an axis: whether the
/// packing holds it, its place in the key (i64), and its weight.
struct Corner {
  Value isHeld, field, weight;
};
} // namespace

/// The corners below and above coordinate `c` of an axis.
static std::pair<Corner, Corner> getCorners(LoopBuilder &b, CoordsType set,
                                            unsigned axis, Value c) {
  PackingAttr packing = set.getPacking();
  int64_t stride = set.getStride()[axis];
  Value q = b.divide(c, b.f32(static_cast<float>(stride)));
  Value base = b.createOrFold<math::FloorOp>(q);
  Value fraction = b.sub(q, base);
  Value isNear =
      b.andBits(compare(b, CmpFPredicate::OGE, base, b.f32(-kFarAway)),
                compare(b, CmpFPredicate::OLE, base, b.f32(kFarAway)));
  Value step = toInteger(b, base, isNear);
  // In steps of the stride, so that no product can overflow before the test.
  int64_t first = llvm::divideCeilSigned(packing.getMin(axis), stride);
  int64_t last = llvm::divideFloorSigned(packing.getMax(axis), stride);
  unsigned shift = packing.getShift(axis);
  auto getCorner = [&](Value step, Value weight) -> Corner {
    Value place = b.add(b.mul(step, stride), packing.getBias(axis));
    return {b.andBits(isNear, isWithin(b, step, first, last)),
            b.shiftLeft(place, shift), weight};
  };
  return {getCorner(step, b.sub(b.f32(1), fraction)),
          getCorner(b.add(step, 1), fraction)};
}

/// The batch index of a point: real as all its columns, so that one that is no
/// whole number, or beyond the packing, belongs to no item.
static Corner getBatch(LoopBuilder &b, PackingAttr packing, Value c) {
  Value floor = b.createOrFold<math::FloorOp>(c);
  Value isWhole =
      b.andBits(compare(b, CmpFPredicate::OEQ, c, floor),
                b.andBits(compare(b, CmpFPredicate::OGE, c, b.f32(0)),
                          compare(b, CmpFPredicate::OLE, c, b.f32(kFarAway))));
  Value batch = toInteger(b, c, isWhole);
  Value isHeld =
      b.andBits(isWhole, isWithin(b, batch, 0, packing.getMaxBatch()));
  // A batch field of no bits may sit beyond a full key.
  Value field = packing.getBatch() ? b.shiftLeft(batch, packing.getBatchShift())
                                   : b.i64(0);
  return {isHeld, field, nullptr};
}

/// The row at `position` where `isFound`, else -1.
static Value toRow(LoopBuilder &b, Value position, Value isFound) {
  return b.select(isFound, b.cast(position, b.getI32Type()), b.i32(-1));
}

namespace {
/// The two voxels beside a point on the last axis, for one choice of corners on
/// the others.
struct LastPair {
  Corner lower, upper; ///< held and weights: of all axes
  Value lowerKey, upperKey;

  /// All keys are multiples of the stride, so nothing lies between the two, and
  /// one search finds both: of the lower one, or where the packing does not
  /// hold that, of the upper one.
  Value getQuery(LoopBuilder &b) const {
    return b.select(lower.isHeld, lowerKey, upperKey);
  }
  /// Their rows, given the lower bound of the query; -1 where there is none.
  std::pair<Value, Value> getRows(LoopBuilder &b, Value keys,
                                  Value position) const {
    Value end = b.dim(keys, 0);
    Value hasLower =
        b.andBits(lower.isHeld, holdsKey(b, keys, position, end, lowerKey));
    Value next = b.select(hasLower, b.add(position, 1), position);
    Value hasUpper =
        b.andBits(upper.isHeld, holdsKey(b, keys, next, end, upperKey));
    return {toRow(b, position, hasLower), toRow(b, next, hasUpper)};
  }
};
} // namespace

/// The pairs of all choices of corners on the axes but the last, first axis
/// slowest; with `isNearest` only the one of the lower corners. `start` is the
/// corner of the batch.
static SmallVector<LastPair>
getPairs(LoopBuilder &b, ArrayRef<std::pair<Corner, Corner>> corners,
         const Corner &start, bool isNearest, Type keyType) {
  SmallVector<LastPair> pairs;
  unsigned others = corners.size() - 1;
  for (unsigned bits = 0; bits < (isNearest ? 1u : 1u << others); ++bits) {
    Corner prefix = start;
    auto extend = [&](const Corner &corner) -> Corner {
      return {b.andBits(prefix.isHeld, corner.isHeld),
              b.add(prefix.field, corner.field),
              prefix.weight ? b.mul(prefix.weight, corner.weight)
                            : corner.weight};
    };
    for (unsigned axis = 0; axis < others; ++axis) {
      bool isUpper = bits >> (others - 1 - axis) & 1;
      prefix = extend(isUpper ? corners[axis].second : corners[axis].first);
    }
    Corner lower = extend(corners.back().first);
    Corner upper = extend(corners.back().second);
    pairs.push_back({lower, upper, b.cast(lower.field, keyType),
                     b.cast(upper.field, keyType)});
  }
  return pairs;
}

/// The lowest column of a point that is not finite, as an axis (-1 for the
/// batch).
static Value findNonFinite(LoopBuilder &b, Value points, Value row,
                           int64_t dim) {
  Value axis = b.i64(dim - 1);
  for (int64_t number = dim - 2; number >= -1; --number)
    axis = b.select(isFinite(b, b.load(points, {row, b.index(number + 1)})),
                    axis, b.i64(number));
  return axis;
}

void mlir::sparseconv::emitInterpolate(LoopBuilder &b, InterpolateOp op) {
  Value points = op.getPoints(), keys = op.getKeys();
  auto set = cast<CoordsType>(op.getSet());
  unsigned dim = set.getDim();
  bool isNearest = op.getInterpolation() == Interpolation::Nearest;

  auto body = [&](Value point) {
    Value batchColumn = b.load(points, {point, b.index(0)});
    Corner batch = getBatch(b, set.getPacking(), batchColumn);
    Value finite = isFinite(b, batchColumn);
    SmallVector<std::pair<Corner, Corner>> corners;
    for (unsigned axis = 0; axis < dim; ++axis) {
      Value c = b.load(points, {point, b.index(axis + 1)});
      finite = b.andBits(finite, isFinite(b, c));
      corners.push_back(getCorners(b, set, axis, c));
    }
    Value isHeld = b.andBits(finite, batch.isHeld);
    auto storeCorner = [&](int64_t j, Value row, Value weight) {
      b.store(row, op.getRows(), {point, b.index(j)});
      b.store(b.select(finite, weight, b.f32(0)), op.getWeights(),
              {point, b.index(j)});
    };
    Type keyType = cast<MemRefType>(keys.getType()).getElementType();
    SmallVector<LastPair> pairs = getPairs(
        b, corners, {isHeld, batch.field, nullptr}, isNearest, keyType);
    SmallVector<Value> queries;
    for (const LastPair &pair : pairs)
      queries.push_back(pair.getQuery(b));
    SmallVector<Value> positions = findLowerBounds(b, keys, queries);
    for (auto [number, pair] : llvm::enumerate(pairs)) {
      auto [lower, upper] = pair.getRows(b, keys, positions[number]);
      if (isNearest) {
        storeCorner(0, lower, b.f32(1));
        continue;
      }
      // A voxel of weight 0 is not reached.
      auto storeReached = [&](int64_t j, Value row, Value weight) {
        Value isEmpty = compare(b, CmpFPredicate::OEQ, weight, b.f32(0));
        storeCorner(j, b.select(isEmpty, b.i32(-1), row), weight);
      };
      storeReached(2 * number, lower, pair.lower.weight);
      storeReached(2 * number + 1, upper, pair.upper.weight);
    }
    return b.notBit(finite);
  };
  forRowsChecked(b, b.dim(points, 0), body, [&](Value row) {
    b.report(op.getStatus(),
             {StatusCode::NonFinitePoint, static_cast<int64_t>(op.getOpId()),
              row, findNonFinite(b, points, row, dim), /*value=*/nullptr,
              /*lower=*/nullptr, /*upper=*/nullptr, /*extra=*/nullptr});
  });
}
