//===- Dialects.cpp - the dialect and passes in MLIR's C style ------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv-c/Dialects.h"
#include "mlir/CAPI/Registration.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvDialect.h"
#include "sparseconv/Pipelines/Registration.h"

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(SparseConv, sparseconv,
                                      mlir::sparseconv::SparseConvDialect)

void mlirRegisterSparseConvDialects(MlirDialectRegistry registry) {
  if (registry.ptr)
    mlir::sparseconv::registerDialects(*unwrap(registry));
}

void mlirRegisterSparseConvPasses(void) { mlir::sparseconv::registerPasses(); }
