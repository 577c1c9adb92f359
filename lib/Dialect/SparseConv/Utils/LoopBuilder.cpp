//===- LoopBuilder.cpp - writes loop nests --------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include <numeric>

using namespace mlir;
using namespace mlir::sparseconv;
using arith::CmpIPredicate;

static bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value.getType()));
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value LoopBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}
Value LoopBuilder::i32(int64_t value) {
  return constantInt(getI32Type(), value);
}
Value LoopBuilder::i64(int64_t value) {
  return constantInt(getI64Type(), value);
}
Value LoopBuilder::bit(int64_t number) {
  return i32(static_cast<int32_t>(uint32_t(1) << number));
}
Value LoopBuilder::f32(double value) { return constant(getF32Type(), value); }

Value LoopBuilder::constant(Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  if (!isa<FloatType>(element))
    return constantInt(type, static_cast<int64_t>(value));
  TypedAttr attr = getFloatAttr(element, value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(*this, attr);
}

Value LoopBuilder::constantInt(Type type, int64_t value) {
  TypedAttr attr = getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(*this, attr);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value LoopBuilder::add(Value lhs, Value rhs) {
  return isFloat(lhs) ? createOrFold<arith::AddFOp>(lhs, rhs)
                      : createOrFold<arith::AddIOp>(lhs, rhs);
}
Value LoopBuilder::sub(Value lhs, Value rhs) {
  return isFloat(lhs) ? createOrFold<arith::SubFOp>(lhs, rhs)
                      : createOrFold<arith::SubIOp>(lhs, rhs);
}
Value LoopBuilder::mul(Value lhs, Value rhs) {
  return isFloat(lhs) ? createOrFold<arith::MulFOp>(lhs, rhs)
                      : createOrFold<arith::MulIOp>(lhs, rhs);
}
Value LoopBuilder::ceilDiv(Value lhs, int64_t rhs) {
  return rhs == 1 ? lhs : createOrFold<arith::CeilDivSIOp>(lhs, like(lhs, rhs));
}
Value LoopBuilder::floorDiv(Value lhs, int64_t rhs) {
  return rhs == 1 ? lhs
                  : createOrFold<arith::FloorDivSIOp>(lhs, like(lhs, rhs));
}
Value LoopBuilder::min(Value lhs, Value rhs) {
  return isFloat(lhs) ? createOrFold<arith::MinimumFOp>(lhs, rhs)
                      : createOrFold<arith::MinSIOp>(lhs, rhs);
}
Value LoopBuilder::max(Value lhs, Value rhs) {
  return isFloat(lhs) ? createOrFold<arith::MaximumFOp>(lhs, rhs)
                      : createOrFold<arith::MaxSIOp>(lhs, rhs);
}
Value LoopBuilder::andBits(Value lhs, Value rhs) {
  return createOrFold<arith::AndIOp>(lhs, rhs);
}
Value LoopBuilder::orBits(Value lhs, Value rhs) {
  return createOrFold<arith::OrIOp>(lhs, rhs);
}
Value LoopBuilder::notBit(Value value) {
  return createOrFold<arith::XOrIOp>(value, like(value, -1));
}
Value LoopBuilder::shiftLeft(Value value, int64_t bits) {
  return bits ? createOrFold<arith::ShLIOp>(value, like(value, bits)) : value;
}
Value LoopBuilder::shiftRightLogical(Value value, int64_t bits) {
  return bits ? createOrFold<arith::ShRUIOp>(value, like(value, bits)) : value;
}
Value LoopBuilder::select(Value condition, Value ifTrue, Value ifFalse) {
  return createOrFold<arith::SelectOp>(condition, ifTrue, ifFalse);
}
Value LoopBuilder::fma(Value a, Value b, Value c) {
  if (isa<VectorType>(a.getType()))
    return createOrFold<vector::FMAOp>(a, b, c);
  return createOrFold<math::FmaOp>(a, b, c);
}

//===----------------------------------------------------------------------===//
// Comparisons and conversions
//===----------------------------------------------------------------------===//

Value LoopBuilder::compare(CmpIPredicate predicate, Value lhs, Value rhs) {
  return createOrFold<arith::CmpIOp>(predicate, lhs, rhs);
}
Value LoopBuilder::equal(Value lhs, Value rhs) {
  return compare(CmpIPredicate::eq, lhs, rhs);
}
Value LoopBuilder::notEqual(Value lhs, Value rhs) {
  return compare(CmpIPredicate::ne, lhs, rhs);
}
Value LoopBuilder::less(Value lhs, Value rhs) {
  return compare(CmpIPredicate::slt, lhs, rhs);
}
Value LoopBuilder::lessUnsigned(Value lhs, Value rhs) {
  return compare(CmpIPredicate::ult, lhs, rhs);
}
Value LoopBuilder::lessEqual(Value lhs, Value rhs) {
  return compare(CmpIPredicate::sle, lhs, rhs);
}
Value LoopBuilder::greaterEqual(Value lhs, Value rhs) {
  return compare(CmpIPredicate::sge, lhs, rhs);
}

Value LoopBuilder::toIndex(Value value) { return cast(value, getIndexType()); }

Value LoopBuilder::toIndexUnsigned(Value value) {
  if (value.getType().isIndex())
    return value;
  return createOrFold<arith::IndexCastUIOp>(getIndexType(), value);
}

Value LoopBuilder::cast(Value value, Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  if (from.isIndex() || type.isIndex())
    return createOrFold<arith::IndexCastOp>(type, value);
  if (from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return createOrFold<arith::ExtSIOp>(type, value);
  return createOrFold<arith::TruncIOp>(type, value);
}

/// `type` with another element type.
static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

Value LoopBuilder::toFloat(Value value) {
  Type wide = withElement(value.getType(), getF32Type());
  return wide == value.getType() ? value
                                 : createOrFold<arith::ExtFOp>(wide, value);
}

Value LoopBuilder::fromFloat(Value value, Type elementType) {
  Type narrow = withElement(value.getType(), elementType);
  return narrow == value.getType()
             ? value
             : createOrFold<arith::TruncFOp>(narrow, value);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value LoopBuilder::dim(Value shaped, int64_t axis) {
  int64_t size = llvm::cast<ShapedType>(shaped.getType()).getDimSize(axis);
  if (ShapedType::isStatic(size))
    return index(size);
  return memref::DimOp::create(*this, shaped, axis);
}

Value LoopBuilder::load(Value buffer, ValueRange indices) {
  return memref::LoadOp::create(*this, buffer, indices);
}
void LoopBuilder::store(Value value, Value buffer, ValueRange indices) {
  memref::StoreOp::create(*this, value, buffer, indices);
}
llvm::MaybeAlign LoopBuilder::getAlignment(Value buffer,
                                           int64_t multiple) const {
  auto type = llvm::cast<MemRefType>(buffer.getType());
  // Buffers, those of callers too, are aligned to 16 bytes.
  int64_t bits = type.getElementTypeBitWidth(), alignment = 16;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!isGpu() || bits < 8 || !type.getLayout().isIdentity() ||
      failed(type.getStridesAndOffset(strides, offset)))
    return {};
  strides.back() = multiple;
  for (int64_t stride : strides) {
    if (ShapedType::isDynamic(stride))
      return {};
    alignment = std::gcd(alignment, stride * bits / 8);
  }
  return llvm::Align(alignment);
}

Value LoopBuilder::loadVector(int64_t lanes, Value buffer, ValueRange indices,
                              int64_t multiple) {
  Type element = llvm::cast<MemRefType>(buffer.getType()).getElementType();
  return vector::LoadOp::create(*this, VectorType::get({lanes}, element),
                                buffer, indices, /*nontemporal=*/false,
                                getAlignment(buffer, multiple));
}
void LoopBuilder::storeVector(Value value, Value buffer, ValueRange indices,
                              int64_t multiple) {
  vector::StoreOp::create(*this, value, buffer, indices, /*nontemporal=*/false,
                          getAlignment(buffer, multiple));
}
Value LoopBuilder::atomic(arith::AtomicRMWKind kind, Value value, Value buffer,
                          ValueRange indices) {
  return memref::AtomicRMWOp::create(*this, kind, value, buffer, indices);
}
Value LoopBuilder::broadcast(Value scalar, int64_t lanes) {
  return vector::BroadcastOp::create(
      *this, VectorType::get({lanes}, scalar.getType()), scalar);
}

Value LoopBuilder::alloc(ArrayRef<int64_t> shape, Type elementType,
                         ValueRange dynamicSizes) {
  return memref::AllocOp::create(*this, MemRefType::get(shape, elementType),
                                 dynamicSizes, getI64IntegerAttr(64));
}
void LoopBuilder::dealloc(Value buffer) {
  memref::DeallocOp::create(*this, buffer);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void LoopBuilder::forLoop(Value begin, Value end, Value step,
                          function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(*this, begin, end, step);
  InsertionGuard guard(*this);
  setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

SmallVector<Value>
LoopBuilder::forLoop(Value begin, Value end, int64_t step, ValueRange inits,
                     function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(*this, begin, end, index(step), inits);
  InsertionGuard guard(*this);
  setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  scf::YieldOp::create(*this, next);
  return llvm::to_vector_of<Value>(loop.getResults());
}

void LoopBuilder::parallelFor(Value count, function_ref<void(Value)> body) {
  auto loop = scf::ParallelOp::create(*this, ValueRange{index(0)},
                                      ValueRange{count}, ValueRange{index(1)});
  InsertionGuard guard(*this);
  setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVars()[0]);
}

void LoopBuilder::parallelForUneven(Value count,
                                    function_ref<void(Value)> body) {
  // Threads are given equal numbers of takers, the first of which takes
  // iterations from a counter until there are none.
  constexpr int64_t maxTakers = 256;
  Value counter = alloc({1}, getI64Type());
  store(i64(0), counter, index(0));
  parallelFor(min(count, index(maxTakers)), [&](Value) {
    auto loop =
        scf::WhileOp::create(*this, TypeRange(getIndexType()), ValueRange());
    InsertionGuard guard(*this);
    createBlock(&loop.getBefore());
    Value taken = atomic(arith::AtomicRMWKind::addi, i64(1), counter, index(0));
    Value position = toIndex(taken);
    scf::ConditionOp::create(*this, less(position, count), position);
    Block *after = createBlock(&loop.getAfter(), {}, getIndexType(), getLoc());
    body(after->getArgument(0));
    scf::YieldOp::create(*this);
  });
  dealloc(counter);
}

void LoopBuilder::launch(Value blocks, int64_t threads,
                         ArrayRef<MemRefType> shared,
                         function_ref<void(const Thread &)> body) {
  Value one = index(1);
  auto launch =
      gpu::LaunchOp::create(*this, blocks, one, one, index(threads), one, one);
  Thread thread{launch.getBlockIds().x, launch.getThreadIds().x, {}};
  for (MemRefType type : shared)
    thread.shared.push_back(launch.addWorkgroupAttribution(type, getLoc()));
  InsertionGuard guard(*this);
  setInsertionPointToStart(&launch.getBody().front());
  body(thread);
  gpu::TerminatorOp::create(*this);
}

MemRefType LoopBuilder::getSharedType(ArrayRef<int64_t> shape,
                                      Type elementType) {
  auto space = gpu::AddressSpaceAttr::get(
      getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  return MemRefType::get(shape, elementType, MemRefLayoutAttrInterface(),
                         space);
}

void LoopBuilder::barrier() { gpu::BarrierOp::create(*this); }

SmallVector<Value>
LoopBuilder::whileLoop(ValueRange inits,
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
  return llvm::to_vector_of<Value>(loop.getResults());
}

void LoopBuilder::ifThen(Value condition, function_ref<void()> body) {
  auto branch = scf::IfOp::create(*this, condition, /*withElseRegion=*/false);
  InsertionGuard guard(*this);
  setInsertionPointToStart(branch.thenBlock());
  body();
}

void LoopBuilder::ifElse(Value condition, function_ref<void()> thenBody,
                         function_ref<void()> elseBody) {
  auto branch = scf::IfOp::create(*this, condition, /*withElseRegion=*/true);
  InsertionGuard guard(*this);
  setInsertionPointToStart(branch.thenBlock());
  thenBody();
  setInsertionPointToStart(branch.elseBlock());
  elseBody();
}

SmallVector<Value>
LoopBuilder::ifElse(Value condition, TypeRange types,
                    function_ref<SmallVector<Value>()> thenBody,
                    function_ref<SmallVector<Value>()> elseBody) {
  auto branch =
      scf::IfOp::create(*this, types, condition, /*withElseRegion=*/true);
  InsertionGuard guard(*this);
  setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> yielded = thenBody();
  scf::YieldOp::create(*this, yielded);
  setInsertionPointToStart(branch.elseBlock());
  yielded = elseBody();
  scf::YieldOp::create(*this, yielded);
  return llvm::to_vector_of<Value>(branch.getResults());
}

//===----------------------------------------------------------------------===//
// Idioms
//===----------------------------------------------------------------------===//

Value LoopBuilder::lowerBound(Value keys, Value begin, Value end, Value query) {
  return whileLoop(
      {begin, end}, [&](ValueRange range) { return less(range[0], range[1]); },
      [&](ValueRange range) -> SmallVector<Value> {
        Value middle =
            add(range[0], shiftRightLogical(sub(range[1], range[0]), 1));
        Value below = lessUnsigned(load(keys, middle), query);
        return {select(below, add(middle, 1), range[0]),
                select(below, range[1], middle)};
      })[0];
}

void LoopBuilder::report(Value status, const Report &report) {
  Value code = load(status, index(0));
  Value earlier = load(status, index(1));
  Value isFirst = orBits(equal(code, i64(0)), less(i64(report.opId), earlier));
  ifThen(isFirst, [&] {
    store(i64(static_cast<int64_t>(report.code)), status, index(0));
    store(i64(report.opId), status, index(1));
    Value fields[] = {report.row,   report.axis,  report.value,
                      report.lower, report.upper, report.extra};
    for (auto [position, field] : llvm::enumerate(fields))
      store(field ? cast(field, getI64Type()) : i64(0), status,
            index(position + 2));
  });
}
