//===- TableBuilder.h - tensors by neighbour tables -------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_TABLEBUILDER_H
#define SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_TABLEBUILDER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/Utils/FoldingBuilder.h"

namespace mlir::sparseconv {

inline RankedTensorType getTensorType(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

/// A builder for tensor operations that any compiler lowers: gathers by a
/// neighbour table, products, and loops over rows.
class TableBuilder : public FoldingBuilder {
public:
  using FoldingBuilder::FoldingBuilder;

  Value index(int64_t value);
  Value dim(Value tensor, int64_t axis);
  /// tensor<sizes x element> of `value` everywhere.
  Value filled(ArrayRef<OpFoldResult> sizes, Type element, double value);
  /// `x` with one more row of `value`, which stands for rows that are not
  /// there.
  Value pad(Value x, double value);
  /// Slice `i` of the first axis, and column `k` of a table.
  Value getSlice(Value tensor, Value i);
  Value getColumn(Value table, Value k);
  /// The last row of a padded tensor, and the row for the entry of a table.
  Value getLast(Value padded);
  Value getRow(Value entry, Value last);

  /// A `linalg.generic` with one result for each of `outs`; `maps` are those of
  /// `ins`, then of `outs`, and the loops that no map of `outs` has are
  /// reductions.
  SmallVector<Value>
  generic(ValueRange ins, ValueRange outs, ArrayRef<AffineMap> maps,
          function_ref<SmallVector<Value>(ValueRange arguments)> body);
  /// A tensor of `sizes` and `element` of which each is computed by `body` from
  /// `ins`.
  Value elementwise(ValueRange ins, ArrayRef<AffineMap> maps,
                    ArrayRef<OpFoldResult> sizes, Type element,
                    function_ref<Value(ValueRange arguments)> body);
  /// The map of loops (d0, d1, ...) that picks `loops`.
  AffineMap select(unsigned count, ArrayRef<unsigned> loops);
  using FoldingBuilder::select;

  /// [rows, C]: row r is row rows[r] of a padded tensor. With several groups
  /// [groups, rows, C / groups].
  Value gatherRows(Value padded, Value rows, int64_t groups);
  /// [groups, rows, C / groups] of [rows, C], and back.
  Value splitGroups(Value x, int64_t groups);
  Value mergeGroups(Value x);
  /// The table of the transposed map: entry (i, k) is the row whose entry k is
  /// i. A map has at most one.
  Value invert(Value table, Value inRows);
  /// for i = 0; i < count; ++i, carrying tensors.
  Value loop(Value count, Value init,
             function_ref<Value(Value i, Value carried)> body);
};

/// A pattern that hands an operation, its converted operands (a map as its
/// table and its in rows) and a builder to a function, which returns the
/// result.
template <typename OpTy> class TablePattern : public OpConversionPattern<OpTy> {
public:
  using Adaptor = typename OpConversionPattern<OpTy>::OneToNOpAdaptor;
  using Lower = Value (*)(TableBuilder &, OpTy, Adaptor);
  TablePattern(const TypeConverter &converter, MLIRContext *context,
               Lower lower)
      : OpConversionPattern<OpTy>(converter, context), lower(lower) {}

  LogicalResult
  matchAndRewrite(OpTy op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TableBuilder builder(op.getLoc(), rewriter);
    Value value = lower(builder, op, adaptor);
    if (value.getType() != op->getResult(0).getType())
      value =
          tensor::CastOp::create(builder, op->getResult(0).getType(), value);
    rewriter.replaceOp(op, value);
    return success();
  }

private:
  Lower lower;
};

/// Convolutions, and pooling with `gather` and `scatter`.
void populateDecomposeConvPatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns);
void populateDecomposePoolPatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_TABLEBUILDER_H
