//===- Capacities.cpp - upper bounds that the host knows ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Capacities.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Whether `op`, on operands that are not negative, grows with each of them.
static bool isMonotone(Operation *op) {
  return isa<arith::AddIOp, arith::MulIOp, arith::MinSIOp, arith::MinUIOp,
             arith::MaxSIOp, arith::MaxUIOp>(op);
}

bool Capacities::isGrowing(Value capacity) {
  Operation *op = capacity.getDefiningOp();
  if (!op)
    return false;
  auto it = growing.find(capacity);
  if (it != growing.end())
    return it->second;
  bool result = isa<GrowableCapacityOp>(op) ||
                llvm::any_of(op->getOperands(),
                             [&](Value operand) { return isGrowing(operand); });
  growing[capacity] = result;
  return result;
}

Value Capacities::get(OpBuilder &builder, Value size) {
  if (Value value = known.lookup(size))
    return value;
  auto grown = size.getDefiningOp<GrowableCapacityOp>();
  Value capacity = grown ? compute(builder, grown)
                         : compute(builder, size, [&](Value operand) {
                             return get(builder, operand);
                           });
  known[size] = capacity;
  return capacity;
}

/// Whether a number is an index in a buffer that the host may read. What is in
/// the buffer of a capacity it knows.
static bool isReadable(DeviceScalarOp scalar) {
  Operation *source = scalar.getBuffer().getDefiningOp();
  return scalar.getType().isIndex() &&
         (!source || isa<memref::AllocOp>(source));
}

Value Capacities::getExact(OpBuilder &builder, Value size) {
  if (Value value = exact.lookup(size))
    return value;
  auto scalar = size.getDefiningOp<DeviceScalarOp>();
  Value result;
  if (!scalar && !size.getDefiningOp<GrowableCapacityOp>())
    result = compute(builder, size,
                     [&](Value operand) { return getExact(builder, operand); });
  else
    result = get(builder, size);
  if (result && scalar && isReadable(scalar))
    result = ExactSizeOp::create(builder, scalar.getLoc(), scalar.getBuffer(),
                                 result);
  exact[size] = result;
  return result;
}

Value Capacities::getLeast(OpBuilder &builder, Value size) {
  Value capacity = get(builder, size);
  if (!capacity || !isGrowing(capacity))
    return capacity;
  if (Value value = least.lookup(size))
    return value;
  auto grown = size.getDefiningOp<GrowableCapacityOp>();
  Value result = grown ? getLeast(builder, grown.getRows())
                       : compute(builder, size, [&](Value operand) {
                           return getLeast(builder, operand);
                         });
  least[size] = result;
  return result;
}

Value Capacities::compute(OpBuilder &builder, GrowableCapacityOp op) {
  Location loc = op.getLoc();
  Value capacity = get(builder, op.getRows()),
        bound = get(builder, op.getBound());
  Value rows = getLeast(builder, op.getRows());
  if (!rows || !bound)
    return {};
  // A set that stems from another one which did grow has no less memory than
  // that: it starts with twice its rows.
  if (rows != capacity)
    rows = arith::MaxUIOp::create(
        builder, loc, rows,
        arith::CeilDivUIOp::create(
            builder, loc, capacity,
            arith::ConstantIndexOp::create(builder, loc, 2)));
  auto result =
      GrowableCapacityOp::create(builder, loc, rows, bound, op.getOpId());
  op.getLimit().replaceAllUsesWith(result.getLimit());
  known[result.getCapacity()] = result.getCapacity();
  return result.getCapacity();
}

/// An operation like `op` on other operands, on index.
static Value recreate(OpBuilder &builder, Operation *op, ValueRange operands) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(builder.getIndexType());
  return builder.create(state)->getResult(0);
}

Value Capacities::compute(OpBuilder &builder, Value size, Get get) {
  Operation *op = size.getDefiningOp();
  if (!op)
    return {};
  Location loc = op->getLoc();
  APInt constant;
  if (matchPattern(size, m_ConstantInt(&constant)))
    return arith::ConstantIndexOp::create(builder, loc,
                                          constant.getSExtValue());
  if (auto scalar = dyn_cast<DeviceScalarOp>(op))
    return scalar.getBound() ? get(scalar.getBound()) : Value();
  // Of an argument: what the caller promises.
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    std::optional<int64_t> axis = dim.getConstantIndex();
    if (!isa<BlockArgument>(dim.getSource()) || !axis)
      return {};
    return memref::DimOp::create(builder, loc, dim.getSource(), *axis);
  }
  if (isMonotone(op)) {
    Value lhs = get(op->getOperand(0));
    Value rhs = get(op->getOperand(1));
    // The smaller of two is bounded by either.
    if (isa<arith::MinSIOp, arith::MinUIOp>(op) && (!lhs || !rhs))
      return lhs ? lhs : rhs;
    return lhs && rhs ? recreate(builder, op, {lhs, rhs}) : Value();
  }
  // What is no larger than the first operand.
  if (isa<arith::SubIOp, arith::RemSIOp, arith::RemUIOp, arith::AndIOp,
          arith::ShRUIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return get(op->getOperand(0));
  if (isa<arith::CeilDivUIOp, arith::CeilDivSIOp, arith::FloorDivSIOp,
          arith::DivUIOp, arith::DivSIOp>(op) &&
      matchPattern(op->getOperand(1), m_Constant())) {
    Value dividend = get(op->getOperand(0));
    return dividend ? recreate(builder, op, {dividend, get(op->getOperand(1))})
                    : Value();
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Value lhs = get(select.getTrueValue());
    Value rhs = get(select.getFalseValue());
    return lhs && rhs ? arith::MaxUIOp::create(builder, loc, lhs, rhs)
                      : Value();
  }
  return {};
}
