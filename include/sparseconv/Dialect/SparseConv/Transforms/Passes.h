//===- Passes.h - passes on the dialect -------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_PASSES_H
#define SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::sparseconv {

#define GEN_PASS_DECL
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"

} // namespace mlir::sparseconv

#endif // SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_PASSES_H
