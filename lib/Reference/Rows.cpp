//===- Rows.cpp - rows by index, and rows of dense grids ------------------===//
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

/// Error unless every index is -1 .. rows - 1.
static llvm::Error checkRowIndices(Operation *op, const DenseValue &indices,
                                   int64_t rows) {
  for (int64_t i = 0; i < indices.getRows(); ++i) {
    if (indices[i] >= -1 && indices[i] < rows)
      continue;
    StatusRecord record;
    record.code = static_cast<int64_t>(StatusCode::RowIndexOutOfRange);
    record.row = i;
    record.value = static_cast<int64_t>(indices[i]);
    record.lower = -1;
    record.upper = rows - 1;
    return makeFailure(op, record);
  }
  return llvm::Error::success();
}

static llvm::Error runGather(GatherOp op, Frame &frame) {
  const DenseValue &x = frame.getDense(op.getX());
  const DenseValue &rows = frame.getDense(op.getRows());
  if (llvm::Error error = checkRowIndices(op, rows, x.getRows()))
    return error;
  int64_t count = rows.getRows(), channels = x.shape[1];
  if (llvm::Error error = checkElementCount(op, {count, channels}))
    return error;
  Elements y(count * channels);
  for (int64_t i = 0; i < count; ++i)
    if (rows[i] >= 0)
      std::copy_n(x.begin() + static_cast<int64_t>(rows[i]) * channels,
                  channels, y.begin() + i * channels);
  return frame.setDense(op.getY(), {count, channels}, std::move(y));
}

static llvm::Error runScatter(ScatterOp op, Frame &frame) {
  const DenseValue &x = frame.getDense(op.getX());
  const DenseValue &rows = frame.getDense(op.getRows());
  int64_t n = frame.getInt(op.getN());
  if (llvm::Error error = checkSize(op, n))
    return error;
  if (llvm::Error error = checkLength(op, 1, rows, x))
    return error;
  if (llvm::Error error = checkRowIndices(op, rows, n))
    return error;
  int64_t channels = x.shape[1];
  auto y = Combination::create(op, n, channels);
  if (!y)
    return y.takeError();
  if (llvm::Error error = checkItems(op, n, sizeof(int64_t)))
    return error;
  std::vector<int64_t> counts(n);
  for (int64_t i = 0; i < rows.getRows(); ++i) {
    if (rows[i] < 0)
      continue;
    int64_t row = static_cast<int64_t>(rows[i]);
    ++counts[row];
    for (int64_t c = 0; c < channels; ++c)
      y->combine(op.getKind(), row, c, x[i * channels + c]);
  }
  for (int64_t row = 0; row < n && op.getKind() == PoolKind::Avg; ++row)
    if (counts[row] > 0)
      y->divide(row, static_cast<double>(counts[row]));
  return y->store(op.getY(), op.getKind(), frame);
}

//===----------------------------------------------------------------------===//
// Dense grids
//===----------------------------------------------------------------------===//

/// For each row of the set the position of its first channel in a grid
/// [batch, n_1, ..., n_D, C] that starts at `origin`.
static llvm::Expected<std::vector<int64_t>>
findGridPositions(Operation *op, const CoordinateSet &set,
                  ArrayRef<int64_t> origin, ArrayRef<int64_t> grid) {
  if (llvm::Error error = checkItems(op, set.size(), sizeof(int64_t)))
    return std::move(error);
  std::vector<int64_t> positions;
  positions.reserve(set.size());
  for (auto [row, point] : llvm::enumerate(set.points)) {
    int64_t position = 0;
    for (unsigned i = 0; i <= set.getDim(); ++i) {
      bool isBatch = i == 0;
      int64_t start = isBatch ? 0 : origin[i - 1];
      int64_t stride = isBatch ? 1 : set.type.getStride()[i - 1];
      int64_t upper = start + (grid[i] - 1) * stride;
      if (point[i] < start || point[i] > upper)
        return makeOutOfRange(op, row, static_cast<int64_t>(i) - 1, point[i],
                              start, upper);
      position = position * grid[i] + (point[i] - start) / stride;
    }
    positions.push_back(position * grid.back());
  }
  return positions;
}

static llvm::Error runToDense(ToDenseOp op, Frame &frame) {
  const CoordinateSet &set = frame.getSet(op.getCoords());
  const DenseValue &x = frame.getDense(op.getX());
  if (llvm::Error error = checkRows(op, 0, x, set.size(), StatusSide::Set))
    return error;
  RankedTensorType type = op.getDense().getType();
  if (llvm::Error error = checkElementCount(op, type.getShape()))
    return error;
  auto positions = findGridPositions(op, set, op.getOrigin(), type.getShape());
  if (!positions)
    return positions.takeError();
  Elements dense(type.getNumElements());
  for (auto [row, position] : llvm::enumerate(*positions))
    std::copy_n(x.begin() + row * x.shape[1], x.shape[1],
                dense.begin() + position);
  return frame.setDense(op.getDense(), type.getShape(), std::move(dense));
}

static llvm::Error runFromDense(FromDenseOp op, Frame &frame) {
  const CoordinateSet &set = frame.getSet(op.getCoords());
  const DenseValue &dense = frame.getDense(op.getDense());
  auto positions = findGridPositions(op, set, op.getOrigin(), dense.shape);
  if (!positions)
    return positions.takeError();
  int64_t channels = dense.shape.back();
  if (llvm::Error error = checkElementCount(op, {set.size(), channels}))
    return error;
  Elements x(set.size() * channels);
  for (auto [row, position] : llvm::enumerate(*positions))
    std::copy_n(dense.begin() + position, channels, x.begin() + row * channels);
  return frame.setDense(op.getX(), {set.size(), channels}, std::move(x));
}

void reference::registerRows(HandlerTable &table) {
  table.add<GatherOp>(runGather);
  table.add<ScatterOp>(runScatter);
  table.add<ToDenseOp>(runToDense);
  table.add<FromDenseOp>(runFromDense);
}
