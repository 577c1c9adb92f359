//===- Dialects.h - the dialect and passes in MLIR's C style ------*- C -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
/*
 * For programs on MLIR's C interface, which they link themselves: the dialect's
 * handle, what networks use beside it, and the passes by name for
 * mlirParsePassPipeline and the like.
 */

#ifndef SPARSECONV_C_DIALECTS_H
#define SPARSECONV_C_DIALECTS_H

#include "mlir-c/IR.h"

/* NOLINTBEGIN: C names and C types. */
#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(SparseConv, sparseconv);

/* The dialect, and the upstream dialects, interfaces and external models that
 * networks and our passes use. A registry that is null gets nothing. */
MLIR_CAPI_EXPORTED void
mlirRegisterSparseConvDialects(MlirDialectRegistry registry);

/* Our passes and pipelines, and the upstream passes that they are made of. */
MLIR_CAPI_EXPORTED void mlirRegisterSparseConvPasses(void);

#ifdef __cplusplus
}
#endif
/* NOLINTEND */

#endif /* SPARSECONV_C_DIALECTS_H */
