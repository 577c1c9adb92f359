//===- Conv.h - parts of the convolution emitters ---------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_ROWS_CONV_H
#define SPARSECONV_LIB_KERNELS_ROWS_CONV_H

#include "mlir/IR/TypeUtilities.h"
#include "sparseconv/Kernels/Builders/ConvShape.h"
#include "sparseconv/Kernels/Builders/Epilogue.h"
#include "sparseconv/Kernels/Rows/RowKernels.h"

namespace mlir::sparseconv {

/// How the columns of one group are cut into panels of equal width, a multiple
/// of the lanes. Scratch buffers are padded to whole panels, so that kernels
/// need no masks.
struct Panels {
  int64_t count, width, lanes;

  static Panels get(int64_t columns, TilingAttr tiling);
  int64_t paddedColumns() const { return count * width; }
  int64_t vectors() const { return width / lanes; }
};

/// The bounds of the pairs of one row block and offset, as indices.
struct Segment {
  Value begin, end;

  static Segment load(LoopBuilder &b, Value segments, Value rowBlock,
                      Value offset);
};

/// a * b + c. Targets whose vectors have four lanes have no fused operation,
/// and a call for each element in its place.
Value multiplyAdd(LoopBuilder &b, int64_t lanes, Value lhs, Value rhs,
                  Value sum);

/// Sets the first `rows` rows of `columns` f32 (a multiple of lanes) to zero.
void zeroRows(LoopBuilder &b, Value buffer, Value rows, int64_t columns,
              int64_t lanes);

/// Calls `full` for positions 0, lanes, .. of `columns` as far as whole vectors
/// go, and `single` for the positions after them.
void forColumns(LoopBuilder &b, int64_t columns, int64_t lanes,
                function_ref<void(Value)> full,
                function_ref<void(Value)> single);

/// Asks for columns column .. column+columns of a row, or as much of them as is
/// worth asking for: a long row is noticed by the processor itself.
void prefetchRow(LoopBuilder &b, Value buffer, Value row, Value column,
                 int64_t columns, bool isWrite);

/// Columns first .. first+count of a row, taken `lanes` at a time.
struct Columns {
  Value first;
  int64_t count, lanes;
};

/// Copies `columns` of the rows rows[begin .. end] of `source` as f32 to rows
/// 0, 1, .. of `target`, whose columns beyond them stay untouched.
void stageRows(LoopBuilder &b, Value source, Value rows, Segment segment,
               const Columns &columns, Value target);

/// The weights as f32 [offsets, groups, panels, in, width], transposed if asked
/// for, zeros in the padding. Packed once per call, so that the inner loops see
/// one type, unit strides and no tails.
Value packWeights(LoopBuilder &b, Value weights, const ConvShape &shape,
                  const Panels &panels, bool transposed);

/// A vector of `lanes`, or a scalar where that is 0.
Value loadAt(LoopBuilder &b, int64_t lanes, Value buffer, ValueRange indices);
void storeAt(LoopBuilder &b, int64_t lanes, Value value, Value buffer,
             ValueRange indices);

/// What the epilogue of `op` makes of the sum of a row and channel, or of
/// `lanes` channels from that one on; then it is rounded to the type of `y`.
template <typename OpTy>
Value finishSum(LoopBuilder &b, OpTy op, int64_t lanes, Value sum, Value row,
                Value channel) {
  if (!op.getEpilogue().empty()) {
    SmallVector<Value> arguments{sum};
    for (Value extra : op.getExtras()) {
      bool isChannel = cast<MemRefType>(extra.getType()).getRank() == 1;
      arguments.push_back(isChannel ? loadAt(b, lanes, extra, channel)
                                    : loadAt(b, lanes, extra, {row, channel}));
    }
    sum = cloneEpilogue(b, op.getEpilogue().front(), arguments, lanes);
  }
  return b.fromFloat(sum, getElementTypeOrSelf(op.getY().getType()));
}

/// The sums of the output rows first .. first+count. Those of group g begin at
/// column g * stride of the buffer; a group has `columns` channels.
struct Accumulators {
  Value buffer, first, count;
  int64_t groups, columns, stride;
};

/// Rounds and stores accumulators, after the epilogue.
void emitEpilogue(LoopBuilder &b, GatherGemmScatterOp op,
                  const Accumulators &sums);

void emitDepthwiseGatherGemmScatter(LoopBuilder &b, GatherGemmScatterOp op,
                                    const ConvShape &shape);
void emitDepthwiseWeightGrad(LoopBuilder &b, WeightGradKernelOp op,
                             const ConvShape &shape);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_ROWS_CONV_H
