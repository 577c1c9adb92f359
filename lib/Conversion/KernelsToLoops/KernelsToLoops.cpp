//===- KernelsToLoops.cpp - the pass --------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Conversion/KernelsToLoops.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "sparseconv/Conversion/KernelPatterns.h"
#include "sparseconv/Conversion/Passes.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.h"
#include "sparseconv/Kernels/Indexing/IndexingKernels.h"
#include "sparseconv/Kernels/Indexing/Search.h"
#include "sparseconv/Kernels/Rows/RowKernels.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_CONVERTSPARSECONVKERNELSTOLOOPS
#include "sparseconv/Conversion/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

LogicalResult mlir::sparseconv::verifyKernelsForLoops(Operation *root) {
  if (failed(verifySearches(root)))
    return failure();
  if (getTargetInfo(root).isGpu)
    return root->emitError("the target is a GPU, whose kernels are not loops");
  return success();
}

void mlir::sparseconv::populateKernelsToLoopsPatterns(
    RewritePatternSet &patterns) {
  populateRowPatterns(patterns);
  addLoopPatterns(patterns, emitSortCall, emitSearchLoops, emitTileRowsLoops,
                  emitGatherGemmScatter, emitWeightGrad);
}

namespace {
struct ConvertKernelsToLoops
    : mlir::sparseconv::impl::ConvertSparseConvKernelsToLoopsBase<
          ConvertKernelsToLoops> {
  void runOnOperation() override {
    if (failed(verifyKernelsForLoops(getOperation())))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    populateKernelsToLoopsPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    if (failed(verifyAllWritten(getOperation(), "in loops on the CPU")))
      signalPassFailure();
  }
};
} // namespace
