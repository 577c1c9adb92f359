//===- CompileToCpuPlan.h - from a network to a plan for CPUs ---*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_EXECUTION_COMPILETOCPUPLAN_H
#define SPARSECONV_LIB_EXECUTION_COMPILETOCPUPLAN_H

#include "sparseconv/Execution/CompileToPlan.h"

namespace mlir::sparseconv {

/// Compiles the public functions of `module` for some vector levels, whether
/// this machine has them or not.
llvm::Expected<::sparseconv::plan::Plan>
compileToCpuPlan(ModuleOp module, ArrayRef<StringRef> levels,
                 const PlanOptions &options);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_EXECUTION_COMPILETOCPUPLAN_H
