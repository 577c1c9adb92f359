//===- LoopBody.cpp - adjoints of loops around scalars --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   y[i, c] = body(x[i, c], s[c])
//
// has the gradients
//
//   dx[i, c] = dy[i, c] * (d body / d x)(x[i, c], s[c])
//   ds[c]    = sum over i of dy[i, c] * (d body / d s)(x[i, c], s[c])
//
// Each is one `linalg.generic`: the body again as far as it is read, and behind
// it the adjoints of its operations in reverse.
//
//===----------------------------------------------------------------------===//

#include "LoopBody.h"
#include "ScalarAdjoints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
/// Builds the gradient by one operand.
class OperandAdjoint {
public:
  OperandAdjoint(OpBuilder &builder, const LoopBody &body, unsigned number,
                 const ScalarActivity &active)
      : builder(builder), body(body), target(body.operands[number]),
        argument(body.block->getArgument(number)), active(active),
        block(std::make_unique<Block>()) {}

  /// The gradient, or null where no result depends on the operand.
  FailureOr<Value> build();

private:
  /// Computes the gradient by an element in `block`; null where it is zero.
  FailureOr<Value> buildElement(const ScalarActivity &wanted);
  void addArguments(IRMapping &values, OpBuilder &inside);
  /// The tensor that all elements are, in its order; null if there is none.
  Value findWhole(Value element);
  void storeElement(Value element);
  void removeWhatIsNotRead();
  Value createStart();
  OpFoldResult getSize(int64_t axis);
  bool isReduction() const {
    return target.map.getNumResults() < body.numLoops;
  }
  FloatType getStoredType() const {
    auto element = cast<FloatType>(getElementTypeOrSelf(target.value));
    // A sum of many terms does not fit a narrow type.
    return isReduction() ? getWideType(element) : element;
  }

  OpBuilder &builder;
  const LoopBody &body;
  const Access &target;
  BlockArgument argument;
  const ScalarActivity &active;
  /// The body of the new operation, and what its arguments stand for.
  std::unique_ptr<Block> block;
  SmallVector<Access> inputs;
  /// For each result its gradient as an argument of the block, or null.
  SmallVector<Value> yieldGradients;
};
} // namespace

void OperandAdjoint::addArguments(IRMapping &values, OpBuilder &inside) {
  Location loc = body.op->getLoc();
  auto addArgument = [&](const Access &access) {
    inputs.push_back(access);
    return block->addArgument(getElementTypeOrSelf(access.value), loc);
  };
  SmallVector<Value> read;
  for (const Access &operand : body.operands)
    read.push_back(addArgument(operand));
  for (const Access &gradient : body.resultGradients)
    yieldGradients.push_back(gradient.value ? addArgument(gradient) : Value());
  for (auto [value, original] :
       llvm::zip_equal(read, body.block->getArguments())) {
    Value element = value;
    if (element.getType() != original.getType())
      element = arith::ExtFOp::create(inside, loc, original.getType(), element);
    values.map(original, element);
  }
}

FailureOr<Value> OperandAdjoint::buildElement(const ScalarActivity &wanted) {
  OpBuilder inside(body.op->getContext());
  inside.setInsertionPointToEnd(block.get());
  IRMapping values;
  addArguments(values, inside);
  auto computations = llvm::make_filter_range(*body.block, [](Operation &op) {
    return !op.hasTrait<OpTrait::IsTerminator>();
  });
  for (Operation &op : computations)
    inside.clone(op, values);
  ScalarGradients scalars(inside, body.op->getLoc(), values, active, wanted);
  for (auto [yield, gradient] : llvm::zip_equal(body.yields, yieldGradients))
    if (gradient)
      scalars.add(yield, gradient);
  for (Operation &op : llvm::reverse(computations))
    if (failed(scalars.buildAdjoint(&op)))
      return failure();
  Value element = scalars.lookup(argument);
  if (!element)
    return Value();
  scalars.b.setLoc(body.op->getLoc());
  return scalars.convert(element, getStoredType());
}

Value OperandAdjoint::findWhole(Value element) {
  auto read = dyn_cast<BlockArgument>(element);
  if (!read || read.getOwner() != block.get() || isReduction() ||
      inputs[read.getArgNumber()].map != target.map)
    return Value();
  return inputs[read.getArgNumber()].value;
}

/// Ends the block: the element is the result, or is added to it.
void OperandAdjoint::storeElement(Value element) {
  Location loc = body.op->getLoc();
  OpBuilder inside(body.op->getContext());
  inside.setInsertionPointToEnd(block.get());
  Value sum = block->addArgument(getStoredType(), loc);
  if (isReduction())
    element = arith::AddFOp::create(inside, loc, sum, element);
  linalg::YieldOp::create(inside, loc, element);
}

void OperandAdjoint::removeWhatIsNotRead() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
    if (isOpTriviallyDead(&op))
      op.erase();
  // Operands stay, too, where no other says how often a loop runs.
  llvm::SmallBitVector covered(body.numLoops);
  auto cover = [&](AffineMap map) {
    for (AffineExpr result : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(result))
        covered.set(dim.getPosition());
  };
  cover(target.map);
  for (auto [input, value] : llvm::zip(inputs, block->getArguments()))
    if (!value.use_empty())
      cover(input.map);
  for (int64_t i = inputs.size() - 1; i >= 0; --i) {
    if (!block->getArgument(i).use_empty())
      continue;
    llvm::SmallBitVector before = covered;
    cover(inputs[i].map);
    if (covered != before)
      continue;
    block->eraseArgument(i);
    inputs.erase(inputs.begin() + i);
  }
}

/// A size of the operand; gradients by results are read rather than operands.
OpFoldResult OperandAdjoint::getSize(int64_t axis) {
  Location loc = body.op->getLoc();
  auto type = cast<RankedTensorType>(target.value.getType());
  if (type.isDynamicDim(axis))
    for (const Access &gradient : body.resultGradients)
      if (gradient.value)
        if (std::optional<unsigned> position =
                gradient.map.getResultPosition(target.map.getResult(axis)))
          return tensor::getMixedSize(builder, loc, gradient.value, *position);
  return tensor::getMixedSize(builder, loc, target.value, axis);
}

Value OperandAdjoint::createStart() {
  SmallVector<OpFoldResult> sizes;
  for (unsigned axis = 0; axis < target.map.getNumResults(); ++axis)
    sizes.push_back(getSize(axis));
  Location loc = body.op->getLoc();
  if (isReduction())
    return createFilled(builder, loc, sizes, getStoredType(), 0);
  return tensor::EmptyOp::create(builder, loc, sizes, getStoredType());
}

FailureOr<Value> OperandAdjoint::build() {
  ScalarActivity wanted(*body.block, {argument});
  FailureOr<Value> element = buildElement(wanted);
  if (failed(element) || !*element)
    return element;
  if (!target.map.isProjectedPermutation())
    return emitNoRule(body.op, "an operand", target.map);
  if (Value whole = findWhole(*element))
    return whole;
  storeElement(*element);
  removeWhatIsNotRead();

  Location loc = body.op->getLoc();
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;
  for (const Access &input : inputs) {
    values.push_back(input.value);
    maps.push_back(input.map);
  }
  maps.push_back(target.map);
  SmallVector<utils::IteratorType> iterators;
  for (unsigned dim = 0; dim < body.numLoops; ++dim)
    iterators.push_back(target.map.isFunctionOfDim(dim)
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);
  Value start = createStart();
  auto generic = linalg::GenericOp::create(builder, loc, start.getType(),
                                           values, start, maps, iterators);
  generic.getRegion().push_back(block.release());
  Value gradient = generic.getResult(0);
  Type narrow = getElementTypeOrSelf(target.value);
  if (getStoredType() == narrow)
    return gradient;
  Type type = cast<RankedTensorType>(gradient.getType()).clone(narrow);
  return Value(arith::TruncFOp::create(builder, loc, type, gradient));
}

LogicalResult mlir::sparseconv::buildLoopAdjoint(OpBuilder &builder,
                                                 const LoopBody &body,
                                                 Gradients &gradients) {
  SmallVector<BlockArgument> activeArguments;
  for (auto [operand, argument] :
       llvm::zip_equal(body.operands, body.block->getArguments()))
    if (gradients.isActive(operand.value))
      activeArguments.push_back(argument);
  ScalarActivity active(*body.block, activeArguments);
  for (BlockArgument argument : activeArguments) {
    unsigned number = argument.getArgNumber();
    if (body.operands[number].isStart)
      continue;
    if (!isa<RankedTensorType>(body.operands[number].value.getType()))
      return emitNoRule(body.op, "a scalar");
    FailureOr<Value> gradient =
        OperandAdjoint(builder, body, number, active).build();
    if (failed(gradient))
      return failure();
    if (*gradient)
      gradients.add(builder, body.op->getLoc(), body.operands[number].value,
                    *gradient);
  }
  return success();
}
