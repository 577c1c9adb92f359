//===- MainLoops.h - entries of MainLoops.def ----------------- -*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_GEMM_MAINLOOPS_H
#define SPARSECONV_LIB_KERNELS_GEMM_MAINLOOPS_H

#include "sparseconv/Kernels/Gemm/MainLoop.h"

namespace mlir::sparseconv {
/// Each is defined in the file of its entry.
#define MAIN_LOOP(name) const MainLoop &get##name##MainLoop();
#include "MainLoops.def"
} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GEMM_MAINLOOPS_H
