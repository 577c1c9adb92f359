//===- TranslateToPlan.h - from host functions to plans ---------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TARGET_PLAN_TRANSLATETOPLAN_H
#define SPARSECONV_TARGET_PLAN_TRANSLATETOPLAN_H

#include "mlir/IR/BuiltinOps.h"
#include "sparseconv/Target/Plan/ScheduleSteps.h"

namespace mlir::sparseconv {

/// The plan of a module as `sparseconv-lower-to-kernels` leaves it: public
/// functions that allocate and launch, and one `gpu.module`, which is compiled
/// to PTX for each chip. Steps that do not depend on each other may overlap in
/// up to `maxStreams` streams; with 1 they run in the order of the program.
/// Failures are reported where they are found.
FailureOr<::sparseconv::plan::Plan>
translateToPlan(ModuleOp module, ArrayRef<StringRef> chips,
                unsigned maxStreams = kDefaultStreams);

} // namespace mlir::sparseconv

#endif // SPARSECONV_TARGET_PLAN_TRANSLATETOPLAN_H
