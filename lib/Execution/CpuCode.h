//===- CpuCode.h - machine code of a network for CPUs -----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_EXECUTION_CPUCODE_H
#define SPARSECONV_LIB_EXECUTION_CPUCODE_H

#include "MachineCode.h"
#include "mlir/IR/BuiltinOps.h"
#include "sparseconv/Execution/CpuExecutable.h"
#include "sparseconv/Runtime/Plan.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::sparseconv {

/// Which machine code `options` ask for. Error: this machine cannot run it.
llvm::Expected<llvm::orc::JITTargetMachineBuilder>
describeMachine(const CpuOptions &options);
/// The same for the machines of a level, whatever this one is.
llvm::Expected<llvm::orc::JITTargetMachineBuilder>
describeLevel(StringRef level);

/// Loads all that compile() needs of a context. Several threads may compile
/// modules of one context after that; nobody may load dialects then.
void loadCpuDialects(MLIRContext &context);

/// The signature as plans have it.
SmallVector<::sparseconv::plan::Value> toValues(ArrayRef<Parameter> parameters);

/// A compiled network, not linked yet.
struct CpuCode {
  /// Of the public functions of tensors and scalars, in their order.
  llvm::MapVector<StringRef, Signature> signatures;
  /// What an operation's number in a status record stands for.
  std::vector<::sparseconv::plan::Op> operations;
  /// The same of each kernel, where the code is instrumented.
  std::vector<::sparseconv::plan::Op> kernels;
  Objects objects;

  enum class Form {
    Parts,   ///< several objects, which the runtime's functions complete
    Complete ///< one that has all it needs: see addImports()
  };
  /// Compiles a copy of `module`, which has to be a network and outlives the
  /// code, for vectors of `level`.
  static llvm::Expected<CpuCode>
  compile(ModuleOp module, const llvm::orc::JITTargetMachineBuilder &machine,
          StringRef level, const CpuOptions &options, Form form = Form::Parts);
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_EXECUTION_CPUCODE_H
