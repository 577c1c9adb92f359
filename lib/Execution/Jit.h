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

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace mlir::sparseconv {

/// A compiled module in this process. Beside what it defines it sees the
/// functions of getRuntimeSymbols() and nothing else.
class Jit {
public:
  /// A function of the C interface, `_mlir_ciface_NAME`, that takes pointers to
  /// its arguments, and after them one to where its result goes.
  using Function = void (*)(void **);

  /// Compiles a module in the LLVM dialect, optimised where `builder` says so.
  /// Errors: what the translation, the optimiser or the linker refuse, such as
  /// a function that neither the module nor the runtime has.
  static llvm::Expected<std::unique_ptr<Jit>>
  compile(ModuleOp module, llvm::orc::JITTargetMachineBuilder builder);

  /// The function `_mlir_ciface_NAME`.
  llvm::Expected<Function> lookup(StringRef name);

private:
  std::unique_ptr<llvm::orc::LLJIT> engine;
  /// What the linker says of symbols that it does not find.
  std::string problem;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_EXECUTION_JIT_H
