//===- TimeCalls.h - times a call several times -----------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_EXECUTION_TIMECALLS_H
#define SPARSECONV_EXECUTION_TIMECALLS_H

#include "sparseconv/Execution/Executable.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::sparseconv {

/// Makes `call` as often as `timing` says, until it gives an error. Returns the
/// seconds of each call after those that warm up.
llvm::Expected<std::vector<double>>
timeCalls(const Timing &timing, llvm::function_ref<llvm::Error()> call);

} // namespace mlir::sparseconv

#endif // SPARSECONV_EXECUTION_TIMECALLS_H
