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

/// A result, by number, and the .npy file that it is written to.
struct OutputFile {
  size_t result;
  std::string path;
};

/// What goes where: "NAME=FILE", or "FILE" for the next result. Errors: a
/// result that the function does not have; two for one file.
llvm::Expected<SmallVector<OutputFile>>
readOutputs(ArrayRef<std::string> outputs, const Signature &signature);

/// Writes results to their files.
llvm::Error writeResults(ArrayRef<OutputFile> outputs,
                         ArrayRef<::sparseconv::HostTensor> results);

} // namespace mlir::sparseconv

#endif // SPARSECONV_TOOLS_SPARSECONV_RUN_PRINTRESULT_H
