//===- OutputStationary.cpp - one tile of output rows after another -------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of output rows is summed over all offsets of a neighbour table before
// it is stored (implicit GEMM). On a GPU a main loop carries it out where one
// takes the shape, otherwise threads do without tiles.
//
//===----------------------------------------------------------------------===//

#include "Dataflows.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "sparseconv/Dialect/SparseConv/IR/SearchColumns.h"
#include "sparseconv/Kernels/Dataflow/Dataflow.h"
#include "sparseconv/Kernels/Gemm/WeightGrad.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
class OutputStationary final : public Dataflow {
public:
  OutputStationary() : Dataflow("output_stationary") {}

  bool isOn(const TargetInfo &target) const override { return target.isGpu; }
  DataflowAttr choose(ImplicitGemmOpInterface op,
                      const TargetInfo &target) const override;
  Attribute chooseTiling(ImplicitGemmOpInterface op,
                         const TargetInfo &target) const override;
  void addCandidates(ImplicitGemmOpInterface op, const TargetInfo &target,
                     SmallVectorImpl<GemmDecision> &candidates) const override;
  std::string verify(ImplicitGemmOpInterface op,
                     const TargetInfo &target) const override {
    return verifySplits(op, op.getDataflowAttr().getSplitK(), target);
  }
  Value lowerGemm(KernelWriter &w, ImplicitGemmOpInterface op,
                  const GemmOperands &operands) const override;
  Value lowerWeightGrad(KernelWriter &w, ImplicitGemmOpInterface op,
                        const WeightGradOperands &operands) const override;

private:
  /// Why `op` cannot be carried out with its tiling and `splitK` splits.
  std::string verifySplits(ImplicitGemmOpInterface op, int64_t splitK,
                           const TargetInfo &target) const;
};

/// What a GEMM by tiles needs of a map and of weights.
struct Tiles {
  Value image, table, order, masks, sizes;
};
} // namespace

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

/// Splits of the best configuration for `op`, or of the best with its tiling.
static int64_t chooseSplits(ImplicitGemmOpInterface op,
                            const TargetInfo &target) {
  if (op.getGradient() != Gradient::Weights) {
    auto config = chooseImplicitGemm(op, target);
    return config ? config->splitK : 1;
  }
  WeightGradShape shape = getWeightGradShape(op);
  auto tiling = dyn_cast_if_present<WeightGradTilingAttr>(op.getTilingAttr());
  if (tiling && verifyWeightGrad(tiling, /*splitK=*/1, shape, target).empty())
    return getWeightGrad(tiling, /*splitK=*/1, shape).chooseRowBlocks(target);
  return WeightGradConfig::choose(shape, target).rowBlocks;
}

DataflowAttr OutputStationary::choose(ImplicitGemmOpInterface op,
                                      const TargetInfo &target) const {
  int64_t splitK = chooseSplits(op, target);
  // A tiling that is written may not split.
  if (op.getTilingAttr() && !verifySplits(op, splitK, target).empty())
    splitK = 1;
  return DataflowAttr::get(op.getContext(), getName(), splitK);
}

Attribute OutputStationary::chooseTiling(ImplicitGemmOpInterface op,
                                         const TargetInfo &target) const {
  MLIRContext *context = op.getContext();
  if (op.getGradient() == Gradient::Weights)
    return getTiling(context,
                     WeightGradConfig::choose(getWeightGradShape(op), target));
  if (auto config = chooseImplicitGemm(op, target))
    return getTiling(context, *config);
  return ScalarTilingAttr::get(context);
}

void OutputStationary::addCandidates(
    ImplicitGemmOpInterface op, const TargetInfo &target,
    SmallVectorImpl<GemmDecision> &candidates) const {
  Dataflow::addCandidates(op, target, candidates);
  MLIRContext *context = op.getContext();
  auto add = [&](int64_t splitK, Attribute tiling) {
    candidates.push_back(
        {DataflowAttr::get(context, getName(), splitK), tiling});
  };
  if (op.getGradient() == Gradient::Weights) {
    GemmDecision chosen = candidates.back();
    int64_t splitK = chosen.dataflow.getSplitK();
    for (int64_t splits : {splitK / 2, splitK * 2})
      if (splits > 0)
        add(splits, chosen.tiling);
    return;
  }
  for (const ImplicitGemmConfig &config : getImplicitGemms(op, target)) {
    add(config.splitK, getTiling(context, config));
    if (config.splitK > 1)
      add(/*splitK=*/1, getTiling(context, config));
  }
}

std::string OutputStationary::verifySplits(ImplicitGemmOpInterface op,
                                           int64_t splitK,
                                           const TargetInfo &target) const {
  Attribute attr = op.getTilingAttr();
  if (op.getGradient() == Gradient::Weights) {
    auto tiling = dyn_cast<WeightGradTilingAttr>(attr);
    if (!tiling)
      return "expected #sparseconv.weight_grad_tiling";
    return verifyWeightGrad(tiling, splitK, getWeightGradShape(op), target);
  }
  if (isa<ScalarTilingAttr>(attr))
    return splitK > 1 ? "threads without tiles split no sum" : "";
  auto tiling = dyn_cast<GemmTilingAttr>(attr);
  if (!tiling)
    return "expected #sparseconv.gemm_tiling or #sparseconv.scalar_tiling";
  RankedTensorType weights = op.getWeightsType();
  bool isTransposed = op.hasTransposedWeights();
  std::string problem =
      verifyTiledGemm(tiling, splitK, weights, isTransposed, target);
  if (problem.empty() && !op.getAllowTf32() &&
      getTiledGemm(tiling, splitK, weights, isTransposed).element ==
          GemmElement::TF32)
    return "tensor cores multiply f32 in tf32, which the operation does not "
           "allow (tf32 = allowed)";
  return problem;
}

//===----------------------------------------------------------------------===//
// Kernel operations
//===----------------------------------------------------------------------===//

/// The weights; of one group without that dimension.
static Value dropOneGroup(KernelWriter &w, const ImplicitGemmConfig &config,
                          Value weights) {
  bool hasGroups = cast<RankedTensorType>(weights.getType()).getRank() == 4;
  if (!hasGroups || config.groups > 1)
    return weights;
  SmallVector<ReassociationIndices> merged = {{0, 1}, {2}, {3}};
  return tensor::CollapseShapeOp::create(w, weights, merged);
}

static Tiles tileMap(KernelWriter &w, const ImplicitGemmConfig &config,
                     ImplicitGemmOpInterface op, const GemmOperands &operands) {
  constexpr int64_t kSlots = 256;
  Value table = operands.table;
  Value slots = w.mul(w.ceilDiv(w.dim(table), kSlots), w.index(kSlots));
  SmallVector<Value> inits = {
      tensor::EmptyOp::create(
          w, ArrayRef<int64_t>{config.offsets, ShapedType::kDynamic},
          w.getI32Type(), slots),
      w.emptyRows(slots),
      w.empty(w.getI32Type(), w.ceilDiv(slots, kMaskRows),
              {config.maskWords()}),
      w.emptyStatic({3}, w.getIndexType())};
  auto tiles =
      w.kernel<TileRowsOp>(inits, table, operands.inRows, inits[0], inits[1],
                           inits[2], inits[3], op.getRowOrderAttr());
  Value image = w.emptyStatic(config.weightBytes(), w.getI8Type());
  auto pack = w.kernel<PackWeightsOp>(
      image, dropOneGroup(w, config, operands.weights), image,
      cast<GemmTilingAttr>(op.getTilingAttr()), op.hasTransposedWeights());
  return Tiles{pack.getResult(0), tiles.getResult(0), tiles.getResult(1),
               tiles.getResult(2), tiles.getResult(3)};
}

Value OutputStationary::lowerGemm(KernelWriter &w, ImplicitGemmOpInterface op,
                                  const GemmOperands &operands) const {
  Value init = w.emptyFeatures(operands.type, w.dim(operands.table));
  bool isTransposed = op.hasTransposedWeights();
  auto tiling = dyn_cast<GemmTilingAttr>(op.getTilingAttr());
  if (!tiling)
    return finishGemm(w, operands,
                      w.kernel<ImplicitGemmOp>(
                          init, operands.x, operands.weights, operands.table,
                          operands.extras, init, isTransposed));
  int64_t splitK = op.getDataflowAttr().getSplitK();
  auto config = getTiledGemm(tiling, splitK, op.getWeightsType(), isTransposed);
  const TargetInfo &target = getTargetInfo(op);
  Tiles tiles = tileMap(w, config, op, operands);
  Value scratch =
      w.emptyStatic(config.scratchBytes(target) / 4, w.getF32Type());
  Value counters = w.emptyStatic(config.counters(target), w.getI32Type());
  IntegerAttr groups;
  if (config.groups > 1)
    groups = w.getI64IntegerAttr(config.groups);
  if (splitK > 1)
    counters = w.fill(counters, w.getI32IntegerAttr(0));
  return finishGemm(w, operands,
                    w.kernel<TiledGemmOp>({init, scratch, counters}, operands.x,
                                          tiles.image, tiles.table, tiles.order,
                                          tiles.masks, tiles.sizes,
                                          operands.extras, init, scratch,
                                          counters, splitK, groups, tiling));
}

Value OutputStationary::lowerWeightGrad(
    KernelWriter &w, ImplicitGemmOpInterface op,
    const WeightGradOperands &operands) const {
  RankedTensorType type = operands.type;
  Value init = w.emptyStatic(type.getShape(), type.getElementType());
  return w
      .kernel<ImplicitWeightGradOp>(
          init, operands.x, operands.dy, operands.table, init,
          op.getDataflowAttr().getSplitK(),
          cast<WeightGradTilingAttr>(op.getTilingAttr()))
      .getResult(0);
}

namespace mlir::sparseconv {
const Dataflow &getOutputStationaryDataflow() {
  static const OutputStationary dataflow;
  return dataflow;
}
} // namespace mlir::sparseconv
