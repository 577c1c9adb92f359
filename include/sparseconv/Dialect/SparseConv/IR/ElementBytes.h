//===- ElementBytes.h - how many bytes an element takes ---------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_IR_ELEMENTBYTES_H
#define SPARSECONV_DIALECT_SPARSECONV_IR_ELEMENTBYTES_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::sparseconv {

/// The bytes that an element of a buffer takes: a number, whose bits are
/// rounded up to whole bytes, or an index, which has 8 on every target.
inline int64_t getElementBytes(Type element) {
  if (element.isIndex())
    return 8;
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

} // namespace mlir::sparseconv

#endif // SPARSECONV_DIALECT_SPARSECONV_IR_ELEMENTBYTES_H
