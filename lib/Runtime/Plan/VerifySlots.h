//===- VerifySlots.h - slots of inputs --------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_RUNTIME_PLAN_VERIFYSLOTS_H
#define SPARSECONV_LIB_RUNTIME_PLAN_VERIFYSLOTS_H

#include "sparseconv/Runtime/Plan.h"
#include <set>

namespace sparseconv::plan {

/// Adds the slots of the inputs' dynamic dimensions to `slots`. Returns why
/// they are not well formed, or nothing: one is not there, or two dimensions
/// share one that are not numbers of rows.
std::optional<std::string> verifyInputSlots(const Function &function,
                                            std::set<uint32_t> &slots);

} // namespace sparseconv::plan

#endif // SPARSECONV_LIB_RUNTIME_PLAN_VERIFYSLOTS_H
