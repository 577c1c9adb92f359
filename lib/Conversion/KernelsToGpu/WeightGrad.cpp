//===- WeightGrad.cpp - gradient by the weights on a GPU ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three steps: how many thread blocks each offset has; their sums, which are
// splits of the gradient; the sum of each offset's splits, in order.
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Gemm/WeightGrad.h"
#include "KernelCalls.h"
#include "Patterns.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// The permission to round f32 to tf32 has become the choice of the main loop.
static WeightGradShape getShape(TiledWeightGradOp op) {
  return getWeightGradShape(cast<ShapedType>(op.getDw().getType()),
                            getElementTypeOrSelf(op.getX().getType()),
                            getElementTypeOrSelf(op.getDy().getType()),
                            /*allowTf32=*/true);
}

std::string mlir::sparseconv::describeProblem(TiledWeightGradOp op,
                                              const TargetInfo &target) {
  return verifyWeightGrad(op.getTiling(), op.getSplitK(), getShape(op), target);
}

void mlir::sparseconv::emitTiledWeightGrad(LoopBuilder &b,
                                           TiledWeightGradOp op) {
  Value x = readDense(b, op.getX()), dy = readDense(b, op.getDy());
  WeightGradConfig config =
      getWeightGrad(op.getTiling(), op.getSplitK(), getShape(op));
  Value sizes = b.alloc({2}, b.getIndexType());
  b.store(b.dim(x, 0), sizes, b.index(0));
  b.store(b.dim(dy, 0), sizes, b.index(1));
  Value shares = b.alloc(config.offsets + 1, b.getI32Type());
  emitShares(b, config, op.getCounts(), shares);
  Value splits = b.alloc({config.splits(), config.elements()}, b.getF32Type());
  gpu::GPUFuncOp kernel = buildWeightGrad(
      createKernelModule(b, op, "weight_grad"), "weight_grad", config);
  callKernel(b, kernel,
             {b.index(config.gridX()), config.gridY(), config.threads(),
              config.sharedBytes()},
             {x, dy, op.getInRows(), op.getOutRows(), op.getCounts(), shares,
              splits, getElement(b, sizes, 0), getElement(b, sizes, 1)});
  emitSumOfSplits(b, config, shares, splits, op.getDw());
}
