//===- PrintResult.h - a result as text -------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TOOLS_SPARSECONV_RUN_PRINTRESULT_H
#define SPARSECONV_TOOLS_SPARSECONV_RUN_PRINTRESULT_H

#include "sparseconv/Execution/Signature.h"
#include "sparseconv/Support/HostTensor.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::sparseconv {

/// Prints one line: the name, the type, and the range of the elements.
void printSummary(llvm::StringRef name, const ::sparseconv::HostTensor &tensor,
                  llvm::raw_ostream &os);

/// Prints the elements, one line for each row along the last axis; of a tensor
/// with more than 1000 rows, the first 1000.
void printElements(const ::sparseconv::HostTensor &tensor,
                   llvm::raw_ostream &os);

/// Writes results to .npy files: "NAME=FILE", or "FILE" for the next one.
llvm::Error writeResults(ArrayRef<std::string> outputs,
                         const Signature &signature,
                         ArrayRef<::sparseconv::HostTensor> results);

} // namespace mlir::sparseconv

#endif // SPARSECONV_TOOLS_SPARSECONV_RUN_PRINTRESULT_H
