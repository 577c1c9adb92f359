//===- ConvAdjoints.cpp - adjoints of convolutions ------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With <a, b> the sum of the products of all elements:
//
//   <conv(x, w), dy> = <x, input_grad(dy, w)> = <w, weight_grad(x, dy)>
//
// Each of the three is linear in both of its operands, so that these identities
// are the adjoints of all three. Permissions stay; decisions are made anew.
//
//===----------------------------------------------------------------------===//

#include "LoopBody.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvDialect.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
/// The operands of the three identities.
struct Convolution {
  Location loc;
  Value map;
  bool allowTf32, allowNondeterministic;

  /// One of x, w and dy is the gradient by the result of an operation that
  /// takes the others: adds the gradients by these.
  void addGradients(OpBuilder &b, Value x, Value w, Value dy,
                    Gradients &gradients) const {
    if (gradients.isActive(x))
      gradients.add(b, loc, x, inputGrad(b, dy, w));
    if (gradients.isActive(dy))
      gradients.add(b, loc, dy, conv(b, x, w, dy.getType()));
    if (gradients.isActive(w))
      gradients.add(b, loc, w, weightGrad(b, x, dy, w));
  }

  Value conv(OpBuilder &b, Value x, Value w, Type y) const {
    return ConvOp::create(b, loc, y, x, w, map, ValueRange(), DataflowAttr(),
                          Attribute(), RowOrderAttr(), allowTf32,
                          allowNondeterministic);
  }
  Value inputGrad(OpBuilder &b, Value dy, Value w) const {
    return InputGradOp::create(b, loc, dy, w, map, DataflowAttr(), Attribute(),
                               RowOrderAttr(), allowTf32,
                               allowNondeterministic);
  }
  Value weightGrad(OpBuilder &b, Value x, Value dy, Value w) const {
    auto weights = cast<RankedTensorType>(w.getType());
    IntegerAttr groups;
    if (weights.getRank() == 4)
      groups = b.getI64IntegerAttr(weights.getDimSize(1));
    return WeightGradOp::create(b, loc, x, dy, map, groups, DataflowAttr(),
                                Attribute(), allowTf32);
  }
};

struct ConvAdjoint
    : DifferentiableOpInterface::ExternalModel<ConvAdjoint, ConvOp> {
  LogicalResult buildAdjoint(Operation *op, OpBuilder &b,
                             ArrayRef<Value> resultGradients,
                             Gradients &gradients) const {
    auto conv = cast<ConvOp>(op);
    Convolution rule{op->getLoc(), conv.getMap(), conv.getAllowTf32(),
                     conv.getAllowNondeterministic()};
    Value dy = resultGradients[0];
    if (conv.hasEpilogue()) {
      FailureOr<Value> sum = buildEpilogue(conv, rule, b, dy, gradients);
      if (failed(sum))
        return failure();
      dy = *sum;
    }
    if (dy)
      rule.addGradients(b, conv.getX(), conv.getW(), dy, gradients);
    return success();
  }

private:
  static FailureOr<Value> buildEpilogue(ConvOp conv, const Convolution &rule,
                                        OpBuilder &b, Value dy,
                                        Gradients &gradients);
};
} // namespace

/// The adjoint of an epilogue: gives the gradient by the sum that it takes.
/// That sum is computed once more, without the epilogue, if the adjoint reads
/// it.
FailureOr<Value> ConvAdjoint::buildEpilogue(ConvOp conv,
                                            const Convolution &rule,
                                            OpBuilder &b, Value dy,
                                            Gradients &gradients) {
  AffineMap rows = b.getMultiDimIdentityMap(2);
  AffineMap channels = AffineMap::get(2, 0, b.getAffineDimExpr(1));
  Value sum = rule.conv(b, conv.getX(), conv.getW(), conv.getY().getType());
  Block &block = conv.getEpilogue().front();
  LoopBody body{conv, &block, 2, {{sum, rows}}, {}, {{dy, rows}}};
  DenseSet<Value> active;
  if (gradients.isActive(conv.getX()) || gradients.isActive(conv.getW()))
    active.insert(sum);
  for (Value extra : conv.getExtras()) {
    bool isRow = cast<RankedTensorType>(extra.getType()).getRank() == 2;
    body.operands.push_back({extra, isRow ? rows : channels});
    if (gradients.isActive(extra))
      active.insert(extra);
  }
  body.yields.push_back(block.getTerminator()->getOperand(0));
  Gradients byOperands(std::move(active));
  if (failed(buildLoopAdjoint(b, body, byOperands)))
    return failure();
  for (Value extra : llvm::SmallSetVector<Value, 4>(conv.getExtras().begin(),
                                                    conv.getExtras().end()))
    if (Value gradient = byOperands.lookup(extra))
      gradients.add(b, conv.getLoc(), extra, gradient);
  Value bySum = byOperands.lookup(sum);
  if (sum.use_empty())
    sum.getDefiningOp()->erase();
  return bySum;
}

namespace {
struct InputGradAdjoint
    : DifferentiableOpInterface::ExternalModel<InputGradAdjoint, InputGradOp> {
  LogicalResult buildAdjoint(Operation *op, OpBuilder &b,
                             ArrayRef<Value> resultGradients,
                             Gradients &gradients) const {
    auto grad = cast<InputGradOp>(op);
    Convolution rule{op->getLoc(), grad.getMap(), grad.getAllowTf32(),
                     grad.getAllowNondeterministic()};
    rule.addGradients(b, resultGradients[0], grad.getW(), grad.getDy(),
                      gradients);
    return success();
  }
};

struct WeightGradAdjoint
    : DifferentiableOpInterface::ExternalModel<WeightGradAdjoint,
                                               WeightGradOp> {
  LogicalResult buildAdjoint(Operation *op, OpBuilder &b,
                             ArrayRef<Value> resultGradients,
                             Gradients &gradients) const {
    auto grad = cast<WeightGradOp>(op);
    Convolution rule{op->getLoc(), grad.getMap(), grad.getAllowTf32(),
                     /*allowNondeterministic=*/false};
    rule.addGradients(b, grad.getX(), resultGradients[0], grad.getDy(),
                      gradients);
    return success();
  }
};
} // namespace

void mlir::sparseconv::registerConvAdjoints(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, SparseConvDialect *) {
    ConvOp::attachInterface<ConvAdjoint>(*context);
    InputGradOp::attachInterface<InputGradAdjoint>(*context);
    WeightGradOp::attachInterface<WeightGradAdjoint>(*context);
  });
}
