//===- FuseElementwise.cpp - elementwise operations in their readers ------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's fusion is right where no operation uses what its result holds
// before. It goes wrong in two cases, which are taken out of its way here:
//
// - A producer that reads its init keeps it when it is fused into more loops,
//   and then reads and writes each element once for each turn of the others.
//   Here the init of a parallel operation becomes an input.
// - The init of a reduction that does not read its sum is not unused: it is the
//   result where the reduction has no turn.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVFUSEELEMENTWISE
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// Upstream's pattern for unread inits, by the names that compilers give it.
static const std::string kUpstreamsUnreadInits[] = {
    "(anonymous namespace)::RemoveOutsDependency",
    "{anonymous}::RemoveOutsDependency"};

/// Whether the reduction loops of an operation, if it has any, surely turn.
static bool surelyReduces(linalg::GenericOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (auto [range, iterator] :
       llvm::zip_equal(ranges, op.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::reduction &&
        (ShapedType::isDynamic(range) || range == 0))
      return false;
  return true;
}

/// Gives an operation a new tensor where it does not read its init, so that it
/// does not wait for it.
static LogicalResult dropUnreadInits(linalg::GenericOp op,
                                     PatternRewriter &rewriter) {
  if (!op.hasPureTensorSemantics() || !surelyReduces(op))
    return failure();
  SmallVector<OpOperand *> unread;
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!op.payloadUsesValueFromOperand(&init) &&
        !init.get().getDefiningOp<tensor::EmptyOp>())
      unread.push_back(&init);
  if (unread.empty())
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    for (OpOperand *init : unread) {
      auto type = cast<RankedTensorType>(init->get().getType());
      init->set(tensor::EmptyOp::create(
          rewriter, op.getLoc(),
          tensor::getMixedSizes(rewriter, op.getLoc(), init->get()),
          type.getElementType()));
    }
  });
  return success();
}

static bool hasOnlyThisUse(OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp();
  return producer && producer->hasOneUse();
}

namespace {
struct FuseElementwise
    : mlir::sparseconv::impl::SparseConvFuseElementwiseBase<FuseElementwise> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet inits(context);
    linalg::populateMoveInitOperandsToInputPattern(inits);
    // What is left where patterns do not come to an end is right, too.
    (void)applyPatternsGreedily(getOperation(), std::move(inits));

    RewritePatternSet patterns(context);
    linalg::populateElementwiseOpsFusionPatterns(patterns, hasOnlyThisUse);
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, hasOnlyThisUse);
    tensor::populateBubbleUpExpandShapePatterns(patterns);
    patterns.add(dropUnreadInits);
    affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    context->getLoadedDialect<linalg::LinalgDialect>()
        ->getCanonicalizationPatterns(patterns);
    linalg::populateConstantFoldLinalgOperations(patterns, hasOnlyThisUse);
    FrozenRewritePatternSet chosen(std::move(patterns), kUpstreamsUnreadInits);
    // From the top down the patterns find their work in fewer steps.
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal();
    (void)applyPatternsGreedily(getOperation(), chosen, config);
  }
};
} // namespace
