//===- DenseKeys.cpp - keys near a block of rows in 32 bits ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DenseKeys.h"
#include "sparseconv/Kernels/Builders/WarpOps.h"
#include <numeric>

using namespace mlir;
using namespace mlir::sparseconv;
using arith::AtomicRMWKind;

/// Of wider fields the values beside a range may not be numbers of 32 bits with
/// a sign.
static constexpr int64_t kMaxWidth = 30;
/// More numbers than this are not counted: products stay below 2^63.
static constexpr int64_t kMaxCount = int64_t(1) << 31;

bool DenseKeys::areNarrow(PackingAttr packing) {
  return llvm::all_of(packing.getFields(),
                      [](int64_t width) { return width <= kMaxWidth; });
}

DenseKeys::DenseKeys(LoopBuilder &b, const SearchTask &task)
    : b(b), task(task) {
  PackingAttr packing = task.packing;
  for (int64_t axis = packing.getDim() - 1; axis >= 0; --axis) {
    // What coordinates and displacements are multiples of. On the last axis it
    // is the spacing, if there is a column of more than one displacement.
    int64_t unit = task.inStride[axis], least = 0, most = 0;
    for (auto [i, number] : llvm::enumerate(task.columns.numbers)) {
      int64_t added = getAdded(number, axis);
      unit = std::gcd(unit, added);
      least = i ? std::min(least, added) : added;
      most = i ? std::max(most, added) : added;
    }
    // Where that is more than an axis has room for, all coordinates are 0.
    int64_t width = packing.getBits()[axis];
    unit = std::min(unit, int64_t(1) << width);
    fields.push_back({packing.getShift(axis), width, least / unit, most / unit,
                      axis, unit, Value(), Value(), Value()});
  }
  if (packing.getBatch() != 0)
    fields.push_back({packing.getBatchShift(), packing.getBatch(), 0, 0, -1, 1,
                      Value(), Value(), Value()});
}

int64_t DenseKeys::getAdded(int64_t number, int64_t axis) const {
  return task.displacements[number * task.packing.getDim() + axis];
}

MemRefType DenseKeys::getRangesType() const {
  return b.getSharedType({2 * static_cast<int64_t>(fields.size())},
                         b.getI32Type());
}

Value DenseKeys::extract(Value key, const Field &field) {
  Value value = b.cast(b.shiftRight(key, field.shift), b.getI32Type());
  // Above the highest field there is nothing.
  if (&field != &fields.back())
    value = b.andBits(value, (int64_t(1) << field.width) - 1);
  // A field holds a coordinate plus a bias: what that leaves as a remainder is
  // the same for all coordinates.
  return b.divide(value, field.unit);
}

void DenseKeys::clear(const LoopBuilder::Thread &t, Value ranges) {
  b.ifThen(b.less(t.thread, b.index(2 * fields.size())),
           [&] { b.store(b.i32(0), ranges, t.thread); });
}

void DenseKeys::measure(const LoopBuilder::Thread &t, Value key, Value ranges) {
  // A lane for each number of the record.
  Value lane = b.andBits(b.cast(t.thread, b.getI32Type()), kWarpLanes - 1);
  Value own = b.i32(0);
  int64_t number = 0;
  auto take = [&](Value value) {
    Value isOwn = b.equal(lane, number++);
    own = b.select(isOwn, maxOfLanes(b, value), own);
  };
  for (const Field &field : fields) {
    take(extract(key, field));
    take(b.xorBits(extract(key, field), -1));
  }
  b.ifThen(b.less(lane, b.i32(number)), [&] {
    b.atomic(AtomicRMWKind::maxu, own, ranges, b.toIndex(lane));
  });
}

void DenseKeys::enter(Value ranges) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  count = b.i64(1);
  origin = b.i32(0);
  for (auto [n, field] : llvm::enumerate(fields)) {
    Value most = b.load(ranges, b.index(2 * n));
    Value least = b.xorBits(b.load(ranges, b.index(2 * n + 1)), -1);
    field.below = b.add(least, field.leastAdded - 1);
    field.above = b.add(most, field.mostAdded + 1);
    field.scale = b.cast(count, i32);
    // Digits of the highest field are those in between.
    int64_t outside = &field == &fields.back() ? 1 : 0;
    Value first = b.add(field.below, outside);
    origin = b.add(origin, b.mul(first, field.scale));
    Value digits = b.sub(b.add(field.above, 1 - outside), first);
    count = b.min(b.mul(count, b.extend(digits, i64)), b.i64(kMaxCount));
  }
  // Number 0, and the last.
  origin = b.sub(origin, 1);
  count = b.add(count, 2);
}

Value DenseKeys::fitBits(int64_t bits) {
  return b.lessEqual(count, b.i64(int64_t(1) << bits));
}

Value DenseKeys::join(function_ref<Value(const Field &field)> getDigit) {
  Value number = b.sub(b.i32(0), origin);
  for (const Field &field : fields)
    number = b.add(number, b.mul(getDigit(field), field.scale));
  return number;
}

Value DenseKeys::getNumber(Value key) {
  const Field &highest = fields.back();
  Value value = extract(key, highest);
  Value number = join([&](const Field &field) {
    if (&field == &highest)
      return value;
    Value inside = b.max(extract(key, field), field.below);
    return b.min(inside, field.above);
  });
  Value last = b.sub(b.cast(count, b.getI32Type()), 1);
  number = b.select(b.lessEqual(value, highest.below), b.i32(0), number);
  return b.select(b.lessEqual(highest.above, value), last, number);
}

Value DenseKeys::getCenter(Value key) {
  return join([&](const Field &field) { return extract(key, field); });
}

Value DenseKeys::getDisplacement(int64_t number) {
  Value sum = b.i32(0);
  for (const Field &field : fields)
    if (field.axis >= 0)
      sum = b.add(
          sum, b.mul(field.scale, getAdded(number, field.axis) / field.unit));
  return sum;
}
