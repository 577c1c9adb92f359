//===- Dense.cpp - rows to and from dense grids as loops ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "sparseconv/Kernels/Indexing/KeyFields.h"
#include "sparseconv/Kernels/Rows/RowKernels.h"

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::StatusCode;

namespace {
/// A dense grid [batch, n_1, ..., n_D, C], or with the channels behind the
/// batch, that starts at `origin`.
struct Grid {
  Value dense, keys;
  ArrayRef<int64_t> origin;
  CoordsType set;
  bool hasChannelsFirst;

  /// Where an axis of the set is in the grid; that of the batch is -1.
  int64_t getPlace(int64_t axis) const {
    return axis < 0 ? 0 : axis + (hasChannelsFirst ? 2 : 1);
  }
};

/// One index of a grid: of the batch (axis -1) or of an axis. All i64 in units
/// of the finest grid, bounds inclusive.
struct GridAxis {
  Value coordinate, lower, upper;
  int64_t stride;

  Value isInside(LoopBuilder &b) const {
    return b.andBits(b.greaterEqual(coordinate, lower),
                     b.lessEqual(coordinate, upper));
  }
};
} // namespace

static GridAxis getAxis(LoopBuilder &b, const Grid &grid, Value key,
                        int64_t axis) {
  PackingAttr packing = grid.set.getPacking();
  bool isBatch = axis < 0;
  int64_t stride = isBatch ? 1 : grid.set.getStride()[axis];
  Value lower = b.i64(isBatch ? 0 : grid.origin[axis]);
  Value size = b.cast(b.dim(grid.dense, grid.getPlace(axis)), b.getI64Type());
  Value upper = b.add(lower, b.mul(b.sub(size, 1), stride));
  Value coordinate = isBatch ? getKeyBatch(b, packing, key)
                             : getKeyCoordinate(b, packing, key, axis);
  return {coordinate, lower, upper, stride};
}

/// For every row of the set of `op`: `found` with its indices in the grid,
/// without that of the channel, or `missed` where it is outside, which is
/// reported.
template <typename OpTy>
static void forGridRows(
    LoopBuilder &b, OpTy op, bool hasChannelsFirst,
    function_ref<void(Value row, ValueRange cell, const Channels &)> found,
    function_ref<void(Value row, const Channels &)> missed) {
  Grid grid{op.getDense(), op.getKeys(), op.getOrigin(),
            cast<CoordsType>(op.getSet()), hasChannelsFirst};
  Value numChannels = b.dim(op.getX(), 1);
  int64_t dim = grid.set.getDim();
  auto body = [&](Value row, const Channels &channels) {
    Value key = b.load(grid.keys, row);
    Value isInside = b.i1(true);
    SmallVector<GridAxis> axes;
    for (int64_t axis = -1; axis < dim; ++axis) {
      axes.push_back(getAxis(b, grid, key, axis));
      isInside = b.andBits(isInside, axes.back().isInside(b));
    }
    b.ifElse(
        isInside,
        [&] {
          SmallVector<Value> cell;
          for (const GridAxis &axis : axes) {
            Value distance = b.sub(axis.coordinate, axis.lower);
            cell.push_back(b.toIndex(b.divide(distance, axis.stride)));
          }
          found(row, cell, channels);
        },
        [&] { missed(row, channels); });
    return b.notBit(isInside);
  };
  // Cells that are neighbours on the last axis are rows one behind the other.
  Neighbours neighbours =
      hasChannelsFirst ? Neighbours::Rows : Neighbours::Channels;
  auto report = [&](Value row) {
    // The lowest axis that is outside.
    Value key = b.load(grid.keys, row);
    Value axisNumber = b.i64(0), value = b.i64(0), lower = b.i64(0),
          upper = b.i64(0);
    for (int64_t number = dim - 1; number >= -1; --number) {
      GridAxis axis = getAxis(b, grid, key, number);
      Value isInside = axis.isInside(b);
      axisNumber = b.select(isInside, axisNumber, b.i64(number));
      value = b.select(isInside, value, axis.coordinate);
      lower = b.select(isInside, lower, axis.lower);
      upper = b.select(isInside, upper, axis.upper);
    }
    b.report(op.getStatus(),
             {StatusCode::OutOfRange, static_cast<int64_t>(op.getOpId()), row,
              axisNumber, value, lower, upper, /*extra=*/nullptr});
  };
  forRowsChecked(b, b.dim(grid.keys, 0), numChannels, body, report, neighbours);
}

/// Copies a row to a cell whose channels are behind the batch.
static void copyToChannels(LoopBuilder &b, const Channels &channels, Value x,
                           Value row, Value dense, ValueRange cell) {
  forChannels(b, channels, [&](Value first, int64_t lanes) {
    Value loaded = loadRaw(b, x, {row, first}, lanes);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      SmallVector<Value> indices(cell);
      indices.insert(indices.begin() + 1, b.add(first, lane));
      b.store(vector::ExtractOp::create(b, loaded, lane), dense, indices);
    }
  });
}

void mlir::sparseconv::emitToDense(LoopBuilder &b, ToDenseKernelOp op) {
  Value x = op.getX(), dense = op.getDense();
  bool hasChannelsFirst = op.getChannelsFirst();
  forGridRows(
      b, op, hasChannelsFirst,
      [&](Value row, ValueRange cell, const Channels &channels) {
        if (hasChannelsFirst)
          copyToChannels(b, channels, x, row, dense, cell);
        else
          copyRow(b, channels, x, row, dense, cell);
      },
      [](Value, const Channels &) {});
}

void mlir::sparseconv::emitFromDense(LoopBuilder &b, FromDenseKernelOp op) {
  Value x = op.getX(), dense = op.getDense();
  forGridRows(
      b, op, /*hasChannelsFirst=*/false,
      [&](Value row, ValueRange cell, const Channels &channels) {
        copyRow(b, channels, dense, cell, x, row);
      },
      [&](Value row, const Channels &channels) {
        clearRow(b, channels, x, row);
      });
}
