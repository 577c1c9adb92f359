//===- ResolveReshapes.cpp - sizes of reshaped buffers --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVRESOLVERESHAPES
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
struct ResolveReshapes
    : mlir::sparseconv::impl::SparseConvResolveReshapesBase<ResolveReshapes> {
  void runOnOperation() override {
    // What is collapsed may itself be collapsed.
    SmallVector<memref::DimOp> work;
    getOperation()->walk([&](memref::DimOp dim) { work.push_back(dim); });
    while (!work.empty()) {
      memref::DimOp dim = work.pop_back_val();
      auto collapse = dim.getSource().getDefiningOp<memref::CollapseShapeOp>();
      std::optional<int64_t> axis = dim.getConstantIndex();
      // An axis that no buffer has is for those who ask for it.
      if (!collapse || !axis || *axis < 0 ||
          *axis >= collapse.getResultType().getRank())
        continue;
      OpBuilder builder(dim);
      LoopBuilder b(dim.getLoc(), builder);
      Value size = b.index(1);
      SmallVector<ReassociationIndices> groups =
          collapse.getReassociationIndices();
      for (int64_t inner : groups[*axis]) {
        Value factor = b.dim(collapse.getSrc(), inner);
        if (auto nested = factor.getDefiningOp<memref::DimOp>())
          work.push_back(nested);
        size = b.mul(size, factor);
      }
      dim.replaceAllUsesWith(size);
      dim.erase();
    }
  }
};
} // namespace
