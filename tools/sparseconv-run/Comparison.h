//===- Comparison.h - a result against the reference ------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TOOLS_SPARSECONV_RUN_COMPARISON_H
#define SPARSECONV_TOOLS_SPARSECONV_RUN_COMPARISON_H

#include "sparseconv/Execution/Signature.h"
#include "sparseconv/Reference/Reference.h"

namespace mlir::sparseconv {

/// Compares `found` with the reference's `expected` and prints one line: the
/// largest error, where it is, and the bound that it is held against. Integers
/// must be equal. Where the reference gives a bound for each element, that one
/// holds. Other results are held against a relative L2 error, which depends on
/// the coarsest type that they were rounded to on their way (f32 counts as f16
/// where the module allows tf32). Returns whether the bound holds.
bool compareWithReference(llvm::StringRef name,
                          const ::sparseconv::HostTensor &found,
                          const BoundedResult &expected, bool allowsTf32,
                          llvm::raw_ostream &os);

/// Compares all results of a function of `module` in this way.
bool compareAll(ModuleOp module, const Signature &signature,
                ArrayRef<::sparseconv::HostTensor> results,
                ArrayRef<BoundedResult> expected, llvm::raw_ostream &os);

/// Compares the results of another run, which has to give the same bits, and
/// prints a line for each: "bits of 'y' on 1 threads: ok". Returns whether all
/// are the same.
bool compareBits(llvm::StringRef where, const Signature &signature,
                 ArrayRef<::sparseconv::HostTensor> results,
                 ArrayRef<::sparseconv::HostTensor> others,
                 llvm::raw_ostream &os);

} // namespace mlir::sparseconv

#endif // SPARSECONV_TOOLS_SPARSECONV_RUN_COMPARISON_H
