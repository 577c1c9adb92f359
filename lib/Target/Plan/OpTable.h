//===- OpTable.h - the operations that steps belong to ----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_TARGET_PLAN_OPTABLE_H
#define SPARSECONV_LIB_TARGET_PLAN_OPTABLE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::sparseconv {

/// The operations of a function that steps belong to.
class OpTable {
public:
  explicit OpTable(ModuleOp module);

  /// The number of the operation at a launch's location, if that says one.
  std::optional<uint32_t> find(Location location);
  /// Null if there are none.
  ArrayAttr getAttr() {
    return entries.empty() ? ArrayAttr() : b.getArrayAttr(entries);
  }

private:
  uint32_t add(StringRef name, StringRef place);

  Builder b;
  SmallVector<Attribute> entries;
  llvm::StringMap<std::string> names; ///< by place
  llvm::DenseMap<Attribute, uint32_t> numbers;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_TARGET_PLAN_OPTABLE_H
