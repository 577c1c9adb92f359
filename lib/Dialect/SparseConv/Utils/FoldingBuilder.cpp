//===- FoldingBuilder.cpp - arithmetic and control flow -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/Utils/FoldingBuilder.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::sparseconv;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value FoldingBuilder::i1(bool value) {
  return arith::ConstantOp::create(*this, getBoolAttr(value));
}
Value FoldingBuilder::i32(int64_t value) {
  return constantInt(getI32Type(), value);
}
Value FoldingBuilder::i64(int64_t value) {
  return constantInt(getI64Type(), value);
}
Value FoldingBuilder::f32(double value) {
  return constant(getF32Type(), value);
}

/// `attr`, or a vector of it.
static TypedAttr splat(Type type, TypedAttr attr) {
  if (auto vector = dyn_cast<VectorType>(type))
    return DenseElementsAttr::get(vector, attr);
  return attr;
}

Value FoldingBuilder::constant(Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  if (!isa<FloatType>(element))
    return constantInt(type, static_cast<int64_t>(value));
  return arith::ConstantOp::create(*this,
                                   splat(type, getFloatAttr(element, value)));
}

Value FoldingBuilder::constantInt(Type type, int64_t value) {
  return arith::ConstantOp::create(
      *this, splat(type, getIntegerAttr(getElementTypeOrSelf(type), value)));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

template <class IntOp, class FloatOp>
static Value binary(FoldingBuilder &b, Value lhs, Value rhs) {
  if (isa<FloatType>(getElementTypeOrSelf(lhs.getType())))
    return b.createOrFold<FloatOp>(lhs, rhs);
  return b.createOrFold<IntOp>(lhs, rhs);
}

Value FoldingBuilder::add(Value lhs, Value rhs) {
  return binary<arith::AddIOp, arith::AddFOp>(*this, lhs, rhs);
}
Value FoldingBuilder::sub(Value lhs, Value rhs) {
  return binary<arith::SubIOp, arith::SubFOp>(*this, lhs, rhs);
}
Value FoldingBuilder::mul(Value lhs, Value rhs) {
  return binary<arith::MulIOp, arith::MulFOp>(*this, lhs, rhs);
}
Value FoldingBuilder::divide(Value lhs, Value rhs) {
  return binary<arith::DivUIOp, arith::DivFOp>(*this, lhs, rhs);
}
Value FoldingBuilder::remainder(Value lhs, Value rhs) {
  return createOrFold<arith::RemUIOp>(lhs, rhs);
}
Value FoldingBuilder::max(Value lhs, Value rhs) {
  return createOrFold<arith::MaxSIOp>(lhs, rhs);
}
Value FoldingBuilder::minUnsigned(Value lhs, Value rhs) {
  return createOrFold<arith::MinUIOp>(lhs, rhs);
}
Value FoldingBuilder::maxUnsigned(Value lhs, Value rhs) {
  return createOrFold<arith::MaxUIOp>(lhs, rhs);
}
Value FoldingBuilder::fma(Value a, Value b, Value c) {
  if (isa<VectorType>(a.getType()))
    return createOrFold<vector::FMAOp>(a, b, c);
  return createOrFold<math::FmaOp>(a, b, c);
}
Value FoldingBuilder::select(Value condition, Value ifTrue, Value ifFalse) {
  return createOrFold<arith::SelectOp>(condition, ifTrue, ifFalse);
}

Value FoldingBuilder::andBits(Value lhs, Value rhs) {
  return createOrFold<arith::AndIOp>(lhs, rhs);
}
Value FoldingBuilder::orBits(Value lhs, Value rhs) {
  return createOrFold<arith::OrIOp>(lhs, rhs);
}
Value FoldingBuilder::xorBits(Value lhs, Value rhs) {
  return createOrFold<arith::XOrIOp>(lhs, rhs);
}
Value FoldingBuilder::shiftLeft(Value value, Value bits) {
  return createOrFold<arith::ShLIOp>(value, bits);
}
Value FoldingBuilder::shiftRight(Value value, Value bits) {
  return createOrFold<arith::ShRUIOp>(value, bits);
}
Value FoldingBuilder::popCount(Value value) {
  return createOrFold<math::CtPopOp>(value);
}
Value FoldingBuilder::countLeadingZeros(Value value) {
  return createOrFold<math::CountLeadingZerosOp>(value);
}
Value FoldingBuilder::countTrailingZeros(Value value) {
  return createOrFold<math::CountTrailingZerosOp>(value);
}

//===----------------------------------------------------------------------===//
// Comparisons and conversions
//===----------------------------------------------------------------------===//

Value FoldingBuilder::compare(CmpIPredicate predicate, Value lhs, Value rhs) {
  return createOrFold<arith::CmpIOp>(predicate, lhs, rhs);
}
Value FoldingBuilder::equal(Value lhs, Value rhs) {
  return compare(CmpIPredicate::eq, lhs, rhs);
}
Value FoldingBuilder::notEqual(Value lhs, Value rhs) {
  return compare(CmpIPredicate::ne, lhs, rhs);
}
Value FoldingBuilder::less(Value lhs, Value rhs) {
  return compare(CmpIPredicate::slt, lhs, rhs);
}
Value FoldingBuilder::lessEqual(Value lhs, Value rhs) {
  return compare(CmpIPredicate::sle, lhs, rhs);
}
Value FoldingBuilder::greaterEqual(Value lhs, Value rhs) {
  return compare(CmpIPredicate::sge, lhs, rhs);
}
Value FoldingBuilder::lessUnsigned(Value lhs, Value rhs) {
  return compare(CmpIPredicate::ult, lhs, rhs);
}

/// `type` with another element type.
static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

Value FoldingBuilder::toFloat(Value value) {
  Type wide = withElement(value.getType(), getF32Type());
  return wide == value.getType() ? value
                                 : createOrFold<arith::ExtFOp>(wide, value);
}

Value FoldingBuilder::fromFloat(Value value, Type elementType) {
  Type narrow = withElement(value.getType(), elementType);
  return narrow == value.getType()
             ? value
             : createOrFold<arith::TruncFOp>(narrow, value);
}

Value FoldingBuilder::extend(Value value, Type type) {
  return type == value.getType() ? value
                                 : createOrFold<arith::ExtUIOp>(type, value);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void FoldingBuilder::forLoop(Value begin, Value end, Value step,
                             function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(*this, begin, end, step);
  InsertionGuard guard(*this);
  setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

SmallVector<Value> FoldingBuilder::forLoop(
    Value begin, Value end, Value step, ValueRange inits,
    function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(*this, begin, end, step, inits);
  InsertionGuard guard(*this);
  setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  scf::YieldOp::create(*this, next);
  return loop.getResults();
}

SmallVector<Value>
FoldingBuilder::whileLoop(ValueRange inits,
                          function_ref<Value(ValueRange)> condition,
                          function_ref<SmallVector<Value>(ValueRange)> body) {
  auto loop = scf::WhileOp::create(*this, inits.getTypes(), inits);
  InsertionGuard guard(*this);
  SmallVector<Location> locs(inits.size(), getLoc());
  Block *before = createBlock(&loop.getBefore(), {}, inits.getTypes(), locs);
  Value proceed = condition(before->getArguments());
  scf::ConditionOp::create(*this, proceed, before->getArguments());
  Block *after = createBlock(&loop.getAfter(), {}, inits.getTypes(), locs);
  SmallVector<Value> next = body(after->getArguments());
  scf::YieldOp::create(*this, next);
  return loop.getResults();
}

void FoldingBuilder::ifThen(Value condition, function_ref<void()> body) {
  auto branch = scf::IfOp::create(*this, condition, /*withElseRegion=*/false);
  InsertionGuard guard(*this);
  setInsertionPointToStart(branch.thenBlock());
  body();
}

void FoldingBuilder::ifElse(Value condition, function_ref<void()> thenBody,
                            function_ref<void()> elseBody) {
  auto branch = scf::IfOp::create(*this, condition, /*withElseRegion=*/true);
  InsertionGuard guard(*this);
  setInsertionPointToStart(branch.thenBlock());
  thenBody();
  setInsertionPointToStart(branch.elseBlock());
  elseBody();
}

SmallVector<Value>
FoldingBuilder::ifElse(Value condition, TypeRange types,
                       function_ref<SmallVector<Value>()> thenBody,
                       function_ref<SmallVector<Value>()> elseBody) {
  auto branch =
      scf::IfOp::create(*this, types, condition, /*withElseRegion=*/true);
  InsertionGuard guard(*this);
  setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(*this, thenBody());
  setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(*this, elseBody());
  return branch.getResults();
}
