//===- ToPtx.h - from GPU modules to PTX ------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TARGET_PTX_TOPTX_H
#define SPARSECONV_TARGET_PTX_TOPTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include <string>

namespace mlir {
class DialectRegistry;

namespace sparseconv {

/// Registers what the way to PTX looks up in a context: how dialects convert
/// to the LLVM dialect, and how that, NVVM and GPU translate to LLVM IR.
void registerPtxTarget(DialectRegistry &registry);

/// The PTX of a module that is in the LLVM and NVVM dialects, for a chip such
/// as sm_80. Failures are reported on the module. The backend ends the process
/// on instructions that the chip does not have.
FailureOr<std::string> translateToPtx(gpu::GPUModuleOp module, StringRef chip,
                                      unsigned optLevel = 3);

} // namespace sparseconv
} // namespace mlir

#endif // SPARSECONV_TARGET_PTX_TOPTX_H
