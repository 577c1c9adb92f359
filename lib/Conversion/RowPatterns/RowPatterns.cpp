//===- RowPatterns.cpp - kernels that are loops on every target -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Conversion/KernelPatterns.h"
#include "sparseconv/Kernels/Indexing/IndexingKernels.h"
#include "sparseconv/Kernels/Rows/RowKernels.h"

using namespace mlir;
using namespace mlir::sparseconv;

void mlir::sparseconv::populateRowPatterns(RewritePatternSet &patterns) {
  // Coordinates, their keys, and lists of keys.
  addLoopPatterns(patterns, emitQuantise, emitEncode, emitDecode, emitFloor,
                  emitRescale, emitCoarsen, emitSpread, emitSubdivide,
                  emitCover, emitCountKeys, emitUnique, emitSelect,
                  emitIntersect);
  // Encodings of kernel maps.
  addLoopPatterns(patterns, emitTableFromPairs, emitCheckTable, emitInvertTable,
                  emitRenumberTable, emitKeepOffsets, emitUntileRows,
                  emitPairLists, emitGroupPairs);
  // Pooling.
  addLoopPatterns(patterns, emitPool, emitPoolGrad, emitGlobalPool,
                  emitGlobalPoolGrad);
  // Rows that move.
  addLoopPatterns(patterns, emitGatherRows, emitIm2col, emitInterpolate,
                  emitWeightedGather, emitScatterRows, emitToDense,
                  emitFromDense);
}

LogicalResult mlir::sparseconv::verifyAllWritten(Operation *root,
                                                 StringRef where) {
  WalkResult result = root->walk([&](Operation *op) {
    if (!isa_and_nonnull<SparseConvDialect>(op->getDialect()) ||
        isa<YieldOp, DeviceScalarOp, GrowableCapacityOp>(op))
      return WalkResult::advance();
    op->emitError("'") << op->getName() << "' has no form " << where;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
