//===- WritePlan.h - from a network to the file of a plan -------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TOOLS_WRITEPLAN_H
#define SPARSECONV_TOOLS_WRITEPLAN_H

#include "sparseconv/Execution/CompileToPlan.h"
#include "llvm/Support/Error.h"

namespace mlir::sparseconv {

/// Compiles a network as compileToPlan() does, and writes the plan to the file
/// `path`, which appears whole or not at all. Errors: `module` is no network or
/// cannot be compiled, which is reported where it is found; the file cannot be
/// written.
///
///   if (auto error = writePlan(module, "cuda:sm_90a", "net.plan"))
///     ...
llvm::Error writePlan(ModuleOp module, StringRef target, StringRef path,
                      const PlanOptions &options = {});

} // namespace mlir::sparseconv

#endif // SPARSECONV_TOOLS_WRITEPLAN_H
