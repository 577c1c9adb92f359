//===- SparseConvOps.h - operations -----------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_IR_SPARSECONVOPS_H
#define SPARSECONV_DIALECT_SPARSECONV_IR_SPARSECONVOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvTypes.h"

#include "sparseconv/Dialect/SparseConv/IR/SparseConvOpInterfaces.h.inc"

#define GET_OP_CLASSES
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h.inc"

namespace mlir::sparseconv {

/// Whether an operation is one of the kernel level, `sparseconv.kernel.*`.
bool isKernelOp(Operation *op);

/// `op` as a kernel that names its destinations, or null.
DestinationStyleOpInterface getKernel(Operation *op);

/// Whether there is one offset, 0 on all axes.
bool isZeroOffset(OffsetSetInterface offsets);

/// The map that `map` is a transpose of, any number of times, and which side of
/// it `side` is.
std::pair<Value, MapSide> lookThroughTransposes(Value map, MapSide side);

/// The set on a side of a map, where the operation that relates it is known;
/// else null.
Value getSet(Value map, MapSide side);

} // namespace mlir::sparseconv

#endif // SPARSECONV_DIALECT_SPARSECONV_IR_SPARSECONVOPS_H
