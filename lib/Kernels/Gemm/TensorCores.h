//===- TensorCores.h - what tensor cores ask of a main loop --- -*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_GEMM_TENSORCORES_H
#define SPARSECONV_LIB_KERNELS_GEMM_TENSORCORES_H

#include "sparseconv/Kernels/Gemm/ImplicitGemm.h"

namespace mlir::sparseconv {

/// Why no tensor core multiplies by this configuration, or an empty string: its
/// type, and chunks of input channels that are not whole instructions.
std::string verifyTensorCores(const ImplicitGemmConfig &config);
/// The same where warpgroups multiply by wgmma.
std::string verifyWgmma(const ImplicitGemmConfig &config,
                        const TargetInfo &target);

/// Whether the chip has wgmma for the type, and there are channels enough for
/// its tiles of 64 rows.
bool isWorthWgmma(const ImplicitGemmShape &shape, const TargetInfo &target);

/// Registers of a thread that hold rows: in whole pieces; as halves of
/// registers, where a row has an odd size; for the store of columns that are no
/// pairs of tiles, one by one.
struct FragmentRegisters {
  explicit FragmentRegisters(const ImplicitGemmConfig &config);
  int64_t rows, halves, uneven;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GEMM_TENSORCORES_H
