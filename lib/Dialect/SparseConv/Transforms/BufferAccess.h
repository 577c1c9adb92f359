//===- BufferAccess.h - what operations on buffers touch --------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_BUFFERACCESS_H
#define SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_BUFFERACCESS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::sparseconv {

/// The buffer that a view, of all or of a part, is of.
Value getWholeBuffer(Value buffer);

/// Whether nothing but views of `whole` shares its memory: the function
/// allocates it, or is given it. What a branch or a loop gives may be another
/// buffer, too.
bool isApart(Value whole);

/// Whether elements lie in memory as they do in a vector. Others are padded.
bool isPacked(Type element);

/// Whether the body of `op` touches no memory.
bool hasPureBody(linalg::GenericOp op);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_BUFFERACCESS_H
