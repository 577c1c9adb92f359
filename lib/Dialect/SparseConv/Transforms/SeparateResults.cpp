//===- SeparateResults.cpp - results in buffers of their own --------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVSEPARATERESULTS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;

/// The tensor whose buffer `value` is, or is a part of.
static Value getSource(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::CastOp, tensor::ExtractSliceOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

namespace {
struct SeparateResults
    : mlir::sparseconv::impl::SparseConvSeparateResultsBase<SeparateResults> {
  void runOnOperation() override {
    getOperation()->walk([](func::ReturnOp op) {
      OpBuilder builder(op);
      llvm::SmallPtrSet<Value, 8> sources;
      for (OpOperand &operand : op->getOpOperands()) {
        auto type = dyn_cast<RankedTensorType>(operand.get().getType());
        if (!type || sources.insert(getSource(operand.get())).second)
          continue;
        operand.set(bufferization::AllocTensorOp::create(
            builder, op.getLoc(), type, /*dynamicSizes=*/ValueRange(),
            /*copy=*/operand.get()));
      }
    });
  }
};
} // namespace
