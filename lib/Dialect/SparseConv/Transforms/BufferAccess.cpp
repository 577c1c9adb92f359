//===- BufferAccess.cpp - what operations on buffers touch ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferAccess.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::sparseconv;

Value mlir::sparseconv::getWholeBuffer(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

bool mlir::sparseconv::isApart(Value whole) {
  if (auto argument = dyn_cast<BlockArgument>(whole))
    return isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return whole.getDefiningOp<memref::AllocOp>() != nullptr;
}

bool mlir::sparseconv::hasPureBody(linalg::GenericOp op) {
  return llvm::all_of(op.getBody()->without_terminator(), [](Operation &inner) {
    return isMemoryEffectFree(&inner);
  });
}

bool mlir::sparseconv::isPacked(Type element) {
  return element.isIntOrFloat() &&
         llvm::is_contained({8, 16, 32, 64}, element.getIntOrFloatBitWidth());
}
