//===- FusePickedRows.cpp - epilogues that pick rows ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVFUSEPICKEDROWS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// Whether each of `numbers` is a row for sure, even where a run has failed:
/// that of the coordinate that a cell belongs to. There are as many as cells.
static bool areAlwaysRows(Value numbers) {
  while (Operation *op = numbers.getDefiningOp()) {
    if (auto cells = dyn_cast<SubdivideKernelOp>(op))
      return numbers == cells.getTiedOpResult(&cells.getRowsMutable());
    if (!isa<tensor::CastOp, tensor::ExtractSliceOp>(op))
      return false;
    numbers = op->getOperand(0);
  }
  return false;
}

/// The gather that makes an operand of an epilogue which can read its rows
/// instead, or null.
static GatherRowsOp findGather(const TiledGemmOp::Extra &extra) {
  auto gather = extra.values.getDefiningOp<GatherRowsOp>();
  if (!gather || extra.numbers || !gather.getTrusted() ||
      !gather->hasOneUse() || !areAlwaysRows(gather.getRows()))
    return {};
  return gather;
}

namespace {
struct FusePickedRows
    : mlir::sparseconv::impl::SparseConvFusePickedRowsBase<FusePickedRows> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](TiledGemmOp gemm) { fuse(rewriter, gemm); });
  }

private:
  void fuse(RewriterBase &rewriter, TiledGemmOp gemm) {
    SmallVector<Value> operands;
    if (Value beside = gemm.getBeside())
      operands.push_back(beside);
    SmallVector<Operation *> fused;
    for (const TiledGemmOp::Extra &extra : gemm.getExtrasWithNumbers()) {
      GatherRowsOp gather = findGather(extra);
      operands.push_back(gather ? gather.getX() : extra.values);
      if (Value numbers = gather ? gather.getRows() : extra.numbers)
        operands.push_back(numbers);
      if (gather)
        fused.push_back(gather);
    }
    if (fused.empty())
      return;
    rewriter.modifyOpInPlace(gemm,
                             [&] { gemm.getOthersMutable().assign(operands); });
    for (Operation *gather : fused)
      rewriter.eraseOp(gather);
    numFused += fused.size();
  }
};
} // namespace
