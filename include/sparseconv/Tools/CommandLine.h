//===- CommandLine.h - help and errors of command lines ---------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's libraries register hundreds of options when a program starts. The help
// of a tool shows the tool's own; with --help-hidden it shows all. --version
// says the project's version as well as LLVM's.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TOOLS_COMMANDLINE_H
#define SPARSECONV_TOOLS_COMMANDLINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

namespace sparseconv {

/// Reads the command line of a tool whose options are those of `categories`.
/// Of a command line that it does not understand it reports the first mistake,
/// in one line, and ends the program with 1.
void parseCommandLine(
    int argc, char **argv, llvm::StringRef overview,
    llvm::ArrayRef<const llvm::cl::OptionCategory *> categories);

/// The status that a tool ends with: `status`, but 1, with an error, where
/// something could not be written to standard output.
int finishOutput(llvm::StringRef tool, int status);

/// An error where an option asks for more threads than a process gets.
llvm::Error checkNumThreads(llvm::StringRef option, unsigned number);

/// Hides from help and from suggestions what is registered so far. A tool whose
/// command line a library of MLIR parses calls this first.
void hideOptionsSoFar(int argc, char **argv);

} // namespace sparseconv

#endif // SPARSECONV_TOOLS_COMMANDLINE_H
