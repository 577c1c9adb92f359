//===- SeparateBuffers.cpp - a buffer for each write ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVSEPARATEBUFFERS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;

namespace {
struct SeparateBuffers
    : mlir::sparseconv::impl::SparseConvSeparateBuffersBase<SeparateBuffers> {
  void runOnOperation() override {
    SmallVector<OpOperand *> uses;
    getOperation()->walk([&](tensor::EmptyOp op) {
      for (OpOperand &use : op->getUses())
        if (&use != &*op->getUses().begin())
          uses.push_back(&use);
    });
    for (OpOperand *use : uses) {
      OpBuilder builder(use->getOwner());
      use->set(builder.clone(*use->get().getDefiningOp())->getResult(0));
    }
  }
};
} // namespace
