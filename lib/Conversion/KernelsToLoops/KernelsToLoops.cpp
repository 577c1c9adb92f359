//===- KernelsToLoops.cpp - the pass --------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "sparseconv/Conversion/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_CONVERTSPARSECONVKERNELSTOLOOPS
#include "sparseconv/Conversion/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
struct ConvertKernelsToLoops
    : mlir::sparseconv::impl::ConvertSparseConvKernelsToLoopsBase<
          ConvertKernelsToLoops> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateCoordsToLoopsPatterns(patterns);
    populateSpreadToLoopsPatterns(patterns);
    populateKeyListsToLoopsPatterns(patterns);
    populateMapsToLoopsPatterns(patterns);
    populateConvToLoopsPatterns(patterns);
    populatePoolToLoopsPatterns(patterns);
    populateRowsToLoopsPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));

    // What is left has no loop form, and must not pass unnoticed.
    WalkResult result = getOperation()->walk([](Operation *op) {
      if (!isa<SparseConvDialect>(op->getDialect()) ||
          isa<YieldOp, DeviceScalarOp>(op))
        return WalkResult::advance();
      op->emitError("'") << op->getName()
                         << "' has no form in loops on the CPU";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
