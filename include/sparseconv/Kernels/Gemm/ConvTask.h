//===- ConvTask.h - what a dataflow carries out ----------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNELS_GEMM_CONVTASK_H
#define SPARSECONV_KERNELS_GEMM_CONVTASK_H

#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"

namespace mlir::sparseconv {

/// A convolution or one of its gradients, as those see it who decide how it is
/// carried out: what is computed, and what has been decided. A dataflow can
/// leave a part of its task, which is no operation, to another one.
struct ConvTask {
  ConvTask(ImplicitGemmOpInterface op)
      : weights(op.getWeightsType()), gradient(op.getGradient()),
        allowsTf32(op.getAllowTf32()),
        allowsNondeterministic(op.getAllowNondeterministic()),
        dataflow(op.getDataflowAttr()), tiling(op.getTilingAttr()),
        rowOrder(op.getRowOrderAttr()), map(op.getMap()) {}

  MLIRContext *getContext() const { return weights.getContext(); }
  /// Whether each slice of the weights is multiplied transposed.
  bool hasTransposedWeights() const { return gradient == Gradient::Input; }

  RankedTensorType weights;
  Gradient gradient;
  bool allowsTf32;
  /// Whether the order of additions may change from run to run.
  bool allowsNondeterministic;
  /// Null where nothing was decided.
  DataflowAttr dataflow;
  Attribute tiling;
  RowOrderAttr rowOrder;
  /// The kernel map of the network.
  Value map;

  /// The largest stride of the set whose rows are computed, or 0: of sets of
  /// one axis, which may number rows, it is not known.
  int64_t getRowStride() const;
  /// The L1 norm of each offset of the map, in steps of the finer set; none
  /// where the map is given by its pairs, or comes from elsewhere.
  SmallVector<int64_t> getOffsetNorms() const;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_KERNELS_GEMM_CONVTASK_H
