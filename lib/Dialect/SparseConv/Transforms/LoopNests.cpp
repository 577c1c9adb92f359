//===- LoopNests.cpp - loops of structured operations ---------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopNests.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;

scf::ParallelOp mlir::sparseconv::createParallelLoops(OpBuilder &b,
                                                      Location loc,
                                                      ArrayRef<Range> ranges,
                                                      ArrayRef<int64_t> steps) {
  SmallVector<Value> lower, upper, stepValues;
  for (auto [range, step] : llvm::zip_equal(ranges, steps)) {
    lower.push_back(arith::ConstantIndexOp::create(b, loc, 0));
    upper.push_back(getValueOrCreateConstantIndexOp(b, loc, range.size));
    stepValues.push_back(arith::ConstantIndexOp::create(b, loc, step));
  }
  return scf::ParallelOp::create(b, loc, lower, upper, stepValues);
}

SmallVector<Value> mlir::sparseconv::getIndices(OpOperand &operand,
                                                ValueRange ivs) {
  auto op = cast<linalg::LinalgOp>(operand.getOwner());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr result) -> Value {
    return ivs[cast<AffineDimExpr>(result).getPosition()];
  });
}
