//===- PlanOps.h - the host side of a network -------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_PLAN_IR_PLANOPS_H
#define SPARSECONV_DIALECT_PLAN_IR_PLANOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "sparseconv/Dialect/Plan/IR/PlanDialect.h.inc"

#define GET_OP_CLASSES
#include "sparseconv/Dialect/Plan/IR/PlanOps.h.inc"

namespace mlir::sparseconv {
/// Whether an operation may compute a size of a plan: it is one of arith's on
/// `index`, and a constant, a sum, a product, a quotient, or the least or
/// greatest of two.
bool isSizeOperation(Operation *op);
} // namespace mlir::sparseconv

#endif // SPARSECONV_DIALECT_PLAN_IR_PLANOPS_H
