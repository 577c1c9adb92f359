//===- ArgumentOptions.h - options that say what arguments are --*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TOOLS_ARGUMENTOPTIONS_H
#define SPARSECONV_TOOLS_ARGUMENTOPTIONS_H

#include "sparseconv/Tools/Arguments.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::sparseconv {

/// The options of a tool that calls a function with values from files.
class ArgumentOptions {
public:
  /// Registers them: those of values, and those of scans.
  ArgumentOptions(llvm::cl::OptionCategory &ofInputs,
                  llvm::cl::OptionCategory &ofScans);

  /// The arguments of function `entry` of `module`, from what the command line
  /// says: all of the below in one. Errors: there is no such function, and
  /// those of bindArguments() and check().
  ///
  ///   static ArgumentOptions options(category, category); // --input,
  ///   --weights auto bound = options.bind(module, "main"); auto results =
  ///   executable->run("main", bound->values);
  llvm::Expected<BoundArguments> bind(ModuleOp module, StringRef entry) const;

  llvm::Expected<ArgumentSources> getSources() const;
  /// An error for an option that says nothing to what was bound.
  llvm::Error check(const BoundArguments &bound,
                    const ArgumentSources &sources) const;

private:
  llvm::cl::list<std::string> inputs;
  llvm::cl::opt<std::string> weights;
  llvm::cl::opt<bool> convertWeights;
  llvm::cl::opt<uint64_t> seed;
  llvm::cl::opt<unsigned> binColumns;
  llvm::cl::list<double> voxelSize, range;
  llvm::cl::list<std::string> featureColumns;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_TOOLS_ARGUMENTOPTIONS_H
