//===- TranslateFunction.h - from one host function to its steps *- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_TARGET_PLAN_TRANSLATEFUNCTION_H
#define SPARSECONV_LIB_TARGET_PLAN_TRANSLATEFUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "sparseconv/Runtime/Plan.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::sparseconv {

/// The function of a plan, its steps in the order of the program and all in
/// stream 0. Constants are added to the plan, and its kernels learn how much
/// shared memory launches ask for. `kernels` has their numbers by name.
FailureOr<::sparseconv::plan::Function>
translateFunction(func::FuncOp function, ::sparseconv::plan::Plan &plan,
                  const llvm::StringMap<uint32_t> &kernels);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_TARGET_PLAN_TRANSLATEFUNCTION_H
