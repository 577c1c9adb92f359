//===- GuardAccesses.cpp - checks indices, slices and divisors ------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's generate-runtime-verification asserts the same conditions, for the
// operations of the lowering too, and knows neither the status record nor which
// operation of the network it is that fails.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "sparseconv/Dialect/SparseConv/IR/OpPlaces.h"
#include "sparseconv/Dialect/SparseConv/IR/StatusArgument.h"
#include "sparseconv/Dialect/SparseConv/IR/Verification.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Dialect/SparseConv/Utils/Calls.h"
#include "sparseconv/Dialect/SparseConv/Utils/GuardedOps.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVGUARDACCESSES
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::StatusCode;

static constexpr StringLiteral kLeave = "sparseconv_cpu_leave";

namespace {
/// Writes the checks of one operation in front of it.
class Guard {
public:
  Guard(Operation *op, int64_t opId, Value status)
      : b(op->getLoc(), op), opId(opId), status(status) {}

  void check(tensor::ExtractOp op) {
    checkElement(op.getTensor(), op.getIndices());
  }
  void check(tensor::InsertOp op) {
    checkElement(op.getDest(), op.getIndices());
  }
  void check(tensor::ExtractSliceOp op) {
    checkSlice(op.getSource(), op.getMixedOffsets(), op.getMixedSizes(),
               op.getMixedStrides());
  }
  void check(tensor::InsertSliceOp op) {
    checkSlice(op.getDest(), op.getMixedOffsets(), op.getMixedSizes(),
               op.getMixedStrides());
    checkSource(op);
  }
  void check(tensor::CastOp op);
  void check(tensor::ExpandShapeOp op);
  void checkDivision(Operation *division);

private:
  void checkElement(Value tensor, ValueRange indices);
  void checkSlice(Value tensor, ArrayRef<OpFoldResult> offsets,
                  ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides);
  void checkSource(tensor::InsertSliceOp op);
  void checkIndex(Value index, int64_t axis, Value size);
  void checkLast(Value first, Value size, Value stride, int64_t axis,
                 Value extent);
  void checkSize(Value found, int64_t axis, Value expected);
  /// Leaves the call with `report` where `isWrong`.
  void leaveIf(Value isWrong, const LoopBuilder::Report &report);

  Value getDim(Value tensor, int64_t axis) {
    return b.createOrFold<tensor::DimOp>(tensor, b.index(axis));
  }
  Value getValue(OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), number);
  }

  LoopBuilder b;
  int64_t opId;
  Value status;
};
} // namespace

void Guard::leaveIf(Value isWrong, const LoopBuilder::Report &report) {
  if (matchPattern(isWrong, m_Zero()))
    return;
  b.ifThen(isWrong, [&] {
    b.report(status, report);
    func::CallOp::create(b, kLeave, TypeRange());
  });
}

void Guard::checkIndex(Value index, int64_t axis, Value size) {
  LoopBuilder::Report report{StatusCode::IndexOutOfBounds, opId};
  report.axis = b.i64(axis);
  report.value = index;
  report.upper = size;
  // A negative index is a large one without its sign.
  Value isInside = b.lessUnsigned(index, size);
  leaveIf(b.notBit(isInside), report);
}

void Guard::checkSize(Value found, int64_t axis, Value expected) {
  LoopBuilder::Report report{StatusCode::ShapeMismatch, opId};
  report.axis = b.i64(axis);
  report.value = found;
  report.lower = expected;
  leaveIf(b.notEqual(found, expected), report);
}

void Guard::checkElement(Value tensor, ValueRange indices) {
  for (auto [axis, index] : llvm::enumerate(indices))
    checkIndex(index, axis, getDim(tensor, axis));
}

/// The index of the last element of a slice. It is computed with 128 bits, and
/// reported as the largest number where it does not fit an index.
void Guard::checkLast(Value first, Value size, Value stride, int64_t axis,
                      Value extent) {
  Type i64 = b.getI64Type(), i128 = b.getIntegerType(128);
  auto widen = [&](Value value) {
    return b.createOrFold<arith::ExtSIOp>(i128, b.cast(value, i64));
  };
  Value last = b.add(widen(first), b.mul(widen(b.sub(size, 1)), widen(stride)));
  Value narrow = b.createOrFold<arith::TruncIOp>(i64, last);
  Value fits = b.equal(widen(narrow), last);
  LoopBuilder::Report report{StatusCode::IndexOutOfBounds, opId};
  report.axis = b.i64(axis);
  report.value =
      b.select(fits, narrow, b.i64(std::numeric_limits<int64_t>::max()));
  report.upper = extent;
  leaveIf(b.notBit(b.lessUnsigned(last, widen(extent))), report);
}

void Guard::checkSlice(Value tensor, ArrayRef<OpFoldResult> offsets,
                       ArrayRef<OpFoldResult> sizes,
                       ArrayRef<OpFoldResult> strides) {
  for (auto [number, mixed] :
       llvm::enumerate(llvm::zip_equal(offsets, sizes, strides))) {
    auto [offset, mixedSize, stride] = mixed;
    auto axis = static_cast<int64_t>(number);
    Value extent = getDim(tensor, axis), size = getValue(mixedSize);
    // All rows, as many slices have them.
    auto dim = size.getDefiningOp<tensor::DimOp>();
    if (dim && dim.getSource() == tensor && dim.getConstantIndex() == axis &&
        isZeroInteger(offset) && isOneInteger(stride))
      continue;
    LoopBuilder::Report report{StatusCode::IndexOutOfBounds, opId};
    report.axis = b.i64(axis);
    report.value = size;
    report.upper = extent;
    leaveIf(b.less(size, b.index(0)), report);
    // No element is nowhere.
    Value first = getValue(offset), step = getValue(stride);
    b.ifThen(b.notEqual(size, b.index(0)), [&] {
      checkIndex(first, axis, extent);
      checkLast(first, size, step, axis, extent);
    });
  }
}

/// What is inserted has the sizes of the slice.
void Guard::checkSource(tensor::InsertSliceOp op) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  int64_t axis = 0;
  for (auto [number, size] : llvm::enumerate(op.getMixedSizes()))
    if (!dropped.test(number)) {
      checkSize(getDim(op.getSource(), axis), axis, getValue(size));
      ++axis;
    }
}

void Guard::check(tensor::CastOp op) {
  auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto to = dyn_cast<RankedTensorType>(op.getType());
  if (!from || !to)
    return;
  for (int64_t axis = 0; axis < to.getRank(); ++axis)
    if (from.isDynamicDim(axis) && !to.isDynamicDim(axis))
      checkSize(getDim(op.getSource(), axis), axis,
                b.index(to.getDimSize(axis)));
}

/// Each dimension of the source has as many elements as those that it becomes,
/// of which one at most is dynamic.
void Guard::check(tensor::ExpandShapeOp op) {
  RankedTensorType type = op.getResultType();
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  for (auto [axis, group] : llvm::enumerate(op.getReassociationIndices())) {
    Value found = getDim(op.getSrc(), axis), dynamic = b.index(1);
    int64_t product = 1;
    for (int64_t result : group) {
      if (type.isDynamicDim(result))
        dynamic = getValue(sizes[result]);
      else
        product *= type.getDimSize(result);
    }
    // A dynamic size that wraps is not what the division gives.
    if (product != 0)
      checkSize(dynamic, axis, b.floorDiv(found, product));
    checkSize(found, axis, b.mul(dynamic, product));
  }
}

/// A processor traps where it divides by zero, or the smallest integer by -1.
/// The first is reported, the second wraps.
void Guard::checkDivision(Operation *division) {
  OpOperand &divisor = division->getOpOperand(1);
  Value given = divisor.get();
  Type type = given.getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
  };
  Value isZero = b.equal(given, constant(0));
  LoopBuilder::Report report{StatusCode::DivisionByZero, opId};
  // A loop over elements, whose threads cannot leave it, goes on.
  if (division->getParentOfType<linalg::LinalgOp>())
    b.ifThen(isZero, [&] { b.report(status, report); });
  else
    leaveIf(isZero, report);
  if (isa<arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp>(division)) {
    divisor.set(b.select(isZero, constant(1), given));
    return;
  }
  Value isMinusOne = b.equal(given, constant(-1));
  divisor.set(b.select(b.orBits(isZero, isMinusOne), constant(1), given));
  if (isa<arith::RemSIOp>(division))
    return;
  b.setInsertionPointAfter(division);
  Value quotient = division->getResult(0);
  Value negated = b.sub(constant(0), quotient);
  Value result = b.select(isMinusOne, negated, quotient);
  llvm::SmallPtrSet<Operation *, 2> own{negated.getDefiningOp(),
                                        result.getDefiningOp()};
  quotient.replaceAllUsesExcept(result, own);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Guards `op` if it is of the network and may fail.
static void guard(Operation *op) {
  auto number = op->getAttrOfType<IntegerAttr>(kOpIdAttr);
  auto function = op->getParentOfType<FunctionOpInterface>();
  Value status = function ? getStatusArgument(function) : BlockArgument();
  if (!number || !status)
    return;
  Guard guard(op, number.getInt(), status);
  if (isDivision(*op))
    return guard.checkDivision(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case<tensor::CastOp, tensor::ExpandShapeOp, tensor::ExtractOp,
            tensor::ExtractSliceOp, tensor::InsertOp, tensor::InsertSliceOp>(
          [&](auto access) { guard.check(access); })
      .Default([](Operation *op) {
        assert(!isGuardedAccess(op) && "no guard for an access");
      });
}

namespace {
struct GuardAccesses
    : mlir::sparseconv::impl::SparseConvGuardAccessesBase<GuardAccesses> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    module.walk(guard);
    WalkResult calls = module.walk([](func::CallOp call) {
      return call.getCallee() == kLeave ? WalkResult::interrupt()
                                        : WalkResult::advance();
    });
    if (calls.wasInterrupted())
      declareFunction(module, kLeave, FunctionType::get(&getContext(), {}, {}));
  }
};
} // namespace
