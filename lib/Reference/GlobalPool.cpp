//===- GlobalPool.cpp - pooling over batch items and its gradient ---------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combine.h"
#include "Interpreter.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"

using namespace mlir;
using namespace mlir::sparseconv;
using namespace mlir::sparseconv::reference;

/// Error unless every batch index of the set is below `items`.
static llvm::Error checkBatches(Operation *op, const CoordinateSet &set,
                                int64_t items) {
  for (auto [row, point] : llvm::enumerate(set.points)) {
    if (point[0] < items)
      continue;
    StatusRecord record;
    record.code = static_cast<int64_t>(StatusCode::BatchOutOfRange);
    record.row = row;
    record.value = point[0];
    record.upper = items;
    return makeFailure(op, record);
  }
  return llvm::Error::success();
}

static SmallVector<int64_t> countRows(const CoordinateSet &set, int64_t items) {
  SmallVector<int64_t> counts(items, 0);
  for (const Point &point : set.points)
    ++counts[point[0]];
  return counts;
}

static llvm::Error runGlobalPool(GlobalPoolOp op, Frame &frame) {
  const CoordinateSet &set = frame.getSet(op.getCoords());
  const DenseValue &x = frame.getDense(op.getX());
  if (llvm::Error error = checkRows(op, 0, x, set.size(), StatusSide::Set))
    return error;
  int64_t items = op.getBatch() ? frame.getInt(op.getBatch())
                                : op.getY().getType().getDimSize(0);
  if (llvm::Error error = checkSize(op, items))
    return error;
  if (llvm::Error error = checkBatches(op, set, items))
    return error;
  int64_t channels = x.shape[1];
  if (llvm::Error error = checkItems(op, items, sizeof(int64_t)))
    return error;
  auto y = Combination::create(op, items, channels);
  if (!y)
    return y.takeError();
  for (auto [row, point] : llvm::enumerate(set.points))
    for (int64_t c = 0; c < channels; ++c)
      y->combine(op.getKind(), point[0], c, x[row * channels + c]);
  if (op.getKind() == PoolKind::Avg)
    for (auto [item, count] : llvm::enumerate(countRows(set, items)))
      if (count > 0)
        y->divide(item, count);
  return y->store(op.getY(), op.getKind(), frame);
}

static llvm::Error runGlobalPoolGrad(GlobalPoolGradOp op, Frame &frame) {
  const CoordinateSet &set = frame.getSet(op.getCoords());
  const DenseValue &dy = frame.getDense(op.getDy());
  const DenseValue *x = op.getX() ? &frame.getDense(op.getX()) : nullptr;
  if (x)
    if (llvm::Error error = checkRows(op, 2, *x, set.size(), StatusSide::Set))
      return error;
  int64_t items = dy.getRows(), channels = dy.shape[1];
  if (llvm::Error error = checkBatches(op, set, items))
    return error;
  // How many rows an item has, and where the maximum is the row of each
  // channel.
  for (int64_t size : {int64_t(1), channels})
    if (llvm::Error error = checkElementCount(op, {items, size}))
      return error;
  SmallVector<int64_t> counts = countRows(set, items);
  auto dx = Combination::create(op, set.size(), channels);
  if (!dx)
    return dx.takeError();
  if (op.getKind() == PoolKind::Max) {
    // The lowest row of each item and channel that holds the maximum.
    std::vector<int64_t> winners(items * channels, -1);
    for (auto [row, point] : llvm::enumerate(set.points))
      for (int64_t c = 0; c < channels; ++c) {
        int64_t &winner = winners[point[0] * channels + c];
        if (winner < 0 ||
            isGreater((*x)[row * channels + c], (*x)[winner * channels + c]))
          winner = row;
      }
    for (auto [i, winner] : llvm::enumerate(winners))
      if (winner >= 0)
        dx->combine(PoolKind::Sum, winner, i % channels, dy[i]);
  } else {
    for (auto [row, point] : llvm::enumerate(set.points)) {
      double divisor = op.getKind() == PoolKind::Avg ? counts[point[0]] : 1;
      for (int64_t c = 0; c < channels; ++c)
        dx->combine(PoolKind::Sum, row, c,
                    dy[point[0] * channels + c] / divisor);
    }
  }
  return dx->store(op.getDx(), PoolKind::Sum, frame);
}

void reference::registerGlobalPool(HandlerTable &table) {
  table.add<GlobalPoolOp>(runGlobalPool);
  table.add<GlobalPoolGradOp>(runGlobalPoolGrad);
}
