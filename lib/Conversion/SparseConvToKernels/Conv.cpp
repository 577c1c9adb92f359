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
/// What tensor cores need of a map and of weights.
struct Tiles {
  Value image, table, order, masks, sizes;
};
} // namespace

/// Nothing where the chip's tensor cores do not take this convolution.
static std::optional<Tiles> tileMap(KernelWriter &w, Operation *op, Value x,
                                    Value weights, Value table, Value inRows,
                                    RankedTensorType y, bool isTransposed) {
  const GpuChip *chip = GpuChip::find(getChipName(op));
  auto wType = cast<RankedTensorType>(weights.getType());
  Type element = wType.getElementType();
  if (!chip || wType.getRank() != 3 || y.getElementType() != element ||
      getElementTypeOrSelf(x.getType()) != element)
    return std::nullopt;
  int64_t offsets = wType.getDimSize(0);
  auto config =
      chooseTiledGemm(element, offsets, wType.getDimSize(isTransposed ? 2 : 1),
                      wType.getDimSize(isTransposed ? 1 : 2), *chip);
  if (!config)
    return std::nullopt;
  constexpr int64_t kSlots = 256;
  Value slots = w.mul(w.ceilDiv(w.dim(table), kSlots), w.index(kSlots));
  int64_t rows = config->rowsPerTile();
  SmallVector<Value> inits = {
      tensor::EmptyOp::create(w,
                              ArrayRef<int64_t>{offsets, ShapedType::kDynamic},
                              w.getI32Type(), slots),
      w.emptyRows(slots),
      w.empty(w.getI32Type(), w.ceilDiv(slots, rows), {config->maskWords()}),
      tensor::EmptyOp::create(w, ArrayRef<int64_t>{3}, w.getIndexType())};
  auto tiles = w.kernel<TileRowsOp>(inits, table, inRows, inits[0], inits[1],
                                    inits[2], inits[3], rows);
  Value image = tensor::EmptyOp::create(
      w, ArrayRef<int64_t>{config->weightBytes()}, w.getI8Type());
  auto pack = w.kernel<PackWeightsOp>(image, weights, image, isTransposed);
  return Tiles{pack.getResult(0), tiles.getResult(0), tiles.getResult(1),
               tiles.getResult(2), tiles.getResult(3)};
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
  Value init = w.emptyFeatures(type, outRows);
  if (isOutputStationary(op)) {
    if (auto tiles = tileMap(w, op, x, adaptor.getW()[0], map.table, map.inRows,
                             type, /*isTransposed=*/false)) {
      auto gemm = w.kernel<TiledGemmOp>(init, x, tiles->image, tiles->table,
                                        tiles->order, tiles->masks,
                                        tiles->sizes, extras, init);
      if (op.hasEpilogue())
        w.moveRegion(op.getEpilogue(), gemm.getEpilogue());
      return {{{w.castTo(gemm.getResult(0), type)}}};
    }
    auto gemm =
        w.kernel<ImplicitGemmOp>(init, x, adaptor.getW()[0], map.table, extras,
                                 init, *op.getDataflow(), *op.getTiling());
    if (op.hasEpilogue())
      w.moveRegion(op.getEpilogue(), gemm.getEpilogue());
    return {{{w.castTo(gemm.getResult(0), type)}}};
  }
  PairLists pairs = w.pairLists(map.table, op.getTiling()->getBlock());
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
  RankedTensorType type = op.getDx().getType();
  Value init = w.emptyFeatures(type, map.inRows);
  if (isOutputStationary(op)) {
    if (auto tiles = tileMap(w, op, dy, adaptor.getW()[0], inverse,
                             w.dim(map.table), type, /*isTransposed=*/true)) {
      auto gemm = w.kernel<TiledGemmOp>(init, dy, tiles->image, tiles->table,
                                        tiles->order, tiles->masks,
                                        tiles->sizes, ValueRange(), init);
      return {{{w.castTo(gemm.getResult(0), type)}}};
    }
    auto gemm = w.kernel<ImplicitGemmOp>(
        init, dy, adaptor.getW()[0], inverse, ValueRange(), init,
        *op.getDataflow(), *op.getTiling(), /*transpose_weights=*/true);
    return {{{w.castTo(gemm.getResult(0), type)}}};
  }
  PairLists pairs = w.pairLists(inverse, op.getTiling()->getBlock());
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
