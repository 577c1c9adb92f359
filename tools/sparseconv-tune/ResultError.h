//===- ResultError.h - how far two results are apart ------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TOOLS_SPARSECONV_TUNE_RESULTERROR_H
#define SPARSECONV_TOOLS_SPARSECONV_TUNE_RESULTERROR_H

#include "sparseconv/Support/HostTensor.h"

namespace mlir::sparseconv {

/// The largest difference of `found` from `expected`, relative to the largest
/// magnitude of that. Infinite where shapes or integers differ, or one of two
/// numbers alone is finite.
double getError(const ::sparseconv::HostTensor &found,
                const ::sparseconv::HostTensor &expected);

} // namespace mlir::sparseconv

#endif // SPARSECONV_TOOLS_SPARSECONV_TUNE_RESULTERROR_H
