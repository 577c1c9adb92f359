//===- TranslateOptions.h - what sparseconv-translate is asked --*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TOOLS_SPARSECONV_TRANSLATE_TRANSLATEOPTIONS_H
#define SPARSECONV_TOOLS_SPARSECONV_TRANSLATE_TRANSLATEOPTIONS_H

#include "mlir/Support/LLVM.h"
#include "sparseconv/Tools/Progress.h"
#include "llvm/Support/CommandLine.h"
#include <functional>
#include <initializer_list>

namespace mlir::sparseconv {

/// What a file is translated from and to.
enum class Form {
  NetworkToPlan,
  PlanToPlan,
  PlanToText,
  PlanToPtx,
  MlirToPlan,
  MlirToLLVMIR,
};

/// Registered when the tool starts, as it may share a program with others.
struct TranslateOptions {
  TranslateOptions();

  llvm::cl::OptionCategory generalCategory{"Forms and files"};
  llvm::cl::OptionCategory networkCategory{"Networks"};
  llvm::cl::OptionCategory planCategory{"Plans"};

  llvm::cl::opt<std::string> input;
  llvm::cl::opt<std::string> output;
  llvm::cl::opt<Form> form;
  ::sparseconv::ProgressOption progress;
  llvm::cl::opt<bool> splitInput, verifyDiagnostics;

  llvm::cl::opt<std::string> target, entry, inputName, tuningDatabase;
  llvm::cl::opt<bool> explain, trustTables;

  llvm::cl::list<std::string> chips;
  llvm::cl::opt<unsigned> streams;
  llvm::cl::opt<bool> cubin;
  llvm::cl::opt<std::string> ptxas, weights;
  llvm::cl::opt<bool> convertWeights, weightsByReference;

  /// Refuses options that say nothing to the form that is asked for.
  LogicalResult check() const;

private:
  using List =
      std::initializer_list<std::reference_wrapper<const llvm::cl::Option>>;
  LogicalResult checkKnown(StringRef form, List known) const;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_TOOLS_SPARSECONV_TRANSLATE_TRANSLATEOPTIONS_H
