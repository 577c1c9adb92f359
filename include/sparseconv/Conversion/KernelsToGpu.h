//===- KernelsToGpu.h - kernels of a GPU, for hosts -------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the pass `convert-sparseconv-kernels-to-gpu` is made of, for a host that
// rewrites our kernel operations on buffers together with its own:
//
//   if (failed(verifyKernelsForGpu(module)))
//     return failure();
//   RewritePatternSet patterns(context);
//   populateKernelsToGpuPatterns(patterns);
//   // patterns of the host's
//   walkAndApplyPatterns(module, std::move(patterns));
//   return verifyAllWritten(module, "on the GPU");
//
// What comes out is launches, and `scf.parallel` loops, of which
// `sparseconv-form-kernels` makes launches.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_CONVERSION_KERNELSTOGPU_H
#define SPARSECONV_CONVERSION_KERNELSTOGPU_H

#include "sparseconv/Conversion/KernelPatterns.h"

namespace mlir::sparseconv {

/// Errors for operations in `root` that the patterns cannot write: the target
/// of the module is no GPU, a search is unknown or cannot search its sets, or
/// no kernel can be made of a tiling. Patterns expect that there are none.
LogicalResult verifyKernelsForGpu(Operation *root);

/// Patterns that write kernel operations on buffers as launches with their
/// kernels, in a `gpu.module` for each, or as `scf.parallel` loops with one
/// thread for each iteration.
void populateKernelsToGpuPatterns(RewritePatternSet &patterns);

} // namespace mlir::sparseconv

#endif // SPARSECONV_CONVERSION_KERNELSTOGPU_H
