//===- RowLoops.h - loops over rows and channels ----------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_ROWS_ROWLOOPS_H
#define SPARSECONV_LIB_KERNELS_ROWS_ROWLOOPS_H

#include "mlir/IR/BuiltinTypes.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {

/// Lanes of one vector of channels.
constexpr int64_t kChannelLanes = 16;
/// Rows of one work item.
constexpr int64_t kRowBlock = 256;

/// The channels of a work item: all, or its vectors from `first` on.
struct Channels {
  Value count, first = {};
};

/// Calls `body` with the first channel and the number of lanes of every chunk
/// of channels: whole vectors, then what is left as one shorter vector, or one
/// by one where the number of channels is not static. All values are vectors.
void forChannels(LoopBuilder &b, const Channels &channels,
                 function_ref<void(Value channel, int64_t lanes)> body);

/// Calls `body` for every row, on all threads, one row block per work item.
void forRows(LoopBuilder &b, Value rows, function_ref<void(Value row)> body);

/// As `forRows`, for bodies that work by channel: on a GPU each vector of
/// channels of a row is a work item, and neighbours in a warp are neighbours in
/// memory.
void forRows(LoopBuilder &b, Value rows, Value channels,
             function_ref<void(Value row, const Channels &channels)> body);

/// As `forRows`; `body` returns whether its row is at fault, and `onFault` is
/// emitted once, after the loop, for the lowest such row, if there is any.
void forRowsChecked(LoopBuilder &b, Value rows,
                    function_ref<Value(Value row)> body,
                    function_ref<void(Value row)> onFault);
/// What comes side by side: vectors of channels of a row, or vectors of the
/// same channels of rows one behind the other, which are work items on a CPU,
/// too.
enum class Neighbours { Channels, Rows };
void forRowsChecked(
    LoopBuilder &b, Value rows, Value channels,
    function_ref<Value(Value row, const Channels &channels)> body,
    function_ref<void(Value row)> onFault,
    Neighbours neighbours = Neighbours::Channels);

/// Calls `body` for every item and chunk of channels, on all threads, each such
/// pair a work item: for few items with much work each.
void forItemChannels(
    LoopBuilder &b, Value items, Value channels,
    function_ref<void(Value item, Value channel, int64_t lanes)> body);

/// The type of `lanes` elements.
inline VectorType getLanes(Type element, int64_t lanes) {
  return VectorType::get({lanes}, element);
}

/// Lanes of a buffer, from the first channel of a chunk on.
Value loadRaw(LoopBuilder &b, Value buffer, ValueRange indices, int64_t lanes);
void storeRaw(LoopBuilder &b, Value value, Value buffer, ValueRange indices);
/// The same as f32, and back with one rounding.
Value loadLanes(LoopBuilder &b, Value buffer, ValueRange indices,
                int64_t lanes);
void storeLanes(LoopBuilder &b, Value value, Value buffer, ValueRange indices);

/// Copies one row of features: the positions are those of the first channel.
void copyRow(LoopBuilder &b, const Channels &channels, Value from,
             ValueRange fromRow, Value to, ValueRange toRow);
/// Writes zeros to one row of features.
void clearRow(LoopBuilder &b, const Channels &channels, Value to,
              ValueRange toRow);

/// What a pool folds its terms into: -inf for `max`, else 0. The order of `max`
/// has a NaN above every number, and equal to other NaNs.
Value getPoolStart(LoopBuilder &b, PoolKind kind, int64_t lanes);
/// The next of what it folds: the greater one for `max`, else the sum.
Value addToPool(LoopBuilder &b, PoolKind kind, Value pool, Value term);

/// Whether `term` wins over the greatest so far, which came from `from` (lanes
/// of an integer, -1 where there is none yet). Of equal ones the first wins.
Value wins(LoopBuilder &b, Value term, Value greatest, Value from);
/// The winner of `best` (from, term) and of a later term that comes from `from`
/// (index), in the same form.
SmallVector<Value> getWinner(LoopBuilder &b, ValueRange best, Value from,
                             Value term);
/// A count (index or integer) as f32.
Value countToFloat(LoopBuilder &b, Value count);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_ROWS_ROWLOOPS_H
