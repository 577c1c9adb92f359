//===- LowerRowGuards.cpp - row guards as branches ------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVLOWERROWGUARDS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::StatusCode;

static void lowerGuard(RewriterBase &rewriter, GuardRowsOp op) {
  rewriter.setInsertionPoint(op);
  LoopBuilder b(op.getLoc(), rewriter);
  RankedTensorType type = op.getResult().getType();
  Value found = b.createOrFold<tensor::DimOp>(op.getX(), b.index(0));
  auto zeros = [&]() -> SmallVector<Value> {
    LoopBuilder::Report report{op.getLength() ? StatusCode::LengthMismatch
                                              : StatusCode::RowCountMismatch,
                               static_cast<int64_t>(op.getOpId())};
    report.axis = b.i64(op.getOperand());
    report.value = op.getLength() ? op.getRows() : found;
    report.lower = op.getLength() ? found : op.getRows();
    report.extra = b.i64(op.getSide());
    b.report(op.getStatus(), report);
    SmallVector<Value> sizes;
    if (type.isDynamicDim(0))
      sizes.push_back(op.getRows());
    Value empty = tensor::EmptyOp::create(b, type, sizes);
    Value zero = b.constant(type.getElementType(), 0);
    return {linalg::FillOp::create(b, zero, empty).getResult(0)};
  };
  Value result = b.ifElse(
      b.equal(found, op.getRows()), TypeRange(type),
      [&]() -> SmallVector<Value> { return {op.getX()}; }, zeros)[0];
  rewriter.replaceOp(op, result);
}

namespace {
struct LowerRowGuards
    : mlir::sparseconv::impl::SparseConvLowerRowGuardsBase<LowerRowGuards> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk(
        [&](GuardRowsOp guard) { lowerGuard(rewriter, guard); });
  }
};
} // namespace
