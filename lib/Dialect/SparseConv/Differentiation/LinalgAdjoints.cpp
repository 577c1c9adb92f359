//===- LinalgAdjoints.cpp - adjoints of structured operations -------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Whether `value` is `sum` plus or minus what does not depend on it.
static bool isSumOf(Value value, BlockArgument sum) {
  if (value == sum)
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != sum.getOwner() || !value.hasOneUse())
    return false;
  if (isa<arith::SubFOp>(op))
    return isSumOf(op->getOperand(0), sum);
  return isa<arith::AddFOp>(op) &&
         (isSumOf(op->getOperand(0), sum) || isSumOf(op->getOperand(1), sum));
}

/// Each element of a result is computed once, or is a sum that starts with the
/// element of the init. Otherwise the values in between would be needed.
static LogicalResult verifyResult(linalg::LinalgOp op, unsigned number) {
  OpOperand *init = op.getDpsInitOperand(number);
  AffineMap map = op.getMatchingIndexingMap(init);
  if (!map.isProjectedPermutation())
    return emitNoRule(op, "a result", map);
  if (map.isPermutation())
    return success();
  BlockArgument sum = op.getMatchingBlockArgument(init);
  Value yielded = op.getBlock()->getTerminator()->getOperand(number);
  if (isSumOf(yielded, sum) && sum.hasOneUse())
    return success();
  return op->emitOpError("has no rule for the gradient of a reduction other "
                         "than a sum");
}

/// Whether `value` is computed of `argument`, an argument of its block.
static bool dependsOn(Value value, BlockArgument argument) {
  llvm::SetVector<Value> found;
  found.insert(value);
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i] == argument)
      return true;
    Operation *op = found[i].getDefiningOp();
    if (!op || op->getBlock() != argument.getOwner())
      continue;
    found.insert(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), found);
  }
  return false;
}

/// No result with a gradient reads what another one has combined so far: its
/// values in between would be needed.
static LogicalResult verifyRunningValues(linalg::LinalgOp op,
                                         ArrayRef<Value> resultGradients) {
  ValueRange yields = op.getBlock()->getTerminator()->getOperands();
  for (OpOperand &init : op.getDpsInitsMutable()) {
    BlockArgument running = op.getMatchingBlockArgument(&init);
    if (!running || op.getMatchingIndexingMap(&init).isPermutation())
      continue;
    unsigned own = op.getTiedOpResult(&init).getResultNumber();
    for (auto [number, gradient] : llvm::enumerate(resultGradients))
      if (gradient && number != own && dependsOn(yields[number], running))
        return op->emitOpError("has no rule for the gradient of a result that "
                               "reads what another one has combined so far");
  }
  return success();
}

namespace {
struct StructuredAdjoint {
  static LogicalResult build(linalg::LinalgOp op, OpBuilder &builder,
                             ArrayRef<Value> resultGradients,
                             Gradients &gradients) {
    if (!op.hasPureTensorSemantics())
      return op->emitOpError("has no rule for its gradient on buffers");
    if (failed(verifyRunningValues(op, resultGradients)))
      return failure();
    Block *block = op.getBlock();
    LoopBody body{op, block, op.getNumLoops(), {}, {}, {}};
    // A body may have no arguments for the inits.
    for (OpOperand &operand :
         op->getOpOperands().take_front(block->getNumArguments()))
      body.operands.push_back(
          {operand.get(), op.getMatchingIndexingMap(&operand)});
    for (auto [number, gradient] : llvm::enumerate(resultGradients)) {
      if (gradient && failed(verifyResult(op, number)))
        return failure();
      OpOperand *init = op.getDpsInitOperand(number);
      AffineMap map = op.getMatchingIndexingMap(init);
      body.yields.push_back(block->getTerminator()->getOperand(number));
      body.resultGradients.push_back({gradient, map});
      if (gradient && !map.isPermutation()) {
        body.operands[init->getOperandNumber()].isStart = true;
        gradients.add(builder, op.getLoc(), init->get(), gradient);
      }
    }
    return buildLoopAdjoint(builder, body, gradients);
  }
};

template <typename OpTy>
struct LinalgAdjoint
    : DifferentiableOpInterface::ExternalModel<LinalgAdjoint<OpTy>, OpTy> {
  LogicalResult buildAdjoint(Operation *op, OpBuilder &builder,
                             ArrayRef<Value> resultGradients,
                             Gradients &gradients) const {
    return StructuredAdjoint::build(cast<linalg::LinalgOp>(op), builder,
                                    resultGradients, gradients);
  }
};
} // namespace

template <typename... Ops> static void attachAll(MLIRContext *context) {
  (Ops::template attachInterface<LinalgAdjoint<Ops>>(*context), ...);
}

void mlir::sparseconv::registerLinalgAdjoints(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, linalg::LinalgDialect *dialect) {
        attachAll<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
            >(context);
      });
}
