//===- LinkImage.h - an object to an image of a plan ------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_EXECUTION_LINKIMAGE_H
#define SPARSECONV_LIB_EXECUTION_LINKIMAGE_H

#include "mlir/Support/LLVM.h"
#include "sparseconv/Runtime/Plan.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::sparseconv {

/// Defines, for each function that the runtime offers, one of the same name
/// that jumps to the address in a table, which the runtime fills in. So the
/// module's object is complete.
void addImports(llvm::Module &module);

/// An image whose bytes no plan keeps yet.
struct LinkedImage {
  ::sparseconv::plan::Image image;
  std::string bytes;
};

/// Links an object of a module with imports by LLVM's JITLink, for no process.
/// Errors: a call of a function that neither the object nor the runtime have.
llvm::Expected<LinkedImage> linkImage(llvm::MemoryBufferRef object);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_EXECUTION_LINKIMAGE_H
