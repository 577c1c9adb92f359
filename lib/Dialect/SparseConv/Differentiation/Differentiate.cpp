//===- Differentiate.cpp - the gradient of functions ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GradientFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"
#include "sparseconv/Dialect/SparseConv/Differentiation/DifferentiableOpInterface.h"
#include "sparseconv/Dialect/SparseConv/Differentiation/Passes.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvDialect.h"
#include "sparseconv/Dialect/SparseConv/Utils/Calls.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVDIFFERENTIATE
#include "sparseconv/Dialect/SparseConv/Differentiation/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

static bool isTensorOfFloats(Type type) {
  return isa<RankedTensorType>(type) && isDifferentiable(type);
}

/// Whether `function`, or one that it calls, has operations of ours. Those in
/// `known` have been asked.
static bool usesDialect(func::FuncOp function, DenseSet<Operation *> &known) {
  if (!function || !known.insert(function).second)
    return false;
  return function
      .walk([&](Operation *op) {
        bool uses = isa_and_nonnull<SparseConvDialect>(op->getDialect());
        if (auto call = dyn_cast<func::CallOp>(op))
          uses = usesDialect(SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
                                 call, call.getCalleeAttr()),
                             known);
        return uses ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether `function` is differentiated where none is named.
static bool isChosen(func::FuncOp function) {
  DenseSet<Operation *> known;
  return function.isPublic() &&
         llvm::any_of(function.getArgumentTypes(), isTensorOfFloats) &&
         llvm::any_of(function.getResultTypes(), isTensorOfFloats) &&
         usesDialect(function, known);
}

/// The argument that `text` gives the position or the name of.
static FailureOr<unsigned> findArgument(func::FuncOp function, StringRef text) {
  std::optional<unsigned> found;
  unsigned position;
  if (!text.getAsInteger(10, position))
    found = position;
  else
    for (unsigned number = 0; number < function.getNumArguments(); ++number)
      if (getArgumentName(function, number) == text)
        found = number;
  if (!found || *found >= function.getNumArguments())
    return function.emitOpError("cannot be differentiated: it has no argument ")
           << text;
  Type type = function.getArgumentTypes()[*found];
  if (!isTensorOfFloats(type))
    return function.emitOpError("cannot be differentiated by argument ")
           << text << ": " << type << " is no tensor of floats";
  return *found;
}

namespace {
struct Differentiate
    : mlir::sparseconv::impl::SparseConvDifferentiateBase<Differentiate> {
  using SparseConvDifferentiateBase::SparseConvDifferentiateBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    SparseConvDifferentiateBase::getDependentDialects(registry);
    registerDifferentiableOpInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    FailureOr<SmallVector<func::FuncOp>> chosen = chooseFunctions();
    if (failed(chosen) || failed(verifyCalls(getOperation())))
      return signalPassFailure();
    for (func::FuncOp function : *chosen)
      if (failed(differentiate(function)))
        return signalPassFailure();
  }

private:
  FailureOr<SmallVector<func::FuncOp>> chooseFunctions() {
    SmallVector<func::FuncOp> chosen;
    if (functions.empty())
      for (auto function : getOperation().getOps<func::FuncOp>())
        if (isChosen(function))
          chosen.push_back(function);
    for (const std::string &name : functions) {
      auto function = dyn_cast_or_null<func::FuncOp>(
          SymbolTable::lookupSymbolIn(getOperation(), name));
      if (!function)
        return getOperation().emitError("there is no function @") << name;
      chosen.push_back(function);
    }
    return chosen;
  }

  FailureOr<SmallVector<unsigned>> chooseArguments(func::FuncOp function) {
    SmallVector<unsigned> chosen;
    for (const std::string &text : wrt) {
      FailureOr<unsigned> argument = findArgument(function, text);
      if (failed(argument))
        return failure();
      if (!llvm::is_contained(chosen, *argument))
        chosen.push_back(*argument);
    }
    if (wrt.empty())
      for (auto [number, type] : llvm::enumerate(function.getArgumentTypes()))
        if (isTensorOfFloats(type))
          chosen.push_back(number);
    return chosen;
  }

  LogicalResult differentiate(func::FuncOp function) {
    if (!llvm::hasSingleElement(function.getBody()))
      return function.emitOpError("cannot be differentiated: expected a body "
                                  "of one block");
    if (llvm::none_of(function.getResultTypes(), isTensorOfFloats))
      return function.emitOpError("cannot be differentiated: no result is a "
                                  "tensor of floats");
    FailureOr<SmallVector<unsigned>> arguments = chooseArguments(function);
    if (failed(arguments))
      return failure();
    if (arguments->empty())
      return function.emitOpError("cannot be differentiated: no argument is a "
                                  "tensor of floats");
    bool isSplit = keep == Keep::Results;
    FailureOr<GradientFunction> gradient = buildGradientFunction(
        function, *arguments, isSplit ? "_backward" : "_gradient");
    if (failed(gradient))
      return failure();
    return isSplit ? keepResults(function, *gradient) : success();
  }
};
} // namespace
