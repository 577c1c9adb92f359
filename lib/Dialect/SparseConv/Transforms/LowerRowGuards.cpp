//===- LowerRowGuards.cpp - row guards as branches ------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ZerosOnMismatch.h"
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
  auto makeReport = [&] {
    LoopBuilder::Report report{op.getLength() ? StatusCode::LengthMismatch
                                              : StatusCode::RowCountMismatch,
                               static_cast<int64_t>(op.getOpId())};
    report.axis = b.i64(op.getOperand());
    report.value = op.getLength() ? op.getRows() : found;
    report.lower = op.getLength() ? found : op.getRows();
    report.extra = b.i64(op.getSide());
    return report;
  };
  Value result =
      createZerosOnMismatch(b, {op.getX(), /*axis=*/0, found, op.getRows()},
                            type, op.getStatus(), makeReport);
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
