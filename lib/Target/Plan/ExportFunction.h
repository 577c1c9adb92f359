//===- ExportFunction.h - from operations to a plan's data -----*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_TARGET_PLAN_EXPORTFUNCTION_H
#define SPARSECONV_LIB_TARGET_PLAN_EXPORTFUNCTION_H

#include "sparseconv/Dialect/Plan/IR/PlanOps.h"
#include "sparseconv/Runtime/Plan.h"

namespace mlir::sparseconv {

/// A function as the data that the runtime reads. Constants and kernels that it
/// uses are added to the plan, which has the modules of the kernels.
FailureOr<::sparseconv::plan::Function>
exportFunction(PlanFuncOp function, ::sparseconv::plan::Plan &plan);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_TARGET_PLAN_EXPORTFUNCTION_H
