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
#include "sparseconv/Dialect/SparseConv/IR/SearchColumns.h"
#include "sparseconv/Kernels/Dataflow/Dataflow.h"
#include "sparseconv/Kernels/Gemm/WeightGrad.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Counters come in multiples of so many, which are enough for most layers:
/// those with as many have the same array of them, which one launch fills with
/// zeros.
static constexpr int64_t kCounterGrain = 16384;

namespace {
class OutputStationary final : public Dataflow {
public:
  OutputStationary() : Dataflow("output_stationary") {}

  bool isOn(const TargetInfo &target) const override { return target.isGpu; }
  DataflowAttr choose(const ConvTask &task,
                      const TargetInfo &target) const override;
  Attribute chooseTiling(const ConvTask &task,
                         const TargetInfo &target) const override;
  void addCandidates(const ConvTask &task, const TargetInfo &target,
                     SmallVectorImpl<GemmDecision> &candidates) const override;
  std::string verify(const ConvTask &task,
                     const TargetInfo &target) const override {
    return verifySplits(task, task.dataflow.getSplitK(), target);
  }
  Value lowerGemm(KernelWriter &w, const ConvTask &task,
                  const GemmOperands &operands) const override;
  Value lowerWeightGrad(KernelWriter &w, const ConvTask &task,
                        const WeightGradOperands &operands) const override;

private:
  /// Why `task` cannot be carried out with its tiling and `splitK` splits.
  std::string verifySplits(const ConvTask &task, int64_t splitK,
                           const TargetInfo &target) const;
};
} // namespace

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

/// Splits of the best configuration for `task`, or of the best with its tiling.
static int64_t chooseSplits(const ConvTask &task, const TargetInfo &target) {
  if (task.gradient != Gradient::Weights) {
    auto config = chooseImplicitGemm(task, target);
    return config ? config->splitK : 1;
  }
  WeightGradShape shape = getWeightGradShape(task);
  auto tiling = dyn_cast_if_present<WeightGradTilingAttr>(task.tiling);
  if (tiling && verifyWeightGrad(tiling, /*splitK=*/1, shape, target).empty())
    return getWeightGrad(tiling, /*splitK=*/1, shape).chooseSplitK(target);
  return WeightGradConfig::choose(shape, target).splitK;
}

DataflowAttr OutputStationary::choose(const ConvTask &task,
                                      const TargetInfo &target) const {
  int64_t splitK = chooseSplits(task, target);
  // A tiling that is written may not split.
  if (task.tiling && !verifySplits(task, splitK, target).empty())
    splitK = 1;
  return DataflowAttr::get(task.getContext(), getName(), splitK);
}

Attribute OutputStationary::chooseTiling(const ConvTask &task,
                                         const TargetInfo &target) const {
  MLIRContext *context = task.getContext();
  if (task.gradient == Gradient::Weights)
    return getTiling(
        context, WeightGradConfig::choose(getWeightGradShape(task), target));
  if (auto config = chooseImplicitGemm(task, target))
    return getTiling(context, *config);
  return ScalarTilingAttr::get(context);
}

void OutputStationary::addCandidates(
    const ConvTask &task, const TargetInfo &target,
    SmallVectorImpl<GemmDecision> &candidates) const {
  Dataflow::addCandidates(task, target, candidates);
  MLIRContext *context = task.getContext();
  auto add = [&](int64_t splitK, Attribute tiling) {
    candidates.push_back(
        {DataflowAttr::get(context, getName(), splitK), tiling});
  };
  if (task.gradient == Gradient::Weights) {
    GemmDecision chosen = candidates.back();
    int64_t splitK = chosen.dataflow.getSplitK();
    for (int64_t splits : {splitK / 2, splitK * 2})
      if (splits > 0)
        add(splits, chosen.tiling);
    return;
  }
  for (const ImplicitGemmConfig &config : getImplicitGemms(task, target)) {
    add(config.splitK, getTiling(context, config));
    if (config.splitK > 1)
      add(/*splitK=*/1, getTiling(context, config));
  }
}

std::string OutputStationary::verifySplits(const ConvTask &task, int64_t splitK,
                                           const TargetInfo &target) const {
  Attribute attr = task.tiling;
  if (task.gradient == Gradient::Weights) {
    auto tiling = dyn_cast<WeightGradTilingAttr>(attr);
    if (!tiling)
      return "expected #sparseconv.weight_grad_tiling";
    return verifyWeightGrad(tiling, splitK, getWeightGradShape(task), target);
  }
  if (isa<ScalarTilingAttr>(attr))
    return splitK > 1 ? "threads without tiles split no sum" : "";
  auto tiling = dyn_cast<GemmTilingAttr>(attr);
  if (!tiling)
    return "expected #sparseconv.gemm_tiling or #sparseconv.scalar_tiling";
  RankedTensorType weights = task.weights;
  bool isTransposed = task.hasTransposedWeights();
  std::string problem =
      verifyTiledGemm(tiling, splitK, weights, isTransposed, target);
  if (problem.empty() && !task.allowsTf32 &&
      getTiledGemm(tiling, splitK, weights, isTransposed).element ==
          GemmElement::TF32)
    return "tensor cores multiply f32 in tf32, which the operation does not "
           "allow (tf32 = allowed)";
  return problem;
}

//===----------------------------------------------------------------------===//
// Kernel operations
//===----------------------------------------------------------------------===//

/// The number of groups as an attribute, if there are several.
static IntegerAttr getGroups(KernelWriter &w,
                             const ImplicitGemmConfig &config) {
  return config.groups > 1 ? w.getI64IntegerAttr(config.groups) : IntegerAttr();
}

static Value packWeights(KernelWriter &w, const ImplicitGemmConfig &config,
                         const ConvTask &task, const GemmOperands &operands) {
  DenseI64ArrayAttr permutation;
  if (task.hasTransposedWeights()) {
    auto order = llvm::to_vector(llvm::seq<int64_t>(task.weights.getRank()));
    std::swap(order.back(), order[order.size() - 2]);
    permutation = w.getDenseI64ArrayAttr(order);
  }
  Value image = w.emptyStatic(config.weightBytes(), w.getI8Type());
  auto pack = w.kernel<PackWeightsOp>(image, operands.weights, image,
                                      permutation, getGroups(w, config),
                                      cast<GemmTilingAttr>(task.tiling));
  return pack.getResult(0);
}

Value OutputStationary::lowerGemm(KernelWriter &w, const ConvTask &task,
                                  const GemmOperands &operands) const {
  Value init = w.emptyFeatures(operands.type, w.dim(operands.table));
  bool isTransposed = task.hasTransposedWeights();
  auto tiling = dyn_cast<GemmTilingAttr>(task.tiling);
  if (!tiling)
    return finishGemm(w, operands,
                      w.kernel<ImplicitGemmOp>(
                          init, operands.x, operands.weights, operands.table,
                          operands.extras, init, isTransposed));
  int64_t splitK = task.dataflow.getSplitK();
  auto config = getTiledGemm(tiling, splitK, task.weights, isTransposed);
  const TargetInfo &target = w.getTarget();
  RowTiles tiles = w.tileRows(operands.table, operands.inRows, task.rowOrder);
  Value image = packWeights(w, config, task, operands);
  Value scratch =
      w.emptyStatic(config.scratchBytes(target) / 4, w.getF32Type());
  int64_t numCounters = config.counters(target);
  if (splitK > 1)
    numCounters = llvm::alignTo(numCounters, kCounterGrain);
  Value counters = w.emptyStatic(numCounters, w.getI32Type());
  if (splitK > 1)
    counters = w.fill(counters, w.getI32IntegerAttr(0));
  return finishGemm(
      w, operands,
      w.kernel<TiledGemmOp>({init, scratch, counters}, operands.x, image,
                            tiles.table, tiles.order, tiles.masks, tiles.sizes,
                            operands.extras, init, scratch, counters, splitK,
                            getGroups(w, config), tiling));
}

Value OutputStationary::lowerWeightGrad(
    KernelWriter &w, const ConvTask &task,
    const WeightGradOperands &operands) const {
  RankedTensorType type = operands.type;
  Value init = w.emptyStatic(type.getShape(), type.getElementType());
  OffsetLists lists = w.offsetLists(operands.table);
  return w
      .kernel<TiledWeightGradOp>(init, operands.x, operands.dy, lists.inRows,
                                 lists.outRows, lists.counts, init,
                                 task.dataflow.getSplitK(),
                                 cast<WeightGradTilingAttr>(task.tiling))
      .getResult(0);
}

namespace mlir::sparseconv {
const Dataflow &getOutputStationaryDataflow() {
  static const OutputStationary dataflow;
  return dataflow;
}
} // namespace mlir::sparseconv
