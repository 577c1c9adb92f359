//===- ElementwiseAdjoints.cpp - adjoints of arith and math on tensors ----===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// A choice between whole tensors by one condition.
static LogicalResult buildChoice(arith::SelectOp op, OpBuilder &builder,
                                 Value gradient, Gradients &gradients) {
  Location loc = op.getLoc();
  Value condition = op.getCondition();
  Value zeros = createZerosLike(builder, loc, gradient);
  if (gradients.isActive(op.getTrueValue()))
    gradients.add(
        builder, loc, op.getTrueValue(),
        arith::SelectOp::create(builder, loc, condition, gradient, zeros));
  if (gradients.isActive(op.getFalseValue()))
    gradients.add(
        builder, loc, op.getFalseValue(),
        arith::SelectOp::create(builder, loc, condition, zeros, gradient));
  return success();
}

/// The same operation on scalars is the body of loops over all elements.
static LogicalResult buildElementwise(Operation *op, OpBuilder &builder,
                                      Value gradient, Gradients &gradients) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type)
    return op->emitOpError("has no rule for its gradient on ")
           << op->getResult(0).getType();
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  Block block;
  LoopBody body{op, &block, static_cast<unsigned>(type.getRank()), {}, {}, {}};
  for (Value operand : op->getOperands()) {
    body.operands.push_back({operand, identity});
    Type element = getElementTypeOrSelf(operand);
    // An operand may be there twice: each has its argument.
    block.addArgument(element, op->getLoc());
  }
  OpBuilder inside(op->getContext());
  inside.setInsertionPointToEnd(&block);
  OperationState state(op->getLoc(), op->getName(),
                       ValueRange(block.getArguments()), type.getElementType(),
                       op->getAttrs());
  Operation *scalar = inside.create(state);
  body.yields.push_back(scalar->getResult(0));
  body.resultGradients.push_back({gradient, identity});
  return buildLoopAdjoint(builder, body, gradients);
}

namespace {
template <typename OpTy>
struct ElementwiseAdjoint
    : DifferentiableOpInterface::ExternalModel<ElementwiseAdjoint<OpTy>, OpTy> {
  LogicalResult buildAdjoint(Operation *op, OpBuilder &builder,
                             ArrayRef<Value> resultGradients,
                             Gradients &gradients) const {
    if (auto choice = dyn_cast<arith::SelectOp>(op))
      if (!isa<RankedTensorType>(choice.getCondition().getType()) &&
          isa<RankedTensorType>(choice.getType()))
        return buildChoice(choice, builder, resultGradients[0], gradients);
    return buildElementwise(op, builder, resultGradients[0], gradients);
  }
};
} // namespace

template <typename... Ops> static void attachAll(MLIRContext *context) {
  (Ops::template attachInterface<ElementwiseAdjoint<Ops>>(*context), ...);
}

void mlir::sparseconv::registerElementwiseAdjoints(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attachAll<arith::AddFOp, arith::DivFOp, arith::ExtFOp, arith::MaximumFOp,
              arith::MaxNumFOp, arith::MinimumFOp, arith::MinNumFOp,
              arith::MulFOp, arith::NegFOp, arith::SelectOp, arith::SubFOp,
              arith::TruncFOp>(context);
  });
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    attachAll<math::AbsFOp, math::AtanOp, math::CeilOp, math::CosOp,
              math::ErfOp, math::Exp2Op, math::ExpM1Op, math::ExpOp,
              math::FloorOp, math::FmaOp, math::Log10Op, math::Log1pOp,
              math::Log2Op, math::LogOp, math::PowFOp, math::RoundEvenOp,
              math::RoundOp, math::RsqrtOp, math::SinOp, math::SqrtOp,
              math::TanhOp, math::TruncOp>(context);
  });
}
