//===- EntrySizes.cpp - sizes as arguments and results --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/IR/EntrySizes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::sparseconv;

NamedAttribute mlir::sparseconv::makeSizeOf(MLIRContext *context,
                                            EntryDim dim) {
  return {StringAttr::get(context, kSizeOfAttr),
          DenseI64ArrayAttr::get(context, {dim.number, dim.axis})};
}

static std::optional<EntryDim> readSizeOf(Attribute attribute) {
  auto pair = dyn_cast_or_null<DenseI64ArrayAttr>(attribute);
  if (!pair)
    return std::nullopt;
  return EntryDim{pair[0], pair[1]};
}

std::optional<EntryDim>
mlir::sparseconv::getArgumentSizeOf(FunctionOpInterface function,
                                    unsigned number) {
  return readSizeOf(function.getArgAttr(number, kSizeOfAttr));
}

std::optional<EntryDim>
mlir::sparseconv::getResultSizeOf(FunctionOpInterface function,
                                  unsigned number) {
  return readSizeOf(function.getResultAttr(number, kSizeOfAttr));
}

LogicalResult mlir::sparseconv::verifySizeOf(Operation *op, Attribute attribute,
                                             TypeRange types) {
  auto isBelow = [](int64_t number, size_t end) {
    return number >= 0 && static_cast<uint64_t>(number) < end;
  };
  auto pair = dyn_cast<DenseI64ArrayAttr>(attribute);
  if (pair && pair.size() == 2 && isBelow(pair[0], types.size())) {
    auto type = dyn_cast<ShapedType>(types[pair[0]]);
    if (type && type.hasRank() && isBelow(pair[1], type.getRank()))
      return success();
  }
  return op->emitOpError("expects the number of an argument or result and one "
                         "of its dimensions in '")
         << kSizeOfAttr << "'";
}
