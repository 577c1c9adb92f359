//===- LimitParallelism.cpp - one level of parallel loops -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVLIMITPARALLELISM
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;

/// The parallel loop that is all that `loop` holds, or null.
static scf::ParallelOp getPerfectlyNested(scf::ForOp loop) {
  Block &body = *loop.getBody();
  if (loop.getNumResults() != 0 || !llvm::hasNItems(body, 2))
    return {};
  auto parallel = dyn_cast<scf::ParallelOp>(body.front());
  if (!parallel || parallel.getNumResults() != 0)
    return {};
  for (Value operand : parallel->getOperands())
    if (!loop.isDefinedOutsideOfLoop(operand))
      return {};
  return parallel;
}

/// for (i) parallel (j) body  ->  parallel (j) for (i) body: the iterations of
/// a parallel loop are independent, so each may run its share of i by itself.
static void sinkLoop(RewriterBase &rewriter, scf::ForOp loop,
                     scf::ParallelOp parallel) {
  rewriter.moveOpBefore(parallel, loop);
  Block &body = *parallel.getBody();
  Operation *terminator = body.getTerminator();
  Block &loopBody = *loop.getBody();
  loopBody.getOperations().splice(loopBody.begin(), body.getOperations(),
                                  body.begin(), terminator->getIterator());
  rewriter.moveOpBefore(loop, terminator);
}

/// Writes the dimensions of `parallel` from `kept` on as sequential loops.
static void serialise(RewriterBase &rewriter, scf::ParallelOp parallel,
                      unsigned kept) {
  Location loc = parallel.getLoc();
  rewriter.setInsertionPoint(parallel);
  SmallVector<Value> ivs;
  scf::ParallelOp outer;
  if (kept) {
    outer = scf::ParallelOp::create(rewriter, loc,
                                    parallel.getLowerBound().take_front(kept),
                                    parallel.getUpperBound().take_front(kept),
                                    parallel.getStep().take_front(kept));
    llvm::append_range(ivs, outer.getInductionVars());
    rewriter.setInsertionPointToStart(outer.getBody());
  }
  for (auto [lower, upper, step] :
       llvm::drop_begin(llvm::zip(parallel.getLowerBound(),
                                  parallel.getUpperBound(), parallel.getStep()),
                        kept)) {
    auto loop = scf::ForOp::create(rewriter, loc, lower, upper, step);
    ivs.push_back(loop.getInductionVar());
    rewriter.setInsertionPointToStart(loop.getBody());
  }
  Block *target = rewriter.getInsertionBlock();
  rewriter.eraseOp(parallel.getBody()->getTerminator());
  rewriter.inlineBlockBefore(parallel.getBody(), target->getTerminator(), ivs);
  rewriter.eraseOp(parallel);
}

namespace {
struct LimitParallelism
    : mlir::sparseconv::impl::SparseConvLimitParallelismBase<LimitParallelism> {
  using Base::Base;
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk<WalkOrder::PostOrder>([&](scf::ForOp loop) {
      if (scf::ParallelOp parallel = getPerfectlyNested(loop))
        sinkLoop(rewriter, loop, parallel);
    });
    if (onlySink)
      return;
    SmallVector<scf::ParallelOp> loops;
    getOperation()->walk<WalkOrder::PostOrder>(
        [&](scf::ParallelOp loop) { loops.push_back(loop); });
    for (scf::ParallelOp loop : loops) {
      // Reductions carry values, which this form has no place for.
      if (loop.getNumResults() != 0)
        continue;
      unsigned kept = loop->getParentOfType<scf::ParallelOp>() ? 0 : 1;
      if (loop.getNumLoops() > kept)
        serialise(rewriter, loop, kept);
    }
  }
};
} // namespace
