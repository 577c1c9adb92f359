//===- SplitReduction.h - a reduction of many rows in parts ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_SPLITREDUCTION_H
#define SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_SPLITREDUCTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {

/// A structured operation on buffers that combines many terms for each of a
/// few elements. The terms are numbered over all loops that reduce, the
/// elements over all that do not, the innermost loop of each fastest.
class SplitReduction {
public:
  SplitReduction(LoopBuilder &b, linalg::GenericOp op) : b(b), op(op) {}
  /// Whether the operation is such a reduction.
  bool match();
  /// Writes the steps in front of the operation. `starts` has the value that
  /// all elements of a destination have before, or null where it has to be
  /// read.
  void emit(ArrayRef<Value> starts);

private:
  /// Terms, partial results or results: one for each result of the operation.
  using Terms = SmallVector<Value>;
  using Thread = LoopBuilder::Thread;

  /// A thread's place in a block for `width` elements: `lane` of the `lanes`
  /// threads that have the same element.
  struct Place {
    int64_t lanes, width;
    Value lane, element, isActive, slot;
    ArrayRef<Value> shared;
  };
  /// The place of a thread in a block for elements from `first` on.
  Place getPlace(const Thread &t, int64_t width, Value first);

  /// The loops `numbers` of the element or term `value`.
  void splitNumber(Value value, ArrayRef<unsigned> numbers,
                   SmallVectorImpl<Value> &ivs);
  /// Loops over all elements on a CPU, with the iterations of the operation's
  /// loops that do not reduce.
  void forElements(function_ref<void(Value element, SmallVector<Value> &ivs)>);
  Terms computeTerms(ArrayRef<Value> ivs);
  Terms combine(ValueRange earlier, ValueRange later);
  Terms getNeutral();
  /// Combines `load(first + i * stride)` below `end`, `atOnce` at a time, where
  /// the thread is active.
  Terms combineRange(const Place &place, Value first, Value end, Value stride,
                     int64_t atOnce, function_ref<Terms(Value)> load);
  /// What the thread with lane 0 gets of all lanes.
  Terms combineLanes(const Place &place, Terms own);
  void ifFirst(const Place &place, function_ref<void()> then);
  void prepare(int64_t most, Value number);
  void emitPartial();
  void emitResults();
  /// Stores `sum` combined with what the destinations hold before.
  void finish(ArrayRef<Value> ivs, const Terms &sum);
  void emitOnCpu();
  void emitOnGpu();

  LoopBuilder &b;
  linalg::GenericOp op;
  SmallVector<unsigned> kept, reduced;
  SmallVector<Operation *> combiners;
  SmallVector<TypedAttr> neutral;
  /// The term of each result in the body of the operation.
  SmallVector<Value> terms;
  SmallVector<Value> sizes;
  int64_t numElements = 1, columns = 0, chunks = 0;
  Value numTerms, numParts;
  ArrayRef<Value> starts;
  /// partial[i, e]: what part i of the terms has of element e.
  SmallVector<Value> partial;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_SPLITREDUCTION_H
