//===- SparseConvTypes.cpp - coordinate sets and kernel maps --------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/IR/SparseConvTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::sparseconv;

#define GET_TYPEDEF_CLASSES
#include "sparseconv/Dialect/SparseConv/IR/SparseConvTypes.cpp.inc"

void SparseConvDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "sparseconv/Dialect/SparseConv/IR/SparseConvTypes.cpp.inc"
      >();
}

LogicalResult CoordsType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 unsigned dim, ArrayRef<int64_t> stride,
                                 PackingAttr packing) {
  if (failed(verifyNumAxes(emitError, dim)))
    return failure();
  if (stride.size() != dim)
    return emitError() << "expects a stride for each of " << dim
                       << " axes, but found " << stride.size();
  if (packing.getDim() != dim)
    return emitError() << "expects a packing of " << dim
                       << " axes, but found one of " << packing.getDim();
  for (auto [axis, step] : llvm::enumerate(stride)) {
    if (step < 1)
      return emitError() << "expects a stride of at least 1 on axis " << axis
                         << ", but found " << step;
    if (step > packing.getMax(axis))
      return emitError() << "stride " << step << " on axis " << axis
                         << " is beyond the packing's largest coordinate "
                         << packing.getMax(axis);
  }
  return success();
}

CoordsType CoordsType::withStride(ArrayRef<int64_t> stride) const {
  return get(getContext(), getDim(), stride, getPacking());
}

IntegerType CoordsType::getKeyType() const { return getPacking().getKeyType(); }

LogicalResult
KernelMapType::verify(function_ref<InFlightDiagnostic()> emitError,
                      int64_t volume, CoordsType in, CoordsType out) {
  if (volume < 1)
    return emitError() << "expects at least one offset, but found " << volume;
  if (in.getPacking() != out.getPacking())
    return emitError() << "expects sides of one packing, but found "
                       << in.getPacking() << " and " << out.getPacking();
  return success();
}
