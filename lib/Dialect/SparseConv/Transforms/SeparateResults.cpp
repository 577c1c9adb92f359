//===- SeparateResults.cpp - results in buffers of their own --------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVSEPARATERESULTS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// The tensor whose buffer `value` is, or is a part of.
static Value getSource(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::CastOp, tensor::ExtractSliceOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Whether `value` is a tensor of another shape.
static bool isReshaped(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      return true;
    if (!isa<tensor::CastOp, tensor::ExtractSliceOp>(op))
      break;
    value = op->getOperand(0);
  }
  return false;
}

/// The shape that `reshape` takes, of a tensor of the shape that it gives.
static Value reverse(OpBuilder &builder, Operation *reshape, Value value) {
  Location loc = reshape->getLoc();
  Type type = reshape->getOperand(0).getType();
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape))
    return tensor::ExpandShapeOp::create(builder, loc, type, value,
                                         collapse.getReassociationIndices());
  return tensor::CollapseShapeOp::create(
      builder, loc, type, value,
      cast<tensor::ExpandShapeOp>(reshape).getReassociationIndices());
}

/// The first operation that writes where a tensor is computed, such as the one
/// that fills it before, and the buffer that it takes; none where something
/// else reads what is there meanwhile.
static OpOperand *findFirstInit(Value computed) {
  OpOperand *init = nullptr;
  while (auto writer = computed.getDefiningOp<DestinationStyleOpInterface>()) {
    if (init && !computed.hasOneUse())
      return nullptr;
    init = writer.getTiedOpOperand(cast<OpResult>(computed));
    computed = init->get();
  }
  return init;
}

/// Lets the operation that computes a reshaped result write to a buffer of the
/// result's shape. Returns whether it can.
static bool writeReshaped(OpBuilder &builder, Value result) {
  SmallVector<Operation *> reshapes;
  Value source = result;
  auto isStatic = [](Value value) {
    return cast<RankedTensorType>(value.getType()).hasStaticShape();
  };
  while (Operation *op = source.getDefiningOp()) {
    if (!isStatic(source))
      return false;
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      break;
    reshapes.push_back(op);
    source = op->getOperand(0);
  }
  OpOperand *init = findFirstInit(source);
  if (!init || !init->get().getDefiningOp<tensor::EmptyOp>())
    return false;
  Operation *writer = init->getOwner();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(writer);
  auto type = cast<RankedTensorType>(result.getType());
  Value buffer = tensor::EmptyOp::create(
      builder, writer->getLoc(), type.getShape(), type.getElementType());
  for (Operation *reshape : reshapes)
    buffer = reverse(builder, reshape, buffer);
  init->set(buffer);
  return true;
}

namespace {
struct SeparateResults
    : mlir::sparseconv::impl::SparseConvSeparateResultsBase<SeparateResults> {
  void runOnOperation() override {
    bool isGpu = getTargetInfo(getOperation()).isGpu;
    getOperation()->walk([&](func::ReturnOp op) {
      OpBuilder builder(op);
      llvm::SmallPtrSet<Value, 8> sources;
      for (OpOperand &operand : op->getOpOperands()) {
        auto type = dyn_cast<RankedTensorType>(operand.get().getType());
        if (!type)
          continue;
        bool isFirst = sources.insert(getSource(operand.get())).second;
        bool isWhole = !isGpu || !isReshaped(operand.get());
        if (isFirst && (isWhole || writeReshaped(builder, operand.get())))
          continue;
        operand.set(bufferization::AllocTensorOp::create(
            builder, op.getLoc(), type, /*dynamicSizes=*/ValueRange(),
            /*copy=*/operand.get()));
      }
    });
  }
};
} // namespace
