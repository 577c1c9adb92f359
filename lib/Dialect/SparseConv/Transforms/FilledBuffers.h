//===- FilledBuffers.h - buffers that begin with one value ------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions begin with a value in all elements of a buffer. Several of them
// begin with copies of one buffer.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_FILLEDBUFFERS_H
#define SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_FILLEDBUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::sparseconv {

/// The value that all elements of `buffer` have before `op`, which overwrites
/// them; or null.
Value findStart(Operation *op, Value buffer);

/// The same. What stores it there is erased unless others copy it.
Value takeStart(Operation *op, Value buffer);

/// Erases buffers that are filled and not read any more.
void eraseUnread(func::FuncOp function);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_FILLEDBUFFERS_H
