//===- RuntimeSymbols.h - what compiled modules call ------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_EXECUTION_RUNTIMESYMBOLS_H
#define SPARSECONV_EXECUTION_RUNTIMESYMBOLS_H

#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/Mangling.h"

namespace mlir::sparseconv {

/// The functions of the CPU runtime, and the compiler's helpers, that lowered
/// modules call by name: for `ExecutionEngine::registerSymbols`.
llvm::orc::SymbolMap getRuntimeSymbols(llvm::orc::MangleAndInterner mangle);

} // namespace mlir::sparseconv

#endif // SPARSECONV_EXECUTION_RUNTIMESYMBOLS_H
