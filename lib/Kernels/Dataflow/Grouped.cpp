//===- Grouped.cpp - all gathers, all products, all sums ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every pair of the kernel map has a place (`kernel.group_pairs`), those of one
// offset side by side. One step gathers the input rows of all places, one
// multiplies all of them and writes the products in f32, one sums them up by
// output row, in the order of the offsets: nothing is added atomically.
//
// The products are a convolution from places to places, in which each meets
// itself alone, by the offset of its pair.
//
//===----------------------------------------------------------------------===//

#include "Dataflows.h"
#include "SumEpilogue.h"
#include "sparseconv/Kernels/Dataflow/Dataflow.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
class Grouped final : public Dataflow {
public:
  Grouped() : Dataflow("grouped") {}

  bool isOn(const TargetInfo &) const override { return true; }
  bool groupsOffsets() const override { return true; }
  /// On a CPU not: its buffers can take all memory of the machine.
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

/// What `kernel.group_pairs` gives.
struct PairPlaces {
  Value rows, places, segments, count;
};
} // namespace

std::string Grouped::verify(const ConvTask &task,
                            const TargetInfo &target) const {
  if (task.gradient == Gradient::Weights)
    return "the dataflow grouped has no gradient by the weights";
  if (int64_t splitK = task.dataflow.getSplitK(); splitK != 1)
    return "the dataflow grouped splits no sum, found " +
           std::to_string(splitK) + " splits";
  return getWeightStationaryDataflow().verify(task, target);
}

static PairPlaces groupPairs(KernelWriter &w, const ConvTask &task,
                             Value table) {
  int64_t offsets = cast<RankedTensorType>(table.getType()).getDimSize(1);
  int64_t rowBlock = cast<TilingAttr>(task.tiling).getRowBlock();
  // Each offset has a place for every row, and begins with a row block.
  Value blocks = w.mul(w.ceilDiv(w.dim(table), rowBlock), w.index(offsets));
  SmallVector<Value> inits = {w.emptyRows(w.mul(blocks, w.index(rowBlock))),
                              w.empty(w.getI32Type(), w.dim(table), {offsets}),
                              w.empty(w.getI64Type(), blocks, {offsets + 1}),
                              w.emptyCount()};
  auto group = w.kernel<GroupPairsOp>(
      inits, table, w.getStatus(), inits[0], inits[1], inits[2], inits[3],
      rowBlock, task.dataflow.getEpsilon(), task.dataflow.getS(), w.getOpId());
  Value count = w.count(group.getResult(3));
  return {w.take(group.getResult(0), count), group.getResult(1),
          w.take(group.getResult(2), w.ceilDiv(count, rowBlock)), count};
}

/// The input row of each place; zeros where it only pads.
static Value gatherRows(KernelWriter &w, Value x, Value rows) {
  Value init =
      w.emptyFeatures(cast<RankedTensorType>(x.getType()), w.dim(rows));
  return w.kernel<GatherRowsOp>(init, x, rows, w.getStatus(), init, w.getOpId())
      .getResult(0);
}

static Value multiply(KernelWriter &w, const ConvTask &task,
                      const GemmOperands &operands, const PairPlaces &pairs) {
  Value x = gatherRows(w, operands.x, pairs.rows);
  Value init =
      w.empty(w.getF32Type(), pairs.count, {operands.type.getDimSize(1)});
  Value places = w.numberRows(pairs.count);
  return w
      .kernel<GatherGemmScatterOp>(init, x, operands.weights, places, places,
                                   pairs.segments, /*extras=*/ValueRange(),
                                   init, cast<TilingAttr>(task.tiling),
                                   task.hasTransposedWeights())
      .getResult(0);
}

/// The products of each output row, summed.
static Value sumProducts(KernelWriter &w, Value products, Value places,
                         Type element) {
  auto type = cast<RankedTensorType>(products.getType()).clone(element);
  Value init = w.emptyFeatures(type, w.dim(places));
  return w
      .kernel<PoolKernelOp>(init, products, places, init, PoolKind::Sum,
                            CountKind::Present)
      .getResult(0);
}

Value Grouped::lowerGemm(KernelWriter &w, const ConvTask &task,
                         const GemmOperands &operands) const {
  PairPlaces pairs = groupPairs(w, task, operands.table);
  Value products = multiply(w, task, operands, pairs);
  Type element =
      hasEpilogue(operands) ? w.getF32Type() : operands.type.getElementType();
  return finishSums(w, operands,
                    sumProducts(w, products, pairs.places, element));
}

namespace mlir::sparseconv {
const Dataflow &getGroupedDataflow() {
  static const Grouped dataflow;
  return dataflow;
}
} // namespace mlir::sparseconv
