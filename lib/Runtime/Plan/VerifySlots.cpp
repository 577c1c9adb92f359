//===- VerifySlots.cpp - slots of inputs ----------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifySlots.h"

using namespace sparseconv::plan;

std::optional<std::string>
sparseconv::plan::verifyInputSlots(const Function &function,
                                   std::set<uint32_t> &slots) {
  std::set<uint32_t> ofRows;
  for (const Value &input : function.inputs)
    for (size_t axis = 0; axis != input.dims.size(); ++axis) {
      const Dim &dim = input.dims[axis];
      if (dim.size != kDynamic)
        continue;
      std::string what =
          "input '" + input.name + "': slot " + std::to_string(dim.slot);
      if (dim.slot >= function.slots.size())
        return what + " is not there";
      bool isNew = slots.insert(dim.slot).second;
      if (isNew && axis == 0)
        ofRows.insert(dim.slot);
      if (!isNew && (axis != 0 || !ofRows.count(dim.slot)))
        return what + " holds two dimensions of inputs";
    }
  return std::nullopt;
}
