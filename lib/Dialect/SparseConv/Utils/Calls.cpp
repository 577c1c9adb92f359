//===- Calls.cpp - functions that call each other -------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/Utils/Calls.h"
#include "mlir/Analysis/CallGraph.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// The operations of a function and of what it calls. `sizes` has those of all
/// that it calls.
static uint64_t countInlined(Operation *function,
                             const llvm::DenseMap<Operation *, uint64_t> &sizes,
                             SymbolTableCollection &symbols) {
  uint64_t count = 0;
  function->walk([&](Operation *op) {
    auto call = dyn_cast<CallOpInterface>(op);
    Operation *callee = call ? call.resolveCallableInTable(&symbols) : nullptr;
    count = llvm::SaturatingAdd(count, uint64_t(1), sizes.lookup(callee));
  });
  return count;
}

LogicalResult mlir::sparseconv::verifyCalls(ModuleOp module) {
  CallGraph calls(module);
  SymbolTableCollection symbols;
  llvm::DenseMap<Operation *, uint64_t> sizes;
  llvm::SmallPtrSet<Operation *, 4> recursive;
  // What a function calls comes before it.
  for (auto group = llvm::scc_begin(&std::as_const(calls)); !group.isAtEnd();
       ++group)
    for (const CallGraphNode *node : *group) {
      if (node->isExternal())
        continue;
      Operation *function = node->getCallableRegion()->getParentOp();
      if (group.hasCycle())
        recursive.insert(function);
      sizes[function] = countInlined(function, sizes, symbols);
    }
  for (auto function : module.getOps<func::FuncOp>()) {
    if (recursive.contains(function))
      return function.emitOpError(
          "calls itself, or is called by what it calls");
    if (sizes.lookup(function) > kMaxInlinedOperations)
      return function.emitOpError("has more than ")
             << kMaxInlinedOperations
             << " operations once its calls are inlined";
  }
  return success();
}

func::FuncOp mlir::sparseconv::declareFunction(ModuleOp module, StringRef name,
                                               FunctionType type) {
  if (auto function = module.lookupSymbol<func::FuncOp>(name))
    return function;
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  auto function = func::FuncOp::create(builder, module.getLoc(), name, type);
  function.setPrivate();
  return function;
}
