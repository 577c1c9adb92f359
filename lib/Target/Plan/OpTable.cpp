//===- OpTable.cpp - the operations that steps belong to ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"
#include "sparseconv/Dialect/SparseConv/IR/OpPlaces.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Where the function that everything is inlined into has it.
static Location getOutermost(Location location) {
  while (auto call = dyn_cast<CallSiteLoc>(location))
    location = call.getCaller();
  return location;
}

OpTable::OpTable(ModuleOp module) : b(module.getContext()) {
  for (const OpPlace &op : readOpPlaces(module)) {
    names.try_emplace(op.place, op.name);
    add(op.name, op.place);
  }
}

uint32_t OpTable::add(StringRef name, StringRef place) {
  Attribute entry = b.getStrArrayAttr({name, place});
  uint32_t number = entries.size();
  numbers.try_emplace(entry, number);
  entries.push_back(entry);
  return number;
}

std::optional<uint32_t> OpTable::find(Location location) {
  std::string place = getPlace(getOutermost(location));
  if (place.empty())
    return std::nullopt;
  std::string name = names.lookup(getPlace(location));
  Attribute entry = b.getStrArrayAttr({name, place});
  auto it = numbers.find(entry);
  return it != numbers.end() ? it->second : add(name, place);
}
