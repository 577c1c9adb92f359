//===- EntryNames.h - names of arguments and results ------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names by which callers know the arguments and results of a function: in
// tools, in plans, and from Python and C. By name an argument also says which
// other has as many rows:
//
//   func.func @main(%points: tensor<?x4xi32> {sparseconv.name = "points"},
//                   %x: tensor<?x8xf32> {sparseconv.name = "x",
//                                        sparseconv.rows = "points"})
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_IR_ENTRYNAMES_H
#define SPARSECONV_DIALECT_SPARSECONV_IR_ENTRYNAMES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::sparseconv {

/// The attribute that names an argument or a result.
inline constexpr StringLiteral kNameAttr = "sparseconv.name";

/// The attribute that names an earlier argument with as many rows in every
/// call.
inline constexpr StringLiteral kRowsAttr = "sparseconv.rows";

/// The name of an argument: that of its attribute, otherwise "arg0", "arg1" and
/// so on by position.
std::string getArgumentName(FunctionOpInterface function, unsigned number);

/// The name of a result: that of its attribute, otherwise "result0" and so on.
std::string getResultName(FunctionOpInterface function, unsigned number);

/// The earlier argument that has as many rows as this one, where its attribute
/// says so: both are tensors with a dynamic dimension 0.
std::optional<unsigned> getEqualRows(FunctionOpInterface function,
                                     unsigned number);

/// Adds an argument behind the others of a function with a body, and gives it a
/// name:
///
///   Value w = addArgument(function, "stem.weight", type);
Value addArgument(FunctionOpInterface function, const Twine &name, Type type);

} // namespace mlir::sparseconv

#endif // SPARSECONV_DIALECT_SPARSECONV_IR_ENTRYNAMES_H
