//===- RowAdjoints.cpp - adjoints of what moves rows ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `scatter` and `voxelise` combine rows of x into rows of y; `gather` and
// `devoxelise` spread rows of y over rows of x. As sums they are each other's
// adjoints. An average is a sum divided by the weights that reach a row, and a
// maximum hands its gradient to the rows that equal it, in equal parts.
//
//===----------------------------------------------------------------------===//

#include "Adjoints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvDialect.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"

using namespace mlir;
using namespace mlir::sparseconv;

//===----------------------------------------------------------------------===//
// Combining rows, spreading rows
//===----------------------------------------------------------------------===//

/// The weights move with the points, unless each point has the one of its cell.
static LogicalResult verifyPoints(Operation *op, Interpolation interpolation,
                                  Value points, const Gradients &gradients) {
  if (interpolation != Interpolation::Nearest && gradients.isActive(points))
    return emitNoRule(op, "'points'");
  return success();
}

static Value transpose(GatherOp op, OpBuilder &b, Value dy) {
  Value n = tensor::DimOp::create(b, op.getLoc(), op.getX(), 0);
  return ScatterOp::create(b, op.getLoc(), PoolKind::Sum, dy, op.getRows(), n);
}

static Value transpose(ToDenseOp op, OpBuilder &b, Value dy) {
  return FromDenseOp::create(b, op.getLoc(), dy, op.getCoords(),
                             op.getOriginAttr());
}

static Value transpose(FromDenseOp op, OpBuilder &b, Value dy) {
  return ToDenseOp::create(b, op.getLoc(), op.getDense().getType(), dy,
                           op.getCoords(), op.getOriginAttr());
}

namespace {
/// Of an operation that is linear in its first operand and has no gradient by
/// the others, the adjoint is its transpose.
template <typename OpTy>
struct LinearAdjoint
    : DifferentiableOpInterface::ExternalModel<LinearAdjoint<OpTy>, OpTy> {
  LogicalResult buildAdjoint(Operation *op, OpBuilder &b,
                             ArrayRef<Value> resultGradients,
                             Gradients &gradients) const {
    gradients.add(b, op->getLoc(), op->getOperand(0),
                  transpose(cast<OpTy>(op), b, resultGradients[0]));
    return success();
  }
};

/// A sum of rows x into rows y and its adjoint.
struct Combination {
  OpBuilder &b;
  Location loc;
  Value x, y;
  llvm::function_ref<Value(Value)> combine, spread;

  /// The gradient by x.
  Value build(PoolKind kind, Value dy) const {
    switch (kind) {
    case PoolKind::Sum:
      return spread(dy);
    case PoolKind::Avg: {
      Value ones = createFilled(b, loc, tensor::getMixedSizes(b, loc, x),
                                cast<FloatType>(getWideType(x.getType())), 1);
      return spread(divide(dy, combine(ones)));
    }
    case PoolKind::Max:
      return buildMaximum(dy);
    }
    llvm_unreachable("unknown kind of combining rows");
  }

private:
  /// `tensor` with elements of `type`.
  Value convert(Value tensor, FloatType type) const {
    auto found = cast<RankedTensorType>(tensor.getType());
    Type expected = found.clone(type);
    if (found == expected)
      return tensor;
    if (found.getElementTypeBitWidth() < type.getWidth())
      return arith::ExtFOp::create(b, loc, expected, tensor);
    return arith::TruncFOp::create(b, loc, expected, tensor);
  }

  /// Rows of y divided by weights; 0 where there are none.
  Value divide(Value dy, Value weights) const {
    Value zeros = createZerosLike(b, loc, weights);
    Value isReached = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                            weights, zeros);
    Value wide = convert(dy, getWideType(dy.getType()));
    Value share = arith::DivFOp::create(b, loc, wide, weights);
    share = arith::SelectOp::create(b, loc, isReached, share, zeros);
    return convert(share, cast<FloatType>(getElementTypeOrSelf(dy)));
  }

  Value castTo(Type type, Value tensor) const {
    return tensor.getType() == type
               ? tensor
               : Value(tensor::CastOp::create(b, loc, type, tensor));
  }

  Value buildMaximum(Value dy) const {
    auto type = cast<RankedTensorType>(x.getType());
    Value largest = castTo(type, spread(y));
    Value isLargest =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, largest);
    Value equals = arith::UIToFPOp::create(
        b, loc, type.clone(getWideType(type)), isLargest);
    Value shares = castTo(type, spread(divide(dy, combine(equals))));
    return arith::SelectOp::create(b, loc, isLargest, shares,
                                   createZerosLike(b, loc, x));
  }
};

struct ScatterAdjoint
    : DifferentiableOpInterface::ExternalModel<ScatterAdjoint, ScatterOp> {
  LogicalResult buildAdjoint(Operation *op, OpBuilder &b,
                             ArrayRef<Value> resultGradients,
                             Gradients &gradients) const {
    auto scatter = cast<ScatterOp>(op);
    Location loc = op->getLoc();
    auto combine = [&](Value x) -> Value {
      return ScatterOp::create(b, loc, PoolKind::Sum, x, scatter.getRows(),
                               scatter.getN());
    };
    auto spread = [&](Value y) -> Value {
      return GatherOp::create(b, loc, y, scatter.getRows());
    };
    Combination rule{b, loc, scatter.getX(), scatter.getY(), combine, spread};
    gradients.add(b, loc, scatter.getX(),
                  rule.build(scatter.getKind(), resultGradients[0]));
    return success();
  }
};

struct VoxeliseAdjoint
    : DifferentiableOpInterface::ExternalModel<VoxeliseAdjoint, VoxeliseOp> {
  LogicalResult buildAdjoint(Operation *op, OpBuilder &b,
                             ArrayRef<Value> resultGradients,
                             Gradients &gradients) const {
    auto voxelise = cast<VoxeliseOp>(op);
    Location loc = op->getLoc();
    Interpolation interpolation = voxelise.getInterpolation();
    if (failed(
            verifyPoints(op, interpolation, voxelise.getPoints(), gradients)))
      return failure();
    if (!gradients.isActive(voxelise.getX()))
      return success();
    auto combine = [&](Value x) -> Value {
      return VoxeliseOp::create(b, loc, interpolation, PoolKind::Sum, x,
                                voxelise.getPoints(), voxelise.getCoords());
    };
    auto spread = [&](Value y) -> Value {
      return DevoxeliseOp::create(b, loc, interpolation, y,
                                  voxelise.getPoints(), voxelise.getCoords());
    };
    Combination rule{b, loc, voxelise.getX(), voxelise.getY(), combine, spread};
    gradients.add(b, loc, voxelise.getX(),
                  rule.build(voxelise.getKind(), resultGradients[0]));
    return success();
  }
};

struct DevoxeliseAdjoint
    : DifferentiableOpInterface::ExternalModel<DevoxeliseAdjoint,
                                               DevoxeliseOp> {
  LogicalResult buildAdjoint(Operation *op, OpBuilder &b,
                             ArrayRef<Value> resultGradients,
                             Gradients &gradients) const {
    auto devoxelise = cast<DevoxeliseOp>(op);
    Interpolation interpolation = devoxelise.getInterpolation();
    if (failed(
            verifyPoints(op, interpolation, devoxelise.getPoints(), gradients)))
      return failure();
    if (!gradients.isActive(devoxelise.getX()))
      return success();
    gradients.add(b, op->getLoc(), devoxelise.getX(),
                  VoxeliseOp::create(b, op->getLoc(), interpolation,
                                     PoolKind::Sum, resultGradients[0],
                                     devoxelise.getPoints(),
                                     devoxelise.getCoords()));
    return success();
  }
};

} // namespace

void mlir::sparseconv::registerRowAdjoints(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, SparseConvDialect *) {
    DevoxeliseOp::attachInterface<DevoxeliseAdjoint>(*context);
    FromDenseOp::attachInterface<LinearAdjoint<FromDenseOp>>(*context);
    GatherOp::attachInterface<LinearAdjoint<GatherOp>>(*context);
    ScatterOp::attachInterface<ScatterAdjoint>(*context);
    ToDenseOp::attachInterface<LinearAdjoint<ToDenseOp>>(*context);
    VoxeliseOp::attachInterface<VoxeliseAdjoint>(*context);
  });
}
