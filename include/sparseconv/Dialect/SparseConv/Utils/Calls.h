//===- Calls.h - functions that call each other -----------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_UTILS_CALLS_H
#define SPARSECONV_DIALECT_SPARSECONV_UTILS_CALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::sparseconv {

/// The most operations that a function may be once its calls are inlined. The
/// networks that we know have up to some thousands.
constexpr uint64_t kMaxInlinedOperations = 1 << 20;

/// Reports functions that call themselves, by way of others or not: no target
/// has a stack of frames whose depth the data decides. Reports those, too,
/// whose calls are too many operations to inline: 40 functions that each call
/// the one before twice are 2^40.
LogicalResult verifyCalls(ModuleOp module);

/// Declares a function of the runtime in a module, unless it is there.
func::FuncOp declareFunction(ModuleOp module, StringRef name,
                             FunctionType type);

} // namespace mlir::sparseconv

#endif // SPARSECONV_DIALECT_SPARSECONV_UTILS_CALLS_H
