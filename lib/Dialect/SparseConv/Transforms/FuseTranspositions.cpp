//===- FuseTranspositions.cpp - grids with channels first -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %grid = to_dense ins(%x, ...) outs(%zeros)
//   %y = linalg.transpose ins(%grid) outs(%empty) permutation = [0, n, 1, ..]
//
// becomes
//
//   %zeros = linalg.fill ins(%zero) outs(%other_empty)
//   %y = to_dense ins(%x, ...) outs(%zeros) {channels_first}
//
// so that a grid, most of which is zeros, is written once. The grid with
// channels last stays where something else reads it. The kernel stays where it
// is, as of several errors of a run the first one is reported.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVFUSETRANSPOSITIONS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// Whether the last axis becomes the second one, and the others stay in order.
static bool movesChannelsFirst(linalg::TransposeOp op) {
  ArrayRef<int64_t> permutation = op.getPermutation();
  int64_t last = permutation.size() - 1;
  if (last < 2 || permutation[0] != 0 || permutation[1] != last)
    return false;
  return llvm::equal(permutation.drop_front(2), llvm::seq<int64_t>(1, last));
}

/// What fills the grid before its rows are written, if that is a number.
static Value getBackground(ToDenseKernelOp op) {
  auto fill = op.getDense().getDefiningOp<linalg::FillOp>();
  return fill ? fill.value() : Value();
}

/// Writes the grid as the transposition has it.
static void writeChannelsFirst(RewriterBase &rewriter, ToDenseKernelOp grid,
                               Value background,
                               linalg::TransposeOp transpose) {
  rewriter.setInsertionPoint(grid);
  Location loc = grid.getLoc();
  auto type = cast<RankedTensorType>(transpose.getInit().getType());
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  Value init =
      linalg::FillOp::create(rewriter, loc, background, empty).getResult(0);
  auto dense = ToDenseKernelOp::create(
      rewriter, loc, init.getType(), grid.getX(), grid.getKeys(),
      grid.getStatus(), init, grid.getOrigin(), grid.getSet(), grid.getOpId(),
      /*channels_first=*/true);
  rewriter.replaceOp(transpose, dense.getResults());
  rewriter.eraseOp(grid);
}

namespace {
struct FuseTranspositions
    : mlir::sparseconv::impl::SparseConvFuseTranspositionsBase<
          FuseTranspositions> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](linalg::TransposeOp transpose) {
      auto grid = transpose.getInput().getDefiningOp<ToDenseKernelOp>();
      if (!grid || grid.getChannelsFirst() || !grid->hasOneUse() ||
          !transpose.getInit().getType().hasStaticShape() ||
          !movesChannelsFirst(transpose))
        return;
      Value background = getBackground(grid);
      if (!background)
        return;
      writeChannelsFirst(rewriter, grid, background, transpose);
      ++numFused;
    });
  }
};
} // namespace
