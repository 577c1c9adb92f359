//===- ParseNetwork.cpp - networks as other programs write them -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Pipelines/ParseNetwork.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Parser/Parser.h"
#include "sparseconv/Dialect/SparseConv/IR/EntryNames.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvDialect.h"
#include "sparseconv/Dialect/SparseConv/Transforms/EqualRows.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::sparseconv;

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

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Whether a value has its name from its author: printed IR counts values, as
/// in %0, and arguments, as in %arg0.
static bool isGivenName(StringRef name) {
  StringRef number = name;
  number.consume_front("arg");
  return number.empty() || !llvm::all_of(number, llvm::isDigit);
}

/// Names the arguments of a function that have no name as the text does, but
/// for names that others have.
static void nameArguments(func::FuncOp function, const AsmParserState &text) {
  const AsmParserState::BlockDefinition *block =
      text.getBlockDef(&function.getBody().front());
  if (!block || block->arguments.size() != function.getNumArguments())
    return;
  llvm::StringSet<> taken;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    taken.insert(getArgumentName(function, i));
  for (auto [i, argument] : llvm::enumerate(block->arguments)) {
    const char *start = argument.loc.Start.getPointer();
    StringRef name(start, argument.loc.End.getPointer() - start);
    name.consume_front("%");
    if (function.getArgAttr(i, kNameAttr) || !isGivenName(name) ||
        !taken.insert(name).second)
      continue;
    function.setArgAttr(i, kNameAttr,
                        StringAttr::get(function.getContext(), name));
  }
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// Parses text or bytecode. Text names values, which `names` is told.
static OwningOpRef<ModuleOp> parseModule(const llvm::SourceMgr &sources,
                                         MLIRContext &context,
                                         AsmParserState &names) {
  const llvm::MemoryBuffer &file =
      *sources.getMemoryBuffer(sources.getMainFileID());
  ParserConfig config(&context);
  if (isBytecode(file))
    return parseSourceFile<ModuleOp>(sources, config);
  Block block;
  if (failed(parseAsmSourceFile(sources, &block, config, &names)))
    return {};
  auto start =
      FileLineColLoc::get(&context, file.getBufferIdentifier(), /*line=*/0,
                          /*column=*/0);
  return mlir::detail::constructContainerOpForParserIfNecessary<ModuleOp>(
      &block, &context, start);
}

OwningOpRef<ModuleOp> mlir::sparseconv::parseNetwork(llvm::SourceMgr &sources,
                                                     MLIRContext &context) {
  bool allowsUnknown = context.allowsUnregisteredDialects();
  context.allowUnregisteredDialects();
  AsmParserState names;
  OwningOpRef<ModuleOp> module = parseModule(sources, context, names);
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
  context.loadDialect<SparseConvDialect>();
  for (auto function : module->getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    nameArguments(function, names);
    findEqualRows(function);
  }
  return module;
}
