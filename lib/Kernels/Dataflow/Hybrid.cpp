//===- Hybrid.cpp - near offsets by rows, far ones by their pairs ---------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Offsets near the centre find most rows, far ones few (Spira, arXiv
// 2511.20834, "adaptive hybrid dataflow"). Those of an L1 norm below `norm` are
// left to the dataflow that the target has for all (output-stationary on a
// GPU), the others to the weight-stationary one. Each part has the table
// without the pairs of the other and all weights, of which it multiplies those
// that have pairs. The sums of the far offsets are rows of f32, which the
// epilogue of the other part adds first.
//
//===----------------------------------------------------------------------===//

#include "Dataflows.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "sparseconv/Kernels/Builders/ConvShape.h"
#include "sparseconv/Kernels/Builders/Epilogue.h"
#include "sparseconv/Kernels/Dataflow/Dataflow.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
class Hybrid final : public Dataflow {
public:
  Hybrid() : Dataflow("hybrid") {}

  bool isOn(const TargetInfo &) const override { return true; }
  bool takesNorm() const override { return true; }
  /// On a CPU not: both parts would be the weight-stationary one.
  bool isMeasuredOn(const TargetInfo &target) const override {
    return target.isGpu;
  }
  DataflowAttr choose(const ConvTask &task,
                      const TargetInfo &target) const override;
  Attribute chooseTiling(const ConvTask &task,
                         const TargetInfo &target) const override;
  void addCandidates(const ConvTask &task, const TargetInfo &target,
                     SmallVectorImpl<GemmDecision> &candidates) const override;
  std::string verify(const ConvTask &task,
                     const TargetInfo &target) const override;
  Value lowerGemm(KernelWriter &w, const ConvTask &task,
                  const GemmOperands &operands) const override;
  Value lowerWeightGrad(KernelWriter &, const ConvTask &,
                        const WeightGradOperands &) const override {
    llvm_unreachable("verify has refused it");
  }
};

/// The numbers of the offsets, by the part that they belong to.
struct OffsetParts {
  SmallVector<int64_t> near, far;
};
} // namespace

static OffsetParts getParts(const ConvTask &task) {
  OffsetParts parts;
  int64_t norm = task.dataflow.getNorm().value_or(0);
  for (auto [number, own] : llvm::enumerate(task.getOffsetNorms()))
    (own < norm ? parts.near : parts.far)
        .push_back(static_cast<int64_t>(number));
  return parts;
}

/// What is left of `task` to the dataflow of the near offsets.
static ConvTask getNearTask(const ConvTask &task, const TargetInfo &target) {
  ConvTask near = task;
  int64_t splitK = task.dataflow ? task.dataflow.getSplitK() : 1;
  near.dataflow = DataflowAttr::get(task.getContext(),
                                    chooseDataflow(target).getName(), splitK);
  return near;
}

/// And to the weight-stationary one.
static ConvTask getFarTask(const ConvTask &task, const TargetInfo &target) {
  const Dataflow &dataflow = getWeightStationaryDataflow();
  ConvTask far = task;
  far.rowOrder = {};
  far.dataflow = dataflow.choose(task, target);
  far.tiling = dataflow.chooseTiling(task, target);
  return far;
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

static constexpr int64_t kWithoutDiagonals = 2, kWithoutCorners = 3;

static DataflowAttr getHybrid(const ConvTask &task, const TargetInfo &target,
                              int64_t norm) {
  DataflowAttr near = chooseDataflow(target).choose(task, target);
  return DataflowAttr::get(task.getContext(), "hybrid", near.getSplitK(),
                           /*epsilon=*/0, /*s=*/0, norm);
}

DataflowAttr Hybrid::choose(const ConvTask &task,
                            const TargetInfo &target) const {
  return getHybrid(task, target, kWithoutDiagonals);
}

void Hybrid::addCandidates(const ConvTask &task, const TargetInfo &target,
                           SmallVectorImpl<GemmDecision> &candidates) const {
  // Norms that leave out the corners of 3x3x3 and of 5x5x5 offsets.
  for (int64_t norm : {kWithoutDiagonals, kWithoutCorners, int64_t(5)}) {
    ConvTask decided = task;
    decided.dataflow = getHybrid(task, target, norm);
    candidates.push_back({decided.dataflow, chooseTiling(decided, target)});
  }
}

Attribute Hybrid::chooseTiling(const ConvTask &task,
                               const TargetInfo &target) const {
  return chooseDataflow(target).chooseTiling(getNearTask(task, target), target);
}

std::string Hybrid::verify(const ConvTask &task,
                           const TargetInfo &target) const {
  if (task.gradient == Gradient::Weights)
    return "the dataflow hybrid has no gradient by the weights";
  if (ConvShape::get(task.weights, task.hasTransposedWeights()).hasGroupDim)
    return "the dataflow hybrid takes weights without a dimension of groups";
  OffsetParts parts = getParts(task);
  if (parts.near.empty() && parts.far.empty())
    return "the offsets of the map are not known here";
  if (parts.near.empty() || parts.far.empty())
    return "all offsets are on one side of norm = " +
           std::to_string(*task.dataflow.getNorm()) + ", expected #sparseconv" +
           ".dataflow<" +
           (parts.near.empty() ? "weight_stationary"
                               : chooseDataflow(target).getName().str()) +
           ">";
  if (std::string problem =
          chooseDataflow(target).verify(getNearTask(task, target), target);
      !problem.empty())
    return problem;
  return getWeightStationaryDataflow().verify(getFarTask(task, target), target);
}

//===----------------------------------------------------------------------===//
// Kernel operations
//===----------------------------------------------------------------------===//

static Value keepOffsets(KernelWriter &w, Value table,
                         ArrayRef<int64_t> offsets) {
  int64_t volume = cast<RankedTensorType>(table.getType()).getDimSize(1);
  Value init = w.empty(w.getI32Type(), w.dim(table), {volume});
  return w
      .kernel<KeepOffsetsOp>(init, table, init, w.getDenseI64ArrayAttr(offsets))
      .getResult(0);
}

/// Gives the product `y`, whose first extra operand is the f32 sums of the far
/// offsets, an epilogue that adds them before what `operands` asks for.
static void addSumsFirst(KernelWriter &w, const GemmOperands &operands,
                         Value y) {
  Operation *gemm = y.getDefiningOp();
  if (auto cast = dyn_cast<tensor::CastOp>(gemm))
    gemm = cast.getSource().getDefiningOp();
  Region &region = gemm->getRegion(0);
  OpBuilder::InsertionGuard guard(w);
  Type f32 = w.getF32Type();
  Block *body =
      w.createBlock(&region, {}, {f32, f32}, {w.getLoc(), w.getLoc()});
  for (Value extra : operands.extras)
    body->addArgument(cast<ShapedType>(extra.getType()).getElementType(),
                      w.getLoc());
  Value sum =
      arith::AddFOp::create(w, body->getArgument(0), body->getArgument(1));
  if (operands.epilogue && !operands.epilogue->empty()) {
    SmallVector<Value> arguments = {sum};
    llvm::append_range(arguments, body->getArguments().drop_front(2));
    sum = cloneEpilogue(w, operands.epilogue->front(), arguments);
  }
  YieldOp::create(w, sum);
}

Value Hybrid::lowerGemm(KernelWriter &w, const ConvTask &task,
                        const GemmOperands &operands) const {
  const TargetInfo &target = w.getTarget();
  OffsetParts parts = getParts(task);
  GemmOperands far = operands;
  far.table = keepOffsets(w, operands.table, parts.far);
  far.extras = {};
  far.epilogue = nullptr;
  far.type = RankedTensorType::get(operands.type.getShape(), w.getF32Type());
  SmallVector<Value> extras = {getWeightStationaryDataflow().lowerGemm(
      w, getFarTask(task, target), far)};
  llvm::append_range(extras, operands.extras);

  GemmOperands near = operands;
  near.table = keepOffsets(w, operands.table, parts.near);
  near.extras = extras;
  near.epilogue = nullptr;
  Value y =
      chooseDataflow(target).lowerGemm(w, getNearTask(task, target), near);
  addSumsFirst(w, operands, y);
  return y;
}

namespace mlir::sparseconv {
const Dataflow &getHybridDataflow() {
  static const Hybrid dataflow;
  return dataflow;
}
} // namespace mlir::sparseconv
