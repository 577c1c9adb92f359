//===- SparseConvTypes.h - types --------------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_IR_SPARSECONVTYPES_H
#define SPARSECONV_DIALECT_SPARSECONV_IR_SPARSECONVTYPES_H

#include "mlir/IR/Types.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.h"

#define GET_TYPEDEF_CLASSES
#include "sparseconv/Dialect/SparseConv/IR/SparseConvTypes.h.inc"

#endif // SPARSECONV_DIALECT_SPARSECONV_IR_SPARSECONVTYPES_H
