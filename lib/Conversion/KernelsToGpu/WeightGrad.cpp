//===- WeightGrad.cpp - gradient by the weights on a GPU ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three steps: the neighbour table by offset, so that neighbouring threads read
// neighbouring entries; the splits of the gradient; their sum, in order.
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Gemm/WeightGrad.h"
#include "KernelCalls.h"
#include "Patterns.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// The permission to round f32 to tf32 has become the choice of the main loop.
static WeightGradShape getShape(ImplicitWeightGradOp op) {
  return getWeightGradShape(cast<ShapedType>(op.getDw().getType()),
                            getElementTypeOrSelf(op.getX().getType()),
                            getElementTypeOrSelf(op.getDy().getType()),
                            /*allowTf32=*/true);
}

std::string mlir::sparseconv::describeProblem(ImplicitWeightGradOp op,
                                              const TargetInfo &target) {
  return verifyWeightGrad(op.getTiling(), op.getSplitK(), getShape(op), target);
}

void mlir::sparseconv::emitImplicitWeightGrad(LoopBuilder &b,
                                              ImplicitWeightGradOp op) {
  Value x = readDense(b, op.getX()), dy = readDense(b, op.getDy());
  WeightGradConfig config =
      getWeightGrad(op.getTiling(), op.getSplitK(), getShape(op));
  Value sizes = b.alloc({2}, b.getIndexType());
  Value table = emitTurnedTable(b, op.getTable(), b.dim(x, 0), sizes);
  Value splits = b.alloc({config.splits(), config.offsets * config.elements()},
                         b.getF32Type());
  gpu::GPUFuncOp kernel = buildWeightGrad(
      createKernelModule(b, op, "weight_grad"), "weight_grad", config);
  callKernel(
      b, kernel,
      {b.index(config.gridX()), config.gridY(), config.threads(),
       config.sharedBytes()},
      {x, dy, table, splits, getElement(b, sizes, 0), getElement(b, sizes, 1)});
  emitSumOfSplits(b, config, b.dim(op.getTable(), 0), splits, op.getDw());
}
