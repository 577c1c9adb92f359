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
#include "sparseconv/Pipelines/SelectionOptions.h"
#include "sparseconv/Runtime/Plan.h"
#include "sparseconv/Target/Plan/ScheduleSteps.h"

namespace mlir::sparseconv {

struct PlanOptions {
  /// The only function to compile; empty: all public ones of tensors and
  /// scalars.
  std::string entry;
  unsigned maxStreams = kDefaultStreams;
  /// Take operations of the kernel level, too.
  bool allowKernels = false;
  SelectionOptions selection;
  /// Neighbour tables are not checked: the caller vouches for those of all
  /// calls.
  bool trustTables = false;
};

/// The plan of a network for a target such as "cuda:sm_90a". Compiles a copy of
/// `module`, which has to be a network (`sparseconv-verify-network`). Failures
/// are reported where they are found.
FailureOr<::sparseconv::plan::Plan>
compileToPlan(ModuleOp module, StringRef target,
              const PlanOptions &options = {});

} // namespace mlir::sparseconv

#endif // SPARSECONV_EXECUTION_COMPILETOPLAN_H
