//===- SumEpilogue.cpp - epilogues of sums in memory ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SumEpilogue.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "sparseconv/Kernels/Builders/Epilogue.h"

using namespace mlir;
using namespace mlir::sparseconv;

bool mlir::sparseconv::hasEpilogue(const GemmOperands &operands) {
  return operands.epilogue && !operands.epilogue->empty();
}

Value mlir::sparseconv::finishSums(KernelWriter &w,
                                   const GemmOperands &operands, Value sums) {
  Type element = operands.type.getElementType();
  if (!hasEpilogue(operands) && getElementTypeOrSelf(sums) == element)
    return w.castTo(sums, operands.type);
  SmallVector<Value> inputs = {sums};
  llvm::append_range(inputs, operands.extras);
  SmallVector<AffineMap> maps;
  for (Value input : inputs) {
    int64_t rank = cast<RankedTensorType>(input.getType()).getRank();
    maps.push_back(w.getMultiDimIdentityMap(2).getMinorSubMap(rank));
  }
  maps.push_back(w.getMultiDimIdentityMap(2));
  Value init = w.emptyFeatures(operands.type, w.dim(sums));
  SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
  auto body = [&](OpBuilder &builder, Location loc, ValueRange arguments) {
    FoldingBuilder b(loc, builder);
    Value result = arguments.front();
    if (hasEpilogue(operands))
      result =
          cloneEpilogue(b, operands.epilogue->front(), arguments.drop_back());
    linalg::YieldOp::create(b, b.fromFloat(result, element));
  };
  Value y = linalg::GenericOp::create(w, init.getType(), inputs, init, maps,
                                      loops, body)
                .getResult(0);
  return w.castTo(y, operands.type);
}
