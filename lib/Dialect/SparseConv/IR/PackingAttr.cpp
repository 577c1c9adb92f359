//===- PackingAttr.cpp - coordinates in the bits of a key -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;

LogicalResult PackingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  unsigned keyWidth, unsigned batch,
                                  ArrayRef<int64_t> bits,
                                  ArrayRef<int64_t> guard) {
  if (keyWidth != 32 && keyWidth != 64)
    return emitError() << "expects keys of type i32 or i64, but found i"
                       << keyWidth;
  if (failed(verifyNumAxes(emitError, bits.size())))
    return failure();
  if (bits.size() != guard.size())
    return emitError() << "expects one guard for each axis: " << bits.size()
                       << " axes have bits, but " << guard.size()
                       << " have a guard";
  // A batch index is read from an i32 column.
  if (batch > 31)
    return emitError() << "expects at most 31 batch bits, but found " << batch;
  uint64_t used = batch;
  for (auto [axis, width, space] : llvm::enumerate(bits, guard)) {
    if (width < 2 || width > 32)
      return emitError() << "expects 2 to 32 bits on axis " << axis
                         << ", but found " << width;
    if (space < 1)
      return emitError() << "expects a guard of at least 1 on axis " << axis
                         << ", but found " << space;
    if (space >= (int64_t(1) << (width - 1)))
      return emitError() << "axis " << axis << " holds no coordinate: guard "
                         << space << " leaves nothing of " << width << " bits";
    used += width;
  }
  if (used > keyWidth)
    return emitError() << "the fields take " << used << " bits, but a key has "
                       << keyWidth;
  return success();
}

IntegerType PackingAttr::getKeyType() const {
  return IntegerType::get(getContext(), getKeyWidth());
}

unsigned PackingAttr::getUsedBits() const {
  return getBatchShift() + getBatch();
}

SmallVector<int64_t> PackingAttr::getFields() const {
  SmallVector<int64_t> fields = {getBatch()};
  llvm::append_range(fields, getBits());
  return fields;
}

unsigned PackingAttr::getShift(unsigned axis) const {
  unsigned shift = 0;
  for (int64_t bits : getBits().drop_front(axis + 1))
    shift += bits;
  return shift;
}

unsigned PackingAttr::getBatchShift() const {
  return getShift(0) + getBits()[0];
}

int64_t PackingAttr::getBias(unsigned axis) const {
  return int64_t(1) << (getBits()[axis] - 1);
}

int64_t PackingAttr::getMin(unsigned axis) const {
  return -getBias(axis) + getGuard()[axis];
}

int64_t PackingAttr::getMax(unsigned axis) const {
  return getBias(axis) - 1 - getGuard()[axis];
}

int64_t PackingAttr::getMaxBatch() const {
  return (int64_t(1) << getBatch()) - 1;
}

uint64_t PackingAttr::pack(ArrayRef<int64_t> point) const {
  assert(point.size() == getDim() + 1 && "a batch index and D coordinates");
  uint64_t key = static_cast<uint64_t>(point[0]);
  // A batch field of no bits sits beyond a full key.
  for (unsigned axis = 0, dim = getDim(); axis < dim; ++axis)
    key = key << getBits()[axis] |
          static_cast<uint64_t>(point[axis + 1] + getBias(axis));
  return key;
}

SmallVector<int64_t, 5> PackingAttr::unpack(uint64_t key) const {
  SmallVector<int64_t, 5> point(getDim() + 1);
  for (unsigned axis = getDim(); axis-- > 0;) {
    unsigned bits = getBits()[axis];
    point[axis + 1] =
        static_cast<int64_t>(key & ((uint64_t(1) << bits) - 1)) - getBias(axis);
    key >>= bits;
  }
  point[0] = static_cast<int64_t>(key & ((uint64_t(1) << getBatch()) - 1));
  return point;
}

int64_t PackingAttr::packOffset(ArrayRef<int64_t> offset) const {
  assert(offset.size() == getDim() && "one number for each axis");
  uint64_t sum = 0;
  for (unsigned axis = 0, dim = getDim(); axis < dim; ++axis)
    sum += static_cast<uint64_t>(offset[axis]) << getShift(axis);
  return static_cast<int64_t>(sum);
}
