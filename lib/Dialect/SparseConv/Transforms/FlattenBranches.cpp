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
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Kernels/LoopBuilder.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVFLATTENBRANCHES
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// Whether `op` may run although its branch is not taken. An operation on
/// tensors may not: their sizes may agree in that branch only.
static bool mayRunAnyway(Operation *op) {
  return isPure(op) && (!isa<linalg::LinalgOp>(op) || isa<linalg::FillOp>(op));
}

/// Moves what may run anyway in front of `branch`.
static void hoist(scf::IfOp branch, Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    if (mayRunAnyway(&op) && llvm::all_of(op.getOperands(), [&](Value operand) {
          return operand.getParentBlock() != &block;
        }))
      op.moveBefore(branch);
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

static void flatten(IRRewriter &rewriter, scf::IfOp branch) {
  for (Block *block : {branch.thenBlock(), branch.elseBlock()})
    hoist(branch, *block);
  auto isOutside = [&](Value value) {
    return !branch->isAncestor(value.getParentBlock()->getParentOp());
  };
  if (!llvm::all_of(branch.thenYield().getResults(), isOutside) ||
      !llvm::all_of(branch.elseYield().getResults(), isOutside))
    return;
  rewriter.setInsertionPoint(branch);
  LoopBuilder b(branch.getLoc(), rewriter);
  Value condition = branch.getCondition();
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
      flatten(rewriter, branch);
  }
};
} // namespace
