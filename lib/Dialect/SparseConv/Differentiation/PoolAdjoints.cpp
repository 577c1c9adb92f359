//===- PoolAdjoints.cpp - adjoints of pooling -----------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Adjoints.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvDialect.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
struct PoolAdjoint
    : DifferentiableOpInterface::ExternalModel<PoolAdjoint, PoolOp> {
  LogicalResult buildAdjoint(Operation *op, OpBuilder &b,
                             ArrayRef<Value> resultGradients,
                             Gradients &gradients) const {
    auto pool = cast<PoolOp>(op);
    Value x = pool.getKind() == PoolKind::Max ? pool.getX() : Value();
    gradients.add(b, op->getLoc(), pool.getX(),
                  PoolGradOp::create(b, op->getLoc(), pool.getKind(),
                                     resultGradients[0], pool.getMap(), x,
                                     pool.getCount()));
    return success();
  }
};

struct PoolGradAdjoint
    : DifferentiableOpInterface::ExternalModel<PoolGradAdjoint, PoolGradOp> {
  LogicalResult buildAdjoint(Operation *op, OpBuilder &b,
                             ArrayRef<Value> resultGradients,
                             Gradients &gradients) const {
    auto grad = cast<PoolGradOp>(op);
    // The input only says where a maximum is: its gradient is 0.
    if (!gradients.isActive(grad.getDy()))
      return success();
    if (grad.getKind() == PoolKind::Max)
      return emitNoRule(op, "'dy' of a maximum");
    gradients.add(b, op->getLoc(), grad.getDy(),
                  PoolOp::create(b, op->getLoc(), grad.getKind(),
                                 resultGradients[0], grad.getMap(),
                                 grad.getCount()));
    return success();
  }
};

struct UnpoolAdjoint
    : DifferentiableOpInterface::ExternalModel<UnpoolAdjoint, UnpoolOp> {
  LogicalResult buildAdjoint(Operation *op, OpBuilder &b,
                             ArrayRef<Value> resultGradients,
                             Gradients &gradients) const {
    auto unpool = cast<UnpoolOp>(op);
    gradients.add(b, op->getLoc(), unpool.getX(),
                  PoolOp::create(b, op->getLoc(), PoolKind::Sum,
                                 resultGradients[0], unpool.getMap()));
    return success();
  }
};

struct GlobalPoolAdjoint
    : DifferentiableOpInterface::ExternalModel<GlobalPoolAdjoint,
                                               GlobalPoolOp> {
  LogicalResult buildAdjoint(Operation *op, OpBuilder &b,
                             ArrayRef<Value> resultGradients,
                             Gradients &gradients) const {
    auto pool = cast<GlobalPoolOp>(op);
    Value x = pool.getKind() == PoolKind::Max ? pool.getX() : Value();
    gradients.add(b, op->getLoc(), pool.getX(),
                  GlobalPoolGradOp::create(b, op->getLoc(), pool.getKind(),
                                           resultGradients[0], pool.getCoords(),
                                           x));
    return success();
  }
};

struct GlobalPoolGradAdjoint
    : DifferentiableOpInterface::ExternalModel<GlobalPoolGradAdjoint,
                                               GlobalPoolGradOp> {
  LogicalResult buildAdjoint(Operation *op, OpBuilder &b,
                             ArrayRef<Value> resultGradients,
                             Gradients &gradients) const {
    auto grad = cast<GlobalPoolGradOp>(op);
    Location loc = op->getLoc();
    if (!gradients.isActive(grad.getDy()))
      return success();
    if (grad.getKind() == PoolKind::Max)
      return emitNoRule(op, "'dy' of a maximum");
    RankedTensorType type = grad.getDy().getType();
    Value batch;
    if (type.isDynamicDim(0))
      batch = tensor::DimOp::create(b, loc, grad.getDy(), 0);
    gradients.add(b, loc, grad.getDy(),
                  GlobalPoolOp::create(b, loc, type, grad.getKind(),
                                       resultGradients[0], grad.getCoords(),
                                       batch));
    return success();
  }
};
} // namespace

void mlir::sparseconv::registerPoolAdjoints(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, SparseConvDialect *) {
    GlobalPoolGradOp::attachInterface<GlobalPoolGradAdjoint>(*context);
    GlobalPoolOp::attachInterface<GlobalPoolAdjoint>(*context);
    PoolGradOp::attachInterface<PoolGradAdjoint>(*context);
    PoolOp::attachInterface<PoolAdjoint>(*context);
    UnpoolOp::attachInterface<UnpoolAdjoint>(*context);
  });
}
