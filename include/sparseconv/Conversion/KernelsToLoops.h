//===- KernelsToLoops.h - kernels as loops, for hosts -----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the pass `convert-sparseconv-kernels-to-loops` is made of, for a host
// that rewrites our kernel operations on buffers together with its own:
//
//   if (failed(verifyKernelsForLoops(module)))
//     return failure();
//   RewritePatternSet patterns(context);
//   populateKernelsToLoopsPatterns(patterns);
//   // patterns of the host's
//   walkAndApplyPatterns(module, std::move(patterns));
//   return verifyAllWritten(module, "in loops on the CPU");
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_CONVERSION_KERNELSTOLOOPS_H
#define SPARSECONV_CONVERSION_KERNELSTOLOOPS_H

#include "sparseconv/Conversion/KernelPatterns.h"

namespace mlir::sparseconv {

/// Errors for operations in `root` that the patterns cannot write: an unknown
/// search, or one that cannot search its sets. Patterns expect that there are
/// none.
LogicalResult verifyKernelsForLoops(Operation *root);

/// Patterns that write kernel operations on buffers as `scf` loops over
/// `memref` and `vector` operations, and sorting as a call of the runtime. Each
/// pattern writes loops alone, so one walk is enough.
void populateKernelsToLoopsPatterns(RewritePatternSet &patterns);

} // namespace mlir::sparseconv

#endif // SPARSECONV_CONVERSION_KERNELSTOLOOPS_H
