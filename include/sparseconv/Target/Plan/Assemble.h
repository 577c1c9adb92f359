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

/// The path of NVIDIA's assembler, which `ptxas` is the path or the name of: a
/// name is looked for in PATH and in /usr/local/cuda/bin. Error: there is none.
llvm::Expected<std::string> findAssembler(llvm::StringRef ptxas = "ptxas");

/// Adds machine code (a cubin) to each module of a plan for each chip that it
/// has PTX for, or for `chip` made of that PTX: the runtime takes it rather
/// than let the driver translate the PTX. Errors: those of `findAssembler`; the
/// assembler refuses the PTX.
llvm::Error addMachineCode(::sparseconv::plan::Plan &plan,
                           llvm::StringRef ptxas = "ptxas",
                           llvm::StringRef chip = {});

} // namespace mlir::sparseconv

#endif // SPARSECONV_TARGET_PLAN_ASSEMBLE_H
