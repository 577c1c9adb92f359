//===- FlattenBranches.cpp - branches that only choose a tensor -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVFLATTENBRANCHES
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// Whether an element is there whatever the sizes are.
static bool isInside(tensor::ExtractOp extract) {
  auto type = extract.getTensor().getType();
  return llvm::all_of(
      llvm::zip_equal(type.getShape(), extract.getIndices()), [](auto entry) {
        auto [size, index] = entry;
        std::optional<int64_t> at = getConstantIntValue(index);
        return at && !ShapedType::isDynamic(size) && *at >= 0 && *at < size;
      });
}

/// Whether `op` may run although its branch is not taken. An operation on
/// tensors may not: their sizes may agree in that branch only.
static bool mayRunAnyway(Operation *op) {
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return isInside(extract);
  if (isa<linalg::LinalgOp>(op))
    return isa<linalg::FillOp>(op);
  return op->getNumRegions() == 0 && isPure(op);
}

/// Moves what may run anyway in front of `branch`, if that leaves a side with
/// results from outside only.
static bool hoist(scf::IfOp branch, Block &side) {
  llvm::SmallPtrSet<Operation *, 8> hoisted;
  auto isOutside = [&](Value value) {
    return value.getParentBlock() != &side ||
           hoisted.contains(value.getDefiningOp());
  };
  for (Operation &op : side.without_terminator())
    if (mayRunAnyway(&op) && llvm::all_of(op.getOperands(), isOutside))
      hoisted.insert(&op);
  if (!llvm::all_of(side.getTerminator()->getOperands(), isOutside))
    return false;
  for (Operation &op : llvm::make_early_inc_range(side.without_terminator()))
    if (hoisted.contains(&op))
      op.moveBefore(branch);
  return true;
}

/// An element of a tensor, of which a fill holds only one.
static Value getElement(LoopBuilder &b, Value tensor, ValueRange indices) {
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return fill.value();
  return tensor::ExtractOp::create(b, tensor, indices);
}

/// Element by element, as each tensor is read only where it is chosen and has
/// the size of the result.
static Value selectTensor(LoopBuilder &b, Value condition, Value ifTrue,
                          Value ifFalse) {
  auto type = cast<RankedTensorType>(ifTrue.getType());
  SmallVector<Value> sizes;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (type.isDynamicDim(axis))
      sizes.push_back(b.select(
          condition, b.createOrFold<tensor::DimOp>(ifTrue, b.index(axis)),
          b.createOrFold<tensor::DimOp>(ifFalse, b.index(axis))));
  Value empty = tensor::EmptyOp::create(b, type, sizes);
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, TypeRange(type), ValueRange(), empty,
      b.getMultiDimIdentityMap(type.getRank()), iterators,
      [&](OpBuilder &builder, Location loc, ValueRange) {
        LoopBuilder inner(loc, builder);
        SmallVector<Value> indices;
        for (int64_t axis = 0; axis < type.getRank(); ++axis)
          indices.push_back(linalg::IndexOp::create(inner, axis));
        Value element = inner.ifElse(
            condition, type.getElementType(),
            [&]() -> SmallVector<Value> {
              return {getElement(inner, ifTrue, indices)};
            },
            [&]() -> SmallVector<Value> {
              return {getElement(inner, ifFalse, indices)};
            })[0];
        linalg::YieldOp::create(inner, element);
      });
  return generic.getResult(0);
}

/// Whether all of `values` are dynamic in their first dimension, where they
/// have one: nothing is left of them without their rows.
static bool haveRows(ValueRange values) {
  return llvm::all_of(values, [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return !type || type.getRank() == 0 || type.isDynamicDim(0);
  });
}

/// Whether a slice of no rows is taken of no rows.
static bool followsRows(tensor::ExtractSliceOp slice) {
  return !slice.getSourceType().isDynamicDim(0) ||
         (ShapedType::isDynamic(slice.getStaticSizes()[0]) &&
          slice.getStaticOffsets()[0] == 0);
}

/// Whether `op` does no harm where its tensors have no rows.
static bool mayRunWithoutRows(Operation *op) {
  if (DestinationStyleOpInterface kernel = getKernel(op)) {
    // Those with a status record report what they find in rows.
    bool reports =
        llvm::any_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>);
    SmallVector<Value> inputs = llvm::map_to_vector(
        kernel.getDpsInputOperands(), [](OpOperand *o) { return o->get(); });
    return !reports || haveRows(inputs);
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return isInside(extract);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return followsRows(slice);
  // The report of an error, which stays under the condition.
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return branch.getNumResults() == 0;
  if (isa<linalg::LinalgOp>(op)) {
    bool reads = op->walk([](tensor::ExtractOp) {
                     return WalkResult::interrupt();
                   }).wasInterrupted();
    return !reads || haveRows(op->getResults());
  }
  return !isa_and_nonnull<scf::SCFDialect>(op->getDialect()) && isPure(op);
}

/// Moves what is left in a side in front of `branch`. Unless `isChosen`, what
/// it takes from outside has no rows, and numbers are 0.
static void runWithoutRows(IRRewriter &rewriter, scf::IfOp branch, Block &side,
                           Value isChosen) {
  rewriter.setInsertionPoint(branch);
  LoopBuilder b(branch.getLoc(), rewriter);
  auto take = [&](Value value) -> Value {
    if (value.getType().isIndex())
      return getConstantIntValue(value) ? value
                                        : b.select(isChosen, value, b.index(0));
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.getRank() == 0 || !type.isDynamicDim(0))
      return value;
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(b, b.getLoc(), value);
    SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
    sizes[0] = b.select(isChosen, cast<Value>(sizes[0]), b.index(0));
    Value rows =
        tensor::ExtractSliceOp::create(b, value, offsets, sizes, strides);
    return rows.getType() == type ? rows
                                  : tensor::CastOp::create(b, type, rows);
  };
  llvm::DenseMap<Value, Value> taken;
  for (Operation &op : llvm::make_early_inc_range(side.without_terminator())) {
    op.walk([&](Operation *nested) {
      for (OpOperand &operand : nested->getOpOperands()) {
        Value value = operand.get();
        Operation *owner = value.getParentBlock()->getParentOp();
        if (!owner->isProperAncestor(branch))
          continue;
        auto [it, isNew] = taken.try_emplace(value);
        if (isNew)
          it->second = take(value);
        operand.set(taken.lookup(value));
      }
    });
    if (auto report = dyn_cast<scf::IfOp>(op)) {
      report.getConditionMutable().assign(
          b.andBits(isChosen, report.getCondition()));
    }
    rewriter.moveOpBefore(&op, b.getInsertionBlock(), b.getInsertionPoint());
  }
}

/// The operation that keeps a side from running in any case, or null.
static Operation *findObstacle(Block &side) {
  for (Operation &op : side.without_terminator())
    if (!mayRunWithoutRows(&op))
      return &op;
  return nullptr;
}

static LogicalResult flatten(IRRewriter &rewriter, scf::IfOp branch) {
  rewriter.setInsertionPoint(branch);
  LoopBuilder b(branch.getLoc(), rewriter);
  Value condition = branch.getCondition();
  for (bool isThen : {true, false}) {
    Block *side = isThen ? branch.thenBlock() : branch.elseBlock();
    if (hoist(branch, *side))
      continue;
    if (Operation *op = findObstacle(*side))
      return op->emitError("'")
             << op->getName()
             << "' in a branch with tensors has no form on the GPU: both sides "
                "run there, one of them without rows, which it may not";
    rewriter.setInsertionPoint(branch);
    runWithoutRows(rewriter, branch, *side,
                   isThen ? condition : b.notBit(condition));
  }
  rewriter.setInsertionPoint(branch);
  SmallVector<Value> results;
  for (auto [ifTrue, ifFalse] : llvm::zip(branch.thenYield().getResults(),
                                          branch.elseYield().getResults()))
    results.push_back(isa<RankedTensorType>(ifTrue.getType())
                          ? selectTensor(b, condition, ifTrue, ifFalse)
                          : b.select(condition, ifTrue, ifFalse));
  // What is left has effects only, such as the report of an error.
  auto take = [&](Block &from) {
    return [&]() {
      for (Operation &op :
           llvm::make_early_inc_range(from.without_terminator()))
        rewriter.moveOpBefore(&op, b.getInsertionBlock(),
                              b.getInsertionPoint());
    };
  };
  if (!branch.thenBlock()->without_terminator().empty())
    b.ifThen(condition, take(*branch.thenBlock()));
  if (!branch.elseBlock()->without_terminator().empty())
    b.ifThen(b.notBit(condition), take(*branch.elseBlock()));
  rewriter.replaceOp(branch, results);
  return success();
}

namespace {
struct FlattenBranches
    : mlir::sparseconv::impl::SparseConvFlattenBranchesBase<FlattenBranches> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::IfOp> branches;
    getOperation()->walk([&](scf::IfOp branch) {
      if (llvm::any_of(branch.getResultTypes(),
                       llvm::IsaPred<RankedTensorType>))
        branches.push_back(branch);
    });
    for (scf::IfOp branch : branches)
      if (failed(flatten(rewriter, branch)))
        return signalPassFailure();
    getOperation()->walk([&](arith::SelectOp op) {
      if (!isa<RankedTensorType>(op.getType()) ||
          !op.getCondition().getType().isInteger(1))
        return;
      rewriter.setInsertionPoint(op);
      LoopBuilder b(op.getLoc(), rewriter);
      rewriter.replaceOp(op,
                         selectTensor(b, op.getCondition(), op.getTrueValue(),
                                      op.getFalseValue()));
    });
  }
};
} // namespace
