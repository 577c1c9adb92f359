//===- Conv.cpp - convolution and its gradients as kernels ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "sparseconv/Dialect/SparseConv/IR/TrustedTables.h"
#include "sparseconv/Kernels/Dataflow/Dataflow.h"

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::StatusSide;

/// The dataflow that was decided, which the pass has checked.
static const Dataflow &getDataflow(ImplicitGemmOpInterface op) {
  return *Dataflow::find(op.getDataflowAttr().getName());
}

static Replacements lowerConv(KernelWriter &w, ConvOp op,
                              AdaptorOf<ConvOp> adaptor) {
  MapValue map = getMap(adaptor.getMap());
  Value outRows = w.dim(map.table);
  Value x = w.guardRows(adaptor.getX()[0], map.inRows, 0, StatusSide::InSet,
                        op->hasAttr(kTrustedAttr));
  SmallVector<Value> extras;
  for (auto [number, values] : llvm::enumerate(adaptor.getExtras())) {
    Value extra = values[0];
    if (cast<RankedTensorType>(extra.getType()).getRank() == 2)
      extra = w.guardRows(extra, outRows, 3 + number, StatusSide::OutSet);
    extras.push_back(extra);
  }
  GemmOperands operands{
      x,      adaptor.getW()[0], map.table,          map.inRows,
      extras, &op.getEpilogue(), op.getY().getType()};
  return {{{getDataflow(op).lowerGemm(w, ConvTask(op), operands)}}};
}

static Replacements lowerInputGrad(KernelWriter &w, InputGradOp op,
                                   AdaptorOf<InputGradOp> adaptor) {
  MapValue map = getMap(adaptor.getMap());
  Value dy =
      w.guardRows(adaptor.getDy()[0], w.dim(map.table), 0, StatusSide::OutSet);
  // The table of a map that was transposed is there.
  auto transposed = map.table.getDefiningOp<InvertTableOp>();
  Value inverse =
      transposed ? transposed.getTable() : w.invertTable(map.table, map.inRows);
  GemmOperands operands{dy,
                        adaptor.getW()[0],
                        inverse,
                        w.dim(map.table),
                        ValueRange(),
                        /*epilogue=*/nullptr,
                        op.getDx().getType()};
  return {{{getDataflow(op).lowerGemm(w, ConvTask(op), operands)}}};
}

static Replacements lowerWeightGrad(KernelWriter &w, WeightGradOp op,
                                    AdaptorOf<WeightGradOp> adaptor) {
  MapValue map = getMap(adaptor.getMap());
  Value x = w.guardRows(adaptor.getX()[0], map.inRows, 0, StatusSide::InSet);
  Value dy =
      w.guardRows(adaptor.getDy()[0], w.dim(map.table), 1, StatusSide::OutSet);
  WeightGradOperands operands{x, dy, map.table, op.getDw().getType()};
  return {{{getDataflow(op).lowerWeightGrad(w, ConvTask(op), operands)}}};
}

void mlir::sparseconv::populateConvToKernelsPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<KernelPattern<ConvOp>>(converter, context, lowerConv);
  patterns.add<KernelPattern<InputGradOp>>(converter, context, lowerInputGrad);
  patterns.add<KernelPattern<WeightGradOp>>(converter, context,
                                            lowerWeightGrad);
}
