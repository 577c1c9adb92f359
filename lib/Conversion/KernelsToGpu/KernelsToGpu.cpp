//===- KernelsToGpu.cpp - the pass ----------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "sparseconv/Conversion/KernelPatterns.h"
#include "sparseconv/Conversion/Passes.h"
#include "sparseconv/Kernels/Indexing/IndexingKernels.h"
#include "sparseconv/Kernels/Indexing/Search.h"
#include "sparseconv/Kernels/Rows/RowKernels.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_CONVERTSPARSECONVKERNELSTOGPU
#include "sparseconv/Conversion/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// Errors for tilings, which may be written by hand, that no kernel can be made
/// of on the target of the module.
static LogicalResult verifyTilings(Operation *root) {
  const TargetInfo &target = getTargetInfo(root);
  auto verify = [&](auto op) { return verifyTiling(op, target); };
  WalkResult result = root->walk([&](Operation *op) {
    return WalkResult(
        llvm::TypeSwitch<Operation *, LogicalResult>(op)
            .Case<PackWeightsOp, TiledGemmOp, ImplicitWeightGradOp>(verify)
            .Default(success()));
  });
  return failure(result.wasInterrupted());
}

namespace {
struct ConvertKernelsToGpu
    : mlir::sparseconv::impl::ConvertSparseConvKernelsToGpuBase<
          ConvertKernelsToGpu> {
  void runOnOperation() override {
    if (!getTargetInfo(getOperation()).isGpu) {
      getOperation()->emitError("expects the target of the module to be a GPU, "
                                "as sparseconv-set-target sets it");
      return signalPassFailure();
    }
    if (failed(verifySearches(getOperation())) ||
        failed(verifyTilings(getOperation())))
      return signalPassFailure();
    // What has a form of its own on a GPU, then what is loops over rows.
    RewritePatternSet own(&getContext());
    own.add<LoopPattern<SortOp>>(&getContext(), emitRadixSort);
    own.add<LoopPattern<SearchOp>>(&getContext(), emitSearchKernels);
    own.add<LoopPattern<SearchHitsOp>>(&getContext(), emitSearchHits);
    own.add<LoopPattern<TileRowsOp>>(&getContext(), emitTileRows);
    own.add<LoopPattern<TileHitsOp>>(&getContext(), emitTileHits);
    own.add<LoopPattern<ImplicitGemmOp>>(&getContext(), emitImplicitGemm);
    populateTiledGemmToGpuPatterns(own);
    populateWeightGradToGpuPatterns(own);
    walkAndApplyPatterns(getOperation(), std::move(own));
    RewritePatternSet loops(&getContext());
    populateRowPatterns(loops);
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
