//===- OpTable.cpp - the operations that steps belong to ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// "net.mlir:3:8" of the first place in a file that a location has, or "".
static std::string getPlace(Location location) {
  std::string place;
  location->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    place = (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
             Twine(file.getColumn()))
                .str();
    return WalkResult::interrupt();
  });
  return place;
}

/// Where the function that everything is inlined into has it.
static Location getOutermost(Location location) {
  while (auto call = dyn_cast<CallSiteLoc>(location))
    location = call.getCaller();
  return location;
}

OpTable::OpTable(ModuleOp module) : b(module.getContext()) {
  auto table = module->getAttrOfType<ArrayAttr>("sparseconv.op_table");
  if (!table)
    return;
  for (auto pair : table.getAsRange<ArrayAttr>()) {
    StringRef name = cast<StringAttr>(pair[0]).getValue();
    std::string place = getPlace(cast<LocationAttr>(pair[1]));
    names.try_emplace(place, name);
    add(name, place);
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
