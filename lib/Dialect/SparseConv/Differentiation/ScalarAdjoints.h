//===- ScalarAdjoints.h - adjoints of operations on scalars -----*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_DIALECT_SPARSECONV_DIFFERENTIATION_SCALARADJOINTS_H
#define SPARSECONV_LIB_DIALECT_SPARSECONV_DIFFERENTIATION_SCALARADJOINTS_H

#include "Adjoints.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::sparseconv {

/// What depends on what among the scalars of a block.
class ScalarActivity {
public:
  /// All that `arguments` of `block` have an influence on.
  ScalarActivity(Block &block, ArrayRef<BlockArgument> arguments);
  bool contains(Value value) const { return dependent.contains(value); }

private:
  DenseSet<Value> dependent;
};

/// The gradients by the scalars of a block, with the values that these have at
/// the place where the gradients are computed. Floats narrower than f32 are
/// widened, values and gradients alike.
class ScalarGradients {
public:
  ScalarGradients(const OpBuilder &builder, Location loc,
                  const IRMapping &values, const ScalarActivity &active,
                  const ScalarActivity &wanted)
      : b(loc, builder), values(values), active(active), wanted(wanted) {}

  /// The value of a scalar, widened if it is a float.
  Value get(Value scalar);
  /// Whether the gradient by `scalar` leads to what is wanted.
  bool isWanted(Value scalar) const { return wanted.contains(scalar); }
  /// Whether any gradient at all is taken by `scalar`.
  bool isActive(Value scalar) const { return active.contains(scalar); }
  void add(Value scalar, Value gradient);
  Value lookup(Value scalar) const { return sums.lookup(scalar); }
  /// `value` as a float of `type`.
  Value convert(Value value, Type type);

  /// Adds to the gradients by the operands of `op` where one by its result is
  /// there. A failure has emitted an error at `op`.
  LogicalResult buildAdjoint(Operation *op);

  ImplicitLocOpBuilder b;

private:
  const IRMapping &values;
  const ScalarActivity &active, &wanted;
  DenseMap<Value, Value> widened, sums;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_DIALECT_SPARSECONV_DIFFERENTIATION_SCALARADJOINTS_H
