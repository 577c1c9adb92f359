//===- Passes.h - passes on the way to PTX ----------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TARGET_PTX_PASSES_H
#define SPARSECONV_TARGET_PTX_PASSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::sparseconv {
#define GEN_PASS_DECL
#include "sparseconv/Target/PTX/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "sparseconv/Target/PTX/Passes.h.inc"
} // namespace mlir::sparseconv

#endif // SPARSECONV_TARGET_PTX_PASSES_H
