//===- Conv.h - parts of the convolution emitters ---------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_ROWS_CONV_H
#define SPARSECONV_LIB_KERNELS_ROWS_CONV_H

#include "sparseconv/Kernels/Rows/ConvShape.h"
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

/// The bounds of the pairs of one block and offset, as indices.
struct Segment {
  Value begin, end;

  static Segment load(LoopBuilder &b, Value segments, Value block,
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

/// Clones the body of an epilogue on vectors of `lanes` (0: scalars): the
/// accumulator and the values of the extra operands are its arguments.
Value cloneEpilogue(LoopBuilder &b, Block &body, ValueRange arguments,
                    int64_t lanes);

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
