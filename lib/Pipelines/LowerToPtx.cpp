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
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Target/Plan/TranslateToPlan.h"

void mlir::sparseconv::buildLowerToPtxPipeline(
    OpPassManager &pm, const LowerToGpuOptions &options) {
  // Who runs a plan compares the rows of its arguments first.
  pm.addNestedPass<func::FuncOp>(createSparseConvFindEqualRows());
  buildLowerToGpuPipeline(pm, options);
  buildPlanPipeline(pm);
}
