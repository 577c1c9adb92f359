//===- SelectTiling.cpp - decides tilings ---------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/IR/SearchColumns.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/IR/TrustedTables.h"
#include "sparseconv/Kernels/Dataflow/Dataflow.h"
#include "sparseconv/Selection/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVSELECTTILING
#include "sparseconv/Selection/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// Whether a layer takes rows in tiles, and on a map with many pairs is faster
/// where rows of a tile are not far from each other. What takes the time of
/// narrow layers is where the rows lie that they read, that of wide ones the
/// offsets of their tiles. So layers of 16 and of 64 channels gain 5 to 13 % in
/// rooms and on surfaces; those of 32 gain on some and lose on others, as do
/// those of 96, and wider ones lose.
static bool gainsByDensity(ImplicitGemmOpInterface op,
                           const TargetInfo &target) {
  DataflowAttr dataflow = op.getDataflowAttr();
  bool isUsual =
      !dataflow || dataflow.getName() == chooseDataflow(target).getName();
  if (!isUsual || !isa_and_present<GemmTilingAttr>(op.getTilingAttr()))
    return false;
  ArrayRef<int64_t> weights = op.getWeightsType().getShape();
  int64_t groups = weights.size() == 4 ? weights[1] : 1;
  int64_t channels =
      groups * std::max(weights.back(), weights.drop_back().back());
  return op.getWeightsType().getElementTypeBitWidth() == 16 &&
         (channels <= 16 || channels == 64);
}

/// Whether the tiles that the layer takes are given, and so have an order.
static bool hasGivenTiles(ImplicitGemmOpInterface op) {
  bool isTurned = op.getGradient() == Gradient::Input;
  auto [map, side] =
      lookThroughTransposes(op.getMap(), isTurned ? MapSide::In : MapSide::Out);
  auto given = map.getDefiningOp<MapFromTilesOp>();
  return given && given->hasAttr(kTrustedAttr) && side == MapSide::Out;
}

/// Orders the rows of maps between sets of one stride by density, where all
/// layers gain by it: they share the tiles of their map.
static void selectRowOrders(Operation *module, const TargetInfo &target) {
  llvm::MapVector<Value, SmallVector<ImplicitGemmOpInterface>> layers;
  module->walk([&](ImplicitGemmOpInterface op) {
    KernelMapType map = op.getMap().getType();
    if (op.getGradient() != Gradient::Weights && map.getIn() == map.getOut() &&
        map.getVolume() <= kMaskBits && !hasGivenTiles(op))
      layers[op.getMap()].push_back(op);
  });
  auto order = RowOrderAttr::get(module->getContext(), RowOrder::Density);
  for (auto &[map, ops] : layers) {
    if (llvm::all_of(ops, [&](ImplicitGemmOpInterface op) {
          return !op.getRowOrderAttr() && gainsByDensity(op, target);
        }))
      for (ImplicitGemmOpInterface op : ops)
        op.setRowOrderAttr(order);
  }
}

namespace {
struct SelectTiling
    : mlir::sparseconv::impl::SparseConvSelectTilingBase<SelectTiling> {
  void runOnOperation() override {
    const TargetInfo &target = getTargetInfo(getOperation());
    getOperation()->walk([&](ImplicitGemmOpInterface op) {
      if (op.getTilingAttr())
        return;
      // A dataflow that the target does not have is refused later.
      const Dataflow *dataflow = &chooseDataflow(target);
      if (DataflowAttr decided = op.getDataflowAttr())
        dataflow = Dataflow::find(decided.getName());
      if (!dataflow || !dataflow->isOn(target))
        return;
      op.setTilingAttr(dataflow->chooseTiling(op, target));
      ++numSelected;
    });
    if (target.isGpu)
      selectRowOrders(getOperation(), target);
  }
};
} // namespace
