//===- Spread.cpp - keys displaced by every offset, as loops --------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CoordinateChecks.h"
#include "sparseconv/Kernels/Indexing/BlockSums.h"
#include "sparseconv/Kernels/Indexing/IndexingKernels.h"
#include "sparseconv/Kernels/Indexing/KeyFields.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::kMaxRows;

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
    packed = getConstantBuffer(b, packing.getKeyType(), packedValues);
  }

  Value getNumDisplacements() const { return numDisplacements; }

  /// Coordinates of a row, before `forEachCandidate`.
  void setRow(Value row) {
    key = b.load(op.getKeys(), row);
    coordinates.clear();
    for (unsigned axis = 0; axis < set.getDim(); ++axis)
      coordinates.push_back(getKeyCoordinate(b, packing, key, axis));
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
    Value kept = b.i1(true);
    for (unsigned axis = 0; axis < set.getDim(); ++axis)
      kept = b.andBits(kept,
                       isMultiple(b, candidate[axis], set.getStride()[axis]));
    if (std::optional<RegionAttr> clip = op.getClip())
      kept = b.andBits(kept, isInside(b, *clip, candidate));
    return kept;
  }

  SmallVector<Check> check(ValueRange candidate) {
    SmallVector<Check> checks;
    for (unsigned axis = 0; axis < set.getDim(); ++axis)
      checks.push_back(checkAxis(b, packing, axis, candidate[axis]));
    return checks;
  }

  /// The guard keeps the sum inside each field, even beyond the packing.
  Value getKey(Value k) { return b.add(key, b.load(packed, k)); }

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

/// Counts the candidates of each row block into `counts`; returns the lowest
/// row with one that is kept but beyond the packing, or the number of rows.
static Value countCandidates(LoopBuilder &b, Spread &spread, Value numRows,
                             Value numRowBlocks, Value counts) {
  Value firsts =
      b.alloc({ShapedType::kDynamic}, b.getIndexType(), numRowBlocks);
  Value zero = b.index(0), one = b.index(1);
  forEachRowBlock(
      b, numRows, kDefaultRowBlock,
      [&](Value rowBlock, Value begin, Value end) {
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
        b.store(result[0], counts, rowBlock);
        b.store(result[1], firsts, rowBlock);
      });
  Value failing = findLeast(b, firsts, numRowBlocks, numRows);
  b.dealloc(firsts);
  return failing;
}

/// Whether the candidates may be written (i1): all are inside, as `failing`
/// (the result of `countCandidates`) says, and there are not too many.
static Value areAcceptable(LoopBuilder &b, SpreadOp op, Value total,
                           Value failing) {
  return b.andBits(b.equal(failing, b.dim(op.getKeys(), 0)),
                   b.lessEqual(total, b.index(kMaxRows)));
}

/// Stores the number of candidates kept, or 0 with a report.
static void conclude(LoopBuilder &b, SpreadOp op, Spread &spread, Value total,
                     Value failing) {
  Value status = op.getStatus(), zero = b.index(0);
  int64_t opId = op.getOpId();
  Value holds = areAcceptable(b, op, total, failing);
  b.store(b.select(holds, total, zero), op.getCount(), zero);
  b.ifThen(b.notBit(holds), [&] {
    b.ifElse(
        b.equal(failing, b.dim(op.getKeys(), 0)),
        [&] { reportTooManyRows(b, status, opId, total); },
        [&] {
          spread.setRow(failing);
          b.forLoop(zero, spread.getNumDisplacements(), 1, [&](Value k) {
            SmallVector<Value> candidate = spread.getCandidate(k);
            // Of several reports of one operation the record keeps the first,
            // that of the lowest displacement.
            b.ifThen(spread.isKept(candidate), [&] {
              reportFirst(b, status, opId, failing, spread.check(candidate));
            });
          });
        });
  });
}

/// A thread of a CPU takes row blocks.
static void emitSpreadByRows(LoopBuilder &b, SpreadOp op, Spread &spread) {
  Value numRows = b.dim(op.getKeys(), 0), zero = b.index(0);
  Value numRowBlocks = b.ceilDiv(numRows, kDefaultRowBlock);
  Value counts =
      b.alloc({ShapedType::kDynamic}, b.getIndexType(), numRowBlocks);
  Value failing = countCandidates(b, spread, numRows, numRowBlocks, counts);
  Value total = makePrefixSums(b, counts, numRowBlocks);
  conclude(b, op, spread, total, failing);
  b.ifThen(areAcceptable(b, op, total, failing), [&] {
    forEachRowBlock(
        b, numRows, kDefaultRowBlock,
        [&](Value rowBlock, Value begin, Value end) {
          b.forLoop(
              begin, end, 1, b.load(counts, rowBlock),
              [&](Value row, ValueRange next) {
                spread.setRow(row);
                return b.forLoop(
                    zero, spread.getNumDisplacements(), 1, next,
                    [&](Value k, ValueRange next) -> SmallVector<Value> {
                      Value kept = spread.isKept(spread.getCandidate(k));
                      b.ifThen(kept, [&] {
                        b.store(spread.getKey(k), op.getCandidates(), next[0]);
                      });
                      return {b.add(next[0], b.select(kept, b.index(1), zero))};
                    });
              });
        });
  });
  b.dealloc(counts);
}

namespace {
/// The kernels of a GPU, with a thread for each row.
class SpreadInThreads {
public:
  SpreadInThreads(LoopBuilder &b, SpreadOp op, Spread &spread)
      : b(b), op(op), spread(spread), numRows(b.dim(op.getKeys(), 0)),
        zero(b.index(0)), sum(b.alloc({1}, b.getI64Type())),
        failing(b.alloc({1}, b.getI64Type())) {}

  void emit();

private:
  /// How many candidates of a row are kept (i32). Where they are not written
  /// yet, a row with one that is beyond the packing is noted.
  Value count(Value row, bool writes);
  void write(Value row, Value place);
  Value getSum() { return b.toIndex(b.load(sum, zero)); }
  Value getFailing() { return b.toIndex(b.load(failing, zero)); }

  LoopBuilder &b;
  SpreadOp op;
  Spread &spread;
  Value numRows, zero;
  /// All candidates, as a number of 64 bits, and the lowest row that fails.
  Value sum, failing;
};
} // namespace

Value SpreadInThreads::count(Value row, bool writes) {
  spread.setRow(row);
  SmallVector<Value> found = b.forLoop(
      zero, spread.getNumDisplacements(), 1, {b.i32(0), b.i1(false)},
      [&](Value k, ValueRange carried) -> SmallVector<Value> {
        SmallVector<Value> candidate = spread.getCandidate(k);
        Value kept = spread.isKept(candidate);
        Value number = b.add(carried[0], b.select(kept, b.i32(1), b.i32(0)));
        if (writes)
          return {number, carried[1]};
        Value isOutside = b.notBit(holdAll(b, spread.check(candidate)));
        return {number, b.orBits(carried[1], b.andBits(kept, isOutside))};
      });
  if (!writes)
    b.ifThen(found[1], [&] {
      b.atomic(arith::AtomicRMWKind::minu, b.cast(row, b.getI64Type()), failing,
               ValueRange{zero});
    });
  return found[0];
}

void SpreadInThreads::write(Value row, Value place) {
  spread.setRow(row);
  b.forLoop(zero, spread.getNumDisplacements(), 1, b.toIndex(place),
            [&](Value k, ValueRange next) -> SmallVector<Value> {
              Value kept = spread.isKept(spread.getCandidate(k));
              b.ifThen(kept, [&] {
                b.store(spread.getKey(k), op.getCandidates(), next[0]);
              });
              return {b.add(next[0], b.select(kept, b.index(1), zero))};
            });
}

void SpreadInThreads::emit() {
  b.store(b.i64(0), sum, zero);
  b.store(b.cast(numRows, b.getI64Type()), failing, zero);
  RowWriter writer;
  writer.numRows = numRows;
  writer.count = [&](Value row, bool writes) { return count(row, writes); };
  writer.countBlock = [&](Value total) {
    b.atomic(arith::AtomicRMWKind::addi, b.cast(total, b.getI64Type()), sum,
             ValueRange{zero});
  };
  // The sum of 32 bits is right where the candidates are few enough.
  writer.accept = [&](Value) {
    return areAcceptable(b, op, getSum(), getFailing());
  };
  writer.conclude = [&](Value, Value) {
    conclude(b, op, spread, getSum(), getFailing());
  };
  writer.write = [&](Value row, Value, Value place) { write(row, place); };
  writeRowsInBlocks(b, writer);
  b.dealloc(sum);
  b.dealloc(failing);
}

void mlir::sparseconv::emitSpread(LoopBuilder &b, SpreadOp op) {
  Spread spread(b, op);
  if (b.isGpu())
    SpreadInThreads(b, op, spread).emit();
  else
    emitSpreadByRows(b, op, spread);
}
