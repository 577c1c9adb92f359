//===- GpuBuilder.cpp - arithmetic and control flow of kernels ------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Builders/GpuBuilder.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::sparseconv;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

gpu::GPUFuncOp GpuBuilder::startKernel(gpu::GPUModuleOp module, StringRef name,
                                       TypeRange parameters,
                                       LaunchBounds bounds) {
  setInsertionPointToEnd(module.getBody());
  auto kernel =
      gpu::GPUFuncOp::create(*this, name, getFunctionType(parameters, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), getUnitAttr());
  kernel.setKnownBlockSizeAttr(
      getDenseI32ArrayAttr({static_cast<int32_t>(bounds.threads), 1, 1}));
  setResidentBlocks(kernel, bounds.residentBlocks);
  setInsertionPointToStart(&kernel.getBody().front());
  return kernel;
}

void GpuBuilder::finishKernel() { gpu::ReturnOp::create(*this); }

//===----------------------------------------------------------------------===//
// Constants and arithmetic
//===----------------------------------------------------------------------===//

Value GpuBuilder::i1(bool value) {
  return arith::ConstantOp::create(*this, getBoolAttr(value));
}

Value GpuBuilder::i32(int64_t value) {
  return arith::ConstantIntOp::create(*this, getI32Type(), value);
}

Value GpuBuilder::i64(int64_t value) {
  return arith::ConstantIntOp::create(*this, getI64Type(), value);
}

Value GpuBuilder::f32(double value) {
  return arith::ConstantOp::create(*this, getF32FloatAttr(value));
}

Value GpuBuilder::like(Value other, int64_t value) {
  return arith::ConstantIntOp::create(*this, other.getType(), value);
}

template <class IntOp, class FloatOp>
static Value binary(GpuBuilder &b, Value lhs, Value rhs) {
  if (isa<FloatType>(lhs.getType()))
    return b.createOrFold<FloatOp>(lhs, rhs);
  return b.createOrFold<IntOp>(lhs, rhs);
}

Value GpuBuilder::add(Value lhs, Value rhs) {
  return binary<arith::AddIOp, arith::AddFOp>(*this, lhs, rhs);
}
Value GpuBuilder::sub(Value lhs, Value rhs) {
  return binary<arith::SubIOp, arith::SubFOp>(*this, lhs, rhs);
}
Value GpuBuilder::mul(Value lhs, Value rhs) {
  return binary<arith::MulIOp, arith::MulFOp>(*this, lhs, rhs);
}
Value GpuBuilder::divide(Value lhs, Value rhs) {
  return createOrFold<arith::DivUIOp>(lhs, rhs);
}
Value GpuBuilder::remainder(Value lhs, Value rhs) {
  return createOrFold<arith::RemUIOp>(lhs, rhs);
}
Value GpuBuilder::andBits(Value lhs, Value rhs) {
  return createOrFold<arith::AndIOp>(lhs, rhs);
}
Value GpuBuilder::orBits(Value lhs, Value rhs) {
  return createOrFold<arith::OrIOp>(lhs, rhs);
}
Value GpuBuilder::xorBits(Value lhs, Value rhs) {
  return createOrFold<arith::XOrIOp>(lhs, rhs);
}
Value GpuBuilder::shiftLeft(Value lhs, Value rhs) {
  return createOrFold<arith::ShLIOp>(lhs, rhs);
}
Value GpuBuilder::shiftRight(Value lhs, Value rhs) {
  return createOrFold<arith::ShRUIOp>(lhs, rhs);
}
Value GpuBuilder::maxUnsigned(Value lhs, Value rhs) {
  return createOrFold<arith::MaxUIOp>(lhs, rhs);
}
Value GpuBuilder::minUnsigned(Value lhs, Value rhs) {
  return createOrFold<arith::MinUIOp>(lhs, rhs);
}
Value GpuBuilder::fma(Value a, Value b, Value c) {
  return createOrFold<math::FmaOp>(a, b, c);
}
Value GpuBuilder::select(Value condition, Value ifTrue, Value ifFalse) {
  return createOrFold<arith::SelectOp>(condition, ifTrue, ifFalse);
}
Value GpuBuilder::countTrailingZeros(Value value) {
  return createOrFold<math::CountTrailingZerosOp>(value);
}
Value GpuBuilder::popCount(Value value) {
  return createOrFold<math::CtPopOp>(value);
}
Value GpuBuilder::clearLowestBit(Value value) {
  return andBits(value, sub(value, 1));
}

Value GpuBuilder::compare(arith::CmpIPredicate predicate, Value lhs,
                          Value rhs) {
  return createOrFold<arith::CmpIOp>(predicate, lhs, rhs);
}
Value GpuBuilder::equal(Value lhs, Value rhs) {
  return compare(arith::CmpIPredicate::eq, lhs, rhs);
}
Value GpuBuilder::notEqual(Value lhs, int64_t rhs) {
  return compare(arith::CmpIPredicate::ne, lhs, like(lhs, rhs));
}
Value GpuBuilder::less(Value lhs, Value rhs) {
  return compare(arith::CmpIPredicate::slt, lhs, rhs);
}
Value GpuBuilder::greaterEqual(Value lhs, int64_t rhs) {
  return compare(arith::CmpIPredicate::sge, lhs, like(lhs, rhs));
}
Value GpuBuilder::lessUnsigned(Value lhs, Value rhs) {
  return compare(arith::CmpIPredicate::ult, lhs, rhs);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

Value GpuBuilder::extend64(Value value) {
  return createOrFold<arith::ExtUIOp>(getI64Type(), value);
}
Value GpuBuilder::truncate32(Value value) {
  return createOrFold<arith::TruncIOp>(getI32Type(), value);
}
Value GpuBuilder::toF32(Value value) {
  if (value.getType().isF32())
    return value;
  return createOrFold<arith::ExtFOp>(getF32Type(), value);
}
Value GpuBuilder::fromF32(Value value, Type elementType) {
  if (elementType.isF32())
    return value;
  return createOrFold<arith::TruncFOp>(elementType, value);
}
Value GpuBuilder::bitcast(Value value, Type type) {
  if (value.getType() == type)
    return value;
  return LLVM::BitcastOp::create(*this, type, value);
}

Value GpuBuilder::packPair(Value low, Value high, Type elementType) {
  auto wide = VectorType::get(2, getF32Type());
  Value pair =
      vector::FromElementsOp::create(*this, wide, ValueRange{low, high});
  Value narrow =
      arith::TruncFOp::create(*this, VectorType::get(2, elementType), pair);
  return bitcast(narrow, getI32Type());
}

SmallVector<Value> GpuBuilder::unpack(Value aggregate) {
  SmallVector<Value> elements;
  if (auto vector = dyn_cast<VectorType>(aggregate.getType())) {
    for (int64_t i : llvm::seq(vector.getNumElements()))
      elements.push_back(
          LLVM::ExtractElementOp::create(*this, aggregate, i32(i)));
    return elements;
  }
  auto type = cast<LLVM::LLVMStructType>(aggregate.getType());
  for (int64_t i : llvm::seq<int64_t>(type.getBody().size()))
    elements.push_back(LLVM::ExtractValueOp::create(*this, aggregate, i));
  return elements;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void GpuBuilder::ifThen(Value condition, function_ref<void()> body) {
  auto op = scf::IfOp::create(*this, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(op.thenBlock());
  body();
}

SmallVector<Value>
GpuBuilder::ifElse(Value condition, TypeRange types,
                   function_ref<SmallVector<Value>()> thenBody,
                   function_ref<SmallVector<Value>()> elseBody) {
  auto op = scf::IfOp::create(*this, types, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(op.thenBlock());
  SmallVector<Value> thenValues = thenBody();
  scf::YieldOp::create(*this, thenValues);
  setInsertionPointToStart(op.elseBlock());
  SmallVector<Value> elseValues = elseBody();
  scf::YieldOp::create(*this, elseValues);
  return op.getResults();
}

void GpuBuilder::forLoop(Value begin, Value end, Value step,
                         function_ref<void(Value)> body) {
  auto op = scf::ForOp::create(*this, begin, end, step);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(op.getBody());
  body(op.getInductionVar());
}

SmallVector<Value>
GpuBuilder::forLoop(Value begin, Value end, Value step, ValueRange inits,
                    function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto op = scf::ForOp::create(*this, begin, end, step, inits);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(op.getBody());
  SmallVector<Value> next = body(op.getInductionVar(), op.getRegionIterArgs());
  scf::YieldOp::create(*this, next);
  return op.getResults();
}

/// Makes an scf.while without bodies, with a block in each region.
static scf::WhileOp makeWhile(GpuBuilder &b, ValueRange inits,
                              TypeRange passed) {
  auto op = scf::WhileOp::create(b, passed, inits);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Location> before(inits.size(), b.getLoc());
  b.createBlock(&op.getBefore(), {}, inits.getTypes(), before);
  SmallVector<Location> after(passed.size(), b.getLoc());
  b.createBlock(&op.getAfter(), {}, passed, after);
  return op;
}

SmallVector<Value> GpuBuilder::doWhile(
    ValueRange inits,
    function_ref<std::pair<Value, SmallVector<Value>>(ValueRange)> body) {
  scf::WhileOp op = makeWhile(*this, inits, inits.getTypes());
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToEnd(op.getBeforeBody());
  auto [condition, next] = body(op.getBeforeArguments());
  scf::ConditionOp::create(*this, condition, next);
  setInsertionPointToEnd(op.getAfterBody());
  scf::YieldOp::create(*this, op.getAfterArguments());
  return op.getResults();
}

SmallVector<Value>
GpuBuilder::whileLoop(ValueRange inits,
                      function_ref<Value(ValueRange)> condition,
                      function_ref<SmallVector<Value>(ValueRange)> body) {
  scf::WhileOp op = makeWhile(*this, inits, inits.getTypes());
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToEnd(op.getBeforeBody());
  Value proceed = condition(op.getBeforeArguments());
  scf::ConditionOp::create(*this, proceed, op.getBeforeArguments());
  setInsertionPointToEnd(op.getAfterBody());
  SmallVector<Value> next = body(op.getAfterArguments());
  scf::YieldOp::create(*this, next);
  return op.getResults();
}

SmallVector<Value> GpuBuilder::loopUntil(
    ValueRange inits, function_ref<std::pair<Value, Value>(ValueRange)> head,
    function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  SmallVector<Type> passed{getI32Type()};
  llvm::append_range(passed, inits.getTypes());
  scf::WhileOp op = makeWhile(*this, inits, passed);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToEnd(op.getBeforeBody());
  auto [key, condition] = head(op.getBeforeArguments());
  SmallVector<Value> forwarded{key};
  llvm::append_range(forwarded, op.getBeforeArguments());
  scf::ConditionOp::create(*this, condition, forwarded);
  setInsertionPointToEnd(op.getAfterBody());
  ValueRange arguments = op.getAfterArguments();
  SmallVector<Value> next = body(arguments.front(), arguments.drop_front());
  scf::YieldOp::create(*this, next);
  return llvm::to_vector(ValueRange(op.getResults()).drop_front());
}
