//===- PairKernels.h - bodies of gather-GEMM-scatter kernels ---*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_GEMM_PAIRKERNELS_H
#define SPARSECONV_LIB_KERNELS_GEMM_PAIRKERNELS_H

#include "PairSums.h"
#include "PairWalk.h"

namespace mlir::sparseconv {

/// Write the body of a kernel, on tensor cores and by threads.
void emitPairMma(ImplicitGemmEmitter &e, const PairGemmConfig &config);
void emitPairFma(ImplicitGemmEmitter &e, const PairGemmConfig &config);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GEMM_PAIRKERNELS_H
