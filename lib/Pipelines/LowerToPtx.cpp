//===- LowerToPtx.cpp - from a network to PTX -----------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Pipelines/LowerToPtx.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Target/Plan/TranslateToPlan.h"

void mlir::sparseconv::buildTrustArgumentsPipeline(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createSparseConvFindEqualRows());
  // Reshapes there and back hide what has which rows.
  pm.addPass(createCanonicalizerPass());
  SparseConvTrustRowNumbersOptions trust;
  trust.comparedArguments = true;
  pm.addNestedPass<func::FuncOp>(createSparseConvTrustRowNumbers(trust));
}

void mlir::sparseconv::buildLowerToPtxPipeline(
    OpPassManager &pm, const LowerToGpuOptions &options) {
  buildTrustArgumentsPipeline(pm);
  buildLowerToGpuPipeline(pm, options);
  buildPlanPipeline(pm);
}
