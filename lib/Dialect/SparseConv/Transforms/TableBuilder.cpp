//===- TableBuilder.cpp - tensors by neighbour tables ---------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TableBuilder.h"

using namespace mlir;
using namespace mlir::sparseconv;

Value TableBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}

Value TableBuilder::dim(Value tensor, int64_t axis) {
  int64_t size = getTensorType(tensor).getDimSize(axis);
  if (!ShapedType::isDynamic(size))
    return index(size);
  return tensor::DimOp::create(*this, tensor, axis);
}

Value TableBuilder::filled(ArrayRef<OpFoldResult> sizes, Type element,
                           double value) {
  Value empty = tensor::EmptyOp::create(*this, sizes, element);
  Value number = element.isInteger() ? constantInt(element, int64_t(value))
                                     : constant(element, value);
  return linalg::FillOp::create(*this, number, empty)->getResult(0);
}

Value TableBuilder::pad(Value x, double value) {
  RankedTensorType type = getTensorType(x);
  Type element = type.getElementType();
  SmallVector<OpFoldResult> low(type.getRank(), getIndexAttr(0)), high = low;
  high.front() = getIndexAttr(1);
  Value filling = element.isInteger() ? constantInt(element, int64_t(value))
                                      : constant(element, value);
  return tensor::PadOp::create(*this, Type(), x, low, high, filling);
}

Value TableBuilder::getSlice(Value tensor, Value i) {
  RankedTensorType type = getTensorType(tensor);
  SmallVector<OpFoldResult> offsets(type.getRank(), getIndexAttr(0)),
      sizes = tensor::getMixedSizes(*this, getLoc(), tensor),
      strides(type.getRank(), getIndexAttr(1));
  offsets.front() = i;
  sizes.front() = getIndexAttr(1);
  auto slice = RankedTensorType::get(type.getShape().drop_front(),
                                     type.getElementType());
  return tensor::ExtractSliceOp::create(*this, slice, tensor, offsets, sizes,
                                        strides);
}

Value TableBuilder::getColumn(Value table, Value k) {
  RankedTensorType type = getTensorType(table);
  auto column =
      RankedTensorType::get({type.getDimSize(0)}, type.getElementType());
  SmallVector<OpFoldResult> offsets = {getIndexAttr(0), k},
                            strides(2, getIndexAttr(1)),
                            sizes =
                                tensor::getMixedSizes(*this, getLoc(), table);
  sizes.back() = getIndexAttr(1);
  return tensor::ExtractSliceOp::create(*this, column, table, offsets, sizes,
                                        strides);
}

Value TableBuilder::getLast(Value padded) { return sub(dim(padded, 0), 1); }

Value TableBuilder::getRow(Value entry, Value last) {
  Value row = arith::IndexCastOp::create(*this, getIndexType(), entry);
  return select(less(row, index(0)), last, row);
}

AffineMap TableBuilder::select(unsigned count, ArrayRef<unsigned> loops) {
  SmallVector<AffineExpr> results;
  for (unsigned loop : loops)
    results.push_back(getAffineDimExpr(loop));
  return AffineMap::get(count, 0, results, getContext());
}

SmallVector<Value> TableBuilder::generic(
    ValueRange ins, ValueRange outs, ArrayRef<AffineMap> maps,
    function_ref<SmallVector<Value>(ValueRange arguments)> body) {
  unsigned loops = maps.front().getNumDims();
  SmallVector<utils::IteratorType> iterators(loops,
                                             utils::IteratorType::parallel);
  for (unsigned loop = 0; loop < loops; ++loop)
    if (llvm::none_of(maps.take_back(outs.size()),
                      [&](AffineMap map) { return map.isFunctionOfDim(loop); }))
      iterators[loop] = utils::IteratorType::reduction;
  auto op = linalg::GenericOp::create(
      *this, getLoc(), outs.getTypes(), ins, outs, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        OpBuilder::InsertionGuard guard(*this);
        setInsertionPoint(nested.getInsertionBlock(),
                          nested.getInsertionPoint());
        SmallVector<Value> values = body(arguments);
        linalg::YieldOp::create(*this, values);
      });
  return llvm::to_vector_of<Value>(op.getResults());
}

Value TableBuilder::elementwise(
    ValueRange ins, ArrayRef<AffineMap> maps, ArrayRef<OpFoldResult> sizes,
    Type element, function_ref<Value(ValueRange arguments)> body) {
  Value empty = tensor::EmptyOp::create(*this, sizes, element);
  SmallVector<AffineMap> all(maps);
  all.push_back(getMultiDimIdentityMap(sizes.size()));
  auto bodies = [&](ValueRange arguments) {
    return SmallVector<Value>{body(arguments)};
  };
  return generic(ins, empty, all, bodies).front();
}

Value TableBuilder::gatherRows(Value padded, Value rows, int64_t groups) {
  RankedTensorType type = getTensorType(padded);
  int64_t channels = type.getDimSize(1) / groups;
  // Loops over groups where there are several, rows, channels.
  unsigned row = groups == 1 ? 0 : 1, loops = row + 2;
  SmallVector<OpFoldResult> sizes = {
      tensor::getMixedSize(*this, getLoc(), rows, 0), getIndexAttr(channels)};
  if (groups > 1)
    sizes.insert(sizes.begin(), getIndexAttr(groups));
  Value last = getLast(padded);
  auto read = [&](ValueRange arguments) -> Value {
    Value channel = linalg::IndexOp::create(*this, row + 1);
    if (groups > 1)
      channel =
          add(mul(linalg::IndexOp::create(*this, 0).getResult(), channels),
              channel);
    return tensor::ExtractOp::create(
        *this, padded, ValueRange{getRow(arguments[0], last), channel});
  };
  return elementwise(rows, select(loops, {row}), sizes, type.getElementType(),
                     read);
}

Value TableBuilder::splitGroups(Value x, int64_t groups) {
  if (groups == 1)
    return x;
  RankedTensorType type = getTensorType(x);
  int64_t channels = type.getDimSize(1) / groups;
  auto split = RankedTensorType::get({type.getDimSize(0), groups, channels},
                                     type.getElementType());
  SmallVector<ReassociationIndices> axes = {{0}, {1, 2}};
  Value expanded = tensor::ExpandShapeOp::create(*this, split, x, axes);
  SmallVector<OpFoldResult> sizes = {
      getIndexAttr(groups), tensor::getMixedSize(*this, getLoc(), x, 0),
      getIndexAttr(channels)};
  return elementwise(expanded, select(3, {1, 0, 2}), sizes,
                     type.getElementType(),
                     [](ValueRange arguments) { return arguments[0]; });
}

Value TableBuilder::mergeGroups(Value x) {
  RankedTensorType type = getTensorType(x);
  if (type.getRank() == 2)
    return x;
  SmallVector<OpFoldResult> sizes = {
      tensor::getMixedSize(*this, getLoc(), x, 1),
      getIndexAttr(type.getDimSize(0)), getIndexAttr(type.getDimSize(2))};
  Value rows =
      elementwise(x, select(3, {1, 0, 2}), sizes, type.getElementType(),
                  [](ValueRange arguments) { return arguments[0]; });
  SmallVector<ReassociationIndices> axes = {{0}, {1, 2}};
  return tensor::CollapseShapeOp::create(*this, rows, axes);
}

Value TableBuilder::loop(Value count, Value init,
                         function_ref<Value(Value i, Value carried)> body) {
  return forLoop(index(0), count, index(1), init,
                 [&](Value i, ValueRange carried) {
                   return SmallVector<Value>{body(i, carried.front())};
                 })
      .front();
}

Value TableBuilder::invert(Value table, Value inRows) {
  int64_t volume = getTensorType(table).getDimSize(1);
  Value empty = filled({inRows, getIndexAttr(volume)}, getI32Type(), -1);
  return loop(dim(table, 0), empty, [&](Value r, Value rows) -> Value {
    return loop(index(volume), rows, [&](Value k, Value carried) -> Value {
      Value entry = tensor::ExtractOp::create(*this, table, ValueRange{r, k});
      Value row = arith::IndexCastOp::create(*this, getIndexType(), entry);
      Value number = arith::IndexCastOp::create(*this, getI32Type(), r);
      return ifElse(
                 greaterEqual(row, 0), carried.getType(),
                 [&] {
                   return SmallVector<Value>{tensor::InsertOp::create(
                       *this, number, carried, ValueRange{row, k})};
                 },
                 [&] { return SmallVector<Value>{carried}; })
          .front();
    });
  });
}
