//===- GradientFunction.cpp - forward and backward in one -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GradientFunction.h"
#include "Activity.h"
#include "Adjoints.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.h"

using namespace mlir;
using namespace mlir::sparseconv;

//===----------------------------------------------------------------------===//
// Functions that are called
//===----------------------------------------------------------------------===//

/// Puts the operations of the called functions in the place of calls. Calls in
/// regions, and of what has no single block, stay.
static void inlineCalls(Block &block) {
  for (Operation *op = &block.front(); op;) {
    auto call = dyn_cast<func::CallOp>(op);
    func::FuncOp callee;
    if (call)
      callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
    if (!callee || !llvm::hasSingleElement(callee.getBody())) {
      op = op->getNextNode();
      continue;
    }
    OpBuilder builder(call);
    IRMapping values;
    values.map(callee.getArguments(), call.getOperands());
    Operation *before = call->getPrevNode();
    for (Operation &inner : callee.front().without_terminator())
      builder.clone(inner, values)->walk([&](Operation *copy) {
        copy->setLoc(CallSiteLoc::get(copy->getLoc(), call.getLoc()));
      });
    for (auto [result, value] : llvm::zip_equal(
             call.getResults(), callee.front().getTerminator()->getOperands()))
      result.replaceAllUsesWith(values.lookupOrDefault(value));
    // What was inlined may call, too.
    op = before ? before->getNextNode() : &block.front();
    if (op == call)
      op = call->getNextNode();
    call.erase();
  }
}

//===----------------------------------------------------------------------===//
// The backward pass
//===----------------------------------------------------------------------===//

static LogicalResult buildAdjoint(Operation &op, OpBuilder &builder,
                                  Gradients &gradients) {
  if (llvm::none_of(op.getResults(),
                    [&](Value value) { return gradients.isActive(value); }))
    return success();
  auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
  if (!differentiable)
    return op.emitOpError("has no rule for its gradient");
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegions(), captured);
  if (llvm::any_of(captured,
                   [&](Value value) { return gradients.isActive(value); }))
    return emitNoRule(&op, "a value that its region captures");
  SmallVector<Value> resultGradients;
  for (Value result : op.getResults())
    resultGradients.push_back(gradients.lookup(result));
  if (llvm::none_of(resultGradients, [](Value value) { return value; }))
    return success();
  builder.setInsertionPoint(op.getBlock()->getTerminator());
  return differentiable.buildAdjoint(builder, resultGradients, gradients);
}

/// Appends the backward pass to the body of `function`.
static LogicalResult appendBackward(GradientFunction gradient,
                                    ArrayRef<unsigned> wrt) {
  Block &block = gradient.function.front();
  Operation *terminator = block.getTerminator();
  SmallVector<Operation *> forward;
  for (Operation &op : block.without_terminator())
    forward.push_back(&op);
  SmallVector<Value> inputs;
  for (unsigned number : wrt)
    inputs.push_back(block.getArgument(number));
  Gradients gradients(findActiveValues(block, inputs));

  OpBuilder builder(terminator);
  unsigned next = gradient.numArguments;
  for (Value result : terminator->getOperands())
    if (isa<RankedTensorType>(result.getType()) &&
        isDifferentiable(result.getType()))
      gradients.add(builder, gradient.function.getLoc(), result,
                    block.getArgument(next++));
  for (Operation *op : llvm::reverse(forward))
    if (failed(buildAdjoint(*op, builder, gradients)))
      return failure();
  builder.setInsertionPoint(terminator);
  for (Value input : inputs) {
    Value sum = gradients.lookup(input);
    if (!sum)
      sum = createZerosLike(builder, gradient.function.getLoc(), input);
    terminator->insertOperands(terminator->getNumOperands(), sum);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The signature
//===----------------------------------------------------------------------===//

/// Attributes of the gradient of what has these attributes.
static DictionaryAttr nameGradient(DictionaryAttr attributes) {
  MLIRContext *context = attributes.getContext();
  Builder builder(context);
  SmallVector<NamedAttribute> named;
  if (auto name = attributes.getAs<StringAttr>(kNameAttr))
    named.push_back(builder.getNamedAttr(
        kNameAttr, builder.getStringAttr(name.getValue() + ".gradient")));
  return builder.getDictionaryAttr(named);
}

static DictionaryAttr getDictionary(func::FuncOp function, ArrayAttr all,
                                    unsigned number) {
  return all ? cast<DictionaryAttr>(all[number])
             : DictionaryAttr::get(function.getContext());
}

/// Adds arguments for the gradients of results and results for the gradients of
/// arguments.
static LogicalResult extendSignature(func::FuncOp function,
                                     ArrayRef<unsigned> wrt) {
  FunctionType type = function.getFunctionType();
  ArrayAttr results = function.getAllResultAttrs();
  ArrayAttr arguments = function.getAllArgAttrs();
  for (auto [number, result] : llvm::enumerate(type.getResults()))
    if (isa<RankedTensorType>(result) && isDifferentiable(result))
      if (failed(function.insertArgument(
              function.getNumArguments(), result,
              nameGradient(getDictionary(function, results, number)),
              function.getLoc())))
        return failure();
  for (unsigned number : wrt)
    if (failed(function.insertResult(
            function.getNumResults(), type.getInput(number),
            nameGradient(getDictionary(function, arguments, number)))))
      return failure();
  return success();
}

LogicalResult mlir::sparseconv::insertBehind(func::FuncOp original,
                                             func::FuncOp function,
                                             StringRef suffix) {
  auto name =
      StringAttr::get(original.getContext(), original.getName() + suffix);
  if (SymbolTable::lookupSymbolIn(original->getParentOp(), name)) {
    function.erase();
    return original.emitOpError("cannot be differentiated: there is a @")
           << name.getValue() << " already";
  }
  function.setName(name);
  function.setPublic();
  original->getBlock()->getOperations().insertAfter(original->getIterator(),
                                                    function);
  return success();
}

/// What asks for the size of a value asks for the sizes of what it was computed
/// from, and need not keep it. What is left where that does not end is right,
/// too.
static void resolveSizes(func::FuncOp function) {
  RewritePatternSet patterns(function.getContext());
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  (void)applyPatternsGreedily(function, std::move(patterns));
}

FailureOr<GradientFunction> mlir::sparseconv::buildGradientFunction(
    func::FuncOp original, ArrayRef<unsigned> wrt, StringRef suffix) {
  GradientFunction gradient{original.clone(), original.getNumArguments(),
                            original.getNumResults()};
  if (failed(insertBehind(original, gradient.function, suffix)))
    return failure();
  inlineCalls(gradient.function.front());
  if (failed(extendSignature(gradient.function, wrt)) ||
      failed(appendBackward(gradient, wrt))) {
    gradient.function.erase();
    return failure();
  }
  resolveSizes(gradient.function);
  return gradient;
}
