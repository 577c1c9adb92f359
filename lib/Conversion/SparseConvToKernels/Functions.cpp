//===- Functions.cpp - functions around networks --------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/DialectConversion.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/IR/StatusArgument.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

using namespace mlir;
using namespace mlir::sparseconv;

bool mlir::sparseconv::isNetworkOp(Operation *op) {
  return isa_and_nonnull<SparseConvDialect>(op->getDialect()) &&
         !isKernelOp(op) && !isa<YieldOp>(op);
}

/// The function with a body that `op` calls directly, or null.
static FunctionOpInterface getCallee(Operation *op,
                                     SymbolTableCollection &symbols) {
  auto call = dyn_cast<CallOpInterface>(op);
  if (!call)
    return {};
  auto callee = dyn_cast_or_null<FunctionOpInterface>(
      call.resolveCallableInTable(&symbols));
  return callee && !callee.isExternal() ? callee : FunctionOpInterface();
}

static bool isSignatureLegal(FunctionOpInterface function,
                             const TypeConverter &converter) {
  return converter.isLegal(function.getArgumentTypes()) &&
         converter.isLegal(function.getResultTypes());
}

NetworkFunctions::NetworkFunctions(ModuleOp module,
                                   const TypeConverter &converter, bool every) {
  SymbolTableCollection symbols;
  llvm::MapVector<Operation *, SmallVector<Operation *>> callers;
  SmallVector<Operation *> found;
  auto add = [&](Operation *function) {
    if (all.insert(function).second)
      found.push_back(function);
  };
  auto addDirect = [&](Operation *function) {
    direct.insert(function);
    add(function);
  };
  module.walk([&](Operation *op) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (function) {
      if (!function.isExternal() &&
          (every || !isSignatureLegal(function, converter)))
        addDirect(function);
      return;
    }
    function = op->getParentOfType<FunctionOpInterface>();
    if (!function)
      return;
    if (isNetworkOp(op) || !converter.isLegal(op))
      addDirect(function);
    if (Operation *callee = getCallee(op, symbols))
      callers[callee].push_back(function);
  });
  for (size_t i = 0; i < found.size(); ++i)
    llvm::for_each(callers.lookup(found[i]), add);
  module.walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
    if (contains(function))
      inOrder.push_back(function);
  });
}

void NetworkFunctions::walk(function_ref<void(Operation *)> body) const {
  for (FunctionOpInterface function : inOrder)
    function.getFunctionBody().walk<WalkOrder::PreOrder>(
        [&](Operation *op) { body(op); });
}

/// Errors where the types of `function` cannot be converted.
static LogicalResult verifySignature(FunctionOpInterface function,
                                     const TypeConverter &converter) {
  if (isSignatureLegal(function, converter))
    return success();
  if (function.isExternal())
    return function->emitError("expects a function that takes or returns a "
                               "coordinate set or kernel map to have a body, "
                               "but found a declaration of '@")
           << function.getName() << "'";
  if (!isa<func::FuncOp>(function))
    return function->emitError("expects what takes or returns a coordinate set "
                               "or kernel map to be a func.func, but found '")
           << function->getName() << "'";
  return success();
}

LogicalResult
mlir::sparseconv::verifyFunctions(ModuleOp module,
                                  const NetworkFunctions &functions,
                                  const TypeConverter &converter) {
  SymbolTableCollection symbols;
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      return verifySignature(function, converter);
    if (auto constant = dyn_cast<func::ConstantOp>(op)) {
      auto callee = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
          op, constant.getValueAttr());
      if (callee && functions.contains(callee))
        return op->emitError("expects functions with a body to be called "
                             "directly, but found '@")
               << callee.getName() << "' used as a value";
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

void mlir::sparseconv::addStatusArguments(const NetworkFunctions &functions) {
  for (FunctionOpInterface function : functions.getAll()) {
    [[maybe_unused]] LogicalResult result = function.insertArgument(
        function.getNumArguments(), getStatusType(function.getContext()), {},
        function.getLoc());
    assert(succeeded(result) && "functions take any type");
  }
  SymbolTableCollection symbols;
  functions.walk([&](Operation *op) {
    Operation *callee = getCallee(op, symbols);
    if (!callee || !functions.contains(callee))
      return;
    auto caller = op->getParentOfType<FunctionOpInterface>();
    cast<CallOpInterface>(op).getArgOperandsMutable().append(
        caller.getArguments().back());
  });
}

void mlir::sparseconv::endLoopsOnErrors(const NetworkFunctions &functions) {
  functions.walk([](Operation *op) {
    auto condition = dyn_cast<scf::ConditionOp>(op);
    if (!condition)
      return;
    auto function = condition->getParentOfType<FunctionOpInterface>();
    LoopBuilder b(condition.getLoc(), condition);
    Value code = b.load(function.getArguments().back(), b.index(0));
    Value proceed =
        b.andBits(condition.getCondition(), b.equal(code, b.i64(0)));
    condition.getConditionMutable().assign(proceed);
  });
}

NetworkSignatures::NetworkSignatures(const NetworkFunctions &functions)
    : functions(functions.getAll()) {
  for (FunctionOpInterface function : functions.getAll())
    if (isa<func::FuncOp>(function))
      entries.push_back(
          {SignatureAttributes(function), functions.isDirect(function)});
}

void NetworkSignatures::restore(const TypeConverter &converter) {
  for (Entry &entry : entries) {
    entry.attributes.restore(converter);
    FunctionOpInterface function = entry.attributes.getFunction();
    if (!function.isPublic() || !entry.isDirect)
      continue;
    for (auto [number, type] : llvm::enumerate(function.getArgumentTypes()))
      if (isa<TensorType>(type))
        function.setArgAttr(
            number, bufferization::BufferizationDialect::kWritableAttrName,
            BoolAttr::get(function.getContext(), false));
  }
  llvm::for_each(functions, markStatusArgument);
}
