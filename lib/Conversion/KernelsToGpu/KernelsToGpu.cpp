//===- KernelsToGpu.cpp - the pass ----------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Conversion/KernelsToGpu.h"
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
  WalkResult result = root->walk([&](Operation *op) {
    auto describe = [&](auto op) { return describeProblem(op, target); };
    std::string problem =
        llvm::TypeSwitch<Operation *, std::string>(op)
            .Case<PackWeightsOp, TiledGemmOp, GatherGemmScatterOp,
                  TiledWeightGradOp>(describe)
            .Default(std::string());
    if (problem.empty())
      return WalkResult::advance();
    op->emitOpError("cannot be made: ") << problem;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult mlir::sparseconv::verifyKernelsForGpu(Operation *root) {
  if (!getTargetInfo(root).isGpu)
    return root->emitError("expects the target of the module to be a GPU, as "
                           "sparseconv-set-target sets it");
  return success(succeeded(verifySearches(root)) &&
                 succeeded(verifyTilings(root)));
}

void mlir::sparseconv::populateKernelsToGpuPatterns(
    RewritePatternSet &patterns) {
  addLoopPatterns(patterns, emitRadixSort, emitSearchKernels, emitSearchHits,
                  emitTileRows, emitTileHits, emitOffsetLists, emitImplicitGemm,
                  emitPackWeights, emitTiledGemm, emitPairGemm,
                  emitTiledWeightGrad);
  populateRowPatterns(patterns);
}

namespace {
struct ConvertKernelsToGpu
    : mlir::sparseconv::impl::ConvertSparseConvKernelsToGpuBase<
          ConvertKernelsToGpu> {
  void runOnOperation() override {
    if (failed(verifyKernelsForGpu(getOperation())))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    populateKernelsToGpuPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    if (failed(verifyAllWritten(getOperation(), "on the GPU")))
      signalPassFailure();
  }
};
} // namespace
