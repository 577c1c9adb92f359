//===- KernelsToGpu.cpp - the pass ----------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../KernelsToLoops/Patterns.h"
#include "Patterns.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "sparseconv/Conversion/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_CONVERTSPARSECONVTOGPU
#include "sparseconv/Conversion/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
struct ConvertToGpu
    : mlir::sparseconv::impl::ConvertSparseConvToGpuBase<ConvertToGpu> {
  void runOnOperation() override {
    if (failed(verifyGemmTilings(getOperation())))
      return signalPassFailure();
    // What has a form of its own on a GPU, then what is loops over rows.
    HitsOfTables hitsOfTables;
    RewritePatternSet own(&getContext());
    populateSearchToGpuPatterns(own, hitsOfTables);
    populateSortToGpuPatterns(own);
    populateTileRowsToGpuPatterns(own, hitsOfTables);
    populateTiledGemmToGpuPatterns(own);
    populateImplicitGemmToGpuPatterns(own);
    populateWeightGradToGpuPatterns(own);
    walkAndApplyPatterns(getOperation(), std::move(own));
    RewritePatternSet loops(&getContext());
    populateCoordsToLoopsPatterns(loops);
    populateSpreadToLoopsPatterns(loops);
    populateKeyListsToLoopsPatterns(loops);
    populateMapsToLoopsPatterns(loops);
    populatePoolToLoopsPatterns(loops);
    populateRowsToLoopsPatterns(loops);
    walkAndApplyPatterns(getOperation(), std::move(loops));

    // What is left has no form on a GPU, and must not pass unnoticed.
    WalkResult result = getOperation()->walk([](Operation *op) {
      if (!isa<SparseConvDialect>(op->getDialect()) ||
          isa<YieldOp, DeviceScalarOp>(op))
        return WalkResult::advance();
      op->emitError("'") << op->getName() << "' has no form on the GPU";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
