//===- OpPlaces.cpp - operations as messages name them --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/IR/OpPlaces.h"

using namespace mlir;
using namespace mlir::sparseconv;

std::string mlir::sparseconv::getPlace(Location location) {
  std::string place;
  if (auto file = location->findInstanceOf<FileLineColLoc>())
    place = (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
             Twine(file.getColumn()))
                .str();
  else if (auto name = location->findInstanceOf<NameLoc>())
    place = name.getName().str();
  // Plans hand it to C, which reads up to a zero byte.
  llvm::erase(place, '\0');
  return place;
}

bool mlir::sparseconv::isOpTable(Attribute attribute) {
  auto entries = dyn_cast<ArrayAttr>(attribute);
  return entries && llvm::all_of(entries, [](Attribute entry) {
           auto pair = dyn_cast<ArrayAttr>(entry);
           return pair && pair.size() == 2 && isa<StringAttr>(pair[0]) &&
                  isa<LocationAttr>(pair[1]);
         });
}

SmallVector<OpPlace> mlir::sparseconv::readOpPlaces(ModuleOp module,
                                                    StringRef table) {
  SmallVector<OpPlace> places;
  auto entries = module->getAttrOfType<ArrayAttr>(table);
  if (!entries)
    return places;
  for (auto pair : entries.getAsRange<ArrayAttr>())
    places.push_back({cast<StringAttr>(pair[0]).str(),
                      getPlace(cast<LocationAttr>(pair[1]))});
  return places;
}
