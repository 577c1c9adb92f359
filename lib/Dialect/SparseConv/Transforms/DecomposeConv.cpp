//===- DecomposeConv.cpp - convolutions as gathers and products -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TableBuilder.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// sums + a . b, for each group where tensors have three axes.
template <typename PlainOp, typename BatchOp>
static Value multiply(TableBuilder &b, Value lhs, Value rhs, Value sums) {
  Operation *op;
  Type type = sums.getType();
  if (getTensorType(sums).getRank() == 2)
    op = PlainOp::create(b, b.getLoc(), type, ValueRange{lhs, rhs}, sums);
  else
    op = BatchOp::create(b, b.getLoc(), type, ValueRange{lhs, rhs}, sums);
  return op->getResult(0);
}

/// The f32 sums [rows of the table, channels] over all offsets k of
/// x[table[r, k]] . w[k], or with the slices of `w` transposed.
static Value sumProducts(TableBuilder &b, Value x, Value w, Value table,
                         bool isTransposed) {
  ArrayRef<int64_t> shape = getTensorType(w).getShape();
  int64_t groups = shape.size() == 4 ? shape[1] : 1;
  int64_t channels = isTransposed ? shape[shape.size() - 2] : shape.back();
  SmallVector<OpFoldResult> sizes = {
      tensor::getMixedSize(b, b.getLoc(), table, 0), b.getIndexAttr(channels)};
  if (groups > 1)
    sizes.insert(sizes.begin(), b.getIndexAttr(groups));
  // A group alone is none to linalg.
  Value weights = w;
  if (shape.size() == 4 && groups == 1)
    weights = tensor::CollapseShapeOp::create(
        b, w, SmallVector<ReassociationIndices>{{0, 1}, {2}, {3}});
  Value padded = b.pad(x, 0), zeros = b.filled(sizes, b.getF32Type(), 0);
  Value sums = b.loop(b.index(shape[0]), zeros, [&](Value k, Value carried) {
    Value rows = b.gatherRows(padded, b.getColumn(table, k), groups);
    Value slice = b.getSlice(weights, k);
    if (isTransposed)
      return multiply<linalg::MatmulTransposeBOp,
                      linalg::BatchMatmulTransposeBOp>(b, rows, slice, carried);
    return multiply<linalg::MatmulOp, linalg::BatchMatmulOp>(b, rows, slice,
                                                             carried);
  });
  return b.mergeGroups(sums);
}

/// A tensor of f32 rounded to `element`.
static Value round(TableBuilder &b, Value sums, Type element) {
  if (element.isF32())
    return sums;
  return b.elementwise(
      sums, b.getMultiDimIdentityMap(getTensorType(sums).getRank()),
      tensor::getMixedSizes(b, b.getLoc(), sums), element,
      [&](ValueRange values) { return b.fromFloat(values[0], element); });
}

/// The epilogue of `op` on sums and extra operands.
static Value applyEpilogue(TableBuilder &b, ConvOp op, Value sums,
                           ArrayRef<ValueRange> extras) {
  SmallVector<Value> ins = {sums};
  SmallVector<AffineMap> maps = {b.getMultiDimIdentityMap(2)};
  for (ValueRange extra : extras) {
    ins.push_back(extra.front());
    bool isRow = getTensorType(extra.front()).getRank() == 2;
    maps.push_back(isRow ? maps.front() : b.select(2, {1}));
  }
  Type element = op.getY().getType().getElementType();
  return b.elementwise(ins, maps, tensor::getMixedSizes(b, b.getLoc(), sums),
                       element, [&](ValueRange values) {
                         Block &block = op.getEpilogue().front();
                         IRMapping mapping;
                         mapping.map(block.getArguments(),
                                     values.take_front(ins.size()));
                         for (Operation &inner : block.without_terminator())
                           b.clone(inner, mapping);
                         Value result = block.getTerminator()->getOperand(0);
                         return b.fromFloat(mapping.lookup(result), element);
                       });
}

static Value decomposeConv(TableBuilder &b, ConvOp op,
                           TablePattern<ConvOp>::Adaptor adaptor) {
  Value sums = sumProducts(b, adaptor.getX().front(), adaptor.getW().front(),
                           adaptor.getMap().front(), /*isTransposed=*/false);
  if (op.hasEpilogue())
    return applyEpilogue(b, op, sums, adaptor.getExtras());
  return round(b, sums, op.getY().getType().getElementType());
}

static Value decomposeInputGrad(TableBuilder &b, InputGradOp op,
                                TablePattern<InputGradOp>::Adaptor adaptor) {
  ValueRange map = adaptor.getMap();
  Value sums = sumProducts(b, adaptor.getDy().front(), adaptor.getW().front(),
                           b.invert(map[0], map[1]), /*isTransposed=*/true);
  return round(b, sums, op.getDx().getType().getElementType());
}

static Value decomposeWeightGrad(TableBuilder &b, WeightGradOp op,
                                 TablePattern<WeightGradOp>::Adaptor adaptor) {
  RankedTensorType type = op.getDw().getType();
  int64_t groups = type.getRank() == 4 ? type.getDimSize(1) : 1;
  Value table = adaptor.getMap().front();
  Value padded = b.pad(adaptor.getX().front(), 0);
  Value dy = b.splitGroups(adaptor.getDy().front(), groups);
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(b.getContext(), type.getShape());
  bool isOneGroup = type.getRank() == 4 && groups == 1;
  if (isOneGroup)
    sizes.erase(sizes.begin() + 1);
  ArrayRef<OpFoldResult> slice = ArrayRef(sizes).drop_front();
  Value zeros = b.filled(sizes, b.getF32Type(), 0);
  Value empty = b.filled(slice, b.getF32Type(), 0);
  Value volume = b.index(type.getDimSize(0));
  Value sums = b.loop(volume, zeros, [&](Value k, Value carried) -> Value {
    Value rows = b.gatherRows(padded, b.getColumn(table, k), groups);
    Value product =
        multiply<linalg::MatmulTransposeAOp, linalg::BatchMatmulTransposeAOp>(
            b, rows, dy, empty);
    SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)),
        extents(sizes), strides(sizes.size(), b.getIndexAttr(1));
    offsets.front() = k;
    extents.front() = b.getIndexAttr(1);
    return tensor::InsertSliceOp::create(b, product, carried, offsets, extents,
                                         strides);
  });
  Value dw = round(b, sums, type.getElementType());
  if (isOneGroup)
    dw = tensor::ExpandShapeOp::create(
        b, type, dw, SmallVector<ReassociationIndices>{{0, 1}, {2}, {3}});
  return dw;
}

void mlir::sparseconv::populateDecomposeConvPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<TablePattern<ConvOp>>(converter, context, decomposeConv);
  patterns.add<TablePattern<InputGradOp>>(converter, context,
                                          decomposeInputGrad);
  patterns.add<TablePattern<WeightGradOp>>(converter, context,
                                           decomposeWeightGrad);
}
