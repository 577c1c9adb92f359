//===- KernelTraits.h - what kernels do with memory -------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TARGET_PLAN_KERNELTRAITS_H
#define SPARSECONV_TARGET_PLAN_KERNELTRAITS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "sparseconv/Target/Plan/ScheduleSteps.h"

namespace mlir::sparseconv {

/// Reads from the body of a kernel what it does through each parameter. What is
/// not understood counts as read and written. Where an op carries the attribute
/// `sparseconv.load`, it reads through its pointers and does nothing else. A
/// parameter with `sparseconv.restored` says that the kernel leaves what it
/// found there.
KernelTraits getKernelTraits(gpu::GPUFuncOp kernel);

} // namespace mlir::sparseconv

#endif // SPARSECONV_TARGET_PLAN_KERNELTRAITS_H
