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

private:
  llvm::DenseMap<Value, Value> known;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_CAPACITIES_H
