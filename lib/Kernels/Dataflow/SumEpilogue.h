//===- SumEpilogue.h - epilogues of sums in memory -------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_DATAFLOW_SUMEPILOGUE_H
#define SPARSECONV_LIB_KERNELS_DATAFLOW_SUMEPILOGUE_H

#include "sparseconv/Kernels/Dataflow/Dataflow.h"

namespace mlir::sparseconv {

bool hasEpilogue(const GemmOperands &operands);

/// The result of a convolution whose sums over all offsets are in memory: what
/// its epilogue, if there is one, makes of them, in its element type.
Value finishSums(KernelWriter &w, const GemmOperands &operands, Value sums);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_DATAFLOW_SUMEPILOGUE_H
