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
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
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
