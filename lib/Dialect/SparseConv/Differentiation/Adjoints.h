//===- Adjoints.h - what adjoints share -------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_DIALECT_SPARSECONV_DIFFERENTIATION_ADJOINTS_H
#define SPARSECONV_LIB_DIALECT_SPARSECONV_DIFFERENTIATION_ADJOINTS_H

#include "sparseconv/Dialect/SparseConv/Differentiation/DifferentiableOpInterface.h"

namespace mlir::sparseconv {

/// Reports that the adjoint of `op` by an operand that needs it does not
/// exist.
LogicalResult emitNoRule(Operation *op, const Twine &what);

/// An error as `emitNoRule`, for what is indexed with `map`.
LogicalResult emitNoRule(Operation *op, const Twine &what, AffineMap map);

/// The type that gradients of `type` are computed and summed in: f32 for
/// narrower floats.
FloatType getWideType(Type type);

/// A tensor of `number`.
Value createFilled(OpBuilder &builder, Location loc,
                   ArrayRef<OpFoldResult> sizes, FloatType element,
                   double number);

/// Zeros of the type and the shape of `tensor`.
Value createZerosLike(OpBuilder &builder, Location loc, Value tensor);

// The external models of each dialect.
void registerElementwiseAdjoints(DialectRegistry &registry);
void registerLinalgAdjoints(DialectRegistry &registry);
void registerTensorAdjoints(DialectRegistry &registry);
void registerConvAdjoints(DialectRegistry &registry);
void registerPoolAdjoints(DialectRegistry &registry);
void registerRowAdjoints(DialectRegistry &registry);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_DIALECT_SPARSECONV_DIFFERENTIATION_ADJOINTS_H
