//===- FuseConcatenations.cpp - concatenations into implicit GEMMs --------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %x = tensor.concat dim(1) %up, %skip
//   %y = tiled_gemm ins(%x, ...)
//
// becomes
//
//   %y = tiled_gemm ins(%up, ..., %skip)
//
// which gathers a row from both. The copy stays where something else reads it.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVFUSECONCATENATIONS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// Whether `op` puts the channels of one tensor beside those of another that
/// has as many rows for sure.
static bool joinsChannels(tensor::ConcatOp op) {
  if (op.getDim() != 1 || op.getInputs().size() != 2)
    return false;
  FailureOr<bool> equal = ValueBoundsConstraintSet::areEqual(
      {op.getInputs()[0], 0}, {op.getInputs()[1], 0});
  return succeeded(equal) && *equal;
}

/// Whether the reader `use` can take both inputs of `concat` instead.
static bool canReadBoth(OpOperand &use, tensor::ConcatOp concat) {
  auto gemm = dyn_cast<TiledGemmOp>(use.getOwner());
  auto type = [&](int64_t input) {
    return cast<ShapedType>(concat.getInputs()[input].getType());
  };
  return gemm && &use == &gemm.getXMutable() && !gemm.getBeside() &&
         gemm.canReadBeside(type(0), type(1));
}

static void readBoth(RewriterBase &rewriter, TiledGemmOp gemm,
                     ValueRange inputs) {
  SmallVector<Value> others{inputs[1]};
  llvm::append_range(others, gemm.getEpilogueOperands());
  rewriter.modifyOpInPlace(gemm, [&] {
    gemm.getXMutable().assign(inputs[0]);
    gemm.getOthersMutable().assign(others);
  });
}

namespace {
struct FuseConcatenations
    : mlir::sparseconv::impl::SparseConvFuseConcatenationsBase<
          FuseConcatenations> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](tensor::ConcatOp concat) {
      if (concat->use_empty() || !joinsChannels(concat) ||
          !llvm::all_of(concat->getUses(), [&](OpOperand &use) {
            return canReadBoth(use, concat);
          }))
        return;
      for (Operation *user : llvm::to_vector(concat->getUsers()))
        readBoth(rewriter, cast<TiledGemmOp>(user), concat.getInputs());
      rewriter.eraseOp(concat);
      ++numFused;
    });
  }
};
} // namespace
