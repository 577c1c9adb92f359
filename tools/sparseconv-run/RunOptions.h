//===- RunOptions.h - the command line of sparseconv-run --------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TOOLS_SPARSECONV_RUN_RUNOPTIONS_H
#define SPARSECONV_TOOLS_SPARSECONV_RUN_RUNOPTIONS_H

#include "Program.h"
#include "sparseconv/Execution/Executable.h"
#include "sparseconv/Support/TargetInfo.h"
#include "sparseconv/Tools/ArgumentOptions.h"
#include "sparseconv/Tools/Progress.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::sparseconv {

/// Registered when the tool starts, as it may share a program with others.
struct RunOptions {
  RunOptions();

  llvm::cl::OptionCategory runCategory{"Running"};
  llvm::cl::OptionCategory inputCategory{"Arguments and results"};
  llvm::cl::OptionCategory scanCategory{"Scans"};

  llvm::cl::opt<std::string> inputFile, targetName, entry;
  llvm::cl::opt<unsigned> threads, streams;
  llvm::cl::opt<bool> exact, allowKernels;
  llvm::cl::opt<std::string> precision;
  llvm::cl::opt<bool> check;
  llvm::cl::list<unsigned> checkThreads;
  llvm::cl::opt<std::string> timeRuns;
  llvm::cl::opt<unsigned> rest;
  llvm::cl::opt<std::string> profile, tuningDatabase;
  llvm::cl::opt<bool> explain, quiet;
  ::sparseconv::ProgressOption progress;

  ArgumentOptions arguments;
  llvm::cl::list<std::string> outputs;
  llvm::cl::opt<bool> print;
  llvm::cl::opt<std::string> picture;
  llvm::cl::opt<int> pictureColumn;

  /// The target, which is none for the reference; or what is wrong with an
  /// option that needs no program.
  llvm::Expected<std::optional<Target>> readTarget() const;
  /// What --time and --rest ask for, if the first is there.
  llvm::Expected<std::optional<Timing>> getTiming() const;
  /// What the options ask of a program that it cannot do.
  llvm::Error checkFor(const Program &program,
                       const std::optional<Target> &target) const;

private:
  /// An error for an option that says nothing to the target.
  llvm::Error checkTarget(const std::optional<Target> &target) const;
  llvm::Error checkValues() const;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_TOOLS_SPARSECONV_RUN_RUNOPTIONS_H
