//===- RowCounts.cpp - what the rows of a tensor are counted by -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowCounts.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;
using namespace mlir::sparseconv;

RowCount mlir::sparseconv::countRows(Value map, MapSide side) {
  if (Value set = getSet(map, side))
    return {set, std::nullopt};
  std::tie(map, side) = lookThroughTransposes(map, side);
  return {map, side};
}

/// The tensor whose rows `size` counts, if it is one.
static Value getCountedTensor(Value size) {
  auto dim = size.getDefiningOp<tensor::DimOp>();
  return dim && dim.getConstantIndex() == 0 ? dim.getSource() : Value();
}

/// Whether a reshape leaves the first axis alone.
static bool keepsRows(ArrayRef<ReassociationIndices> groups) {
  return !groups.empty() && groups.front().size() == 1;
}

/// What `tensor` is where its channels alone have another shape, or null.
static Value getReshapedRows(Value tensor) {
  if (auto expand = tensor.getDefiningOp<tensor::ExpandShapeOp>();
      expand && keepsRows(expand.getReassociationIndices()))
    return expand.getSrc();
  if (auto collapse = tensor.getDefiningOp<tensor::CollapseShapeOp>();
      collapse && keepsRows(collapse.getReassociationIndices()))
    return collapse.getSrc();
  return {};
}

/// Where the rows of `tensor` come from: another tensor, or what is none.
static RowCount followTensor(Value tensor) {
  if (Value source = getReshapedRows(tensor))
    return {source, std::nullopt};
  auto result = dyn_cast<OpResult>(tensor);
  auto op = dyn_cast_if_present<ReifyRankedShapedTypeOpInterface>(
      tensor.getDefiningOp());
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>();
      empty && empty.getType().isDynamicDim(0))
    return {empty.getDynamicSizes()[0], std::nullopt};
  if (!op)
    return {tensor, std::nullopt};
  // What the interface creates goes away with the block.
  Block scratch;
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToEnd(&scratch);
  ReifiedRankedShapedTypeDims shapes;
  if (failed(op.reifyResultShapes(builder, shapes)))
    return {tensor, std::nullopt};
  auto rows = dyn_cast<Value>(shapes[result.getResultNumber()][0]);
  if (!rows)
    return {tensor, std::nullopt};
  RowCount count = followCount({rows, std::nullopt});
  bool isTemporary = count.source.getParentBlock() == &scratch;
  return isTemporary ? RowCount{tensor, std::nullopt} : count;
}

RowCount mlir::sparseconv::followCount(RowCount count) {
  Value source = count.source;
  if (count.side)
    return ::mlir::sparseconv::countRows(source, *count.side);
  if (auto type = dyn_cast<RankedTensorType>(source.getType()))
    return type.getRank() ? followTensor(source) : count;
  if (Value counted = getCountedTensor(source))
    return {counted, std::nullopt};
  if (auto size = source.getDefiningOp<SizeOp>())
    return {size.getCoords(), std::nullopt};
  if (auto size = source.getDefiningOp<MapSizeOp>())
    return ::mlir::sparseconv::countRows(size.getMap(), size.getSide());
  return count;
}

RowCount mlir::sparseconv::countRows(Value tensor) {
  RowCount count{tensor, std::nullopt};
  while (true) {
    RowCount next = followCount(count);
    if (next == count)
      return count;
    count = next;
  }
}
