//===- Rows.cpp - moving rows as kernels ----------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "sparseconv/Dialect/SparseConv/IR/TrustedTables.h"

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::StatusSide;

static Replacements lowerGather(KernelWriter &w, GatherOp op,
                                AdaptorOf<GatherOp> adaptor) {
  Value rows = adaptor.getRows()[0];
  RankedTensorType type = op.getY().getType();
  Value init = w.emptyFeatures(type, w.dim(rows));
  auto gather = w.kernel<GatherRowsOp>(init, adaptor.getX()[0], rows,
                                       w.getStatus(), init, w.getOpId(),
                                       /*trusted=*/op->hasAttr(kTrustedAttr));
  return {{{w.castTo(gather.getResult(0), type)}}};
}

static Replacements lowerScatter(KernelWriter &w, ScatterOp op,
                                 AdaptorOf<ScatterOp> adaptor) {
  RankedTensorType type = op.getY().getType();
  Value rows = adaptor.getRows()[0];
  // Of several errors the first one is kept: that of the size.
  Value n = w.guardSize(adaptor.getN()[0]);
  Value x = w.guardLength(adaptor.getX()[0], w.dim(rows), 1);
  // One weighted row per point, all weights 1.
  SmallVector<OpFoldResult> sizes = {
      tensor::getMixedSize(w, w.getLoc(), rows, 0), w.getIndexAttr(1)};
  Value table = tensor::ExpandShapeOp::create(
      w,
      RankedTensorType::get(
          {cast<RankedTensorType>(rows.getType()).getDimSize(0), 1},
          w.getI32Type()),
      rows, SmallVector<ReassociationIndices>{{0, 1}}, sizes);
  Value weights =
      w.fill(w.empty(w.getF32Type(), w.dim(rows), 1), w.getF32FloatAttr(1));
  Value init = w.emptyFeatures(type, n);
  auto scatter = w.kernel<ScatterRowsOp>(init, x, table, weights, w.getStatus(),
                                         init, op.getKind(), w.getOpId());
  return {{{w.castTo(scatter.getResult(0), type)}}};
}

/// Rows and weights of the voxels around each point.
static std::pair<Value, Value> interpolate(KernelWriter &w, Value points,
                                           Value keys, CoordsType set,
                                           Interpolation interpolation) {
  int64_t corners =
      interpolation == Interpolation::Nearest ? 1 : int64_t(1) << set.getDim();
  Value count = w.dim(points);
  SmallVector<Value> inits = {w.empty(w.getI32Type(), count, corners),
                              w.empty(w.getF32Type(), count, corners)};
  auto rows =
      w.kernel<InterpolateOp>(inits, points, keys, w.getStatus(), inits[0],
                              inits[1], interpolation, set, w.getOpId());
  return {rows.getResult(0), rows.getResult(1)};
}

static Replacements lowerVoxelise(KernelWriter &w, VoxeliseOp op,
                                  AdaptorOf<VoxeliseOp> adaptor) {
  Value keys = adaptor.getCoords()[0], points = adaptor.getPoints()[0];
  Value x = w.guardLength(adaptor.getX()[0], w.dim(points), 1);
  auto [rows, weights] = interpolate(w, points, keys, op.getCoords().getType(),
                                     op.getInterpolation());
  RankedTensorType type = op.getY().getType();
  Value init = w.emptyFeatures(type, w.dim(keys));
  auto scatter = w.kernel<ScatterRowsOp>(init, x, rows, weights, w.getStatus(),
                                         init, op.getKind(), w.getOpId());
  return {{{w.castTo(scatter.getResult(0), type)}}};
}

static Replacements lowerDevoxelise(KernelWriter &w, DevoxeliseOp op,
                                    AdaptorOf<DevoxeliseOp> adaptor) {
  Value keys = adaptor.getCoords()[0], points = adaptor.getPoints()[0];
  Value x = w.guardRows(adaptor.getX()[0], w.dim(keys), 0, StatusSide::Set);
  auto [rows, weights] = interpolate(w, points, keys, op.getCoords().getType(),
                                     op.getInterpolation());
  RankedTensorType type = op.getY().getType();
  Value init = w.emptyFeatures(type, w.dim(points));
  auto gather = w.kernel<WeightedGatherOp>(init, x, rows, weights, init);
  return {{{w.castTo(gather.getResult(0), type)}}};
}

static Replacements lowerToDense(KernelWriter &w, ToDenseOp op,
                                 AdaptorOf<ToDenseOp> adaptor) {
  Value keys = adaptor.getCoords()[0];
  Value x = w.guardRows(adaptor.getX()[0], w.dim(keys), 0, StatusSide::Set);
  RankedTensorType type = op.getDense().getType();
  Value empty =
      tensor::EmptyOp::create(w, type.getShape(), type.getElementType());
  Value init = w.fill(empty, w.getZeroAttr(type.getElementType()));
  auto dense = w.kernel<ToDenseKernelOp>(init, x, keys, w.getStatus(), init,
                                         op.getOrigin(),
                                         op.getCoords().getType(), w.getOpId());
  return {{{dense.getResult(0)}}};
}

static Replacements lowerFromDense(KernelWriter &w, FromDenseOp op,
                                   AdaptorOf<FromDenseOp> adaptor) {
  Value keys = adaptor.getCoords()[0];
  RankedTensorType type = op.getX().getType();
  Value init = w.emptyFeatures(type, w.dim(keys));
  auto rows = w.kernel<FromDenseKernelOp>(
      init, adaptor.getDense()[0], keys, w.getStatus(), init, op.getOrigin(),
      op.getCoords().getType(), w.getOpId());
  return {{{w.castTo(rows.getResult(0), type)}}};
}

void mlir::sparseconv::populateRowsToKernelsPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<KernelPattern<GatherOp>>(converter, context, lowerGather);
  patterns.add<KernelPattern<ScatterOp>>(converter, context, lowerScatter);
  patterns.add<KernelPattern<VoxeliseOp>>(converter, context, lowerVoxelise);
  patterns.add<KernelPattern<DevoxeliseOp>>(converter, context,
                                            lowerDevoxelise);
  patterns.add<KernelPattern<ToDenseOp>>(converter, context, lowerToDense);
  patterns.add<KernelPattern<FromDenseOp>>(converter, context, lowerFromDense);
}
