//===- NamedTable.h - tables of objects with names --------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A choice that a compiler can make (a main loop, a dataflow, a search) is an
// object with a name in a table. IR carries the name, and these functions lead
// from the name to the object.
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

/// An object of a table. `Entry` is the class of the objects, which has the
/// table: `static ArrayRef<const Entry *> getAll()`.
template <typename Entry> class NamedEntry {
public:
  virtual ~NamedEntry() = default;

  /// The keyword in IR.
  llvm::StringRef getName() const { return name; }

  /// The entry of that name, or null.
  static const Entry *find(llvm::StringRef name) {
    for (const Entry *entry : Entry::getAll())
      if (entry->getName() == name)
        return entry;
    return nullptr;
  }

  /// "no main loop 'ring' is known; there are: group64, ring64"
  static std::string describeUnknown(llvm::StringRef kind,
                                     llvm::StringRef name) {
    auto names = llvm::map_range(
        Entry::getAll(), [](const Entry *entry) { return entry->getName(); });
    return ("no " + kind + " '" + name +
            "' is known; there are: " + llvm::join(names, ", "))
        .str();
  }

private:
  friend Entry;
  explicit NamedEntry(llvm::StringLiteral name) : name(name) {}

  llvm::StringLiteral name;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_SUPPORT_NAMEDTABLE_H
