//===- DifferentiableOpInterface.h - operations with adjoints ---*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_DIFFERENTIATION_DIFFERENTIABLEOPINTERFACE_H
#define SPARSECONV_DIALECT_SPARSECONV_DIFFERENTIATION_DIFFERENTIABLEOPINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::sparseconv {

/// Whether a value of `type` can have a gradient: floats and tensors of them.
bool isDifferentiable(Type type);

/// Whether a value of a type has floats in it, which pass an influence on:
/// those of vectors, of buffers and of tensors without a rank have no gradient,
/// and what computes with them has no rule.
bool holdsFloats(Type type);

/// The gradients of a number by the values of a function, as far as they have
/// been added up.
class Gradients {
public:
  explicit Gradients(DenseSet<Value> active) : active(std::move(active)) {}

  /// Whether anything needs the gradient by `value`.
  bool isActive(Value value) const { return active.contains(value); }

  /// Adds a tensor of the shape and the element type of `value` to its
  /// gradient, if that is active.
  void add(OpBuilder &builder, Location loc, Value value, Value gradient);

  /// The gradient so far, or null where nothing was added.
  Value lookup(Value value) const { return sums.lookup(value); }

private:
  DenseSet<Value> active;
  DenseMap<Value, Value> sums;
};

/// Gives adjoints to the operations of arith, linalg, tensor and our own that
/// have one.
void registerDifferentiableOpInterfaceExternalModels(DialectRegistry &registry);

} // namespace mlir::sparseconv

#include "sparseconv/Dialect/SparseConv/Differentiation/DifferentiableOpInterface.h.inc"

#endif // SPARSECONV_DIALECT_SPARSECONV_DIFFERENTIATION_DIFFERENTIABLEOPINTERFACE_H
