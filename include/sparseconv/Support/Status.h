//===- Status.h - run-time errors of a compiled function --------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every target reports a run-time error as one record of eight 64-bit integers
// and prints it through formatStatus(), so that the message is the same
// everywhere. Of several errors the one of the lowest operation is reported,
// then that of the lowest row. Within a row it is that of the lowest offset
// (where an operation makes coordinates by offsets), then of the lowest axis,
// the batch index first, then in the order of the codes below. Runtimes without
// LLVM use this file too.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_SUPPORT_STATUS_H
#define SPARSECONV_SUPPORT_STATUS_H

#include <cstdint>
#include <string>
#include <string_view>

namespace sparseconv {

/// What went wrong. The comment names the fields that a code uses; unused ones
/// are 0. `row` is the row of the operand that is at fault (of `points` for
/// pack, voxelise and devoxelise, of the source set for downsample, upsample
/// and expand). `axis` -1 stands for the batch index.
enum class StatusCode : int64_t {
  None = 0,
  /// A coordinate (or batch index) beyond the packing or a dense grid:
  /// row, axis, value, lower, upper (inclusive).
  OutOfRange = 1,
  /// row, axis, value, lower = stride.
  NotMultipleOfStride = 2,
  /// A set, or a list of points, beyond the limit of row indices:
  /// value = rows, upper = limit.
  TooManyRows = 3,
  /// value = rows, upper = capacity.
  OverCapacity = 4,
  /// A feature tensor that does not fit its set: axis = operand number,
  /// value = its rows, lower = expected rows, extra = StatusSide.
  RowCountMismatch = 5,
  /// row = position in the index tensor, value, lower, upper (inclusive).
  RowIndexOutOfRange = 6,
  /// A batch index that is not below the number of items: row, value, upper =
  /// number of items.
  BatchOutOfRange = 7,
  /// row, axis.
  NonFinitePoint = 8,
  /// Two operands that need one length: axis = operand number, value = its
  /// length, lower = length of the other, extra = number of the other.
  LengthMismatch = 9,
  /// A size that is not a number of rows: value, lower, upper (inclusive).
  SizeOutOfRange = 10,
  /// A tensor whose size is not what the operation needs: axis, value, lower =
  /// expected size, extra = operand number.
  ShapeMismatch = 11,
  /// An element access outside a tensor: axis, value, upper = size.
  IndexOutOfBounds = 12,
  /// An integer division by zero.
  DivisionByZero = 13,
  /// A row or an offset of a pair that is not there: row = pair, axis = column
  /// (input row, output row, offset), value, lower, upper (inclusive).
  PairOutOfRange = 14,
  /// An entry of a neighbour table that is no row: row, axis = offset, value,
  /// lower, upper (inclusive).
  NeighbourOutOfRange = 15,
  /// A pair whose row has its offset in an earlier pair: row = pair, axis =
  /// side (0: in, 1: out), value = row of that side, lower = offset.
  RepeatedPair = 16,
};

/// What the rows of an operand are compared with.
enum class StatusSide : int64_t { InSet = 0, OutSet = 1, Set = 2 };

/// The record; all zero means no error.
struct StatusRecord {
  int64_t code = 0;
  int64_t opId = 0; ///< number of the operation in program order
  int64_t row = 0;
  int64_t axis = 0;
  int64_t value = 0;
  int64_t lower = 0;
  int64_t upper = 0;
  int64_t extra = 0;

  StatusCode getCode() const { return static_cast<StatusCode>(code); }
};
/// What compiled code writes the record as: so many 64-bit integers.
constexpr int64_t kStatusWords = 8;
static_assert(sizeof(StatusRecord) == kStatusWords * sizeof(int64_t));

/// Most rows of any set: row indices are i32 and -1 means none.
constexpr int64_t kMaxRows = (int64_t(1) << 31) - 2;

/// The message for users: "sparseconv.pack: point 17: coordinate 70000 on axis
/// 0 is outside -32736 .. 32735". `location` ("file.mlir:3:8") goes in front,
/// where there is one.
std::string formatStatus(const StatusRecord &record, std::string_view opName,
                         std::string_view location = {});

} // namespace sparseconv

#endif // SPARSECONV_SUPPORT_STATUS_H
