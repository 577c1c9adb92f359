//===- LoopBuilder.h - writes loop nests ------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_UTILS_LOOPBUILDER_H
#define SPARSECONV_DIALECT_SPARSECONV_UTILS_LOOPBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "sparseconv/Support/Status.h"
#include "sparseconv/Support/TargetInfo.h"

namespace mlir::sparseconv {

/// A builder for the loop nests of kernels. Scalar arithmetic folds as it is
/// built, control flow takes its bodies as lambdas, and there are the two
/// idioms that many kernels share (lower bound, error report).
///
/// Arithmetic picks the integer or the float operation by the operand type;
/// integer comparisons are signed unless their name says otherwise.
class LoopBuilder : public ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  /// What the loops are for: the CPU with its default level unless it is set.
  const TargetInfo &getTarget() const { return *target; }
  void setTarget(const TargetInfo &value) { target = &value; }
  /// Whether the iterations of a parallel loop each get a thread of their own;
  /// on a CPU each thread takes many.
  bool isGpu() const { return target->isGpu; }

  /// Constants. `constant` takes any integer, index or float type, or a vector
  /// of those (a splat).
  Value index(int64_t value);
  Value i32(int64_t value);
  Value i64(int64_t value);
  /// The i32 with bit `number` alone.
  Value bit(int64_t number);
  Value f32(double value);
  Value constant(Type type, double value);
  Value constantInt(Type type, int64_t value);

  /// Arithmetic.
  Value add(Value lhs, Value rhs);
  Value sub(Value lhs, Value rhs);
  Value mul(Value lhs, Value rhs);
  Value ceilDiv(Value lhs, int64_t rhs);
  Value floorDiv(Value lhs, int64_t rhs);
  Value min(Value lhs, Value rhs);
  Value max(Value lhs, Value rhs);
  Value andBits(Value lhs, Value rhs);
  Value orBits(Value lhs, Value rhs);
  Value notBit(Value value);
  Value shiftLeft(Value value, int64_t bits);
  Value shiftRightLogical(Value value, int64_t bits);
  Value select(Value condition, Value ifTrue, Value ifFalse);
  /// a * b + c in one rounding.
  Value fma(Value a, Value b, Value c);
  Value add(Value lhs, int64_t rhs) { return add(lhs, like(lhs, rhs)); }
  Value sub(Value lhs, int64_t rhs) { return sub(lhs, like(lhs, rhs)); }
  Value mul(Value lhs, int64_t rhs) { return mul(lhs, like(lhs, rhs)); }

  /// Comparisons.
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs);
  Value equal(Value lhs, Value rhs);
  Value notEqual(Value lhs, Value rhs);
  Value less(Value lhs, Value rhs);
  Value lessUnsigned(Value lhs, Value rhs);
  Value lessEqual(Value lhs, Value rhs);
  Value greaterEqual(Value lhs, Value rhs);

  /// Conversions. `toIndex` and `cast` sign-extend; `toFloat` widens to f32
  /// and `fromFloat` rounds to a narrower element type, both a no-op on f32.
  Value toIndex(Value value);
  Value toIndexUnsigned(Value value);
  Value cast(Value value, Type type);
  Value toFloat(Value value);
  Value fromFloat(Value value, Type elementType);

  /// Memory.
  Value dim(Value shaped, int64_t axis);
  Value load(Value buffer, ValueRange indices);
  void store(Value value, Value buffer, ValueRange indices);
  /// `multiple` is what the last index is known to be a multiple of: on a GPU
  /// an access is as wide as its alignment.
  Value loadVector(int64_t lanes, Value buffer, ValueRange indices,
                   int64_t multiple = 1);
  void storeVector(Value value, Value buffer, ValueRange indices,
                   int64_t multiple = 1);
  /// An atomic update of an element; returns what it was before. `ori` with 0
  /// is a load that sees what other threads write meanwhile.
  Value atomic(arith::AtomicRMWKind kind, Value value, Value buffer,
               ValueRange indices);
  Value broadcast(Value scalar, int64_t lanes);
  /// A buffer that lives until `dealloc`, for temporaries of a kernel.
  Value alloc(ArrayRef<int64_t> shape, Type elementType,
              ValueRange dynamicSizes = {});
  void dealloc(Value buffer);

  /// for iv = begin; iv < end; iv += step. The second form carries values: the
  /// body gets them and returns the next ones.
  void forLoop(Value begin, Value end, Value step,
               function_ref<void(Value iv)> body);
  void forLoop(Value begin, Value end, int64_t step,
               function_ref<void(Value iv)> body) {
    forLoop(begin, end, index(step), body);
  }
  SmallVector<Value>
  forLoop(Value begin, Value end, int64_t step, ValueRange inits,
          function_ref<SmallVector<Value>(Value iv, ValueRange carried)> body);
  /// Iterations 0 .. count-1 in any order, on all threads.
  void parallelFor(Value count, function_ref<void(Value iv)> body);
  /// The same for iterations of very different cost: a thread takes the next
  /// one when it is done with its last.
  void parallelForUneven(Value count, function_ref<void(Value iv)> body);
  /// A kernel of `blocks` blocks (or more: the host knows a bound) of `threads`
  /// threads, which share buffers of `shared` types. Not inside parallelFor.
  struct Thread {
    Value block, thread;
    SmallVector<Value> shared;
  };
  void launch(Value blocks, int64_t threads, ArrayRef<MemRefType> shared,
              function_ref<void(const Thread &thread)> body);
  /// A buffer type for `launch`: memory that the threads of a block share.
  MemRefType getSharedType(ArrayRef<int64_t> shape, Type elementType);
  /// Waits for all threads of the block.
  void barrier();

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

  /// First position p in begin .. end with keys[p] >= query (unsigned), or end.
  Value lowerBound(Value keys, Value begin, Value end, Value query);

  /// What a report says; absent fields are 0. All index or i64.
  struct Report {
    ::sparseconv::StatusCode code;
    int64_t opId;
    Value row = {}, axis = {}, value = {}, lower = {}, upper = {}, extra = {};
  };
  /// Writes a report unless the record holds one of this or an earlier
  /// operation. Not for use inside parallelFor.
  void report(Value status, const Report &report);

private:
  const TargetInfo *target = Target::getDefault().info;

  /// The alignment of an element, see `loadVector`.
  llvm::MaybeAlign getAlignment(Value buffer, int64_t multiple) const;

  /// The constant `value` of the type of `other`.
  Value like(Value other, int64_t value) {
    return constantInt(other.getType(), value);
  }
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_DIALECT_SPARSECONV_UTILS_LOOPBUILDER_H
