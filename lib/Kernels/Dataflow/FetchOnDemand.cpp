//===- FetchOnDemand.cpp - products are added where they belong -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pairs of a kernel map in lists by offset (TorchSparse, arXiv 2204.10319,
// "fetch on demand"). Rows are gathered while they are multiplied, and each
// product is added atomically to its output row in memory: no pair waits for
// another, so that small scenes fill a GPU, and there is no buffer of products.
// The order of the additions changes from run to run, which the operation has
// to allow. Other results than f32, and epilogues, take the sums from a buffer.
//
// A CPU has as many row blocks as it can work on: there the dataflow is the
// weight-stationary one.
//
//===----------------------------------------------------------------------===//

#include "Dataflows.h"
#include "SumEpilogue.h"
#include "sparseconv/Kernels/Dataflow/Dataflow.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
class FetchOnDemand final : public Dataflow {
public:
  FetchOnDemand() : Dataflow("fetch_on_demand") {}

  bool isOn(const TargetInfo &) const override { return true; }
  bool isDeterministic() const override { return false; }
  /// On a CPU not: the weight-stationary dataflow is the same.
  bool isMeasuredOn(const TargetInfo &target) const override {
    return target.isGpu;
  }
  DataflowAttr choose(const ConvTask &task, const TargetInfo &) const override {
    return DataflowAttr::get(task.getContext(), getName(), /*split_k=*/1);
  }
  Attribute chooseTiling(const ConvTask &task,
                         const TargetInfo &target) const override {
    return getWeightStationaryDataflow().chooseTiling(task, target);
  }
  std::string verify(const ConvTask &task,
                     const TargetInfo &target) const override;
  Value lowerGemm(KernelWriter &w, const ConvTask &task,
                  const GemmOperands &operands) const override;
  Value lowerWeightGrad(KernelWriter &, const ConvTask &,
                        const WeightGradOperands &) const override {
    llvm_unreachable("verify has refused it");
  }
};
} // namespace

std::string FetchOnDemand::verify(const ConvTask &task,
                                  const TargetInfo &target) const {
  if (task.gradient == Gradient::Weights)
    return "the dataflow fetch_on_demand has no gradient by the weights";
  if (int64_t splitK = task.dataflow.getSplitK(); splitK != 1)
    return "the dataflow fetch_on_demand splits no sum, found " +
           std::to_string(splitK) + " splits";
  return getWeightStationaryDataflow().verify(task, target);
}

Value FetchOnDemand::lowerGemm(KernelWriter &w, const ConvTask &task,
                               const GemmOperands &operands) const {
  if (!w.getTarget().isGpu)
    return getWeightStationaryDataflow().lowerGemm(w, task, operands);
  auto tiling = cast<TilingAttr>(task.tiling);
  PairLists pairs = w.pairLists(operands.table, tiling.getRowBlock());
  auto type = RankedTensorType::get(operands.type.getShape(), w.getF32Type());
  Value init = w.emptyFeatures(type, w.dim(operands.table));
  auto gemm = w.kernel<GatherGemmScatterOp>(
      init, operands.x, operands.weights, pairs.inRows, pairs.outRows,
      pairs.segments, /*extras=*/ValueRange(), init, tiling,
      task.hasTransposedWeights(), /*atomic=*/true);
  return finishSums(w, operands, gemm.getResult(0));
}

namespace mlir::sparseconv {
const Dataflow &getFetchOnDemandDataflow() {
  static const FetchOnDemand dataflow;
  return dataflow;
}
} // namespace mlir::sparseconv
