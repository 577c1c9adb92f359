//===- ResolveReshapes.cpp - sizes of reshaped buffers --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVRESOLVERESHAPES
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// A size of a buffer that is reshaped, or null. Dimensions of what is reshaped
/// are added to `work`.
static Value findSize(LoopBuilder &b, Value buffer, int64_t axis,
                      SmallVectorImpl<memref::DimOp> &work) {
  // An axis that no buffer has is for those who ask for it.
  if (axis < 0 || axis >= cast<MemRefType>(buffer.getType()).getRank())
    return Value();
  if (auto expand = buffer.getDefiningOp<memref::ExpandShapeOp>())
    return getValueOrCreateConstantIndexOp(b, b.getLoc(),
                                           expand.getMixedOutputShape()[axis]);
  auto collapse = buffer.getDefiningOp<memref::CollapseShapeOp>();
  if (!collapse)
    return Value();
  Value size = b.index(1);
  for (int64_t inner : collapse.getReassociationIndices()[axis]) {
    Value factor = b.dim(collapse.getSrc(), inner);
    if (auto nested = factor.getDefiningOp<memref::DimOp>())
      work.push_back(nested);
    size = b.mul(size, factor);
  }
  return size;
}

namespace {
struct ResolveReshapes
    : mlir::sparseconv::impl::SparseConvResolveReshapesBase<ResolveReshapes> {
  void runOnOperation() override {
    // What is reshaped may itself be reshaped.
    SmallVector<memref::DimOp> work;
    getOperation()->walk([&](memref::DimOp dim) { work.push_back(dim); });
    while (!work.empty()) {
      memref::DimOp dim = work.pop_back_val();
      std::optional<int64_t> axis = dim.getConstantIndex();
      if (!axis || !isa<MemRefType>(dim.getSource().getType()))
        continue;
      OpBuilder builder(dim);
      LoopBuilder b(dim.getLoc(), builder);
      if (Value size = findSize(b, dim.getSource(), *axis, work)) {
        dim.replaceAllUsesWith(size);
        dim.erase();
      }
    }
  }
};
} // namespace
