//===- Conv.cpp - convolution and its gradients as kernels ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "sparseconv/Kernels/GatherGemm.h"
#include "sparseconv/Kernels/LoopBuilder.h"

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::StatusSide;

template <typename OpTy> static bool isOutputStationary(OpTy op) {
  return op.getDataflow()->getKind() == DataflowKind::OutputStationary;
}

namespace {
/// What a GEMM by tiles needs of a map and of weights.
struct Tiles {
  Value image, table, order, masks, sizes;
};
} // namespace

static Tiles tileMap(KernelWriter &w, const GatherGemmConfig &config,
                     GemmTilingAttr tiling, Value weights, Value table,
                     Value inRows, bool isTransposed) {
  constexpr int64_t kSlots = 256;
  Value slots = w.mul(w.ceilDiv(w.dim(table), kSlots), w.index(kSlots));
  int64_t rows = config.rowsPerTile();
  SmallVector<Value> inits = {
      tensor::EmptyOp::create(
          w, ArrayRef<int64_t>{config.offsets, ShapedType::kDynamic},
          w.getI32Type(), slots),
      w.emptyRows(slots),
      w.empty(w.getI32Type(), w.ceilDiv(slots, rows), {config.maskWords()}),
      tensor::EmptyOp::create(w, ArrayRef<int64_t>{3}, w.getIndexType())};
  auto tiles = w.kernel<TileRowsOp>(inits, table, inRows, inits[0], inits[1],
                                    inits[2], inits[3], rows);
  Value image = tensor::EmptyOp::create(
      w, ArrayRef<int64_t>{config.weightBytes()}, w.getI8Type());
  auto pack =
      w.kernel<PackWeightsOp>(image, weights, image, tiling, isTransposed);
  return Tiles{pack.getResult(0), tiles.getResult(0), tiles.getResult(1),
               tiles.getResult(2), tiles.getResult(3)};
}

/// The implicit GEMM of a map's `table` over the rows of `x`; the weights are
/// [K, C_in, C_out], or their two last axes are swapped.
template <typename OpTy>
static Value lowerToImplicitGemm(KernelWriter &w, OpTy op, Value x,
                                 Value weights, Value table, Value inRows,
                                 ValueRange extras, RankedTensorType type,
                                 Region *epilogue, bool isTransposed) {
  Value init = w.emptyFeatures(type, w.dim(table));
  auto tiling = cast<GemmTilingAttr>(op.getTilingAttr());
  auto finish = [&](auto gemm) {
    if (epilogue && !epilogue->empty())
      w.moveRegion(*epilogue, gemm.getEpilogue());
    return w.castTo(gemm.getResult(0), type);
  };
  if (tiling.getStrategy() == GemmStrategy::Fma)
    return finish(w.kernel<ImplicitGemmOp>(init, x, weights, table, extras,
                                           init, *op.getDataflow(),
                                           isTransposed));
  auto config = getTiledGemm(tiling, *op.getDataflow(),
                             cast<ShapedType>(weights.getType()), isTransposed);
  const GpuChip &chip = *GpuChip::find(getChipName(op));
  Tiles tiles =
      tileMap(w, config, tiling, weights, table, inRows, isTransposed);
  Value scratch = tensor::EmptyOp::create(
      w, ArrayRef<int64_t>{config.scratchBytes(chip) / 4}, w.getF32Type());
  Value counters = tensor::EmptyOp::create(
      w, ArrayRef<int64_t>{config.counters(chip)}, w.getI32Type());
  if (config.splitK > 1)
    counters = w.fill(counters, w.getI32IntegerAttr(0));
  return finish(w.kernel<TiledGemmOp>({init, scratch, counters}, x, tiles.image,
                                      tiles.table, tiles.order, tiles.masks,
                                      tiles.sizes, extras, init, scratch,
                                      counters, *op.getDataflow(), tiling));
}

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
  RankedTensorType type = op.getY().getType();
  if (isOutputStationary(op))
    return {{{lowerToImplicitGemm(w, op, x, adaptor.getW()[0], map.table,
                                  map.inRows, extras, type, &op.getEpilogue(),
                                  /*isTransposed=*/false)}}};
  Value init = w.emptyFeatures(type, outRows);
  auto tiling = cast<TilingAttr>(op.getTilingAttr());
  PairLists pairs = w.pairLists(map.table, tiling.getBlock());
  auto gemm = w.kernel<GatherGemmOp>(init, x, adaptor.getW()[0], pairs.inRows,
                                     pairs.outRows, pairs.segments, extras,
                                     init, *op.getDataflow(), tiling);
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
  RankedTensorType type = op.getDx().getType();
  if (isOutputStationary(op))
    return {{{lowerToImplicitGemm(w, op, dy, adaptor.getW()[0], inverse,
                                  w.dim(map.table), ValueRange(), type,
                                  /*epilogue=*/nullptr,
                                  /*isTransposed=*/true)}}};
  Value init = w.emptyFeatures(type, map.inRows);
  auto tiling = cast<TilingAttr>(op.getTilingAttr());
  PairLists pairs = w.pairLists(inverse, tiling.getBlock());
  auto gemm = w.kernel<GatherGemmOp>(
      init, dy, adaptor.getW()[0], pairs.inRows, pairs.outRows, pairs.segments,
      ValueRange(), init, *op.getDataflow(), tiling,
      /*transpose_weights=*/true);
  return {{{w.castTo(gemm.getResult(0), type)}}};
}

static Replacements lowerWeightGrad(KernelWriter &w, WeightGradOp op,
                                    AdaptorOf<WeightGradOp> adaptor) {
  MapValue map = getMap(adaptor.getMap());
  Value x = w.guardRows(adaptor.getX()[0], map.inRows, 0, StatusSide::InSet);
  Value dy =
      w.guardRows(adaptor.getDy()[0], w.dim(map.table), 1, StatusSide::OutSet);
  RankedTensorType type = op.getDw().getType();
  Value init =
      tensor::EmptyOp::create(w, type.getShape(), type.getElementType());
  if (isOutputStationary(op)) {
    auto grad = w.kernel<ImplicitWeightGradOp>(init, x, dy, map.table, init,
                                               op.getAllowTf32());
    return {{{grad.getResult(0)}}};
  }
  auto tiling = cast<TilingAttr>(op.getTilingAttr());
  PairLists pairs = w.pairLists(map.table, tiling.getBlock());
  auto grad = w.kernel<WeightGradKernelOp>(
      init, x, dy, pairs.inRows, pairs.outRows, pairs.segments, init, tiling);
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
