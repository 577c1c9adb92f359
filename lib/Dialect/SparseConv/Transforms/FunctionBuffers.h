//===- FunctionBuffers.h - what a function takes and gives ------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_FUNCTIONBUFFERS_H
#define SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_FUNCTIONBUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::sparseconv {

/// The buffer that a view of its beginning shows.
Value getBase(Value buffer);

/// A result, which is all of a buffer or its first rows.
struct ResultBuffer {
  memref::AllocOp alloc;
  SmallVector<OpFoldResult> shape;
};

/// Nothing for what is no buffer of the function's own, or lies elsewhere in
/// it.
std::optional<ResultBuffer> findResultBuffer(Value result);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_FUNCTIONBUFFERS_H
