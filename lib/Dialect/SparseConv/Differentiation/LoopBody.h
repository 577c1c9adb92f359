//===- LoopBody.h - adjoints of loops around scalars ------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_DIALECT_SPARSECONV_DIFFERENTIATION_LOOPBODY_H
#define SPARSECONV_LIB_DIALECT_SPARSECONV_DIFFERENTIATION_LOOPBODY_H

#include "Adjoints.h"
#include "mlir/IR/AffineMap.h"

namespace mlir::sparseconv {

/// A tensor, or a scalar, and the element that a point of the loops reads.
struct Access {
  Value value;
  AffineMap map;
  /// Whether this is where a sum starts: its gradient is that of the sum.
  bool isStart = false;
};

/// What an operation computes on scalars at each point of its loops: the body
/// of a structured operation, an epilogue, or an elementwise operation on
/// tensors.
struct LoopBody {
  Operation *op;
  Block *block;
  unsigned numLoops;
  /// Operands, one for each argument of the block. An argument may be wider
  /// than the elements of its tensor.
  SmallVector<Access> operands;
  /// Scalars of the block that are stored, or added to what the results hold.
  SmallVector<Value> yields;
  /// Gradients by the results, one for each yield; null where there is none.
  SmallVector<Access> resultGradients;
};

/// Builds the gradients by all active operands, as `linalg.generic` over the
/// same loops. A loop that does not move an operand is a reduction there.
LogicalResult buildLoopAdjoint(OpBuilder &builder, const LoopBody &body,
                               Gradients &gradients);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_DIALECT_SPARSECONV_DIFFERENTIATION_LOOPBODY_H
