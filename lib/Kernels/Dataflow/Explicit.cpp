//===- Explicit.cpp - the rows of all offsets, then one product -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer has the input rows of all offsets of an output row side by side
// (im2col), with zeros for those that are not there. What is left is one
// product of matrices: a convolution of one offset, which the dataflow that the
// target prefers carries out. The buffer takes as many times the memory of the
// features as there are offsets.
//
//===----------------------------------------------------------------------===//

#include "Dataflows.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "sparseconv/Kernels/Builders/ConvShape.h"
#include "sparseconv/Kernels/Dataflow/Dataflow.h"
#include "sparseconv/Support/Memory.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
class Explicit final : public Dataflow {
public:
  Explicit() : Dataflow("explicit") {}

  bool isOn(const TargetInfo &) const override { return true; }
  /// On a CPU not: the matrix can take all memory of the machine, which ends
  /// more than the measurement.
  bool isMeasuredOn(const TargetInfo &target) const override {
    return target.isGpu;
  }
  DataflowAttr choose(const ConvTask &task,
                      const TargetInfo &target) const override;
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

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

/// The input channels of all offsets; of more than memory can have, so many.
static int64_t countChannels(const ConvShape &shape) {
  uint64_t channels =
      llvm::SaturatingMultiply<uint64_t>(shape.offsets, shape.in);
  return std::min<uint64_t>(channels, ::sparseconv::kMaxTensorBytes);
}

/// What is left of `task` behind im2col: the weights of all offsets, or the
/// gradient by them, are one matrix.
static ConvTask getProduct(const ConvTask &task) {
  ConvShape shape = ConvShape::get(task.weights, task.hasTransposedWeights());
  ConvTask product = task;
  product.weights = RankedTensorType::get({1, countChannels(shape), shape.out},
                                          task.weights.getElementType());
  if (task.gradient == Gradient::Input)
    product.gradient = Gradient::None;
  return product;
}

DataflowAttr Explicit::choose(const ConvTask &task,
                              const TargetInfo &target) const {
  DataflowAttr chosen = chooseDataflow(target).choose(getProduct(task), target);
  return DataflowAttr::get(task.getContext(), getName(), chosen.getSplitK());
}

Attribute Explicit::chooseTiling(const ConvTask &task,
                                 const TargetInfo &target) const {
  return chooseDataflow(target).chooseTiling(getProduct(task), target);
}

std::string Explicit::verify(const ConvTask &task,
                             const TargetInfo &target) const {
  ConvShape shape = ConvShape::get(task.weights, task.hasTransposedWeights());
  if (shape.hasGroupDim)
    return "the dataflow explicit takes weights without a dimension of groups";
  if (countChannels(shape) == ::sparseconv::kMaxTensorBytes)
    return "the input channels of all offsets, side by side, fit no memory";
  if (task.rowOrder)
    return "the dataflow explicit leaves nothing to order rows by";
  return chooseDataflow(target).verify(getProduct(task), target);
}

//===----------------------------------------------------------------------===//
// Kernel operations
//===----------------------------------------------------------------------===//

/// The matrix [rows of `table`, offsets x channels].
static Value makeColumns(KernelWriter &w, Value x, Value table) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t offsets = cast<RankedTensorType>(table.getType()).getDimSize(1);
  Value init = w.empty(type.getElementType(), w.dim(table),
                       {offsets, type.getDimSize(1)});
  Value columns = w.kernel<Im2colOp>(init, x, table, init).getResult(0);
  SmallVector<ReassociationIndices> merged = {{0}, {1, 2}};
  return tensor::CollapseShapeOp::create(w, columns, merged);
}

/// [A, B, C] as `type`, which is [1, A * B, C] or the other way round.
static Value reshape(KernelWriter &w, Value weights, RankedTensorType type) {
  SmallVector<ReassociationIndices> merged = {{0, 1}, {2}};
  Value matrix = tensor::CollapseShapeOp::create(w, weights, merged);
  return tensor::ExpandShapeOp::create(w, type, matrix, merged);
}

/// The weights of all offsets below one another.
static Value stackWeights(KernelWriter &w, const ConvTask &task,
                          Value weights) {
  if (task.hasTransposedWeights()) {
    ArrayRef<int64_t> sizes = task.weights.getShape();
    Value init = w.emptyStatic({sizes[0], sizes[2], sizes[1]},
                               task.weights.getElementType());
    weights = linalg::TransposeOp::create(w, weights, init,
                                          ArrayRef<int64_t>{0, 2, 1})
                  .getResult()
                  .front();
  }
  return reshape(w, weights, getProduct(task).weights);
}

Value Explicit::lowerGemm(KernelWriter &w, const ConvTask &task,
                          const GemmOperands &operands) const {
  Value rows = w.dim(operands.table);
  // Row i of the result meets row i of the columns alone.
  GemmOperands factors = operands;
  factors.x = makeColumns(w, operands.x, operands.table);
  factors.weights = stackWeights(w, task, operands.weights);
  factors.table = w.numberRows(rows, {1});
  factors.inRows = rows;
  return chooseDataflow(w.getTarget()).lowerGemm(w, getProduct(task), factors);
}

Value Explicit::lowerWeightGrad(KernelWriter &w, const ConvTask &task,
                                const WeightGradOperands &operands) const {
  ConvTask product = getProduct(task);
  WeightGradOperands factors = operands;
  factors.x = makeColumns(w, operands.x, operands.table);
  factors.table = w.numberRows(w.dim(operands.table), {1});
  factors.type = product.weights;
  Value dw = chooseDataflow(w.getTarget()).lowerWeightGrad(w, product, factors);
  return reshape(w, dw, operands.type);
}

namespace mlir::sparseconv {
const Dataflow &getExplicitDataflow() {
  static const Explicit dataflow;
  return dataflow;
}
} // namespace mlir::sparseconv
