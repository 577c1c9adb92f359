//===- Activity.cpp - which values need gradients -------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `inputs` have an influence on is found forwards, what the results depend
// on backwards. What holds no float passes no influence on: a row number does
// not change with a feature, or jumps.
//
//===----------------------------------------------------------------------===//

#include "Activity.h"
#include "mlir/Transforms/RegionUtils.h"
#include "sparseconv/Dialect/SparseConv/Differentiation/DifferentiableOpInterface.h"

using namespace mlir;
using namespace mlir::sparseconv;

SetVector<Value> mlir::sparseconv::findReadValues(Operation &op) {
  SetVector<Value> values(op.operand_begin(), op.operand_end());
  getUsedValuesDefinedAbove(op.getRegions(), values);
  return values;
}

DenseSet<Value> mlir::sparseconv::findActiveValues(Block &block,
                                                   ValueRange inputs) {
  DenseSet<Value> influenced(inputs.begin(), inputs.end());
  for (Operation &op : block)
    if (llvm::any_of(findReadValues(op),
                     [&](Value value) { return influenced.contains(value); }))
      for (Value result : op.getResults())
        if (holdsFloats(result.getType()))
          influenced.insert(result);

  DenseSet<Value> active;
  auto activate = [&](Value value) {
    if (influenced.contains(value))
      active.insert(value);
  };
  llvm::for_each(block.getTerminator()->getOperands(), activate);
  for (Operation &op : llvm::reverse(block))
    if (llvm::any_of(op.getResults(),
                     [&](Value value) { return active.contains(value); }))
      llvm::for_each(findReadValues(op), activate);
  return active;
}
