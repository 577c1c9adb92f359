//===- ZDeltaKernel.h - z-delta search on a GPU -----------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_ZDELTAKERNEL_H
#define SPARSECONV_LIB_KERNELS_INDEXING_ZDELTAKERNEL_H

#include "sparseconv/Kernels/Indexing/Search.h"

namespace mlir::sparseconv {

/// Writes the kernel of a z-delta search.
void emitZDeltaKernel(LoopBuilder &b, const SearchTask &task);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_ZDELTAKERNEL_H
