//===- AllowInlining.cpp - no calls where there can be none ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVALLOWINLINING
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;

namespace {
struct AllowInlining
    : mlir::sparseconv::impl::SparseConvAllowInliningBase<AllowInlining> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (auto function = dyn_cast<func::FuncOp>(op))
        function.setNoInline(false);
      else if (auto call = dyn_cast<func::CallOp>(op))
        call.setNoInline(false);
    });
  }
};
} // namespace
