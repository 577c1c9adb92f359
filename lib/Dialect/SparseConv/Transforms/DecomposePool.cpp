//===- DecomposePool.cpp - pooling and moving rows as loops ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TableBuilder.h"
#include <limits>

using namespace mlir;
using namespace mlir::sparseconv;

static constexpr double kLowest = -std::numeric_limits<double>::infinity();

/// The sizes of features with the rows of `rows` and the channels of `x`.
static SmallVector<OpFoldResult> getSizes(TableBuilder &b, Value rows,
                                          Value x) {
  return {tensor::getMixedSize(b, b.getLoc(), rows, 0),
          b.getIndexAttr(getTensorType(x).getDimSize(1))};
}

/// What combining begins with.
static double getNeutral(PoolKind kind) {
  return kind == PoolKind::Max ? kLowest : 0;
}

static Value combine(TableBuilder &b, PoolKind kind, Value lhs, Value rhs) {
  if (kind == PoolKind::Max)
    return arith::MaximumFOp::create(b, lhs, rhs);
  return b.add(lhs, rhs);
}

/// In f32, the sum or the largest over k of x[table[r, k]].
static Value combineNeighbours(TableBuilder &b, PoolKind kind, Value x,
                               Value table) {
  double neutral = getNeutral(kind);
  Value padded = b.pad(x, neutral), last = b.getLast(padded);
  Value init = b.filled(getSizes(b, table, x), b.getF32Type(), neutral);
  // Loops over rows, channels, offsets.
  auto body = [&](ValueRange arguments) {
    Value row = b.getRow(arguments[0], last);
    Value channel = linalg::IndexOp::create(b, 1);
    Value element =
        tensor::ExtractOp::create(b, padded, ValueRange{row, channel});
    return SmallVector<Value>{
        combine(b, kind, b.toFloat(element), arguments[1])};
  };
  return b
      .generic(table, init, {b.select(3, {0, 2}), b.select(3, {0, 1})}, body)
      .front();
}

/// The number of neighbours of each row, in f32.
static Value countNeighbours(TableBuilder &b, Value table) {
  Value zeros = b.filled(tensor::getMixedSize(b, b.getLoc(), table, 0),
                         b.getF32Type(), 0);
  auto body = [&](ValueRange arguments) {
    Value one = b.select(b.greaterEqual(arguments[0], 0), b.f32(1), b.f32(0));
    return SmallVector<Value>{b.add(arguments[1], one)};
  };
  return b.generic(table, zeros, {b.select(2, {0, 1}), b.select(2, {0})}, body)
      .front();
}

/// What was combined, divided for an average by the count (or by `volume`), 0
/// where nothing was, and rounded to `element`.
static Value finish(TableBuilder &b, PoolKind kind,
                    std::optional<int64_t> volume, Value sums, Value counts,
                    Type element) {
  return b.elementwise(
      {sums, counts}, {b.select(2, {0, 1}), b.select(2, {0})},
      getSizes(b, sums, sums), element, [&](ValueRange arguments) {
        Value value = b.toFloat(arguments[0]), count = arguments[1];
        Value isEmpty = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ,
                                              count, b.f32(0));
        if (kind == PoolKind::Avg)
          value = b.divide(value, volume ? b.f32(double(*volume)) : count);
        return b.fromFloat(b.select(isEmpty, b.f32(0), value), element);
      });
}

/// The volume that an average divides by, if it does.
static std::optional<int64_t> getVolume(CountKind count, Value table) {
  if (count == CountKind::Volume)
    return getTensorType(table).getDimSize(1);
  return std::nullopt;
}

static Value decomposePool(TableBuilder &b, PoolOp op,
                           TablePattern<PoolOp>::Adaptor adaptor) {
  Value table = adaptor.getMap().front();
  Value sums =
      combineNeighbours(b, op.getKind(), adaptor.getX().front(), table);
  return finish(b, op.getKind(), getVolume(op.getCount(), table), sums,
                countNeighbours(b, table),
                op.getY().getType().getElementType());
}

static Value decomposeUnpool(TableBuilder &b, UnpoolOp op,
                             TablePattern<UnpoolOp>::Adaptor adaptor) {
  Value table = b.invert(adaptor.getMap()[0], adaptor.getMap()[1]);
  Value sums =
      combineNeighbours(b, PoolKind::Sum, adaptor.getX().front(), table);
  return finish(b, PoolKind::Sum, std::nullopt, sums, countNeighbours(b, table),
                op.getY().getType().getElementType());
}

//===----------------------------------------------------------------------===//
// Gradients of pooling
//===----------------------------------------------------------------------===//

/// The offset of the neighbour that `pool max` took, for each row and channel:
/// the first NaN, or else the first of the largest.
static Value findLargest(TableBuilder &b, Value x, Value table) {
  Value padded = b.pad(x, kLowest), last = b.getLast(padded);
  SmallVector<OpFoldResult> sizes = getSizes(b, table, x);
  Value best = b.filled(sizes, b.getF32Type(), kLowest);
  Value offset = b.filled(sizes, b.getI32Type(), -1);
  using Predicate = arith::CmpFPredicate;
  auto body = [&](ValueRange arguments) {
    Value entry = arguments[0], largest = arguments[1], found = arguments[2];
    Value channel = linalg::IndexOp::create(b, 1);
    Value value = b.toFloat(tensor::ExtractOp::create(
        b, padded, ValueRange{b.getRow(entry, last), channel}));
    Value isLarger =
        arith::CmpFOp::create(b, Predicate::UGT, value, largest).getResult();
    Value isNumber =
        arith::CmpFOp::create(b, Predicate::ORD, largest, largest).getResult();
    Value isFirst = b.less(found, b.i32(0));
    Value takes = b.andBits(b.greaterEqual(entry, 0),
                            b.orBits(isFirst, b.andBits(isLarger, isNumber)));
    Value k = arith::IndexCastOp::create(b, b.getI32Type(),
                                         linalg::IndexOp::create(b, 2));
    return SmallVector<Value>{b.select(takes, value, largest),
                              b.select(takes, k, found)};
  };
  AffineMap out = b.select(3, {0, 1});
  return b.generic(table, {best, offset}, {b.select(3, {0, 2}), out, out}, body)
      .back();
}

/// dx[i] = sum of dy[r] over the rows r whose largest neighbour is i.
static Value sendToLargest(TableBuilder &b, Value dy, Value largest,
                           Value inverse) {
  Value gradients = b.pad(dy, 0), offsets = b.pad(largest, -1);
  Value last = b.getLast(gradients);
  Value zeros = b.filled(getSizes(b, inverse, dy), b.getF32Type(), 0);
  auto body = [&](ValueRange arguments) {
    Value channel = linalg::IndexOp::create(b, 1);
    SmallVector<Value> place = {b.getRow(arguments[0], last), channel};
    Value gradient = b.toFloat(tensor::ExtractOp::create(b, gradients, place));
    Value offset = tensor::ExtractOp::create(b, offsets, place);
    Value k = arith::IndexCastOp::create(b, b.getI32Type(),
                                         linalg::IndexOp::create(b, 2));
    Value share = b.select(b.equal(offset, k), gradient, b.f32(0));
    return SmallVector<Value>{b.add(arguments[1], share)};
  };
  return b
      .generic(inverse, zeros, {b.select(3, {0, 2}), b.select(3, {0, 1})}, body)
      .front();
}

static Value decomposePoolGrad(TableBuilder &b, PoolGradOp op,
                               TablePattern<PoolGradOp>::Adaptor adaptor) {
  Value table = adaptor.getMap()[0], dy = adaptor.getDy().front();
  Value inverse = b.invert(table, adaptor.getMap()[1]);
  Value sums;
  if (op.getKind() == PoolKind::Max) {
    Value largest = findLargest(b, adaptor.getX().front(), table);
    sums = sendToLargest(b, dy, largest, inverse);
  } else {
    Value shares = finish(b, op.getKind(), getVolume(op.getCount(), table), dy,
                          countNeighbours(b, table), b.getF32Type());
    sums = combineNeighbours(b, PoolKind::Sum, shares, inverse);
  }
  return finish(b, PoolKind::Sum, std::nullopt, sums,
                countNeighbours(b, inverse),
                op.getDx().getType().getElementType());
}

//===----------------------------------------------------------------------===//
// gather, scatter
//===----------------------------------------------------------------------===//

static Value decomposeGather(TableBuilder &b, GatherOp,
                             TablePattern<GatherOp>::Adaptor adaptor) {
  return b.gatherRows(b.pad(adaptor.getX().front(), 0),
                      adaptor.getRows().front(), /*groups=*/1);
}

/// `tensor` with row `row` combined with row `i` of `x`, in f32.
static Value combineRow(TableBuilder &b, PoolKind kind, Value tensor, Value row,
                        Value addend) {
  Value old = b.getSlice(tensor, row);
  AffineMap map = b.getMultiDimIdentityMap(getTensorType(old).getRank());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), old);
  Value sum = b.elementwise(
      {old, addend}, {map, map}, sizes, b.getF32Type(), [&](ValueRange values) {
        return combine(b, kind, b.toFloat(values[1]), values[0]);
      });
  SmallVector<OpFoldResult> offsets(getTensorType(tensor).getRank(),
                                    b.getIndexAttr(0)),
      extents = tensor::getMixedSizes(b, b.getLoc(), tensor),
      strides(offsets.size(), b.getIndexAttr(1));
  offsets.front() = row;
  extents.front() = b.getIndexAttr(1);
  return tensor::InsertSliceOp::create(b, sum, tensor, offsets, extents,
                                       strides);
}

/// Rows one after the other, as their order decides how a sum is rounded.
static Value decomposeScatter(TableBuilder &b, ScatterOp op,
                              TablePattern<ScatterOp>::Adaptor adaptor) {
  Value x = adaptor.getX().front(), rows = adaptor.getRows().front();
  PoolKind kind = op.getKind();
  OpFoldResult n = adaptor.getN().front();
  Value sums = b.filled({n, b.getIndexAttr(getTensorType(x).getDimSize(1))},
                        b.getF32Type(), getNeutral(kind));
  Value counts = b.filled(n, b.getF32Type(), 0);
  SmallVector<Value> combined = b.forLoop(
      b.index(0), b.dim(rows, 0), b.index(1), {sums, counts},
      [&](Value i, ValueRange carried) {
        Value entry = tensor::ExtractOp::create(b, rows, i);
        Value row = arith::IndexCastOp::create(b, b.getIndexType(), entry);
        auto add = [&] {
          Value count = tensor::ExtractOp::create(b, carried[1], row);
          Value more = b.add(count, b.f32(1));
          return SmallVector<Value>{
              combineRow(b, kind, carried[0], row, b.getSlice(x, i)),
              tensor::InsertOp::create(b, more, carried[1], row)};
        };
        return b.ifElse(b.greaterEqual(row, 0), carried.getTypes(), add,
                        [&] { return SmallVector<Value>(carried); });
      });
  return finish(b, kind, std::nullopt, combined[0], combined[1],
                op.getY().getType().getElementType());
}

void mlir::sparseconv::populateDecomposePoolPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<TablePattern<PoolOp>>(converter, context, decomposePool);
  patterns.add<TablePattern<PoolGradOp>>(converter, context, decomposePoolGrad);
  patterns.add<TablePattern<UnpoolOp>>(converter, context, decomposeUnpool);
  patterns.add<TablePattern<GatherOp>>(converter, context, decomposeGather);
  patterns.add<TablePattern<ScatterOp>>(converter, context, decomposeScatter);
}
