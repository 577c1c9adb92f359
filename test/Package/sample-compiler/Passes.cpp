//===- Passes.cpp - the host's own passes ---------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleCompiler.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

//===----------------------------------------------------------------------===//
// Before the conversion to kernels
//===----------------------------------------------------------------------===//

namespace {

/// (a + b) + c, where nothing else needs a + b.
struct FuseAdds : OpRewritePattern<linalg::AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::AddOp add,
                                PatternRewriter &rewriter) const override {
    auto inner = add.getInputs()[0].getDefiningOp<linalg::AddOp>();
    if (!inner || !inner->hasOneUse())
      return failure();
    SmallVector<Value> inputs(inner.getInputs());
    inputs.push_back(add.getInputs()[1]);
    unsigned rank = cast<ShapedType>(inputs[0].getType()).getRank();
    SmallVector<AffineMap> maps(4, rewriter.getMultiDimIdentityMap(rank));
    SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        add, add->getResultTypes(), inputs, add.getOutputs(), maps, loops,
        [](OpBuilder &b, Location loc, ValueRange values) {
          Value sum = arith::AddFOp::create(b, loc, values[0], values[1]);
          sum = arith::AddFOp::create(b, loc, sum, values[2]);
          linalg::YieldOp::create(b, loc, sum);
        });
    return success();
  }
};

struct FuseAddsPass : PassWrapper<FuseAddsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FuseAddsPass)

  StringRef getArgument() const override { return "sample-fuse-adds"; }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseAdds>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

//===----------------------------------------------------------------------===//
// After it
//===----------------------------------------------------------------------===//

struct MarkNodesPass : PassWrapper<MarkNodesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkNodesPass)

  MarkNodesPass(std::vector<std::string> &nodes) : nodes(nodes) {}
  StringRef getArgument() const override { return "sample-mark-nodes"; }

  void runOnOperation() override {
    OpBuilder b(&getContext());
    std::string current;
    getOperation().walk([&](Operation *op) {
      // Kernels of ours, and linalg's: both write into buffers that they name.
      if (!isa<DestinationStyleOpInterface>(op))
        return;
      // Each has the location of the node that it was made for.
      auto name = op->getLoc()->findInstanceOf<NameLoc>();
      if (!name || name.getName() == current)
        return;
      current = name.getName().str();
      b.setInsertionPoint(op);
      addCall(b, op->getLoc(), nodes.size());
      nodes.push_back(current);
    });
    getOperation().walk([&](func::ReturnOp end) {
      b.setInsertionPoint(end);
      addCall(b, end.getLoc(), -1);
    });
    b.setInsertionPointToStart(getOperation().getBody());
    auto type = b.getFunctionType(b.getI64Type(), {});
    func::FuncOp::create(b, getOperation().getLoc(), kEnter, type).setPrivate();
  }

private:
  static constexpr StringLiteral kEnter = "sample_enter";
  static void addCall(OpBuilder &b, Location loc, int64_t number) {
    Value value =
        arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(number));
    func::CallOp::create(b, loc, kEnter, TypeRange(), value);
  }

  std::vector<std::string> &nodes;
};

} // namespace

std::unique_ptr<Pass> sample::createFuseAddsPass() {
  return std::make_unique<FuseAddsPass>();
}

std::unique_ptr<Pass>
sample::createMarkNodesPass(std::vector<std::string> &nodes) {
  return std::make_unique<MarkNodesPass>(nodes);
}
