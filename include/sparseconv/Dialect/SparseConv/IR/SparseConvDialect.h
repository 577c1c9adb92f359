//===- SparseConvDialect.h - the dialect ------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_IR_SPARSECONVDIALECT_H
#define SPARSECONV_DIALECT_SPARSECONV_IR_SPARSECONVDIALECT_H

#include "mlir/IR/Dialect.h"

#include "sparseconv/Dialect/SparseConv/IR/SparseConvDialect.h.inc"

#endif // SPARSECONV_DIALECT_SPARSECONV_IR_SPARSECONVDIALECT_H
