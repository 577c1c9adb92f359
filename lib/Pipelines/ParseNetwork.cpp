//===- ParseNetwork.cpp - networks as other programs write them -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Pipelines/ParseNetwork.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

/// The attributes of `given` but for those of unknown dialects.
static DictionaryAttr keepKnown(DictionaryAttr given) {
  auto isKnown = [](NamedAttribute attribute) {
    return attribute.getNameDialect() ||
           !attribute.getName().getValue().contains('.');
  };
  SmallVector<NamedAttribute> known;
  llvm::copy_if(given, std::back_inserter(known), isKnown);
  return DictionaryAttr::get(given.getContext(), known);
}

static void dropUnknownAttributes(Operation *op) {
  op->setDiscardableAttrs(keepKnown(op->getDiscardableAttrDictionary()));
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (DictionaryAttr attributes = function.getArgAttrDict(i))
      function.setArgAttrs(i, keepKnown(attributes));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (DictionaryAttr attributes = function.getResultAttrDict(i))
      function.setResultAttrs(i, keepKnown(attributes));
}

/// Whether `op` is of an unknown dialect, or has types or attributes of one.
static bool isUnknown(Operation *op) {
  AttrTypeWalker walker;
  walker.addWalk([](OpaqueType) { return WalkResult::interrupt(); });
  walker.addWalk([](OpaqueAttr) { return WalkResult::interrupt(); });
  auto holdsUnknown = [&](auto part) {
    return walker.walk(part).wasInterrupted();
  };
  if (!op->isRegistered() || holdsUnknown(op->getAttrDictionary()) ||
      llvm::any_of(op->getResultTypes(), holdsUnknown))
    return true;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (llvm::any_of(block.getArgumentTypes(), holdsUnknown))
        return true;
  return false;
}

OwningOpRef<ModuleOp> mlir::sparseconv::parseNetwork(llvm::SourceMgr &sources,
                                                     MLIRContext &context) {
  bool allowsUnknown = context.allowsUnregisteredDialects();
  context.allowUnregisteredDialects();
  auto module = parseSourceFile<ModuleOp>(sources, &context);
  context.allowUnregisteredDialects(allowsUnknown);
  if (!module)
    return module;
  WalkResult result = module->walk([&](Operation *op) {
    dropUnknownAttributes(op);
    if (allowsUnknown || !isUnknown(op))
      return WalkResult::advance();
    op->emitError("an operation, type or attribute of an unregistered dialect");
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return {};
  return module;
}
