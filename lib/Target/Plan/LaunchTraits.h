//===- LaunchTraits.h - what launches do with memory ------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_TARGET_PLAN_LAUNCHTRAITS_H
#define SPARSECONV_LIB_TARGET_PLAN_LAUNCHTRAITS_H

#include "sparseconv/Target/Plan/KernelTraits.h"
#include "sparseconv/Target/Plan/Passes.h"

namespace mlir::sparseconv {

/// Knows the kernels of a module, as long as they are there as IR.
class LaunchTraits {
public:
  /// What a launch reads and writes. Two addresses in one buffer are the same
  /// memory.
  FailureOr<StepTraits> get(PlanLaunchOp op);

  /// The buffer, input, slot, ... that stands behind a number of `StepAccess`.
  Value getMemory(uint32_t number) const { return values[number]; }

private:
  SymbolTableCollection symbols;
  llvm::DenseMap<Operation *, KernelTraits> kernels;
  llvm::DenseMap<Value, uint32_t> memory;
  SmallVector<Value> values;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_TARGET_PLAN_LAUNCHTRAITS_H
