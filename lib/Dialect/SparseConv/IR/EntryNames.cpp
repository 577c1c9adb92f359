//===- EntryNames.cpp - names of arguments and results --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/IR/EntryNames.h"

using namespace mlir;

std::string mlir::sparseconv::getArgumentName(FunctionOpInterface function,
                                              unsigned number) {
  if (auto name = function.getArgAttrOfType<StringAttr>(number, kNameAttr))
    return name.str();
  return "arg" + std::to_string(number);
}

std::string mlir::sparseconv::getResultName(FunctionOpInterface function,
                                            unsigned number) {
  if (auto name = function.getResultAttrOfType<StringAttr>(number, kNameAttr))
    return name.str();
  return "result" + std::to_string(number);
}

/// Whether the rows of an argument are counted by each call.
static bool hasDynamicRows(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasRank() && shaped.getRank() > 0 &&
         shaped.isDynamicDim(0);
}

std::optional<unsigned>
mlir::sparseconv::getEqualRows(FunctionOpInterface function, unsigned number) {
  auto name = function.getArgAttrOfType<StringAttr>(number, kRowsAttr);
  if (!name || !hasDynamicRows(function.getArgumentTypes()[number]))
    return std::nullopt;
  for (unsigned other = 0; other < number; ++other)
    if (getArgumentName(function, other) == name.getValue())
      return hasDynamicRows(function.getArgumentTypes()[other])
                 ? std::optional(other)
                 : std::nullopt;
  return std::nullopt;
}

Value mlir::sparseconv::addArgument(FunctionOpInterface function,
                                    const Twine &name, Type type) {
  unsigned number = function.getNumArguments();
  auto attribute = StringAttr::get(function.getContext(), name);
  if (failed(function.insertArgument(
          number, type,
          DictionaryAttr::get(function.getContext(),
                              NamedAttribute(kNameAttr, attribute)),
          function.getLoc())))
    llvm_unreachable("a function takes what is added behind its arguments");
  return function.getArgument(number);
}
