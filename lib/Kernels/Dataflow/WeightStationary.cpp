//===- WeightStationary.cpp - the weights of one offset after another -----===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pairs of a kernel map in lists by offset. Within a row block, the weights
// of one offset at a time meet all their pairs. They fill the registers, where
// a dense tile would multiply mostly zeros. Sums stay in the accumulators of
// the row block. On a GPU tensor cores multiply, or threads where f32 may not
// be rounded, and there is no gradient by the weights.
//
//===----------------------------------------------------------------------===//

#include "Dataflows.h"
#include "sparseconv/Kernels/Dataflow/Dataflow.h"
#include "sparseconv/Kernels/Gemm/PairGemm.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;

static constexpr int64_t kRowBlock = 512;
/// Rows of accumulators: 6 x 2 of 16 registers, or 6 x 4 of 32, leave room for
/// a row of weights and a broadcast input.
static constexpr int64_t kRows = 6;

namespace {
class WeightStationary final : public Dataflow {
public:
  WeightStationary() : Dataflow("weight_stationary") {}

  bool isOn(const TargetInfo &) const override { return true; }
  DataflowAttr choose(const ConvTask &task, const TargetInfo &) const override {
    return DataflowAttr::get(task.getContext(), getName(), /*split_k=*/1);
  }
  Attribute chooseTiling(const ConvTask &task,
                         const TargetInfo &target) const override;
  std::string verify(const ConvTask &task,
                     const TargetInfo &target) const override;
  Value lowerGemm(KernelWriter &w, const ConvTask &task,
                  const GemmOperands &operands) const override;
  Value lowerWeightGrad(KernelWriter &w, const ConvTask &task,
                        const WeightGradOperands &operands) const override;
};
} // namespace

Attribute WeightStationary::chooseTiling(const ConvTask &task,
                                         const TargetInfo &target) const {
  RankedTensorType weights = task.weights;
  if (target.isGpu)
    return choosePairTiling(task);
  int64_t columns = weights.getDimSize(weights.getRank() -
                                       (task.hasTransposedWeights() ? 2 : 1));
  int64_t lanes = target.vectorBits / 32;
  int64_t widest = target.vectorRegisters / 8 * lanes;
  return TilingAttr::get(
      task.getContext(), kRowBlock, kRows,
      std::min<int64_t>(widest, llvm::alignTo(columns, lanes)), lanes);
}

/// What the kernels of a GPU ask of `task`.
static std::string verifyOnGpu(const ConvTask &task, TilingAttr tiling,
                               const TargetInfo &target) {
  RankedTensorType weights = task.weights;
  if (task.gradient == Gradient::Weights)
    return "the dataflow weight_stationary has no gradient by the weights on "
           "a GPU";
  bool roundsToTf32 =
      weights.getElementType().isF32() && usesTensorCores(tiling);
  if (roundsToTf32 && !task.allowsTf32)
    return "tensor cores multiply f32 in tf32, which the operation does not "
           "allow (tf32 = allowed)";
  return verifyPairGemm(tiling, weights, task.hasTransposedWeights(), target);
}

/// What the kernels of a CPU ask: each vector of sums is code of its own, for
/// all rows and for half of them, a quarter, and so on.
static std::string verifyOnCpu(TilingAttr tiling) {
  constexpr int64_t kMostVectors = 64;
  int64_t vectors =
      tiling.getRows() * (tiling.getColumns() / tiling.getLanes());
  return vectors <= kMostVectors
             ? ""
             : "a CPU takes a tiling of at most " +
                   std::to_string(kMostVectors) + " vectors of sums, found " +
                   std::to_string(vectors);
}

std::string WeightStationary::verify(const ConvTask &task,
                                     const TargetInfo &target) const {
  auto tiling = dyn_cast<TilingAttr>(task.tiling);
  if (!tiling)
    return "expected #sparseconv.tiling";
  if (int64_t splitK = task.dataflow.getSplitK(); splitK != 1)
    return "the dataflow weight_stationary splits no sum, found " +
           std::to_string(splitK) + " splits";
  return target.isGpu ? verifyOnGpu(task, tiling, target) : verifyOnCpu(tiling);
}

Value WeightStationary::lowerGemm(KernelWriter &w, const ConvTask &task,
                                  const GemmOperands &operands) const {
  Value init = w.emptyFeatures(operands.type, w.dim(operands.table));
  auto tiling = cast<TilingAttr>(task.tiling);
  PairLists pairs = w.pairLists(operands.table, tiling.getRowBlock());
  auto gemm = w.kernel<GatherGemmScatterOp>(
      init, operands.x, operands.weights, pairs.inRows, pairs.outRows,
      pairs.segments, operands.extras, init, tiling,
      task.hasTransposedWeights());
  return finishGemm(w, operands, gemm);
}

Value WeightStationary::lowerWeightGrad(
    KernelWriter &w, const ConvTask &task,
    const WeightGradOperands &operands) const {
  RankedTensorType type = operands.type;
  Value init = w.emptyStatic(type.getShape(), type.getElementType());
  auto tiling = cast<TilingAttr>(task.tiling);
  PairLists pairs = w.pairLists(operands.table, tiling.getRowBlock());
  return w
      .kernel<WeightGradKernelOp>(init, operands.x, operands.dy, pairs.inRows,
                                  pairs.outRows, pairs.segments, init, tiling)
      .getResult(0);
}

namespace mlir::sparseconv {
const Dataflow &getWeightStationaryDataflow() {
  static const WeightStationary dataflow;
  return dataflow;
}
} // namespace mlir::sparseconv
