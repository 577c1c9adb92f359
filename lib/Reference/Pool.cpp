//===- Pool.cpp - pooling over a kernel map and its gradient --------------===//
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

/// What pooling row `r` divides by: 1 but for averages.
static double getDivisor(PoolKind kind, CountKind count, const KernelMap &map,
                         int64_t r) {
  if (kind != PoolKind::Avg)
    return 1;
  if (count == CountKind::Volume)
    return map.volume;
  int64_t present = 0;
  for (int64_t k = 0; k < map.volume; ++k)
    present += map.find(r, k) >= 0;
  return present;
}

static llvm::Error runPool(PoolOp op, Frame &frame) {
  const KernelMap &map = frame.getMap(op.getMap());
  const DenseValue &x = frame.getDense(op.getX());
  if (llvm::Error error = checkRows(op, 0, x, map.inRows, StatusSide::InSet))
    return error;
  int64_t channels = x.shape[1];
  auto y = Combination::create(op, map.outRows, channels);
  if (!y)
    return y.takeError();
  for (int64_t r = 0; r < map.outRows; ++r) {
    for (int64_t k = 0; k < map.volume; ++k) {
      int64_t row = map.find(r, k);
      if (row < 0)
        continue;
      for (int64_t c = 0; c < channels; ++c)
        y->combine(op.getKind(), r, c, x[row * channels + c]);
    }
    if (double divisor = getDivisor(op.getKind(), op.getCount(), map, r))
      y->divide(r, divisor);
  }
  return y->store(op.getY(), op.getKind(), frame);
}

static llvm::Error runPoolGrad(PoolGradOp op, Frame &frame) {
  const KernelMap &map = frame.getMap(op.getMap());
  const DenseValue &dy = frame.getDense(op.getDy());
  if (llvm::Error error = checkRows(op, 0, dy, map.outRows, StatusSide::OutSet))
    return error;
  const DenseValue *x = op.getX() ? &frame.getDense(op.getX()) : nullptr;
  if (x)
    if (llvm::Error error = checkRows(op, 2, *x, map.inRows, StatusSide::InSet))
      return error;
  int64_t channels = dy.shape[1];
  auto dx = Combination::create(op, map.inRows, channels);
  if (!dx)
    return dx.takeError();
  for (int64_t r = 0; r < map.outRows; ++r) {
    double divisor = getDivisor(op.getKind(), op.getCount(), map, r);
    for (int64_t c = 0; c < channels; ++c) {
      double gradient = dy[r * channels + c];
      int64_t winner = -1;
      for (int64_t k = 0; k < map.volume; ++k) {
        int64_t row = map.find(r, k);
        if (row < 0)
          continue;
        if (op.getKind() != PoolKind::Max)
          dx->combine(PoolKind::Sum, row, c, gradient / divisor);
        else if (winner < 0 || isGreater((*x)[row * channels + c],
                                         (*x)[winner * channels + c]))
          winner = row;
      }
      if (winner >= 0)
        dx->combine(PoolKind::Sum, winner, c, gradient);
    }
  }
  return dx->store(op.getDx(), PoolKind::Sum, frame);
}

static llvm::Error runUnpool(UnpoolOp op, Frame &frame) {
  const KernelMap &map = frame.getMap(op.getMap());
  const DenseValue &x = frame.getDense(op.getX());
  if (llvm::Error error = checkRows(op, 0, x, map.outRows, StatusSide::OutSet))
    return error;
  int64_t channels = x.shape[1];
  auto y = Combination::create(op, map.inRows, channels);
  if (!y)
    return y.takeError();
  for (int64_t r = 0; r < map.outRows; ++r)
    for (int64_t k = 0; k < map.volume; ++k)
      if (int64_t row = map.find(r, k); row >= 0)
        for (int64_t c = 0; c < channels; ++c)
          y->combine(PoolKind::Sum, row, c, x[r * channels + c]);
  return y->store(op.getY(), PoolKind::Sum, frame);
}

void reference::registerPool(HandlerTable &table) {
  table.add<PoolOp>(runPool);
  table.add<PoolGradOp>(runPoolGrad);
  table.add<UnpoolOp>(runUnpool);
}
