//===- Coords.cpp - coordinates and keys as loops -------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels that look into keys: encode, decode, floor, spread. Arithmetic on
// coordinates is in i64 whatever the width of a key.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Patterns.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::kMaxRows;
using ::sparseconv::StatusCode;

//===----------------------------------------------------------------------===//
// Fields of a key
//===----------------------------------------------------------------------===//

/// A key as i64; narrow keys are unsigned numbers.
static Value widenKey(LoopBuilder &b, Value key) {
  return key.getType().isInteger(64)
             ? key
             : b.createOrFold<arith::ExtUIOp>(b.getI64Type(), key);
}

static Value getField(LoopBuilder &b, Value key, unsigned shift,
                      unsigned bits) {
  if (bits == 0)
    return b.i64(0);
  Value field = b.shiftRightLogical(key, shift);
  return shift + bits == 64
             ? field
             : b.andBits(field, b.i64(llvm::maskTrailingOnes<uint64_t>(bits)));
}

static Value getBatch(LoopBuilder &b, PackingAttr packing, Value key) {
  return getField(b, key, packing.getBatchShift(), packing.getBatch());
}

static Value getCoordinate(LoopBuilder &b, PackingAttr packing, Value key,
                           unsigned axis) {
  Value field =
      getField(b, key, packing.getShift(axis), packing.getBits()[axis]);
  return b.sub(field, packing.getBias(axis));
}

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

/// Whether lower <= value <= upper (i1).
static Value isWithin(LoopBuilder &b, Value value, int64_t lower,
                      int64_t upper) {
  return b.compare(arith::CmpIPredicate::ule, b.sub(value, lower),
                   b.i64(upper - lower));
}

static Value isMultiple(LoopBuilder &b, Value value, int64_t stride) {
  Value rest = llvm::isPowerOf2_64(stride)
                   ? b.andBits(value, b.i64(stride - 1))
                   : b.createOrFold<arith::RemSIOp>(value, b.i64(stride));
  return b.equal(rest, b.i64(0));
}

//===----------------------------------------------------------------------===//
// Checks of a coordinate
//===----------------------------------------------------------------------===//

namespace {
/// One thing that has to hold (i1), and the report where it does not.
struct Check {
  Value holds;
  StatusCode code;
  int64_t axis;
  Value value;
  int64_t lower, upper;
};
} // namespace

static Check checkRange(LoopBuilder &b, int64_t axis, Value value,
                        int64_t lower, int64_t upper) {
  return {isWithin(b, value, lower, upper),
          StatusCode::OutOfRange,
          axis,
          value,
          lower,
          upper};
}

static Check checkAxis(LoopBuilder &b, PackingAttr packing, unsigned axis,
                       Value value) {
  return checkRange(b, axis, value, packing.getMin(axis), packing.getMax(axis));
}

/// Whether all hold (i1).
static Value holdAll(LoopBuilder &b, ArrayRef<Check> checks) {
  Value all = b.constantInt(b.getI1Type(), 1);
  for (const Check &check : checks)
    all = b.andBits(all, check.holds);
  return all;
}

/// Reports the first check that does not hold.
static void reportFirst(LoopBuilder &b, Value status, int64_t opId, Value row,
                        ArrayRef<Check> checks) {
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

/// Writes `count` (of one element): `number`, or 0 where `holds` is false.
static void storeCount(LoopBuilder &b, Value count, Value holds, Value number) {
  b.store(b.select(holds, number, b.index(0)), count, b.index(0));
}

static void reportTooManyRows(LoopBuilder &b, Value status, int64_t opId,
                              Value rows) {
  LoopBuilder::Report report{StatusCode::TooManyRows, opId};
  report.value = rows;
  report.upper = b.i64(kMaxRows);
  b.report(status, report);
}

//===----------------------------------------------------------------------===//
// encode, decode
//===----------------------------------------------------------------------===//

/// Batch index and coordinates of a row of points, as i64.
static SmallVector<Value> loadPoint(LoopBuilder &b, Value points, Value row,
                                    unsigned dim) {
  SmallVector<Value> point;
  for (unsigned column = 0; column <= dim; ++column)
    point.push_back(
        b.cast(b.load(points, {row, b.index(column)}), b.getI64Type()));
  return point;
}

static SmallVector<Check> checkPoint(LoopBuilder &b, CoordsType set,
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

static void emitEncode(LoopBuilder &b, EncodeOp op) {
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
        Value failing = findFirst(b, numRows, [&](Value row) {
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

static void emitDecode(LoopBuilder &b, DecodeOp op) {
  auto set = cast<CoordsType>(op.getSet());
  PackingAttr packing = set.getPacking();
  Value numRows = b.dim(op.getKeys(), 0);
  forEachBlock(b, numRows, kRowsPerBlock, [&](Value, Value begin, Value end) {
    b.forLoop(begin, end, 1, [&](Value row) {
      Value key = widenKey(b, b.load(op.getKeys(), row));
      auto store = [&](unsigned column, Value value) {
        b.store(b.cast(value, b.getI32Type()), op.getPoints(),
                {row, b.index(column)});
      };
      store(0, getBatch(b, packing, key));
      for (unsigned axis = 0; axis < set.getDim(); ++axis)
        store(axis + 1, getCoordinate(b, packing, key, axis));
    });
  });
}

//===----------------------------------------------------------------------===//
// floor
//===----------------------------------------------------------------------===//

/// The key of the floored coordinate; what can fail is added to `checks`.
static Value floorKey(LoopBuilder &b, CoordsType set, Value key,
                      SmallVectorImpl<Check> &checks) {
  PackingAttr packing = set.getPacking();
  uint64_t cleared = 0;
  Value change = b.i64(0);
  for (unsigned axis = 0; axis < set.getDim(); ++axis) {
    int64_t stride = set.getStride()[axis], bias = packing.getBias(axis);
    if (stride == 1)
      continue;
    Value coordinate = getCoordinate(b, packing, key, axis);
    Value floored;
    if (llvm::isPowerOf2_64(stride) && bias % stride == 0) {
      // The stored field is a multiple where the coordinate is one.
      cleared |= static_cast<uint64_t>(stride - 1) << packing.getShift(axis);
      floored = b.andBits(coordinate, b.i64(-stride));
    } else {
      floored = b.mul(b.floorDiv(coordinate, stride), stride);
      change = b.add(change, b.shiftLeft(b.sub(floored, coordinate),
                                         packing.getShift(axis)));
    }
    if (packing.getMin(axis) % stride != 0)
      checks.push_back(checkAxis(b, packing, axis, floored));
  }
  Value masked = b.andBits(key, b.i64(static_cast<int64_t>(~cleared)));
  return b.cast(b.add(masked, change), packing.getKeyType());
}

static void emitFloor(LoopBuilder &b, FloorOp op) {
  auto set = cast<CoordsType>(op.getSet());
  Value keys = op.getKeys();
  Value numRows = b.dim(keys, 0);
  auto floorRow = [&](Value row, SmallVectorImpl<Check> &checks) {
    return floorKey(b, set, widenKey(b, b.load(keys, row)), checks);
  };
  Value failing = findFirst(b, numRows, [&](Value row) {
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

//===----------------------------------------------------------------------===//
// spread
//===----------------------------------------------------------------------===//

namespace {
/// The candidates of one row of the source: each is its coordinate plus one
/// displacement.
class Spread {
public:
  Spread(LoopBuilder &b, SpreadOp op)
      : b(b), op(op), set(cast<CoordsType>(op.getSet())),
        packing(set.getPacking()) {
    unsigned dim = set.getDim();
    ArrayRef<int64_t> flat = op.getDisplacements();
    SmallVector<int64_t> packedValues;
    for (size_t k = 0; k < flat.size(); k += dim)
      packedValues.push_back(packing.packOffset(flat.slice(k, dim)));
    numDisplacements = b.index(packedValues.size());
    displacements = getConstantBuffer(b, b.getI64Type(), flat);
    packed = getConstantBuffer(b, b.getI64Type(), packedValues);
  }

  Value getNumDisplacements() const { return numDisplacements; }

  /// Coordinates of a row, before `forEachCandidate`.
  void setRow(Value row) {
    key = widenKey(b, b.load(op.getKeys(), row));
    coordinates.clear();
    for (unsigned axis = 0; axis < set.getDim(); ++axis)
      coordinates.push_back(getCoordinate(b, packing, key, axis));
  }

  /// The coordinates of the row's candidate with displacement k.
  SmallVector<Value> getCandidate(Value k) {
    SmallVector<Value> candidate;
    unsigned dim = set.getDim();
    for (unsigned axis = 0; axis < dim; ++axis) {
      Value position = b.add(b.mul(k, dim), axis);
      candidate.push_back(
          b.add(coordinates[axis], b.load(displacements, position)));
    }
    return candidate;
  }

  /// Whether the candidate belongs to the result (i1): a multiple of the
  /// stride and inside the clip.
  Value isKept(ValueRange candidate) {
    Value kept = b.constantInt(b.getI1Type(), 1);
    for (unsigned axis = 0; axis < set.getDim(); ++axis)
      kept = b.andBits(kept,
                       isMultiple(b, candidate[axis], set.getStride()[axis]));
    std::optional<RegionAttr> clip = op.getClip();
    for (unsigned axis = 0; clip && axis < set.getDim(); ++axis) {
      int64_t lower = clip->getLower()[axis], upper = clip->getUpper()[axis];
      kept = b.andBits(kept, b.lessEqual(b.i64(lower), candidate[axis]));
      kept = b.andBits(kept, b.less(candidate[axis], b.i64(upper)));
    }
    return kept;
  }

  SmallVector<Check> check(ValueRange candidate) {
    SmallVector<Check> checks;
    for (unsigned axis = 0; axis < set.getDim(); ++axis)
      checks.push_back(checkAxis(b, packing, axis, candidate[axis]));
    return checks;
  }

  /// The guard keeps the sum inside each field, even beyond the packing.
  Value getKey(Value k) {
    return b.cast(b.add(key, b.load(packed, k)), packing.getKeyType());
  }

private:
  LoopBuilder &b;
  SpreadOp op;
  CoordsType set;
  PackingAttr packing;
  Value numDisplacements, displacements, packed;
  Value key;
  SmallVector<Value> coordinates;
};
} // namespace

/// Counts the candidates of each block into `counts`; returns the lowest row
/// with one that is kept but beyond the packing, or the number of rows.
static Value countCandidates(LoopBuilder &b, Spread &spread, Value numRows,
                             Value numBlocks, Value counts) {
  Value firsts = b.alloc({ShapedType::kDynamic}, b.getIndexType(), numBlocks);
  Value zero = b.index(0), one = b.index(1);
  forEachBlock(
      b, numRows, kRowsPerBlock, [&](Value block, Value begin, Value end) {
        SmallVector<Value> result = b.forLoop(
            begin, end, 1, {zero, numRows}, [&](Value row, ValueRange carried) {
              spread.setRow(row);
              return b.forLoop(
                  zero, spread.getNumDisplacements(), 1, carried,
                  [&](Value k, ValueRange carried) -> SmallVector<Value> {
                    SmallVector<Value> candidate = spread.getCandidate(k);
                    Value kept = spread.isKept(candidate);
                    Value fails = b.andBits(
                        kept, b.notBit(holdAll(b, spread.check(candidate))));
                    Value first = b.select(fails, row, numRows);
                    return {b.add(carried[0], b.select(kept, one, zero)),
                            b.min(carried[1], first)};
                  });
            });
        b.store(result[0], counts, block);
        b.store(result[1], firsts, block);
      });
  Value failing =
      b.forLoop(zero, numBlocks, 1, numRows,
                [&](Value block, ValueRange first) -> SmallVector<Value> {
                  return {b.min(first[0], b.load(firsts, block))};
                })[0];
  b.dealloc(firsts);
  return failing;
}

static void emitSpread(LoopBuilder &b, SpreadOp op) {
  Spread spread(b, op);
  Value status = op.getStatus();
  int64_t opId = op.getOpId();
  Value numRows = b.dim(op.getKeys(), 0), zero = b.index(0);
  Value numBlocks = b.ceilDiv(numRows, kRowsPerBlock);
  Value counts = b.alloc({ShapedType::kDynamic}, b.getIndexType(), numBlocks);
  Value failing = countCandidates(b, spread, numRows, numBlocks, counts);
  Value total = makePrefixSums(b, counts, numBlocks);
  Value isInside = b.equal(failing, numRows);
  Value isFew = b.lessEqual(total, b.index(kMaxRows));
  Value holds = b.andBits(isInside, isFew);
  storeCount(b, op.getCount(), holds, total);
  b.ifElse(
      holds,
      [&] {
        forEachBlock(
            b, numRows, kRowsPerBlock,
            [&](Value block, Value begin, Value end) {
              b.forLoop(
                  begin, end, 1, b.load(counts, block),
                  [&](Value row, ValueRange next) {
                    spread.setRow(row);
                    return b.forLoop(
                        zero, spread.getNumDisplacements(), 1, next,
                        [&](Value k, ValueRange next) -> SmallVector<Value> {
                          Value kept = spread.isKept(spread.getCandidate(k));
                          b.ifThen(kept, [&] {
                            b.store(spread.getKey(k), op.getCandidates(),
                                    next[0]);
                          });
                          return {
                              b.add(next[0], b.select(kept, b.index(1), zero))};
                        });
                  });
            });
      },
      [&] {
        b.ifElse(
            isInside, [&] { reportTooManyRows(b, status, opId, total); },
            [&] {
              spread.setRow(failing);
              b.forLoop(zero, spread.getNumDisplacements(), 1, [&](Value k) {
                SmallVector<Value> candidate = spread.getCandidate(k);
                // Of several reports of one operation the record keeps the
                // first, that of the lowest displacement.
                b.ifThen(spread.isKept(candidate), [&] {
                  reportFirst(b, status, opId, failing,
                              spread.check(candidate));
                });
              });
            });
      });
  b.dealloc(counts);
}

void mlir::sparseconv::populateCoordsToLoopsPatterns(
    RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<LoopPattern<EncodeOp>>(context, emitEncode);
  patterns.add<LoopPattern<DecodeOp>>(context, emitDecode);
  patterns.add<LoopPattern<FloorOp>>(context, emitFloor);
  patterns.add<LoopPattern<SpreadOp>>(context, emitSpread);
}
