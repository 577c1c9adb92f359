//===- Activity.h - which values need gradients -----------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_DIALECT_SPARSECONV_DIFFERENTIATION_ACTIVITY_H
#define SPARSECONV_LIB_DIALECT_SPARSECONV_DIFFERENTIATION_ACTIVITY_H

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::sparseconv {

/// The values that `op` reads, those that its regions read included.
SetVector<Value> findReadValues(Operation &op);

/// The values of `block` that depend on `inputs`, and that operands of its
/// terminator depend on, by floats alone.
DenseSet<Value> findActiveValues(Block &block, ValueRange inputs);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_DIALECT_SPARSECONV_DIFFERENTIATION_ACTIVITY_H
