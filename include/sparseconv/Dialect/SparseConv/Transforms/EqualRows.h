//===- EqualRows.h - arguments with equally many rows -----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_EQUALROWS_H
#define SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_EQUALROWS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::sparseconv {

/// Marks the arguments of a function on the network level that need as many
/// rows as another, for getSignature(): `sparseconv-find-equal-rows`.
void findEqualRows(func::FuncOp function);

} // namespace mlir::sparseconv

#endif // SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_EQUALROWS_H
