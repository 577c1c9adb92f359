//===- LowerToPtx.cpp - from a network to PTX -----------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Pipelines/LowerToPtx.h"
#include "mlir/Pass/PassManager.h"
#include "sparseconv/Target/Plan/TranslateToPlan.h"

void mlir::sparseconv::buildLowerToPtxPipeline(
    OpPassManager &pm, const LowerToGpuOptions &options) {
  LowerToGpuOptions toGpu;
  toGpu.target = options.target;
  toGpu.selection.set(options.selection.get());
  toGpu.comparedArguments = true;
  buildLowerToGpuPipeline(pm, toGpu);
  buildPlanPipeline(pm);
}
