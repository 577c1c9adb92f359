//===- CompileToPlan.h - from a network to a plan ---------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_EXECUTION_COMPILETOPLAN_H
#define SPARSECONV_EXECUTION_COMPILETOPLAN_H

#include "mlir/IR/BuiltinOps.h"
#include "sparseconv/Runtime/Plan.h"
#include "sparseconv/Target/Plan/ScheduleSteps.h"

namespace mlir::sparseconv {

/// The plan for a target such as "cuda:sm_90a" of a network's public functions
/// of tensors and scalars, or of `entry` alone where it is not empty. Compiles
/// a copy of `module`, which has to be a network (`sparseconv-verify-network`),
/// with operations of the kernel level only where they are allowed. Failures
/// are reported where they are found.
FailureOr<::sparseconv::plan::Plan>
compileToPlan(ModuleOp module, StringRef target, StringRef entry = {},
              unsigned maxStreams = kDefaultStreams, bool allowKernels = false);

} // namespace mlir::sparseconv

#endif // SPARSECONV_EXECUTION_COMPILETOPLAN_H
