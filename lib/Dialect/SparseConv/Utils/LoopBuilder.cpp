//===- LoopBuilder.cpp - writes loop nests --------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include <numeric>

using namespace mlir;
using namespace mlir::sparseconv;

static bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value.getType()));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value LoopBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}
Value LoopBuilder::bit(int64_t number) {
  return i32(static_cast<int32_t>(uint32_t(1) << number));
}
Value LoopBuilder::ceilDiv(Value lhs, Value rhs) {
  return createOrFold<arith::CeilDivSIOp>(lhs, rhs);
}
Value LoopBuilder::ceilDiv(Value lhs, int64_t rhs) {
  return rhs == 1 ? lhs : ceilDiv(lhs, like(lhs, rhs));
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
Value LoopBuilder::notBit(Value value) { return xorBits(value, -1); }

Value LoopBuilder::toIndex(Value value) { return cast(value, getIndexType()); }

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
Value LoopBuilder::compareExchange(Value expected, Value value, Value buffer,
                                   ValueRange indices) {
  auto op = memref::GenericAtomicRMWOp::create(*this, buffer, indices);
  InsertionGuard guard(*this);
  setInsertionPointToStart(op.getBody());
  Value current = op.getCurrentValue();
  Value next = select(equal(current, expected), value, current);
  memref::AtomicYieldOp::create(*this, next);
  return op.getResult();
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
  Thread thread{launch.getBlockIds().x,
                launch.getThreadIds().x,
                {},
                launch.getGridSize().x};
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

//===----------------------------------------------------------------------===//
// Idioms
//===----------------------------------------------------------------------===//

Value LoopBuilder::lowerBound(Value keys, Value begin, Value end, Value query) {
  return whileLoop(
      {begin, end}, [&](ValueRange range) { return less(range[0], range[1]); },
      [&](ValueRange range) -> SmallVector<Value> {
        Value middle = add(range[0], shiftRight(sub(range[1], range[0]), 1));
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
