//===- Assemble.h - machine code for plans ----------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TARGET_PLAN_ASSEMBLE_H
#define SPARSECONV_TARGET_PLAN_ASSEMBLE_H

#include "sparseconv/Runtime/Plan.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir::sparseconv {

/// Adds machine code (a cubin) to each module of a plan for each chip that it
/// has PTX for: the runtime takes it rather than let the driver translate the
/// PTX. `ptxas` is NVIDIA's assembler, as a path or a name to look for in PATH
/// and in /usr/local/cuda/bin. Errors: there is none, or it refuses the PTX.
llvm::Error addMachineCode(::sparseconv::plan::Plan &plan,
                           llvm::StringRef ptxas = "ptxas");

} // namespace mlir::sparseconv

#endif // SPARSECONV_TARGET_PLAN_ASSEMBLE_H
