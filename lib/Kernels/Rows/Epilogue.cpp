//===- Epilogue.cpp - what happens to a sum before it is stored -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conv.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// The type of a value of the epilogue, on vectors of `lanes` (0: scalars).
static Type onLanes(Type type, int64_t lanes) {
  return lanes ? VectorType::get({lanes}, type) : type;
}

// Its operations are elementwise, so the same operation does on vectors what it
// does on scalars.
Value mlir::sparseconv::cloneEpilogue(LoopBuilder &b, Block &body,
                                      ValueRange arguments, int64_t lanes) {
  IRMapping mapping;
  mapping.map(body.getArguments(), arguments);
  auto lookup = [&](Value value) {
    if (Value mapped = mapping.lookupOrNull(value))
      return mapped;
    // A constant that a pass has moved out of the body.
    Value outer = lanes ? b.broadcast(value, lanes) : value;
    mapping.map(value, outer);
    return outer;
  };
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
    for (Value operand : op.getOperands())
      lookup(operand);
    Operation *copy = b.clone(op, mapping);
    for (Value result : copy->getResults())
      result.setType(onLanes(result.getType(), lanes));
  }
  return lookup(cast<YieldOp>(body.getTerminator()).getValues()[0]);
}

void mlir::sparseconv::emitEpilogue(LoopBuilder &b, GatherGemmScatterOp op,
                                    const Accumulators &sums) {
  Value y = op.getY();
  Type element = cast<MemRefType>(y.getType()).getElementType();
  int64_t lanes = op.getTiling().getLanes();
  Region &region = op.getEpilogue();

  /// One vector, or one scalar if `width` is 0.
  auto load = [&](int64_t width, Value buffer, ValueRange indices) {
    return width ? b.loadVector(width, buffer, indices)
                 : b.load(buffer, indices);
  };
  auto finish = [&](int64_t width, Value row, Value group, Value j) {
    Value position = b.add(b.mul(group, sums.stride), j);
    Value channel = b.add(b.mul(group, sums.columns), j);
    Value outRow = b.add(sums.first, row);
    Value value = load(width, sums.buffer, {row, position});
    if (!region.empty()) {
      SmallVector<Value> arguments{value};
      for (Value extra : op.getExtras()) {
        bool isChannel = cast<MemRefType>(extra.getType()).getRank() == 1;
        arguments.push_back(
            isChannel ? load(width, extra, ValueRange{channel})
                      : load(width, extra, ValueRange{outRow, channel}));
      }
      value = cloneEpilogue(b, region.front(), arguments, width);
    }
    value = b.fromFloat(value, element);
    if (width)
      b.storeVector(value, y, {outRow, channel});
    else
      b.store(value, y, {outRow, channel});
  };
  b.forLoop(b.index(0), sums.count, 1, [&](Value row) {
    b.forLoop(b.index(0), b.index(sums.groups), 1, [&](Value group) {
      forColumns(
          b, sums.columns, lanes,
          [&](Value j) { finish(lanes, row, group, j); },
          [&](Value j) { finish(0, row, group, j); });
    });
  });
}
