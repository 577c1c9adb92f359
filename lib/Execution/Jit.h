//===- Jit.h - machine code that sees nothing of the process ----*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's ExecutionEngine would do, but for what it cannot leave out: it looks
// up every name that a module does not define in the whole process. IR from
// elsewhere could then call any function of any library that is loaded.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_EXECUTION_JIT_H
#define SPARSECONV_LIB_EXECUTION_JIT_H

#include "MachineCode.h"
#include "sparseconv/Runtime/CpuCall.h"
#include "sparseconv/Runtime/CpuSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace mlir::sparseconv {

/// A compiled module in this process. Beside what it defines it sees the
/// functions of getRuntimeSymbols(), those it is given, and nothing else.
class Jit {
public:
  /// Takes objects that were compiled for `machine`, and may call `symbols`.
  static llvm::Expected<std::unique_ptr<Jit>>
  load(Objects objects, llvm::orc::JITTargetMachineBuilder machine,
       ArrayRef<::sparseconv::cpu::Symbol> symbols);

  /// A packed function. Errors: what the linker refuses, such as a function
  /// that neither the objects nor the runtime have.
  llvm::Expected<::sparseconv::cpu::Function> lookup(StringRef name);

private:
  std::unique_ptr<llvm::orc::LLJIT> engine;
  /// What the linker says of symbols that it does not find.
  std::string problem;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_EXECUTION_JIT_H
