//===- KernelPatterns.h - patterns that write kernels -----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_CONVERSION_KERNELPATTERNS_H
#define SPARSECONV_CONVERSION_KERNELPATTERNS_H

#include "mlir/IR/PatternMatch.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {

/// A pattern that writes one kernel operation on buffers as loops: `emit`
/// writes them with a builder set before the operation, which is then erased.
template <typename OpTy> class LoopPattern : public OpRewritePattern<OpTy> {
public:
  using Emit = void (*)(LoopBuilder &, OpTy);
  LoopPattern(MLIRContext *context, Emit emit)
      : OpRewritePattern<OpTy>(context), emit(emit) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureBufferSemantics())
      return rewriter.notifyMatchFailure(op, "not on buffers");
    LoopBuilder builder(op.getLoc(), rewriter);
    builder.setTarget(getTargetInfo(op));
    emit(builder, op);
    rewriter.eraseOp(op);
    return success();
  }

private:
  Emit emit;
};

/// Adds a pattern for the operation that each function writes.
template <typename... OpTys>
void addLoopPatterns(RewritePatternSet &patterns,
                     void (*...emits)(LoopBuilder &, OpTys)) {
  (patterns.add<LoopPattern<OpTys>>(patterns.getContext(), emits), ...);
}

/// The operations whose kernels are loops over rows on every target.
void populateRowPatterns(RewritePatternSet &patterns);

/// An error for what the patterns have left of the dialect in `root`, which
/// must not pass unnoticed: it has no form `where`.
LogicalResult verifyAllWritten(Operation *root, StringRef where);

} // namespace mlir::sparseconv

#endif // SPARSECONV_CONVERSION_KERNELPATTERNS_H
