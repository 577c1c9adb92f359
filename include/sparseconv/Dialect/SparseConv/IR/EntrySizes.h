//===- EntrySizes.h - sizes as arguments and results ------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a GPU the size of a dimension of an argument or a result is a number of
// the device. A function has it in a buffer of its own:
//
//   func.func @main(%x: memref<?x8xf32>,
//                   %rows: memref<1xindex> {
//                     sparseconv.size_of = array<i64: 0, 0>})
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_IR_ENTRYSIZES_H
#define SPARSECONV_DIALECT_SPARSECONV_IR_ENTRYSIZES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::sparseconv {

/// The attribute of an argument, or of a result, that is the size of another.
inline constexpr StringLiteral kSizeOfAttr = "sparseconv.size_of";

/// Dimension `axis` of argument, or of result, `number`.
struct EntryDim {
  int64_t number, axis;
  bool operator==(const EntryDim &other) const {
    return number == other.number && axis == other.axis;
  }
  bool operator!=(const EntryDim &other) const { return !(*this == other); }
};

/// The attribute for a dimension.
NamedAttribute makeSizeOf(MLIRContext *context, EntryDim dim);

/// The dimension that an argument, or a result, is the size of; nothing where
/// it has no such attribute.
std::optional<EntryDim> getArgumentSizeOf(FunctionOpInterface function,
                                          unsigned number);
std::optional<EntryDim> getResultSizeOf(FunctionOpInterface function,
                                        unsigned number);

/// Whether `attribute` names a dimension of one of some arguments or results.
LogicalResult verifySizeOf(Operation *op, Attribute attribute, TypeRange types);

} // namespace mlir::sparseconv

#endif // SPARSECONV_DIALECT_SPARSECONV_IR_ENTRYSIZES_H
