//===- TensorAdjoints.cpp - adjoints of the tensor dialect ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// They move elements: the adjoint moves them back.
//
//===----------------------------------------------------------------------===//

#include "Adjoints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
/// The shared head of the models: one result, whose gradient is `dy`.
template <typename Model, typename OpTy>
struct TensorAdjoint : DifferentiableOpInterface::ExternalModel<Model, OpTy> {
  LogicalResult buildAdjoint(Operation *op, OpBuilder &builder,
                             ArrayRef<Value> resultGradients,
                             Gradients &gradients) const {
    Model::build(cast<OpTy>(op), builder, resultGradients[0], gradients);
    return success();
  }
};

struct CastAdjoint : TensorAdjoint<CastAdjoint, tensor::CastOp> {
  static void build(tensor::CastOp op, OpBuilder &b, Value dy,
                    Gradients &gradients) {
    gradients.add(b, op.getLoc(), op.getSource(), dy);
  }
};

struct CollapseShapeAdjoint
    : TensorAdjoint<CollapseShapeAdjoint, tensor::CollapseShapeOp> {
  static void build(tensor::CollapseShapeOp op, OpBuilder &b, Value dy,
                    Gradients &gradients) {
    Location loc = op.getLoc();
    Value dx = tensor::ExpandShapeOp::create(
        b, loc, op.getSrcType(), dy, op.getReassociationIndices(),
        tensor::getMixedSizes(b, loc, op.getSrc()));
    gradients.add(b, loc, op.getSrc(), dx);
  }
};

struct ExpandShapeAdjoint
    : TensorAdjoint<ExpandShapeAdjoint, tensor::ExpandShapeOp> {
  static void build(tensor::ExpandShapeOp op, OpBuilder &b, Value dy,
                    Gradients &gradients) {
    Value dx = tensor::CollapseShapeOp::create(
        b, op.getLoc(), op.getSrcType(), dy, op.getReassociationIndices());
    gradients.add(b, op.getLoc(), op.getSrc(), dx);
  }
};

/// Each input gets its slice.
struct ConcatAdjoint : TensorAdjoint<ConcatAdjoint, tensor::ConcatOp> {
  static void build(tensor::ConcatOp op, OpBuilder &b, Value dy,
                    Gradients &gradients) {
    Location loc = op.getLoc();
    uint64_t dim = op.getDim();
    int64_t rank = op.getResultType().getRank();
    SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0));
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, dy);
    SmallVector<OpFoldResult> strides(rank, b.getIndexAttr(1));
    for (Value input : op.getInputs()) {
      sizes[dim] = tensor::getMixedSize(b, loc, input, dim);
      if (gradients.isActive(input))
        gradients.add(b, loc, input,
                      tensor::ExtractSliceOp::create(b, loc, dy, offsets, sizes,
                                                     strides));
      offsets[dim] = add(b, loc, offsets[dim], sizes[dim]);
    }
  }

  static OpFoldResult add(OpBuilder &b, Location loc, OpFoldResult lhs,
                          OpFoldResult rhs) {
    std::optional<int64_t> left = getConstantIntValue(lhs);
    std::optional<int64_t> right = getConstantIntValue(rhs);
    if (left && right)
      return b.getIndexAttr(*left + *right);
    return arith::AddIOp::create(b, loc,
                                 getValueOrCreateConstantIndexOp(b, loc, lhs),
                                 getValueOrCreateConstantIndexOp(b, loc, rhs))
        .getResult();
  }
};

struct ExtractSliceAdjoint
    : TensorAdjoint<ExtractSliceAdjoint, tensor::ExtractSliceOp> {
  static void build(tensor::ExtractSliceOp op, OpBuilder &b, Value dy,
                    Gradients &gradients) {
    Location loc = op.getLoc();
    Value zeros = createZerosLike(b, loc, op.getSource());
    Value dx =
        tensor::InsertSliceOp::create(b, loc, dy, zeros, op.getMixedOffsets(),
                                      op.getMixedSizes(), op.getMixedStrides());
    gradients.add(b, loc, op.getSource(), dx);
  }
};

struct InsertSliceAdjoint
    : TensorAdjoint<InsertSliceAdjoint, tensor::InsertSliceOp> {
  static void build(tensor::InsertSliceOp op, OpBuilder &b, Value dy,
                    Gradients &gradients) {
    Location loc = op.getLoc();
    if (gradients.isActive(op.getSource())) {
      Value slice = tensor::ExtractSliceOp::create(
          b, loc, op.getSourceType(), dy, op.getMixedOffsets(),
          op.getMixedSizes(), op.getMixedStrides());
      gradients.add(b, loc, op.getSource(), slice);
    }
    if (gradients.isActive(op.getDest())) {
      Value zeros = createZerosLike(b, loc, op.getSource());
      Value rest = tensor::InsertSliceOp::create(
          b, loc, zeros, dy, op.getMixedOffsets(), op.getMixedSizes(),
          op.getMixedStrides());
      gradients.add(b, loc, op.getDest(), rest);
    }
  }
};
} // namespace

void mlir::sparseconv::registerTensorAdjoints(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::CastOp::attachInterface<CastAdjoint>(*context);
    tensor::CollapseShapeOp::attachInterface<CollapseShapeAdjoint>(*context);
    tensor::ConcatOp::attachInterface<ConcatAdjoint>(*context);
    tensor::ExpandShapeOp::attachInterface<ExpandShapeAdjoint>(*context);
    tensor::ExtractSliceOp::attachInterface<ExtractSliceAdjoint>(*context);
    tensor::InsertSliceOp::attachInterface<InsertSliceAdjoint>(*context);
  });
}
