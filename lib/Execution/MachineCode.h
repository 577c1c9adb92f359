//===- MachineCode.h - LLVM IR to objects, on several threads ---*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most of the time that a small network takes to compile goes into LLVM. Its
// parallel loops are functions of their own, which do not know each other: they
// are divided among threads, and compiled to the same code wherever that is.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_EXECUTION_MACHINECODE_H
#define SPARSECONV_LIB_EXECUTION_MACHINECODE_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::sparseconv {

using Objects = std::vector<std::unique_ptr<llvm::MemoryBuffer>>;

/// More threads than this wait for the largest function.
inline constexpr unsigned kMostParts = 8;

/// Compiles `module`, optimised where `builder` says so, on the threads of
/// `context`, to at most `mostParts` objects. What the module defines is seen
/// by all of them.
llvm::Expected<Objects>
compileToObjects(llvm::Module &module,
                 const llvm::orc::JITTargetMachineBuilder &builder,
                 MLIRContext &context, unsigned mostParts = kMostParts);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_EXECUTION_MACHINECODE_H
