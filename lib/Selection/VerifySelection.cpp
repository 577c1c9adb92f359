//===- VerifySelection.cpp - checks decisions against a target ------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Kernels/Dataflow/Dataflow.h"
#include "sparseconv/Kernels/Indexing/Search.h"
#include "sparseconv/Selection/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVVERIFYSELECTION
#include "sparseconv/Selection/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
struct VerifySelection
    : mlir::sparseconv::impl::SparseConvVerifySelectionBase<VerifySelection> {
  void runOnOperation() override {
    bool isValid = succeeded(verifySearches(getOperation()));
    getOperation()->walk([&](ImplicitGemmOpInterface op) {
      isValid &= succeeded(verifyDecisions(op));
    });
    if (!isValid)
      signalPassFailure();
  }
};
} // namespace
