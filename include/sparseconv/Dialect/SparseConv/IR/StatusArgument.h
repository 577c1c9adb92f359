//===- StatusArgument.h - where a function reports errors -------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lowered function takes the status record, a buffer of eight numbers, as an
// argument that is marked:
//
//   func.func @layer(%x: memref<?x64xf16>, %status: memref<8xi64>
//   {sparseconv.status})
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_IR_STATUSARGUMENT_H
#define SPARSECONV_DIALECT_SPARSECONV_IR_STATUSARGUMENT_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::sparseconv {

inline constexpr StringLiteral kStatusAttr = "sparseconv.status";

/// memref<8xi64>: the words of `StatusRecord`.
MemRefType getStatusType(MLIRContext *context);

/// The argument that is marked, or null.
BlockArgument getStatusArgument(FunctionOpInterface function);

/// Marks the last argument.
void markStatusArgument(FunctionOpInterface function);

} // namespace mlir::sparseconv

#endif // SPARSECONV_DIALECT_SPARSECONV_IR_STATUSARGUMENT_H
