//===- Passes.h - passes that decide how things are done --------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_SELECTION_PASSES_H
#define SPARSECONV_SELECTION_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::sparseconv {

#define GEN_PASS_DECL
#include "sparseconv/Selection/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "sparseconv/Selection/Passes.h.inc"

} // namespace mlir::sparseconv

#endif // SPARSECONV_SELECTION_PASSES_H
