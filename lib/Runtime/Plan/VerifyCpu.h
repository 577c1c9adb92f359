//===- VerifyCpu.h - functions of plans for CPUs ----------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_RUNTIME_PLAN_VERIFYCPU_H
#define SPARSECONV_LIB_RUNTIME_PLAN_VERIFYCPU_H

#include "sparseconv/Runtime/Plan.h"

namespace sparseconv::plan {

/// Why an image of machine code cannot be loaded, or nothing: segments that
/// overlap or are no whole pages, and what lies outside of them.
std::optional<std::string> verifyMachineCode(const Image &image);

/// Why a function of machine code for CPUs is not well formed, or nothing.
std::optional<std::string> verifyCpuFunction(const Plan &plan,
                                             const Function &function);

} // namespace sparseconv::plan

#endif // SPARSECONV_LIB_RUNTIME_PLAN_VERIFYCPU_H
