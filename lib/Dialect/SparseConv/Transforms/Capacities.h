//===- Capacities.h - upper bounds that the host knows ----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_CAPACITIES_H
#define SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_CAPACITIES_H

#include "mlir/IR/Builders.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::sparseconv {

/// For numbers that only the device knows, writes numbers of the host that they
/// do not exceed. These follow from the bound of each `kernel.device_scalar`,
/// through the operations on sizes that grow with their operands. Sizes are not
/// negative.
class Capacities {
public:
  /// The capacity of an integer or index, as an index, or null where there is
  /// none. It is written where `builder` stands, which has to be before all
  /// uses of what was written earlier.
  Value get(OpBuilder &builder, Value size);

  /// The same, but the numbers of the device in it are sizes that a run may
  /// read (`kernel.exact_size`). The buffers that hold them have to stand
  /// before the builder.
  Value getExact(OpBuilder &builder, Value size);

private:
  using Get = function_ref<Value(Value)>;
  /// The same if no set grew beyond the sets that it stems from.
  Value getLeast(OpBuilder &builder, Value size);
  /// Of what is computed of `op`, whose operands have the capacities of `get`.
  Value compute(OpBuilder &builder, Value size, Get get);
  /// The operation of the host in the place of `op`, of whose limit it becomes
  /// the source.
  Value compute(OpBuilder &builder, GrowableCapacityOp op);
  /// Whether a number of the host depends on a capacity that grows.
  bool isGrowing(Value capacity);

  llvm::DenseMap<Value, Value> known, least, exact;
  llvm::DenseMap<Value, bool> growing;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_CAPACITIES_H
