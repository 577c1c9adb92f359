//===- Epilogue.cpp - the bodies of epilogues -----------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Builders/Epilogue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// The type of a value of the epilogue, on vectors of `lanes` (0: scalars).
static Type onLanes(Type type, int64_t lanes) {
  return lanes ? VectorType::get({lanes}, type) : type;
}

// Its operations are elementwise, so the same operation does on vectors what it
// does on scalars.
Value mlir::sparseconv::cloneEpilogue(ImplicitLocOpBuilder &b, Block &body,
                                      ValueRange arguments, int64_t lanes) {
  IRMapping mapping;
  mapping.map(body.getArguments(), arguments);
  for (Operation &op : body.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      TypedAttr value = constant.getValue();
      if (lanes)
        value = DenseElementsAttr::get(
            cast<VectorType>(onLanes(constant.getType(), lanes)),
            Attribute(value));
      mapping.map(constant.getResult(),
                  arith::ConstantOp::create(b, value).getResult());
      continue;
    }
    Operation *copy = b.clone(op, mapping);
    for (Value result : copy->getResults())
      result.setType(onLanes(result.getType(), lanes));
  }
  return mapping.lookup(cast<YieldOp>(body.getTerminator()).getValues()[0]);
}
