//===- Passes.h - passes that build gradients -------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_DIFFERENTIATION_PASSES_H
#define SPARSECONV_DIALECT_SPARSECONV_DIFFERENTIATION_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::sparseconv {

/// Where a backward pass finds what it reads of the forward pass.
enum class Keep { Recompute, Results };

#define GEN_PASS_DECL
#include "sparseconv/Dialect/SparseConv/Differentiation/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "sparseconv/Dialect/SparseConv/Differentiation/Passes.h.inc"

} // namespace mlir::sparseconv

#endif // SPARSECONV_DIALECT_SPARSECONV_DIFFERENTIATION_PASSES_H
