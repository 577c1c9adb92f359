//===- Passes.h - passes on the way to plans --------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TARGET_PLAN_PASSES_H
#define SPARSECONV_TARGET_PLAN_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "sparseconv/Dialect/Plan/IR/PlanOps.h"

namespace mlir::sparseconv {
#define GEN_PASS_DECL
#include "sparseconv/Target/Plan/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "sparseconv/Target/Plan/Passes.h.inc"
} // namespace mlir::sparseconv

#endif // SPARSECONV_TARGET_PLAN_PASSES_H
