//===- Dataflow.h - how convolutions carry out their sums ----- -*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dataflow is one order in which an implicit GEMM meets its weights, its rows
// and its offsets, and the kernel operations that it takes. Each is an object
// in a file of its own: what decides, checks or lowers a convolution asks it
// and never compares names.
//
// To add one: a file in lib/Kernels/Dataflow, its line in Dataflows.def, and
// its line in CMakeLists.txt.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNELS_DATAFLOW_DATAFLOW_H
#define SPARSECONV_KERNELS_DATAFLOW_DATAFLOW_H

#include "sparseconv/Kernels/Builders/KernelWriter.h"
#include "sparseconv/Kernels/Gemm/ImplicitGemm.h"
#include "sparseconv/Support/NamedTable.h"

namespace mlir::sparseconv {

/// A convolution or its gradient by the input, on tensors.
struct GemmOperands {
  /// Features of `inRows` rows.
  Value x, weights;
  /// Neighbours of each row of the result.
  Value table;
  Value inRows;
  /// What the epilogue reads, and its body, or null.
  ValueRange extras;
  Region *epilogue = nullptr;
  RankedTensorType type;
};

/// The gradient of a convolution by its weights, on tensors.
struct WeightGradOperands {
  Value x, dy;
  /// Neighbours of each row of `dy`.
  Value table;
  RankedTensorType type;
};

/// What decides how a convolution carries out its sum.
struct GemmDecision {
  DataflowAttr dataflow;
  Attribute tiling;
};

class Dataflow : public NamedEntry<Dataflow> {
public:
  /// All dataflows: the first that a target has kernels for is chosen.
  /// `#sparseconv.dataflow` names one.
  static ArrayRef<const Dataflow *> getAll();

  /// Whether there are kernels for it.
  virtual bool isOn(const TargetInfo &target) const = 0;
  /// Whether a tuner measures it there.
  virtual bool isMeasuredOn(const TargetInfo &target) const {
    return isOn(target);
  }
  /// Whether it takes `epsilon` and `s`.
  virtual bool groupsOffsets() const { return false; }
  /// Whether it takes, and needs, `norm`.
  virtual bool takesNorm() const { return false; }
  /// Whether it adds in the same order in every run; otherwise the operation
  /// has to allow another one.
  virtual bool isDeterministic() const { return true; }
  /// The attribute for `task`. Where a tiling is written, the dataflow suits
  /// it.
  virtual DataflowAttr choose(const ConvTask &task,
                              const TargetInfo &target) const = 0;
  /// The tiling for `task`. Where this dataflow is written, the tiling suits
  /// what it says; where nothing suits, `verify` refuses it.
  virtual Attribute chooseTiling(const ConvTask &task,
                                 const TargetInfo &target) const = 0;
  /// Adds what may be the fastest way for `task`, of which nothing is decided,
  /// a few of many: a tuner measures them all. By default that is what is
  /// chosen.
  virtual void addCandidates(const ConvTask &task, const TargetInfo &target,
                             SmallVectorImpl<GemmDecision> &candidates) const;
  /// Why `task` cannot be carried out with its dataflow, which is this one, and
  /// its tiling; or an empty string.
  virtual std::string verify(const ConvTask &task,
                             const TargetInfo &target) const = 0;

  /// Write the kernel operations of `task`, whose decisions `verify` accepts,
  /// and return its result.
  virtual Value lowerGemm(KernelWriter &w, const ConvTask &task,
                          const GemmOperands &operands) const = 0;
  virtual Value lowerWeightGrad(KernelWriter &w, const ConvTask &task,
                                const WeightGradOperands &operands) const = 0;

protected:
  explicit Dataflow(llvm::StringLiteral name) : NamedEntry(name) {}
};

/// Gives the kernel operation `gemm` the epilogue of what it carries out, and
/// returns its result.
template <typename OpTy>
Value finishGemm(KernelWriter &w, const GemmOperands &operands, OpTy gemm) {
  if (operands.epilogue && !operands.epilogue->empty())
    w.moveRegion(*operands.epilogue, gemm.getEpilogue());
  return w.castTo(gemm.getResult(0), operands.type);
}

/// The dataflow that is chosen on `target`.
const Dataflow &chooseDataflow(const TargetInfo &target);

/// An error where `op` cannot be carried out on the target of its module as is
/// decided. What has not been decided is no error.
LogicalResult verifyDecisions(ImplicitGemmOpInterface op);

} // namespace mlir::sparseconv

#endif // SPARSECONV_KERNELS_DATAFLOW_DATAFLOW_H
