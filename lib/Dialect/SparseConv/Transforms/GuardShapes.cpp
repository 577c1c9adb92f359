//===- GuardShapes.cpp - run-time checks of upstream operations -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ZerosOnMismatch.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "sparseconv/Dialect/SparseConv/IR/OpPlaces.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/IR/StatusArgument.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Dialect/SparseConv/Utils/GuardedOps.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVGUARDSHAPES
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::StatusCode;

namespace {

/// One axis of a tensor operand.
struct Axis {
  OpOperand *operand;
  int64_t axis;

  Value getTensor() const { return operand->get(); }
  int64_t getStaticSize() const {
    return cast<RankedTensorType>(getTensor().getType()).getDimSize(axis);
  }
};

} // namespace

static bool areEqual(Axis lhs, Axis rhs) {
  if (lhs.getTensor() == rhs.getTensor() && lhs.axis == rhs.axis)
    return true;
  int64_t size = lhs.getStaticSize();
  if (!ShapedType::isDynamic(size) && size == rhs.getStaticSize())
    return true;
  FailureOr<bool> equal = ValueBoundsConstraintSet::areEqual(
      {lhs.getTensor(), lhs.axis}, {rhs.getTensor(), rhs.axis});
  return succeeded(equal) && *equal;
}

/// Replaces the operand of `found` by zeros of the expected size, and reports,
/// where the size is not that of `expected`.
static void guard(LoopBuilder &b, Axis found, Axis expected, Value status,
                  int64_t opId) {
  Value tensor = found.getTensor();
  auto type = cast<RankedTensorType>(tensor.getType());
  Value size = b.createOrFold<tensor::DimOp>(tensor, b.index(found.axis));
  Value wanted = b.createOrFold<tensor::DimOp>(expected.getTensor(),
                                               b.index(expected.axis));
  auto makeReport = [&] {
    LoopBuilder::Report report{StatusCode::ShapeMismatch, opId};
    report.axis = b.i64(found.axis);
    report.value = size;
    report.lower = wanted;
    report.extra = b.i64(found.operand->getOperandNumber());
    return report;
  };
  found.operand->set(createZerosOnMismatch(
      b, {tensor, found.axis, size, wanted}, type, status, makeReport));
}

/// Guards `axis` unless it has the size of `first` for sure. Static sizes are
/// the verifier's.
static void guardAxis(Axis axis, Axis first, Value status) {
  auto type = cast<RankedTensorType>(axis.getTensor().getType());
  if (!type.isDynamicDim(axis.axis) ||
      !type.getElementType().isIntOrIndexOrFloat() || areEqual(axis, first))
    return;
  Operation *op = axis.operand->getOwner();
  auto number = op->getAttrOfType<IntegerAttr>(kOpIdAttr);
  OpBuilder builder(op);
  LoopBuilder b(op->getLoc(), builder);
  guard(b, axis, first, status,
        number ? number.getInt() : std::numeric_limits<int32_t>::max());
}

/// All operands that a loop runs over agree on its size.
static void guardLinalg(linalg::LinalgOp op, Value status) {
  if (!op.hasPureTensorSemantics())
    return;
  SmallVector<std::optional<Axis>> loops(op.getNumLoops());
  SmallVector<std::pair<Axis, unsigned>> axes;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [axis, expr] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        continue;
      Axis current{&operand, static_cast<int64_t>(axis)};
      axes.emplace_back(current, dim.getPosition());
      // A static size decides; a dynamic one has to follow it.
      std::optional<Axis> &first = loops[dim.getPosition()];
      if (!first || (ShapedType::isDynamic(first->getStaticSize()) &&
                     !ShapedType::isDynamic(current.getStaticSize())))
        first = current;
    }
  }
  for (auto [axis, loop] : axes)
    guardAxis(axis, *loops[loop], status);
}

/// The parts of a concatenation agree on all other axes.
static void guardConcat(tensor::ConcatOp op, Value status) {
  int64_t rank = op.getResultType().getRank();
  OpOperand &first = op->getOpOperand(0);
  for (OpOperand &operand : llvm::drop_begin(op->getOpOperands()))
    for (int64_t axis = 0; axis < rank; ++axis)
      if (axis != static_cast<int64_t>(op.getDim()))
        guardAxis({&operand, axis}, {&first, axis}, status);
}

namespace {
struct GuardShapes
    : mlir::sparseconv::impl::SparseConvGuardShapesBase<GuardShapes> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    Value status = getStatusArgument(function);
    if (!status)
      return;
    SmallVector<Operation *> operations;
    function.walk([&](Operation *op) {
      if (isGuardedShape(op))
        operations.push_back(op);
    });
    for (Operation *op : operations) {
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
        guardLinalg(linalgOp, status);
      else
        guardConcat(cast<tensor::ConcatOp>(op), status);
    }
  }
};
} // namespace
