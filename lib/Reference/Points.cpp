//===- Points.cpp - features between points and voxels --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combine.h"
#include "Interpreter.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include <cmath>

using namespace mlir;
using namespace mlir::sparseconv;
using namespace mlir::sparseconv::reference;

namespace {
/// A row of the set that a point reaches.
struct Reached {
  int64_t row;
  double weight;
};
} // namespace

/// The rows that point `point` (batch, then coordinates) reaches.
///
/// All is computed in f32, in this order, so that targets find the same bits:
/// - q = p / S, base = floor(q), t = q - base;
/// - the weight is the product over the axes, first axis first, of 1 - t for
///   the coordinate base * S, or of t for the next one.
/// A batch index that is not a whole number belongs to no item, and a
/// voxel of weight 0 is not reached.
static SmallVector<Reached, 16> findReached(Interpolation interpolation,
                                            const double *point,
                                            const CoordinateSet &set) {
  // Further than any packing goes; a conversion to integers stays defined.
  constexpr float farAway = 0x1p40f;
  unsigned dim = set.getDim();
  SmallVector<Reached, 16> reached;
  if (point[0] != std::floor(point[0]) || std::abs(point[0]) > farAway)
    return reached;
  Point lowest{};
  lowest[0] = static_cast<int64_t>(point[0]);
  SmallVector<float, 4> fractions;
  for (unsigned axis = 0; axis < dim; ++axis) {
    int64_t stride = set.type.getStride()[axis];
    float q = static_cast<float>(point[axis + 1]) / static_cast<float>(stride);
    float base = std::floor(q);
    if (std::abs(base) > farAway)
      return reached;
    lowest[axis + 1] = static_cast<int64_t>(base) * stride;
    fractions.push_back(q - base);
  }
  if (interpolation == Interpolation::Nearest) {
    if (int64_t row = set.find(lowest); row >= 0)
      reached.push_back({row, 1});
    return reached;
  }
  for (unsigned corner = 0; corner < (1u << dim); ++corner) {
    Point voxel = lowest;
    float weight = 1;
    for (unsigned axis = 0; axis < dim; ++axis) {
      // The last axis is fastest.
      bool isUpper = corner >> (dim - 1 - axis) & 1;
      weight *= isUpper ? fractions[axis] : 1 - fractions[axis];
      voxel[axis + 1] += isUpper ? set.type.getStride()[axis] : 0;
    }
    if (weight == 0)
      continue;
    if (int64_t row = set.find(voxel); row >= 0)
      reached.push_back({row, weight});
  }
  return reached;
}

static llvm::Error checkFinite(Operation *op, const DenseValue &points) {
  int64_t columns = points.shape[1];
  for (int64_t i = 0; i < points.getNumElements(); ++i) {
    if (std::isfinite(points[i]))
      continue;
    StatusRecord record;
    record.code = static_cast<int64_t>(StatusCode::NonFinitePoint);
    record.row = i / columns;
    record.axis = i % columns - 1;
    return makeFailure(op, record);
  }
  return llvm::Error::success();
}

static llvm::Error runVoxelise(VoxeliseOp op, Frame &frame) {
  const CoordinateSet &set = frame.getSet(op.getCoords());
  const DenseValue &x = frame.getDense(op.getX());
  const DenseValue &points = frame.getDense(op.getPoints());
  if (llvm::Error error = checkLength(op, 1, points, x))
    return error;
  if (llvm::Error error = checkFinite(op, points))
    return error;
  int64_t channels = x.shape[1], columns = points.shape[1];
  auto y = Combination::create(op, set.size(), channels);
  if (!y)
    return y.takeError();
  if (llvm::Error error = checkElementCount(op, set.size()))
    return error;
  Elements sums(set.size());
  for (int64_t p = 0; p < points.getRows(); ++p)
    for (const Reached &voxel : findReached(
             op.getInterpolation(), points.begin() + p * columns, set)) {
      sums[voxel.row] += voxel.weight;
      for (int64_t c = 0; c < channels; ++c)
        y->combine(op.getKind(), voxel.row, c,
                   voxel.weight * x[p * channels + c]);
    }
  bool isAverage = op.getKind() == PoolKind::Avg;
  if (isAverage)
    for (int64_t row = 0; row < set.size(); ++row)
      if (sums[row] > 0)
        y->divide(row, sums[row]);
  // The divisor of a weighted average is a sum of as many terms.
  return y->store(op.getY(), op.getKind(), frame, isAverage ? 2 : 1);
}

static llvm::Error runDevoxelise(DevoxeliseOp op, Frame &frame) {
  const CoordinateSet &set = frame.getSet(op.getCoords());
  const DenseValue &x = frame.getDense(op.getX());
  const DenseValue &points = frame.getDense(op.getPoints());
  if (llvm::Error error = checkRows(op, 0, x, set.size(), StatusSide::Set))
    return error;
  if (llvm::Error error = checkFinite(op, points))
    return error;
  int64_t channels = x.shape[1], columns = points.shape[1];
  auto y = Combination::create(op, points.getRows(), channels);
  if (!y)
    return y.takeError();
  for (int64_t p = 0; p < points.getRows(); ++p)
    for (const Reached &voxel :
         findReached(op.getInterpolation(), points.begin() + p * columns, set))
      for (int64_t c = 0; c < channels; ++c)
        y->combine(PoolKind::Sum, p, c,
                   voxel.weight * x[voxel.row * channels + c]);
  return y->store(op.getY(), PoolKind::Sum, frame);
}

void reference::registerPoints(HandlerTable &table) {
  table.add<VoxeliseOp>(runVoxelise);
  table.add<DevoxeliseOp>(runDevoxelise);
}
