//===- FunctionBuffers.cpp - what a function takes and gives --------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionBuffers.h"

using namespace mlir;
using namespace mlir::sparseconv;

Value mlir::sparseconv::getBase(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto view = dyn_cast<memref::SubViewOp>(op);
        view && llvm::all_of(view.getMixedOffsets(), [](OpFoldResult offset) {
          return isConstantIntValue(offset, 0);
        }))
      buffer = view.getSource();
    else if (isa<memref::CastOp, memref::CollapseShapeOp,
                 memref::ExpandShapeOp>(op))
      buffer = op->getOperand(0);
    else
      break;
  }
  return buffer;
}

/// Whether `view` is of rows from the first on, as they lie in its source.
static bool isFirstRows(memref::SubViewOp view) {
  auto are = [](ArrayRef<OpFoldResult> values, int64_t expected) {
    return llvm::all_of(values, [&](OpFoldResult value) {
      return isConstantIntValue(value, expected);
    });
  };
  return view.getType().getRank() == view.getSourceType().getRank() &&
         are(view.getMixedOffsets(), 0) && are(view.getMixedStrides(), 1) &&
         view.getType().getShape().drop_front() ==
             view.getSourceType().getShape().drop_front() &&
         !llvm::is_contained(view.getStaticSizes().drop_front(),
                             ShapedType::kDynamic);
}

std::optional<ResultBuffer> mlir::sparseconv::findResultBuffer(Value result) {
  SmallVector<OpFoldResult> shape;
  Value base = result;
  while (Operation *op = base.getDefiningOp()) {
    auto view = dyn_cast<memref::SubViewOp>(op);
    if (view && !isFirstRows(view))
      break;
    if (!view && !isa<memref::CastOp>(op))
      break;
    // The outermost view says which rows.
    if (view && shape.empty())
      shape = view.getMixedSizes();
    base = op->getOperand(0);
  }
  auto alloc = base.getDefiningOp<memref::AllocOp>();
  if (!alloc)
    return std::nullopt;
  return ResultBuffer{alloc, shape.empty() ? alloc.getMixedSizes() : shape};
}
