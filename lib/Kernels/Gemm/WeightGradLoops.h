//===- WeightGradLoops.h - entries of WeightGradLoops.def ----- -*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_GEMM_WEIGHTGRADLOOPS_H
#define SPARSECONV_LIB_KERNELS_GEMM_WEIGHTGRADLOOPS_H

#include "sparseconv/Kernels/Gemm/WeightGrad.h"

namespace mlir::sparseconv {
/// Each is defined in the file of its entry.
#define WEIGHT_GRAD_LOOP(name)                                                 \
  const WeightGradLoop &getWeightGrad##name##Loop();
#include "WeightGradLoops.def"
} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GEMM_WEIGHTGRADLOOPS_H
