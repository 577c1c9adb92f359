//===- SparseConvAttrs.h - attributes and enumerations ----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_IR_SPARSECONVATTRS_H
#define SPARSECONV_DIALECT_SPARSECONV_IR_SPARSECONVATTRS_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvDialect.h"
#include "sparseconv/Support/TargetInfo.h"

#include "sparseconv/Dialect/SparseConv/IR/SparseConvEnums.h.inc"

#include "sparseconv/Dialect/SparseConv/IR/SparseConvInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.h.inc"

namespace mlir::sparseconv {

/// The target that the module of `op` names, or the CPU with its default level.
Target getTarget(Operation *op);
inline const TargetInfo &getTargetInfo(Operation *op) {
  return *getTarget(op).info;
}

/// Reports a number of axes that no coordinate has: it has 1 to 4.
LogicalResult verifyNumAxes(function_ref<InFlightDiagnostic()> emitError,
                            size_t dim);

} // namespace mlir::sparseconv

#endif // SPARSECONV_DIALECT_SPARSECONV_IR_SPARSECONVATTRS_H
