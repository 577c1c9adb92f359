//===- Dialects.cpp - the dialect and passes in MLIR's C style ------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv-c/Dialects.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvDialect.h"
#include "sparseconv/Pipelines/Registration.h"
#include "sparseconv/Target/Plan/TranslateToPlan.h"

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(SparseConv, sparseconv,
                                      mlir::sparseconv::SparseConvDialect)

void mlirRegisterSparseConvOwnDialects(MlirDialectRegistry registry) {
  if (registry.ptr)
    mlir::sparseconv::registerOwnDialects(*unwrap(registry));
}

void mlirRegisterSparseConvDialects(MlirDialectRegistry registry) {
  if (registry.ptr)
    mlir::sparseconv::registerDialects(*unwrap(registry));
}

void mlirRegisterSparseConvOwnPasses(void) {
  mlir::sparseconv::registerOwnPasses();
}

void mlirRegisterSparseConvPasses(void) { mlir::sparseconv::registerPasses(); }

MlirLogicalResult mlirSparseConvTranslateToPlan(MlirModule module,
                                                MlirStringCallback write,
                                                void *userData) {
  if (!module.ptr || !write)
    return mlirLogicalResultFailure();
  mlir::FailureOr<sparseconv::plan::Plan> plan =
      mlir::sparseconv::translateToPlan(unwrap(module), /*chips=*/{});
  if (failed(plan))
    return mlirLogicalResultFailure();
  std::string bytes = sparseconv::plan::serialise(*plan);
  write(mlirStringRefCreate(bytes.data(), bytes.size()), userData);
  return mlirLogicalResultSuccess();
}
