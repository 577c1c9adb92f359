//===- BindWeights.h - weights for plans ------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TARGET_PLAN_BINDWEIGHTS_H
#define SPARSECONV_TARGET_PLAN_BINDWEIGHTS_H

#include "sparseconv/IO/NamedTensors.h"
#include "sparseconv/Runtime/Plan.h"
#include "llvm/Support/Error.h"

namespace mlir::sparseconv {

/// Turns inputs of a plan's functions into constants, by name. They lie in the
/// plan (`inFile`), or whoever loads it has to bring the same bytes. A float
/// tensor of another float type than its input's is rounded once. Errors name
/// every tensor that is no input of any function, or does not fit one; the plan
/// is then as it was.
llvm::Error bindWeights(::sparseconv::plan::Plan &plan,
                        const ::sparseconv::NamedTensors &weights, bool inFile);

} // namespace mlir::sparseconv

#endif // SPARSECONV_TARGET_PLAN_BINDWEIGHTS_H
