//===- RuntimeSymbols.cpp - what compiled modules call --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Execution/RuntimeSymbols.h"
#include "sparseconv/Runtime/CpuSymbols.h"

llvm::orc::SymbolMap
mlir::sparseconv::getRuntimeSymbols(llvm::orc::MangleAndInterner mangle) {
  llvm::orc::SymbolMap symbols;
  for (const ::sparseconv::cpu::Symbol &symbol :
       ::sparseconv::cpu::getSymbols())
    symbols[mangle(symbol.name)] = {
        llvm::orc::ExecutorAddr::fromPtr(symbol.address),
        llvm::JITSymbolFlags::Exported};
  return symbols;
}
