//===- OutputFile.h - what a tool writes ------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TOOLS_OUTPUTFILE_H
#define SPARSECONV_TOOLS_OUTPUTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace sparseconv {

/// Puts what `write` writes into a file, or on the standard output for "-". A
/// file that is there stays as it was until all is written, so that it may be
/// the input, and so that nothing is lost where `write` returns false: what is
/// wrong has been said then. Returns the exit code of `tool`.
int writeOutput(llvm::StringRef tool, llvm::StringRef path,
                llvm::function_ref<bool(llvm::raw_ostream &)> write);

} // namespace sparseconv

#endif // SPARSECONV_TOOLS_OUTPUTFILE_H
