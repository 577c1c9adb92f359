//===- NamedTable.h - tables of objects with names --------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A choice that a compiler can make (a main loop, a dataflow) is an object with
// a name in a table. IR carries the name, and these functions lead from the
// name to the object.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_SUPPORT_NAMEDTABLE_H
#define SPARSECONV_SUPPORT_NAMEDTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::sparseconv {

/// The entry of `table` with that name, or null.
template <typename T>
const T *findByName(llvm::ArrayRef<const T *> table, llvm::StringRef name) {
  for (const T *entry : table)
    if (entry->getName() == name)
      return entry;
  return nullptr;
}

/// "no main loop 'ring' is known; there are: group64, ring64"
template <typename T>
std::string describeUnknown(llvm::StringRef kind, llvm::StringRef name,
                            llvm::ArrayRef<const T *> table) {
  auto names =
      llvm::map_range(table, [](const T *entry) { return entry->getName(); });
  return ("no " + kind + " '" + name +
          "' is known; there are: " + llvm::join(names, ", "))
      .str();
}

} // namespace mlir::sparseconv

#endif // SPARSECONV_SUPPORT_NAMEDTABLE_H
