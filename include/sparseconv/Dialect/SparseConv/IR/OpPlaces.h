//===- OpPlaces.h - operations as messages name them ------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_IR_OPPLACES_H
#define SPARSECONV_DIALECT_SPARSECONV_IR_OPPLACES_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace mlir::sparseconv {

/// Attribute that numbers the operations of a network while they become kernels
/// (i64).
constexpr StringLiteral kOpIdAttr = "sparseconv.op_id";
/// Attribute of a module: name and location of each network operation, by the
/// numbers that status records have.
constexpr StringLiteral kOpTableAttr = "sparseconv.op_table";
/// The same of the operations that sparseconv-instrument-kernels numbers.
constexpr StringLiteral kKernelTableAttr = "sparseconv.kernel_table";
/// Whether an attribute has the form of that one.
bool isOpTable(Attribute attribute);

/// "net.mlir:3:8" of the first place in a file that a location has; the name of
/// one that has none, such as that of a host's node; or "".
std::string getPlace(Location location);

struct OpPlace {
  std::string name, place;
};

/// What a table of names and locations says; nothing where there is none.
SmallVector<OpPlace> readOpPlaces(ModuleOp module,
                                  StringRef table = kOpTableAttr);

} // namespace mlir::sparseconv

#endif // SPARSECONV_DIALECT_SPARSECONV_IR_OPPLACES_H
