//===- KeepResults.cpp - forward and backward as two functions ------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the backward pass reads of the forward pass is kept where it is a tensor
// of floats. Sets, maps and numbers of rows, which no function returns or which
// follow from sets, are computed again, and so are constants.
//
//===----------------------------------------------------------------------===//

#include "Activity.h"
#include "GradientFunction.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "sparseconv/Dialect/SparseConv/Differentiation/DifferentiableOpInterface.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// The operations of `block` that the first `numResults` operands of its
/// terminator are computed by.
static DenseSet<Operation *> findForward(Block &block, unsigned numResults) {
  DenseSet<Operation *> forward;
  auto add = [&](Value value) {
    if (Operation *op = value.getDefiningOp())
      forward.insert(op);
  };
  Operation *terminator = block.getTerminator();
  llvm::for_each(terminator->getOperands().take_front(numResults), add);
  for (Operation &op : llvm::reverse(block.without_terminator()))
    if (forward.contains(&op))
      llvm::for_each(findReadValues(op), add);
  return forward;
}

static bool isKept(Value value) {
  Operation *op = value.getDefiningOp();
  return isa<RankedTensorType>(value.getType()) &&
         isDifferentiable(value.getType()) &&
         !op->hasTrait<OpTrait::ConstantLike>() &&
         !isa<linalg::FillOp, tensor::EmptyOp, tensor::SplatOp>(op);
}

/// The values of the forward pass that the backward pass keeps, in order.
static SmallVector<Value> findKept(Block &block, unsigned numResults) {
  DenseSet<Operation *> forward = findForward(block, numResults);
  DenseSet<Value> read;
  Operation *terminator = block.getTerminator();
  read.insert_range(terminator->getOperands().drop_front(numResults));
  // What is not kept is computed again, and what it reads is read.
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    bool isComputed = !forward.contains(&op) ||
                      llvm::any_of(op.getResults(), [&](Value value) {
                        return read.contains(value) && !isKept(value);
                      });
    if (isComputed)
      read.insert_range(findReadValues(op));
  }
  SmallVector<Value> kept;
  for (Operation &op : block.without_terminator())
    if (forward.contains(&op))
      for (Value result : op.getResults())
        if (read.contains(result) && isKept(result))
          kept.push_back(result);
  return kept;
}

/// The name of a kept value, as a result of one function and an argument of the
/// other.
static DictionaryAttr nameKept(MLIRContext *context, unsigned number) {
  Builder b(context);
  return b.getDictionaryAttr(
      b.getNamedAttr(kNameAttr, b.getStringAttr("kept." + Twine(number))));
}

static void eraseWhatIsNotRead(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  (void)runRegionDCE(rewriter, function->getRegions());
}

/// Makes `function` return its first results and `kept`.
static LogicalResult returnKept(func::FuncOp function,
                                const GradientFunction &gradient,
                                ArrayRef<Value> kept) {
  Operation *terminator = function.front().getTerminator();
  unsigned count = function.getNumResults() - gradient.numResults;
  llvm::BitVector erased(function.getNumResults());
  erased.set(gradient.numResults, function.getNumResults());
  terminator->eraseOperands(gradient.numResults, count);
  if (failed(function.eraseResults(erased)))
    return failure();
  for (auto [number, value] : llvm::enumerate(kept)) {
    terminator->insertOperands(terminator->getNumOperands(), value);
    if (failed(function.insertResult(function.getNumResults(), value.getType(),
                                     nameKept(function.getContext(), number))))
      return failure();
  }
  eraseWhatIsNotRead(function);
  llvm::BitVector arguments(function.getNumArguments());
  arguments.set(gradient.numArguments, function.getNumArguments());
  return function.eraseArguments(arguments);
}

/// Makes `function` take `kept` and return the gradients alone.
static LogicalResult takeKept(const GradientFunction &gradient,
                              ArrayRef<Value> kept) {
  func::FuncOp function = gradient.function;
  for (unsigned number = 0; number < kept.size(); ++number) {
    Value value = kept[number];
    unsigned position = gradient.numArguments + number;
    if (failed(function.insertArgument(position, value.getType(),
                                       nameKept(function.getContext(), number),
                                       value.getLoc())))
      return failure();
    value.replaceAllUsesWith(function.getArgument(position));
  }
  llvm::BitVector erased(function.getNumResults());
  erased.set(0, gradient.numResults);
  function.front().getTerminator()->eraseOperands(0, gradient.numResults);
  if (failed(function.eraseResults(erased)))
    return failure();
  eraseWhatIsNotRead(function);
  return success();
}

LogicalResult mlir::sparseconv::keepResults(func::FuncOp original,
                                            GradientFunction gradient) {
  SmallVector<Value> kept =
      findKept(gradient.function.front(), gradient.numResults);
  IRMapping values;
  auto forward = cast<func::FuncOp>(gradient.function->clone(values));
  if (failed(insertBehind(original, forward, "_forward")))
    return failure();
  SmallVector<Value> returned = llvm::map_to_vector(
      kept, [&](Value value) { return values.lookup(value); });
  return success(succeeded(returnKept(forward, gradient, returned)) &&
                 succeeded(takeKept(gradient, kept)));
}
