//===- OffsetSetAttrs.cpp - boxes and lists of offsets --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace mlir;
using namespace mlir::sparseconv;

/// Far beyond any network; keeps every product in 64 bits.
static constexpr int64_t kMaxVolume = int64_t(1) << 20;
static constexpr int64_t kMaxOffset = int64_t(1) << 31;

std::pair<int64_t, int64_t> OffsetSetInterface::getExtent(unsigned axis) const {
  SmallVector<int64_t> offsets = getFlatOffsets();
  int64_t low = offsets[axis], high = offsets[axis];
  for (size_t i = axis, e = offsets.size(); i < e; i += getDim()) {
    low = std::min(low, offsets[i]);
    high = std::max(high, offsets[i]);
  }
  return {low, high};
}

//===----------------------------------------------------------------------===//
// BoxAttr
//===----------------------------------------------------------------------===//

LogicalResult BoxAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              ArrayRef<int64_t> size, ArrayRef<bool> corner,
                              ArrayRef<int64_t> dilation) {
  if (failed(verifyNumAxes(emitError, size.size())))
    return failure();
  if (dilation.size() != size.size() || corner.size() != size.size())
    return emitError() << "expects one dilation for each of " << size.size()
                       << " axes, but found " << dilation.size();
  int64_t volume = 1;
  for (auto [axis, extent, step] : llvm::enumerate(size, dilation)) {
    if (extent < 1)
      return emitError() << "expects at least one offset on axis " << axis
                         << ", but found " << extent;
    if (step < 1)
      return emitError() << "expects a dilation of at least 1 on axis " << axis
                         << ", but found " << step;
    if (step > kMaxOffset)
      return emitError() << "expects a dilation of at most 2^31 on axis "
                         << axis << ", but found " << step;
    if (extent > kMaxVolume || (volume *= extent) > kMaxVolume) {
      InFlightDiagnostic diag = emitError();
      diag << "expects at most 2^20 offsets, but found ";
      llvm::interleave(size, diag, " x ");
      return diag;
    }
  }
  return success();
}

unsigned BoxAttr::getDim() const { return getSize().size(); }

int64_t BoxAttr::getVolume() const { return llvm::product_of(getSize()); }

SmallVector<int64_t> BoxAttr::getFlatOffsets() const {
  unsigned dim = getDim();
  SmallVector<int64_t> first(dim), flat;
  for (unsigned axis = 0; axis < dim; ++axis)
    first[axis] = getCorner()[axis] ? 0 : -((getSize()[axis] - 1) / 2);
  SmallVector<int64_t> index(dim, 0);
  flat.reserve(getVolume() * dim);
  for (int64_t k = 0, volume = getVolume(); k < volume; ++k) {
    for (unsigned axis = 0; axis < dim; ++axis)
      flat.push_back((first[axis] + index[axis]) * getDilation()[axis]);
    for (unsigned axis = dim; axis-- > 0;) {
      if (++index[axis] < getSize()[axis])
        break;
      index[axis] = 0;
    }
  }
  return flat;
}

//===----------------------------------------------------------------------===//
// OffsetListAttr
//===----------------------------------------------------------------------===//

LogicalResult
OffsetListAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       unsigned dim, ArrayRef<int64_t> offsets) {
  if (dim == 0 && offsets.empty())
    return emitError() << "expects at least one offset of 1 to 4 numbers";
  if (failed(verifyNumAxes(emitError, dim)))
    return failure();
  if (offsets.empty())
    return emitError() << "expects at least one offset";
  if (offsets.size() % dim != 0)
    return emitError() << "expects groups of " << dim << " numbers, but found "
                       << offsets.size() << " numbers";
  if (static_cast<int64_t>(offsets.size() / dim) > kMaxVolume)
    return emitError() << "expects at most 2^20 offsets";
  std::set<SmallVector<int64_t>> seen;
  for (size_t i = 0, e = offsets.size(); i < e; i += dim) {
    ArrayRef<int64_t> offset = offsets.slice(i, dim);
    for (int64_t number : offset)
      if (number > kMaxOffset || number < -kMaxOffset)
        return emitError() << "expects offsets within 2^31, but found "
                           << number;
    if (!seen.insert(llvm::to_vector(offset)).second) {
      InFlightDiagnostic diag = emitError() << "the offset [";
      llvm::interleaveComma(offset, diag);
      return diag << "] is written twice";
    }
  }
  return success();
}

int64_t OffsetListAttr::getVolume() const {
  return getOffsets().size() / getDim();
}

SmallVector<int64_t> OffsetListAttr::getFlatOffsets() const {
  return llvm::to_vector(getOffsets());
}
