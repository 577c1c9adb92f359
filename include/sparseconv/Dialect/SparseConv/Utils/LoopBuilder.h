//===- LoopBuilder.h - writes loop nests ------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_UTILS_LOOPBUILDER_H
#define SPARSECONV_DIALECT_SPARSECONV_UTILS_LOOPBUILDER_H

#include "sparseconv/Dialect/SparseConv/Utils/FoldingBuilder.h"
#include "sparseconv/Support/Status.h"
#include "sparseconv/Support/TargetInfo.h"

namespace mlir::sparseconv {

/// A builder for the loop nests of kernels: arithmetic on indices, access to
/// buffers, loops on all threads, and the two idioms that many kernels share
/// (lower bound, error report).
class LoopBuilder : public FoldingBuilder {
public:
  using FoldingBuilder::FoldingBuilder;

  /// What the loops are for: the CPU with its default level unless it is set.
  const TargetInfo &getTarget() const { return *target; }
  void setTarget(const TargetInfo &value) { target = &value; }
  /// Whether the iterations of a parallel loop each get a thread of their own;
  /// on a CPU each thread takes many.
  bool isGpu() const { return target->isGpu; }

  /// Constants.
  Value index(int64_t value);
  /// The i32 with bit `number` alone.
  Value bit(int64_t number);

  /// Arithmetic: signed, or of floats.
  Value ceilDiv(Value lhs, Value rhs);
  Value ceilDiv(Value lhs, int64_t rhs);
  Value floorDiv(Value lhs, int64_t rhs);
  Value min(Value lhs, Value rhs);
  Value max(Value lhs, Value rhs);
  Value notBit(Value value);

  /// Conversions: `toIndex` and `cast` sign-extend.
  Value toIndex(Value value);
  Value cast(Value value, Type type);

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
  /// An element becomes `value` if it is `expected`, in one step; returns what
  /// it was before.
  Value compareExchange(Value expected, Value value, Value buffer,
                        ValueRange indices);
  Value broadcast(Value scalar, int64_t lanes);
  /// A buffer that lives until `dealloc`, for temporaries of a kernel.
  Value alloc(ArrayRef<int64_t> shape, Type elementType,
              ValueRange dynamicSizes = {});
  void dealloc(Value buffer);

  /// Loops with a step that is known.
  using FoldingBuilder::forLoop;
  void forLoop(Value begin, Value end, int64_t step,
               function_ref<void(Value iv)> body) {
    forLoop(begin, end, index(step), body);
  }
  SmallVector<Value>
  forLoop(Value begin, Value end, int64_t step, ValueRange inits,
          function_ref<SmallVector<Value>(Value iv, ValueRange carried)> body) {
    return forLoop(begin, end, index(step), inits, body);
  }
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
    /// The thread blocks of the launch.
    Value numBlocks;
  };
  void launch(Value blocks, int64_t threads, ArrayRef<MemRefType> shared,
              function_ref<void(const Thread &thread)> body);
  /// A buffer type for `launch`: memory that the threads of a block share.
  MemRefType getSharedType(ArrayRef<int64_t> shape, Type elementType);
  /// Waits for all threads of the block.
  void barrier();

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
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_DIALECT_SPARSECONV_UTILS_LOOPBUILDER_H
