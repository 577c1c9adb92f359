//===- Program.h - what sparseconv-run runs ---------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TOOLS_SPARSECONV_RUN_PROGRAM_H
#define SPARSECONV_TOOLS_SPARSECONV_RUN_PROGRAM_H

#include "mlir/IR/OwningOpRef.h"
#include "sparseconv/Execution/Signature.h"
#include "sparseconv/Runtime/Plan.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::sparseconv {

/// What a file holds: IR, or a plan.
struct Program {
  OwningOpRef<ModuleOp> module;
  std::optional<::sparseconv::plan::Plan> plan;
  /// The file of a plan.
  StringRef file;

  /// Reads a file, which `sources` keeps.
  static llvm::Expected<Program> read(StringRef path, llvm::SourceMgr &sources,
                                      MLIRContext &context);

  /// The functions that can be called.
  SmallVector<StringRef> getEntries();
  /// Makes all other functions private, so that nobody compiles what is not
  /// called.
  void keepOnly(StringRef name);
  llvm::Expected<Signature> getSignature(StringRef name, MLIRContext &context);
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_TOOLS_SPARSECONV_RUN_PROGRAM_H
