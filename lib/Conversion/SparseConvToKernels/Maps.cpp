//===- Maps.cpp - operations on kernel maps as kernels --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "sparseconv/Dialect/SparseConv/IR/TrustedTables.h"

using namespace mlir;
using namespace mlir::sparseconv;

static Replacements lowerKernelMap(KernelWriter &w, KernelMapOp op,
                                   AdaptorOf<KernelMapOp> adaptor) {
  CoordsType in = op.getIn().getType(), out = op.getOut().getType();
  // Forward: in = out + S_in * d. Transposed: in = out - S_out * d.
  ArrayRef<int64_t> stride =
      op.getTransposed() ? out.getStride() : in.getStride();
  SmallVector<int64_t> displacements =
      getDisplacements(op.getOffsets(), stride, op.getTransposed());
  Value inKeys = adaptor.getIn()[0], outKeys = adaptor.getOut()[0];
  if (!op.getSearchAttr()) // an identity, which has no pairs to look for
    return {{{w.numberRows(w.dim(outKeys), {1}), w.dim(inKeys)}}};
  Value init = w.empty(w.getI32Type(), w.dim(outKeys),
                       {op.getMap().getType().getVolume()});
  auto getAttr = [&](CoordsType type) -> DenseI64ArrayAttr {
    if (llvm::all_of(type.getStride(), [](int64_t s) { return s == 1; }))
      return {};
    return w.getDenseI64ArrayAttr(type.getStride());
  };
  auto search = w.kernel<SearchOp>(init, inKeys, outKeys, init, displacements,
                                   getAttr(in), getAttr(out), in.getPacking(),
                                   op.getSearchAttr());
  return {{{search.getResult(0), w.dim(inKeys)}}};
}

/// A map whose table a kernel makes of what is given, or checks.
template <typename KernelTy, typename OpTy>
static Replacements lowerGivenMap(KernelWriter &w, OpTy op, Value given,
                                  AdaptorOf<OpTy> adaptor) {
  Value inRows = w.dim(adaptor.getIn()[0]);
  Value init = w.empty(w.getI32Type(), w.dim(adaptor.getOut()[0]),
                       {op.getMap().getType().getVolume()});
  auto made =
      w.kernel<KernelTy>(init, given, inRows, w.getStatus(), init, w.getOpId());
  return {{{made.getResult(0), inRows}}};
}

static Replacements lowerMapFromPairs(KernelWriter &w, MapFromPairsOp op,
                                      AdaptorOf<MapFromPairsOp> adaptor) {
  return lowerGivenMap<TableFromPairsOp>(w, op, adaptor.getPairs()[0], adaptor);
}

static Replacements lowerMapFromTable(KernelWriter &w, MapFromTableOp op,
                                      AdaptorOf<MapFromTableOp> adaptor) {
  if (op->hasAttr(kTrustedAttr)) {
    // It has the rows of the out set, which others are compared with.
    Value table =
        w.castTo(adaptor.getTable()[0],
                 RankedTensorType::get(
                     {ShapedType::kDynamic, op.getMap().getType().getVolume()},
                     w.getI32Type()));
    Value rows = w.dim(adaptor.getOut()[0]);
    return {{{w.take(table, rows), w.dim(adaptor.getIn()[0])}}};
  }
  return lowerGivenMap<CheckTableOp>(w, op, adaptor.getTable()[0], adaptor);
}

static Replacements lowerMapTiles(KernelWriter &w, MapTilesOp op,
                                  AdaptorOf<MapTilesOp> adaptor) {
  MapValue map = getMap(adaptor.getMap());
  RowTiles tiles = w.tileRows(map.table, map.inRows, op.getRowOrderAttr());
  return {{{tiles.table}, {tiles.order}, {tiles.masks}, {tiles.sizes}}};
}

/// The table is one of a map only if somebody vouches for the tiles. Who tiles
/// it again then takes these, and nothing makes the table.
static Replacements lowerMapFromTiles(KernelWriter &w, MapFromTilesOp op,
                                      AdaptorOf<MapFromTilesOp> adaptor) {
  bool isTrusted = op->hasAttr(kTrustedAttr);
  Value init = w.empty(w.getI32Type(), w.dim(adaptor.getOut()[0]),
                       {op.getMap().getType().getVolume()});
  Value table =
      w.kernel<UntileRowsOp>(init, adaptor.getTable()[0], adaptor.getRow()[0],
                             adaptor.getMasks()[0], adaptor.getSizes()[0], init,
                             isTrusted)
          .getResult(0);
  if (isTrusted)
    return {{{table, w.dim(adaptor.getIn()[0])}}};
  return lowerGivenMap<CheckTableOp>(w, op, table, adaptor);
}

static Replacements lowerTransposeMap(KernelWriter &w, TransposeMapOp op,
                                      AdaptorOf<TransposeMapOp> adaptor) {
  MapValue map = getMap(adaptor.getMap());
  return {{{w.invertTable(map.table, map.inRows), w.dim(map.table)}}};
}

static Replacements lowerMapSize(KernelWriter &w, MapSizeOp op,
                                 AdaptorOf<MapSizeOp> adaptor) {
  MapValue map = getMap(adaptor.getMap());
  return {{{op.getSide() == MapSide::In ? map.inRows : w.dim(map.table)}}};
}

static Replacements lowerNeighbourTable(KernelWriter &, NeighbourTableOp,
                                        AdaptorOf<NeighbourTableOp> adaptor) {
  return {{{getMap(adaptor.getMap()).table}}};
}

static Replacements lowerRenumberTable(KernelWriter &w, RenumberTableOp op,
                                       AdaptorOf<RenumberTableOp> adaptor) {
  Value table = adaptor.getTable()[0], rows = adaptor.getRows()[0];
  RankedTensorType type = op.getResult().getType();
  Value init = w.empty(w.getI32Type(),
                       w.dim(op.getSide() == MapSide::Out ? rows : table),
                       {type.getDimSize(1)});
  auto made = w.kernel<RenumberTableKernelOp>(
      init, table, rows, w.getStatus(), init, op.getSide(),
      op->hasAttr(kTrustedAttr), w.getOpId());
  return {{{w.castTo(made.getResult(0), type)}}};
}

void mlir::sparseconv::populateMapsToKernelsPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<KernelPattern<KernelMapOp>>(converter, context, lowerKernelMap);
  patterns.add<KernelPattern<MapFromPairsOp>>(converter, context,
                                              lowerMapFromPairs);
  patterns.add<KernelPattern<MapFromTableOp>>(converter, context,
                                              lowerMapFromTable);
  patterns.add<KernelPattern<MapTilesOp>>(converter, context, lowerMapTiles);
  patterns.add<KernelPattern<MapFromTilesOp>>(converter, context,
                                              lowerMapFromTiles);
  patterns.add<KernelPattern<TransposeMapOp>>(converter, context,
                                              lowerTransposeMap);
  patterns.add<KernelPattern<MapSizeOp>>(converter, context, lowerMapSize);
  patterns.add<KernelPattern<NeighbourTableOp>>(converter, context,
                                                lowerNeighbourTable);
  patterns.add<KernelPattern<RenumberTableOp>>(converter, context,
                                               lowerRenumberTable);
}
