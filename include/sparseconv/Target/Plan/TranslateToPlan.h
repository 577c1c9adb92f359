//===- TranslateToPlan.h - from modules to plans ----------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TARGET_PLAN_TRANSLATETOPLAN_H
#define SPARSECONV_TARGET_PLAN_TRANSLATETOPLAN_H

#include "mlir/IR/BuiltinOps.h"
#include "sparseconv/Runtime/Plan.h"
#include "sparseconv/Target/Plan/ScheduleSteps.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::sparseconv {

/// Turns a module as `sparseconv-lower-to-gpu` leaves it, host functions
/// and kernels, into plan functions and PTX for each of `chips` (where there
/// are none, for the chip of the module's target). Steps that do not depend on
/// each other may overlap in up to `maxStreams` streams; with 1 they run in the
/// order of the program.
void buildPlanPipeline(OpPassManager &pm, ArrayRef<StringRef> chips = {},
                       unsigned maxStreams = kDefaultStreams);

/// The plan of a module as buildPlanPipeline takes it, or as any of its passes
/// leaves it. Failures are reported where they are found.
FailureOr<::sparseconv::plan::Plan>
translateToPlan(ModuleOp module, ArrayRef<StringRef> chips,
                unsigned maxStreams = kDefaultStreams);

} // namespace mlir::sparseconv

#endif // SPARSECONV_TARGET_PLAN_TRANSLATETOPLAN_H
