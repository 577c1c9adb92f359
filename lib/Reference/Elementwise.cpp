//===- Elementwise.cpp - scalar operations, on scalars and tensors --------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tape.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::sparseconv;
using namespace mlir::sparseconv::reference;

/// Lanes that this object owns.
namespace {
struct OwnedLanes {
  std::vector<double> floats;
  std::vector<int64_t> integers;
  Lanes lanes;

  explicit OwnedLanes(bool isFloat) {
    if (isFloat) {
      floats.resize(kLanes);
      lanes.f = floats.data();
    } else {
      integers.resize(kLanes);
      lanes.i = integers.data();
    }
  }
  /// Elements `first` and `n - 1` more of a tensor, or a scalar in every lane.
  void load(const ReferenceValue &value, int64_t first, int64_t n) {
    const auto *dense = std::get_if<DenseValue>(&value);
    for (int64_t l = 0; l < n; ++l) {
      if (lanes.f)
        lanes.f[l] = dense ? (*dense)[first + l] : std::get<double>(value);
      else
        lanes.i[l] = dense ? static_cast<int64_t>((*dense)[first + l])
                           : std::get<int64_t>(value);
    }
  }
};
} // namespace

static llvm::Error makeKernelFailure(Operation *op, StatusCode code) {
  StatusRecord record;
  record.code = static_cast<int64_t>(code);
  return makeFailure(op, record);
}

static llvm::Error runOnScalars(Operation *op, const Kernel &kernel,
                                Frame &frame) {
  std::vector<OwnedLanes> owned;
  SmallVector<Lanes, 4> operands;
  for (Value operand : op->getOperands()) {
    owned.emplace_back(isFloatScalar(operand.getType()));
    owned.back().load(frame.get(operand), 0, 1);
    operands.push_back(owned.back().lanes);
  }
  OwnedLanes result(isFloatScalar(op->getResult(0).getType()));
  StatusCode code = kernel(1, operands, result.lanes);
  if (code != StatusCode::None)
    return makeKernelFailure(op, code);
  if (result.lanes.f)
    frame.set(op->getResult(0), result.lanes.f[0]);
  else
    frame.set(op->getResult(0), result.lanes.i[0]);
  return llvm::Error::success();
}

static llvm::Error runOnTensors(Operation *op, const Kernel &kernel,
                                Frame &frame) {
  const DenseValue *first = nullptr;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    const auto *dense = std::get_if<DenseValue>(&frame.get(operand));
    if (!dense)
      continue;
    if (!first)
      first = dense;
    for (auto [axis, size] : llvm::enumerate(dense->shape))
      if (size != first->shape[axis])
        return makeShapeMismatch(op, number, axis, size, first->shape[axis]);
  }
  if (!first)
    return makeError(op, "expected a tensor operand");
  SmallVector<int64_t, 4> shape = first->shape;
  int64_t count = first->getNumElements();
  if (llvm::Error error = checkElementCount(op, shape))
    return error;
  Elements elements(count);
  std::vector<OwnedLanes> owned;
  SmallVector<Lanes, 4> operands;
  for (Value operand : op->getOperands()) {
    owned.emplace_back(isFloatScalar(operand.getType()));
    operands.push_back(owned.back().lanes);
  }
  OwnedLanes result(isFloatScalar(op->getResult(0).getType()));
  for (int64_t start = 0; start < count; start += kLanes) {
    int64_t n = std::min(kLanes, count - start);
    for (auto [operand, lanes] : llvm::zip_equal(op->getOperands(), owned))
      lanes.load(frame.get(operand), start, n);
    StatusCode code = kernel(n, operands, result.lanes);
    if (code != StatusCode::None)
      return makeKernelFailure(op, code);
    for (int64_t l = 0; l < n; ++l)
      elements[start + l] = result.lanes.f
                                ? result.lanes.f[l]
                                : static_cast<double>(result.lanes.i[l]);
  }
  return frame.setDense(op->getResult(0), shape, std::move(elements));
}

llvm::Error reference::runScalar(Operation *op, Frame &frame, bool &known) {
  // A choice between whole values, whatever they are.
  if (auto select = dyn_cast<arith::SelectOp>(op);
      select && select.getCondition().getType().isInteger(1)) {
    ReferenceValue taken =
        frame.get(frame.getInt(select.getCondition()) ? select.getTrueValue()
                                                      : select.getFalseValue());
    frame.set(select.getResult(), std::move(taken));
    return llvm::Error::success();
  }
  Kernel kernel = getScalarKernel(op, frame.isExact());
  known = kernel != nullptr;
  if (!known)
    return llvm::Error::success();
  Type type = op->getResult(0).getType();
  if (type.isIntOrIndexOrFloat())
    return runOnScalars(op, kernel, frame);
  if (isa<RankedTensorType>(type))
    return runOnTensors(op, kernel, frame);
  known = false;
  return llvm::Error::success();
}
