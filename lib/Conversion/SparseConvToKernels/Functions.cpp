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
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

using namespace mlir;
using namespace mlir::sparseconv;

LogicalResult
mlir::sparseconv::verifyFunctions(ModuleOp module,
                                  const TypeConverter &converter) {
  SymbolTableCollection symbols;
  WalkResult result = module.walk([&](Operation *op) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (function && function.isExternal() &&
        !converter.isSignatureLegal(function.getFunctionType())) {
      function.emitError("expects a function that takes or returns a "
                         "coordinate set or kernel map to have a body, but "
                         "found a declaration of '@")
          << function.getName() << "'";
      return WalkResult::interrupt();
    }
    if (auto constant = dyn_cast<func::ConstantOp>(op)) {
      auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(
          op, constant.getValueAttr());
      if (callee && !callee.isExternal()) {
        op->emitError("expects functions with a body to be called directly, "
                      "but found '@")
            << callee.getName() << "' used as a value";
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

void mlir::sparseconv::addStatusArguments(ModuleOp module) {
  Builder builder(module.getContext());
  Type status = MemRefType::get({8}, builder.getI64Type());
  module.walk([&](func::FuncOp function) {
    if (function.isExternal())
      return;
    [[maybe_unused]] LogicalResult result = function.insertArgument(
        function.getNumArguments(), status, {}, function.getLoc());
    assert(succeeded(result) && "func.func takes any type");
  });
  SymbolTableCollection symbols;
  module.walk([&](func::CallOp call) {
    auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    auto caller = call->getParentOfType<func::FuncOp>();
    if (callee && !callee.isExternal())
      call->insertOperands(call.getNumOperands(), caller.getArguments().back());
  });
}

void mlir::sparseconv::endLoopsOnErrors(ModuleOp module) {
  module.walk([](scf::ConditionOp condition) {
    auto function = condition->getParentOfType<func::FuncOp>();
    if (!function)
      return;
    LoopBuilder b(condition.getLoc(), condition);
    Value code = b.load(function.getArguments().back(), b.index(0));
    Value proceed =
        b.andBits(condition.getCondition(), b.equal(code, b.i64(0)));
    condition.getConditionMutable().assign(proceed);
  });
}

SignatureAttributes::SignatureAttributes(ModuleOp module) {
  module.walk([&](func::FuncOp function) {
    Entry entry{function, function.getFunctionType(), {}, {}};
    function.getAllArgAttrs(entry.arguments);
    function.getAllResultAttrs(entry.results);
    function.removeArgAttrsAttr();
    function.removeResAttrsAttr();
    entries.push_back(std::move(entry));
  });
}

/// `attributes` of values of `types`, at the positions that these are converted
/// to.
static SmallVector<DictionaryAttr> expand(ArrayRef<DictionaryAttr> attributes,
                                          TypeRange types,
                                          const TypeConverter &converter) {
  SmallVector<DictionaryAttr> expanded;
  for (auto [attribute, type] : llvm::zip_equal(attributes, types)) {
    SmallVector<Type> converted;
    [[maybe_unused]] LogicalResult result =
        converter.convertType(type, converted);
    assert(succeeded(result) && "the signature has been converted");
    expanded.push_back(attribute);
    expanded.append(converted.size() - 1,
                    DictionaryAttr::get(type.getContext()));
  }
  return expanded;
}

void SignatureAttributes::restore(const TypeConverter &converter) {
  for (Entry &entry : entries) {
    func::FuncOp function = entry.function;
    SmallVector<DictionaryAttr> arguments =
        expand(entry.arguments, entry.type.getInputs(), converter);
    // The status record has none.
    arguments.resize(function.getNumArguments(),
                     DictionaryAttr::get(function.getContext()));
    function.setAllArgAttrs(arguments);
    function.setAllResultAttrs(
        expand(entry.results, entry.type.getResults(), converter));
    if (!function.isPublic() || function.isExternal())
      continue;
    for (auto [number, type] : llvm::enumerate(function.getArgumentTypes()))
      if (isa<TensorType>(type))
        function.setArgAttr(
            number, bufferization::BufferizationDialect::kWritableAttrName,
            BoolAttr::get(function.getContext(), false));
  }
}
