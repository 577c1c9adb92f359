//===- SeparateResults.cpp - results in buffers of their own --------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
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

/// What an operation with regions hands on as `value`, a result or an argument
/// of a region: none where something else makes it.
static SmallVector<Value> getForwarded(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    op = cast<BlockArgument>(value).getOwner()->getParentOp();
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (!branch)
    return {};
  SmallVector<RegionSuccessor> successors;
  branch.getSuccessorRegions(RegionBranchPoint::parent(), successors);
  for (Region &region : op->getRegions())
    branch.getSuccessorRegions(region, successors);
  SmallVector<Value> values;
  for (RegionSuccessor successor : successors) {
    ValueRange inputs = successor.getSuccessorInputs();
    auto place = llvm::find(inputs, value);
    if (place == inputs.end())
      continue;
    branch.getPredecessorValues(successor, place - inputs.begin(), values);
    break;
  }
  return values;
}

static bool hasDynamicRows(Value value) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  return !shape.empty() && ShapedType::isDynamicShape(shape.drop_front());
}

namespace {
/// Where a tensor comes from.
struct Origin {
  explicit Origin(Value value);

  /// The tensors of which it may be the buffer, or a part of it.
  llvm::SmallPtrSet<Value, 4> sources;
  /// Whether it may be a part whose rows do not follow each other in memory,
  /// though its type looks as if they did. Bufferization takes a stride that is
  /// not known for the dynamic size that stands in its place.
  bool mayHaveGaps = false;
};
} // namespace

Origin::Origin(Value value) {
  bool isPart = false, isDynamic = false;
  llvm::SmallPtrSet<Value, 4> seen;
  SmallVector<Value> rest = {value};
  while (!rest.empty()) {
    Value next = rest.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    isDynamic |= hasDynamicRows(next);
    Operation *op = next.getDefiningOp();
    if (isa_and_nonnull<tensor::CastOp, tensor::ExtractSliceOp,
                        tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
      isPart |= isa<tensor::ExtractSliceOp>(op);
      rest.push_back(op->getOperand(0));
      continue;
    }
    if (auto select = dyn_cast_or_null<arith::SelectOp>(op)) {
      rest.append({select.getTrueValue(), select.getFalseValue()});
      continue;
    }
    SmallVector<Value> forwarded = getForwarded(next);
    if (forwarded.empty())
      sources.insert(next);
    rest.append(forwarded);
  }
  mayHaveGaps = isPart && isDynamic;
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

static void copyOperand(OpOperand &operand) {
  Operation *op = operand.getOwner();
  OpBuilder builder(op);
  operand.set(bufferization::AllocTensorOp::create(
      builder, op->getLoc(), cast<RankedTensorType>(operand.get().getType()),
      /*dynamicSizes=*/ValueRange(), /*copy=*/operand.get()));
}

namespace {
struct SeparateResults
    : mlir::sparseconv::impl::SparseConvSeparateResultsBase<SeparateResults> {
  void runOnOperation() override {
    bool isGpu = getTargetInfo(getOperation()).isGpu;
    getOperation()->walk([&](func::ReturnOp op) { separate(op, isGpu); });
    getOperation()->walk([](func::CallOp op) {
      for (OpOperand &operand : op->getOpOperands())
        if (isa<RankedTensorType>(operand.get().getType()) &&
            Origin(operand.get()).mayHaveGaps)
          copyOperand(operand);
    });
  }

  void separate(func::ReturnOp op, bool isGpu) {
    OpBuilder builder(op);
    llvm::SmallPtrSet<Value, 8> known;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      Origin origin(operand.get());
      bool isFirst = llvm::none_of(
          origin.sources, [&](Value source) { return known.contains(source); });
      known.insert(origin.sources.begin(), origin.sources.end());
      bool isWhole = !isGpu || !isReshaped(operand.get());
      if (!isFirst || origin.mayHaveGaps ||
          !(isWhole || writeReshaped(builder, operand.get())))
        copyOperand(operand);
    }
  }
};
} // namespace
