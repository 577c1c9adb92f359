//===- SplitReductions.cpp - reductions of many rows in parts -------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FilledBuffers.h"
#include "SplitReduction.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVSPLITREDUCTIONS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
struct SplitReductions
    : mlir::sparseconv::impl::SparseConvSplitReductionsBase<SplitReductions> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> found;
    getOperation()->walk([&](linalg::GenericOp op) { found.push_back(op); });
    for (linalg::GenericOp op : found) {
      // In a loop or a branch a launch has no place.
      if (op->getParentOp() != getOperation())
        continue;
      LoopBuilder b(op.getLoc(), op);
      b.setTarget(getTargetInfo(op));
      SplitReduction reduction(b, op);
      if (!reduction.match())
        continue;
      reduction.emit(llvm::map_to_vector(op.getDpsInits(), [&](Value buffer) {
        return takeStart(op, buffer);
      }));
      op.erase();
    }
    eraseUnread(getOperation());
  }
};
} // namespace
