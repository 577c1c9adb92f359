//===- FoldingBuilder.h - arithmetic and control flow -----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_UTILS_FOLDINGBUILDER_H
#define SPARSECONV_DIALECT_SPARSECONV_UTILS_FOLDINGBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::sparseconv {

/// What builders of loops and of GPU kernels have in common: arithmetic that
/// folds as it is built, and structured control flow with bodies as lambdas.
///
/// Arithmetic picks the integer or the float operation by the operand type,
/// which may be a vector. Integers are signed in comparisons and unsigned in
/// divisions and shifts to the right, unless a name says otherwise.
class FoldingBuilder : public ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  /// Constants. `constant` takes any integer, index or float type, or a vector
  /// of those (a splat).
  Value i1(bool value);
  Value i32(int64_t value);
  Value i64(int64_t value);
  Value f32(double value);
  Value constant(Type type, double value);
  Value constantInt(Type type, int64_t value);

  /// Arithmetic.
  Value add(Value lhs, Value rhs);
  Value sub(Value lhs, Value rhs);
  Value mul(Value lhs, Value rhs);
  Value divide(Value lhs, Value rhs);
  Value remainder(Value lhs, Value rhs);
  Value add(Value lhs, int64_t rhs) { return add(lhs, like(lhs, rhs)); }
  Value sub(Value lhs, int64_t rhs) { return sub(lhs, like(lhs, rhs)); }
  Value mul(Value lhs, int64_t rhs) { return mul(lhs, like(lhs, rhs)); }
  Value divide(Value lhs, int64_t rhs) { return divide(lhs, like(lhs, rhs)); }
  Value remainder(Value lhs, int64_t rhs) {
    return remainder(lhs, like(lhs, rhs));
  }
  Value max(Value lhs, Value rhs);
  Value minUnsigned(Value lhs, Value rhs);
  Value maxUnsigned(Value lhs, Value rhs);
  /// a * b + c in one rounding.
  Value fma(Value a, Value b, Value c);
  Value select(Value condition, Value ifTrue, Value ifFalse);

  /// Bits.
  Value andBits(Value lhs, Value rhs);
  Value orBits(Value lhs, Value rhs);
  Value xorBits(Value lhs, Value rhs);
  Value shiftLeft(Value value, Value bits);
  Value shiftRight(Value value, Value bits);
  Value andBits(Value lhs, int64_t rhs) { return andBits(lhs, like(lhs, rhs)); }
  Value orBits(Value lhs, int64_t rhs) { return orBits(lhs, like(lhs, rhs)); }
  Value xorBits(Value lhs, int64_t rhs) { return xorBits(lhs, like(lhs, rhs)); }
  Value shiftLeft(Value value, int64_t bits) {
    return bits ? shiftLeft(value, like(value, bits)) : value;
  }
  Value shiftRight(Value value, int64_t bits) {
    return bits ? shiftRight(value, like(value, bits)) : value;
  }
  Value popCount(Value value);
  Value countLeadingZeros(Value value);
  Value countTrailingZeros(Value value);

  /// Comparisons.
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs);
  Value equal(Value lhs, Value rhs);
  Value notEqual(Value lhs, Value rhs);
  Value less(Value lhs, Value rhs);
  Value lessEqual(Value lhs, Value rhs);
  Value greaterEqual(Value lhs, Value rhs);
  Value lessUnsigned(Value lhs, Value rhs);
  Value equal(Value lhs, int64_t rhs) { return equal(lhs, like(lhs, rhs)); }
  Value notEqual(Value lhs, int64_t rhs) {
    return notEqual(lhs, like(lhs, rhs));
  }
  Value greaterEqual(Value lhs, int64_t rhs) {
    return greaterEqual(lhs, like(lhs, rhs));
  }
  Value lessUnsigned(Value lhs, int64_t rhs) {
    return lessUnsigned(lhs, like(lhs, rhs));
  }

  /// Conversions. `toFloat` widens to f32 and `fromFloat` rounds to a narrower
  /// element type, both a no-op on f32. `extend` fills up with zeros, a no-op
  /// on `type`.
  Value toFloat(Value value);
  Value fromFloat(Value value, Type elementType);
  Value extend(Value value, Type type);

  /// for iv = begin; iv < end; iv += step. The second form carries values: the
  /// body gets them and returns the next ones.
  void forLoop(Value begin, Value end, Value step,
               function_ref<void(Value iv)> body);
  SmallVector<Value>
  forLoop(Value begin, Value end, Value step, ValueRange inits,
          function_ref<SmallVector<Value>(Value iv, ValueRange carried)> body);
  /// while (condition(carried)) carried = body(carried).
  SmallVector<Value>
  whileLoop(ValueRange inits, function_ref<Value(ValueRange)> condition,
            function_ref<SmallVector<Value>(ValueRange)> body);
  void ifThen(Value condition, function_ref<void()> body);
  void ifElse(Value condition, function_ref<void()> thenBody,
              function_ref<void()> elseBody);
  SmallVector<Value> ifElse(Value condition, TypeRange types,
                            function_ref<SmallVector<Value>()> thenBody,
                            function_ref<SmallVector<Value>()> elseBody);

protected:
  /// The constant `value` of the type of `other`.
  Value like(Value other, int64_t value) {
    return constantInt(other.getType(), value);
  }
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_DIALECT_SPARSECONV_UTILS_FOLDINGBUILDER_H
