//===- SelectionOptions.h - what all pipelines let choose -------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_PIPELINES_SELECTIONOPTIONS_H
#define SPARSECONV_PIPELINES_SELECTIONOPTIONS_H

#include "mlir/Pass/PassOptions.h"
#include <string>

namespace mlir::sparseconv {

/// How pipelines decide how each operation is carried out.
struct SelectionOptions {
  /// A file with measured choices, which come before the rules; or "default",
  /// those that come with the project, or "none".
  std::string tuningDatabase = "default";
  /// Print to standard error what is chosen for each layer, and why.
  bool explain = false;
};

/// Those of a pipeline as flags; a member of the pipeline's options.
class SelectionFlags {
  using PassOptions = ::mlir::detail::PassOptions;

public:
  explicit SelectionFlags(PassOptions &pipeline)
      : tuningDatabase(
            pipeline, "tuning-database",
            llvm::cl::desc("a file with measured choices, which come before "
                           "the rules; or 'none', or 'default': those that "
                           "come with the project"),
            llvm::cl::init("default")),
        explain(pipeline, "explain",
                llvm::cl::desc("print what is chosen for each layer, and why"),
                llvm::cl::init(false)) {}

  SelectionOptions get() const { return {tuningDatabase, explain}; }
  void set(const SelectionOptions &options) {
    tuningDatabase = options.tuningDatabase;
    explain = options.explain;
  }

private:
  PassOptions::Option<std::string> tuningDatabase;
  PassOptions::Option<bool> explain;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_PIPELINES_SELECTIONOPTIONS_H
