//===- Resources.h - what a multiprocessor has room for ------- -*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_GEMM_RESOURCES_H
#define SPARSECONV_LIB_KERNELS_GEMM_RESOURCES_H

#include "sparseconv/Kernels/Gemm/ImplicitGemm.h"

namespace mlir::sparseconv {

/// Why a multiprocessor of `target` has no room for `blocks` thread blocks of
/// `warps` warps whose threads need so many registers, or an empty string.
std::string verifyRegisters(int64_t warps, int64_t blocks, int64_t registers,
                            const TargetInfo &target);

/// Why a multiprocessor of `target` has no room for `blocks` thread blocks with
/// so many bytes of shared memory, or an empty string.
std::string verifySharedMemory(int64_t blocks, int64_t bytes,
                               const TargetInfo &target);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GEMM_RESOURCES_H
