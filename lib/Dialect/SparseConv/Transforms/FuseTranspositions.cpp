//===- FuseTranspositions.cpp - kernels that read or write turned axes ----===//
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
//   %turned = linalg.transpose ins(%w) outs(%empty) permutation = [1, 2, 0]
//   %image = pack_weights ins(%turned) outs(%room)
//
// becomes
//
//   %image = pack_weights ins(%w) outs(%room) {permutation = [1, 2, 0]}
//
// also where the axes in front of the channels are joined or split in between.
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

/// What a value was before its axes were joined or split.
static Value skipReshapes(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Packs weights from where they lie before their axes are put in order. That
/// is the same order of slices wherever the channels are the last two axes.
static bool packFromSource(PackWeightsOp pack) {
  auto transpose =
      skipReshapes(pack.getW()).getDefiningOp<linalg::TransposeOp>();
  if (!transpose || pack.getGroups() || !pack.keepsSlices())
    return false;
  ArrayRef<int64_t> shape = cast<ShapedType>(pack.getW().getType()).getShape();
  ArrayRef<int64_t> turned = transpose.getInit().getType().getShape();
  if (!transpose.getInit().getType().hasStaticShape() || turned.size() > 6 ||
      turned.size() < 3 || turned.take_back(2) != shape.take_back(2))
    return false;
  SmallVector<int64_t> order(transpose.getPermutation());
  SmallVector<int64_t> own = pack.getOrder();
  if (!llvm::is_sorted(own))
    std::swap(order.back(), order[order.size() - 2]);
  pack.getWMutable().assign(transpose.getInput());
  pack.setPermutation(order);
  return true;
}

namespace {
struct FuseTranspositions
    : mlir::sparseconv::impl::SparseConvFuseTranspositionsBase<
          FuseTranspositions> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk(
        [&](PackWeightsOp pack) { numFused += packFromSource(pack); });
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
