//===- Dialects.h - the dialect and passes in MLIR's C style ------*- C -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
/*
 * For programs on MLIR's C interface, which they link themselves: the dialect's
 * handle, what networks use beside it, the passes and pipelines by name for
 * mlirParsePassPipeline and the like, and plans of what they leave.
 */

#ifndef SPARSECONV_C_DIALECTS_H
#define SPARSECONV_C_DIALECTS_H

#include "mlir-c/IR.h"

/* NOLINTBEGIN: C names and C types. */
#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(SparseConv, sparseconv);

/* Our dialects and what they bring to upstream's interfaces, such as
 * bufferization, for a program that registers upstream's dialects itself. A
 * registry that is null gets nothing. */
MLIR_CAPI_EXPORTED void
mlirRegisterSparseConvOwnDialects(MlirDialectRegistry registry);

/* Our dialects, and the upstream dialects, interfaces and external models that
 * networks and our passes use. A registry that is null gets nothing. */
MLIR_CAPI_EXPORTED void
mlirRegisterSparseConvDialects(MlirDialectRegistry registry);

/* Our passes and pipelines alone. */
MLIR_CAPI_EXPORTED void mlirRegisterSparseConvOwnPasses(void);

/* Our passes and pipelines, and the upstream passes that they are made of. */
MLIR_CAPI_EXPORTED void mlirRegisterSparseConvPasses(void);

/* Calls `write` with the bytes of the plan of a module, as the pipeline
 * sparseconv-lower-to-gpu or sparseconv-lower-to-ptx leaves it. The module
 * stays as it is. A failure is a diagnostic of its context, and nothing is
 * written. A module or function that is null is a failure. */
MLIR_CAPI_EXPORTED MlirLogicalResult mlirSparseConvTranslateToPlan(
    MlirModule module, MlirStringCallback write, void *userData);

#ifdef __cplusplus
}
#endif
/* NOLINTEND */

#endif /* SPARSECONV_C_DIALECTS_H */
