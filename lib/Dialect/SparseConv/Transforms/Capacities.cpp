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

Value Capacities::get(OpBuilder &builder, Value size) {
  if (Value value = known.lookup(size))
    return value;
  Operation *op = size.getDefiningOp();
  if (!op)
    return {};
  Location loc = op->getLoc();
  auto compute = [&]() -> Value {
    APInt constant;
    if (matchPattern(size, m_ConstantInt(&constant)))
      return arith::ConstantIndexOp::create(builder, loc,
                                            constant.getSExtValue());
    if (auto scalar = dyn_cast<DeviceScalarOp>(op))
      return scalar.getBound() ? get(builder, scalar.getBound()) : Value();
    // Of an argument: what the caller promises.
    if (auto dim = dyn_cast<memref::DimOp>(op)) {
      std::optional<int64_t> axis = dim.getConstantIndex();
      if (!isa<BlockArgument>(dim.getSource()) || !axis)
        return {};
      return memref::DimOp::create(builder, loc, dim.getSource(), *axis);
    }
    if (isMonotone(op)) {
      Value lhs = get(builder, op->getOperand(0));
      Value rhs = get(builder, op->getOperand(1));
      // The smaller of two is bounded by either.
      if (isa<arith::MinSIOp, arith::MinUIOp>(op) && (!lhs || !rhs))
        return lhs ? lhs : rhs;
      if (!lhs || !rhs)
        return {};
      OperationState state(loc, op->getName());
      state.addOperands({lhs, rhs});
      state.addTypes(builder.getIndexType());
      return builder.create(state)->getResult(0);
    }
    // What is no larger than the first operand.
    if (isa<arith::SubIOp, arith::RemSIOp, arith::RemUIOp, arith::AndIOp,
            arith::ShRUIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op))
      return get(builder, op->getOperand(0));
    if (isa<arith::CeilDivUIOp, arith::CeilDivSIOp, arith::FloorDivSIOp,
            arith::DivUIOp, arith::DivSIOp>(op) &&
        matchPattern(op->getOperand(1), m_Constant())) {
      Value dividend = get(builder, op->getOperand(0));
      if (!dividend)
        return {};
      Value divisor = get(builder, op->getOperand(1));
      OperationState state(loc, op->getName());
      state.addOperands({dividend, divisor});
      state.addTypes(builder.getIndexType());
      return builder.create(state)->getResult(0);
    }
    if (auto select = dyn_cast<arith::SelectOp>(op)) {
      Value lhs = get(builder, select.getTrueValue());
      Value rhs = get(builder, select.getFalseValue());
      return lhs && rhs ? arith::MaxUIOp::create(builder, loc, lhs, rhs)
                        : Value();
    }
    return {};
  };
  Value capacity = compute();
  known[size] = capacity;
  return capacity;
}
