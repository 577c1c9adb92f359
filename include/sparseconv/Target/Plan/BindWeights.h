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

struct BindWeightsOptions {
  /// Whether their data lies in the plan. Else whoever loads it has to bring
  /// the same bytes.
  bool inFile = true;
  /// Rounds floats of another type than that of their input once, which is an
  /// error otherwise.
  bool convert = false;
};

/// Turns inputs of a plan's functions into constants, by name, and puts the
/// data of constants into the plan that it has by reference. Errors name every
/// tensor that is none of these, or does not fit; the plan is then as it was.
llvm::Error bindWeights(::sparseconv::plan::Plan &plan,
                        const ::sparseconv::NamedTensors &weights,
                        const BindWeightsOptions &options);

} // namespace mlir::sparseconv

#endif // SPARSECONV_TARGET_PLAN_BINDWEIGHTS_H
