//===- Patterns.h - kernels as loop nests -----------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_CONVERSION_KERNELSTOLOOPS_PATTERNS_H
#define SPARSECONV_LIB_CONVERSION_KERNELSTOLOOPS_PATTERNS_H

#include "mlir/IR/PatternMatch.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Kernels/LoopBuilder.h"
#include <functional>

namespace mlir::sparseconv {

/// A pattern that writes one kernel operation on buffers as loops: `emit`
/// writes them with a builder set before the operation, which is then erased.
template <typename OpTy> class LoopPattern : public OpRewritePattern<OpTy> {
public:
  using Emit = std::function<void(LoopBuilder &, OpTy)>;
  LoopPattern(MLIRContext *context, Emit emit)
      : OpRewritePattern<OpTy>(context), emit(std::move(emit)) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureBufferSemantics())
      return rewriter.notifyMatchFailure(op, "not on buffers");
    LoopBuilder builder(op.getLoc(), rewriter);
    builder.setTarget(getLoopTarget(op));
    emit(builder, op);
    rewriter.eraseOp(op);
    return success();
  }

private:
  Emit emit;
};

/// Coordinates and their keys: encode, decode, floor.
void populateCoordsToLoopsPatterns(RewritePatternSet &patterns);
/// Candidates of an output set: spread.
void populateSpreadToLoopsPatterns(RewritePatternSet &patterns);
/// Lists of keys: sort, unique, select, intersect.
void populateKeyListsToLoopsPatterns(RewritePatternSet &patterns);
/// Encodings of kernel maps: search, invert_table, pair_lists.
void populateMapsToLoopsPatterns(RewritePatternSet &patterns);
/// gather_gemm and weight_grad.
void populateConvToLoopsPatterns(RewritePatternSet &patterns);
/// pool, global_pool and their gradients.
void populatePoolToLoopsPatterns(RewritePatternSet &patterns);
void populateGlobalPoolToLoopsPatterns(RewritePatternSet &patterns);
/// Moving rows: gather_rows, interpolate, weighted_gather, scatter_rows,
/// to_dense, from_dense.
void populateRowsToLoopsPatterns(RewritePatternSet &patterns);
void populateInterpolateToLoopsPatterns(RewritePatternSet &patterns);
void populateDenseToLoopsPatterns(RewritePatternSet &patterns);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_CONVERSION_KERNELSTOLOOPS_PATTERNS_H
