//===- InterchangeLoops.cpp - parallel loops in front ---------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVINTERCHANGELOOPS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;

/// The loops of `op` in an order in which the parallel ones come first.
static SmallVector<unsigned> orderLoops(linalg::LinalgOp op) {
  SmallVector<unsigned> order, reductions;
  op.getParallelDims(order);
  op.getReductionDims(reductions);
  llvm::append_range(order, reductions);
  return order;
}

namespace {
struct InterchangeLoops
    : mlir::sparseconv::impl::SparseConvInterchangeLoopsBase<InterchangeLoops> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> found;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (!llvm::is_sorted(orderLoops(op)))
        found.push_back(op);
    });
    for (linalg::LinalgOp op : found)
      if (failed(interchange(rewriter, op)))
        return signalPassFailure();
  }

private:
  static LogicalResult interchange(IRRewriter &rewriter, linalg::LinalgOp op) {
    rewriter.setInsertionPoint(op);
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic) {
      FailureOr<linalg::GenericOp> general =
          linalg::generalizeNamedOp(rewriter, op);
      if (failed(general))
        return op.emitOpError("has no form as a generic operation");
      generic = *general;
    }
    return linalg::interchangeGenericOp(rewriter, generic, orderLoops(generic));
  }
};
} // namespace
