//===- Conv.cpp - convolution and its gradients as kernels ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::StatusSide;

static Replacements lowerConv(KernelWriter &w, ConvOp op,
                              AdaptorOf<ConvOp> adaptor) {
  MapValue map = getMap(adaptor.getMap());
  Value outRows = w.dim(map.table);
  Value x = w.guardRows(adaptor.getX()[0], map.inRows, 0, StatusSide::InSet);
  SmallVector<Value> extras;
  for (auto [number, values] : llvm::enumerate(adaptor.getExtras())) {
    Value extra = values[0];
    if (cast<RankedTensorType>(extra.getType()).getRank() == 2)
      extra = w.guardRows(extra, outRows, 3 + number, StatusSide::OutSet);
    extras.push_back(extra);
  }
  PairLists pairs = w.pairLists(map.table, op.getTiling()->getBlock());
  RankedTensorType type = op.getY().getType();
  Value init = w.emptyFeatures(type, outRows);
  auto gemm = w.kernel<GatherGemmOp>(init, x, adaptor.getW()[0], pairs.inRows,
                                     pairs.outRows, pairs.segments, extras,
                                     init, *op.getDataflow(), *op.getTiling());
  if (op.hasEpilogue())
    w.moveRegion(op.getEpilogue(), gemm.getEpilogue());
  return {{{w.castTo(gemm.getResult(0), type)}}};
}

static Replacements lowerInputGrad(KernelWriter &w, InputGradOp op,
                                   AdaptorOf<InputGradOp> adaptor) {
  MapValue map = getMap(adaptor.getMap());
  Value dy =
      w.guardRows(adaptor.getDy()[0], w.dim(map.table), 0, StatusSide::OutSet);
  Value inverse = w.invertTable(map.table, map.inRows);
  PairLists pairs = w.pairLists(inverse, op.getTiling()->getBlock());
  RankedTensorType type = op.getDx().getType();
  Value init = w.emptyFeatures(type, map.inRows);
  auto gemm = w.kernel<GatherGemmOp>(
      init, dy, adaptor.getW()[0], pairs.inRows, pairs.outRows, pairs.segments,
      ValueRange(), init, *op.getDataflow(), *op.getTiling(),
      /*transpose_weights=*/true);
  return {{{w.castTo(gemm.getResult(0), type)}}};
}

static Replacements lowerWeightGrad(KernelWriter &w, WeightGradOp op,
                                    AdaptorOf<WeightGradOp> adaptor) {
  MapValue map = getMap(adaptor.getMap());
  Value x = w.guardRows(adaptor.getX()[0], map.inRows, 0, StatusSide::InSet);
  Value dy =
      w.guardRows(adaptor.getDy()[0], w.dim(map.table), 1, StatusSide::OutSet);
  PairLists pairs = w.pairLists(map.table, op.getTiling()->getBlock());
  RankedTensorType type = op.getDw().getType();
  Value init =
      tensor::EmptyOp::create(w, type.getShape(), type.getElementType());
  auto grad =
      w.kernel<WeightGradKernelOp>(init, x, dy, pairs.inRows, pairs.outRows,
                                   pairs.segments, init, *op.getTiling());
  return {{{grad.getResult(0)}}};
}

void mlir::sparseconv::populateConvToKernelsPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<KernelPattern<ConvOp>>(converter, context, lowerConv);
  patterns.add<KernelPattern<InputGradOp>>(converter, context, lowerInputGrad);
  patterns.add<KernelPattern<WeightGradOp>>(converter, context,
                                            lowerWeightGrad);
}
