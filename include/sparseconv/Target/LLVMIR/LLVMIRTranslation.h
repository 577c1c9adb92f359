//===- LLVMIRTranslation.h - lowered modules as LLVM IR ---------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TARGET_LLVMIR_LLVMIRTRANSLATION_H
#define SPARSECONV_TARGET_LLVMIR_LLVMIRTRANSLATION_H

namespace mlir {
class DialectRegistry;

namespace sparseconv {

/// Registers what the translation of a lowered module to LLVM IR needs: the
/// dialects that the pipeline `sparseconv-lower-to-cpu` ends in, and the
/// project's own. Attributes of the latter (argument names, the table of
/// operations) are for tools and leave no trace.
void registerLLVMIRTranslation(DialectRegistry &registry);

} // namespace sparseconv
} // namespace mlir

#endif // SPARSECONV_TARGET_LLVMIR_LLVMIRTRANSLATION_H
