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
  MLIRContext *context = patterns.getContext();
  // Coordinates, their keys, and lists of keys.
  patterns.add<LoopPattern<EncodeOp>>(context, emitEncode);
  patterns.add<LoopPattern<DecodeOp>>(context, emitDecode);
  patterns.add<LoopPattern<FloorOp>>(context, emitFloor);
  patterns.add<LoopPattern<SpreadOp>>(context, emitSpread);
  patterns.add<LoopPattern<UniqueOp>>(context, emitUnique);
  patterns.add<LoopPattern<SelectOp>>(context, emitSelect);
  patterns.add<LoopPattern<IntersectOp>>(context, emitIntersect);
  // Encodings of kernel maps.
  patterns.add<LoopPattern<InvertTableOp>>(context, emitInvertTable);
  patterns.add<LoopPattern<PairListsOp>>(context, emitPairLists);
  // Pooling.
  patterns.add<LoopPattern<PoolKernelOp>>(context, emitPool);
  patterns.add<LoopPattern<PoolGradKernelOp>>(context, emitPoolGrad);
  patterns.add<LoopPattern<GlobalPoolKernelOp>>(context, emitGlobalPool);
  patterns.add<LoopPattern<GlobalPoolGradKernelOp>>(context,
                                                    emitGlobalPoolGrad);
  // Rows that move.
  patterns.add<LoopPattern<GatherRowsOp>>(context, emitGatherRows);
  patterns.add<LoopPattern<InterpolateOp>>(context, emitInterpolate);
  patterns.add<LoopPattern<WeightedGatherOp>>(context, emitWeightedGather);
  patterns.add<LoopPattern<ScatterRowsOp>>(context, emitScatterRows);
  patterns.add<LoopPattern<ToDenseKernelOp>>(context, emitToDense);
  patterns.add<LoopPattern<FromDenseKernelOp>>(context, emitFromDense);
}
