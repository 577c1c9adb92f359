//===- Pool.cpp - pooling as kernels --------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::StatusSide;

static Replacements lowerPool(KernelWriter &w, PoolOp op,
                              AdaptorOf<PoolOp> adaptor) {
  MapValue map = getMap(adaptor.getMap());
  Value x = w.guardRows(adaptor.getX()[0], map.inRows, 0, StatusSide::InSet);
  RankedTensorType type = op.getY().getType();
  Value init = w.emptyFeatures(type, w.dim(map.table));
  auto pool = w.kernel<PoolKernelOp>(init, x, map.table, init, op.getKind(),
                                     op.getCount());
  return {{{w.castTo(pool.getResult(0), type)}}};
}

static Replacements lowerPoolGrad(KernelWriter &w, PoolGradOp op,
                                  AdaptorOf<PoolGradOp> adaptor) {
  MapValue map = getMap(adaptor.getMap());
  Value dy =
      w.guardRows(adaptor.getDy()[0], w.dim(map.table), 0, StatusSide::OutSet);
  Value x = dy;
  if (op.getX())
    x = w.guardRows(adaptor.getX()[0], map.inRows, 2, StatusSide::InSet);
  Value inverse = w.invertTable(map.table, map.inRows);
  RankedTensorType type = op.getDx().getType();
  Value init = w.emptyFeatures(type, map.inRows);
  auto grad = w.kernel<PoolGradKernelOp>(init, dy, map.table, inverse, x, init,
                                         op.getKind(), op.getCount());
  return {{{w.castTo(grad.getResult(0), type)}}};
}

/// The sum over the transposed map.
static Replacements lowerUnpool(KernelWriter &w, UnpoolOp op,
                                AdaptorOf<UnpoolOp> adaptor) {
  MapValue map = getMap(adaptor.getMap());
  Value x =
      w.guardRows(adaptor.getX()[0], w.dim(map.table), 0, StatusSide::OutSet);
  Value inverse = w.invertTable(map.table, map.inRows);
  RankedTensorType type = op.getY().getType();
  Value init = w.emptyFeatures(type, map.inRows);
  auto pool = w.kernel<PoolKernelOp>(init, x, inverse, init, PoolKind::Sum,
                                     CountKind::Present);
  return {{{w.castTo(pool.getResult(0), type)}}};
}

static Replacements lowerGlobalPool(KernelWriter &w, GlobalPoolOp op,
                                    AdaptorOf<GlobalPoolOp> adaptor) {
  Value keys = adaptor.getCoords()[0];
  Value x = w.guardRows(adaptor.getX()[0], w.dim(keys), 0, StatusSide::Set);
  RankedTensorType type = op.getY().getType();
  Value items = op.getBatch() ? w.guardSize(adaptor.getBatch()[0])
                              : w.index(type.getDimSize(0));
  Value init = w.emptyFeatures(type, items);
  auto pool = w.kernel<GlobalPoolKernelOp>(
      init, x, keys, w.getStatus(), init, op.getKind(),
      op.getCoords().getType().getPacking(), w.getOpId());
  return {{{w.castTo(pool.getResult(0), type)}}};
}

static Replacements lowerGlobalPoolGrad(KernelWriter &w, GlobalPoolGradOp op,
                                        AdaptorOf<GlobalPoolGradOp> adaptor) {
  Value keys = adaptor.getCoords()[0];
  Value rows = w.dim(keys);
  RankedTensorType type = op.getDx().getType();
  Value init = w.emptyFeatures(type, rows);
  Value dy = adaptor.getDy()[0];
  Value x = dy;
  if (op.getX())
    x = w.guardRows(adaptor.getX()[0], rows, 2, StatusSide::Set);
  auto grad = w.kernel<GlobalPoolGradKernelOp>(
      init, dy, keys, x, w.getStatus(), init, op.getKind(),
      op.getCoords().getType().getPacking(), w.getOpId());
  return {{{w.castTo(grad.getResult(0), type)}}};
}

void mlir::sparseconv::populatePoolToKernelsPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<KernelPattern<PoolOp>>(converter, context, lowerPool);
  patterns.add<KernelPattern<PoolGradOp>>(converter, context, lowerPoolGrad);
  patterns.add<KernelPattern<UnpoolOp>>(converter, context, lowerUnpool);
  patterns.add<KernelPattern<GlobalPoolOp>>(converter, context,
                                            lowerGlobalPool);
  patterns.add<KernelPattern<GlobalPoolGradOp>>(converter, context,
                                                lowerGlobalPoolGrad);
}
