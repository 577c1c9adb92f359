//===- Patterns.h - kernels of a GPU ----------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_CONVERSION_KERNELSTOGPU_PATTERNS_H
#define SPARSECONV_LIB_CONVERSION_KERNELSTOGPU_PATTERNS_H

#include "ColumnHits.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::sparseconv {

/// sort.
void populateSortToGpuPatterns(RewritePatternSet &patterns);
/// search, which leaves what tile_rows takes instead of tables.
void populateSearchToGpuPatterns(RewritePatternSet &patterns,
                                 HitsOfTables &hitsOfTables);
/// tile_rows.
void populateTileRowsToGpuPatterns(RewritePatternSet &patterns,
                                   HitsOfTables &hitsOfTables);
/// pack_weights, tiled_gemm.
/// Errors for tilings that no kernel can be made of on the module's chip.
LogicalResult verifyGemmTilings(Operation *root);
void populateTiledGemmToGpuPatterns(RewritePatternSet &patterns);
/// implicit_gemm.
void populateImplicitGemmToGpuPatterns(RewritePatternSet &patterns);
/// implicit_weight_grad.
void populateWeightGradToGpuPatterns(RewritePatternSet &patterns);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_CONVERSION_KERNELSTOGPU_PATTERNS_H
