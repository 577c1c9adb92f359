//===- ControlFlow.cpp - calls, conditions and loops ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::sparseconv;
using namespace mlir::sparseconv::reference;

using Values = SmallVector<ReferenceValue>;

static Values getAll(ValueRange operands, const Frame &frame) {
  Values values;
  for (Value operand : operands)
    values.push_back(frame.get(operand));
  return values;
}

static void setAll(Operation *op, Values values, Frame &frame) {
  for (auto [result, value] : llvm::zip_equal(op->getResults(), values))
    frame.set(result, std::move(value));
}

static llvm::Error runCall(func::CallOp op, Frame &frame) {
  auto results = callFunction(frame.getRun(), op, op.getCallee(),
                              getAll(op.getOperands(), frame));
  if (!results)
    return results.takeError();
  setAll(op, std::move(*results), frame);
  return llvm::Error::success();
}

static llvm::Error runIf(scf::IfOp op, Frame &frame) {
  Region &region =
      frame.getInt(op.getCondition()) ? op.getThenRegion() : op.getElseRegion();
  if (region.empty())
    return llvm::Error::success();
  auto results = frame.runRegion(region, {});
  if (!results)
    return results.takeError();
  setAll(op, std::move(*results), frame);
  return llvm::Error::success();
}

static llvm::Error runFor(scf::ForOp op, Frame &frame) {
  int64_t lower = frame.getInt(op.getLowerBound());
  int64_t upper = frame.getInt(op.getUpperBound());
  int64_t step = frame.getInt(op.getStep());
  if (step <= 0)
    return makeError(op, "the step is not positive");
  if (op.getUnsignedCmp())
    return makeError(op, "the reference does not know unsigned loops");
  Values carried = getAll(op.getInitArgs(), frame);
  for (int64_t i = lower; i < upper; i += step) {
    Values args{ReferenceValue(i)};
    llvm::append_range(args, std::move(carried));
    auto results = frame.runRegion(op.getRegion(), std::move(args));
    if (!results)
      return results.takeError();
    carried = std::move(*results);
    // The next counter may not fit its type.
    if (static_cast<uint64_t>(upper) - static_cast<uint64_t>(i) <=
        static_cast<uint64_t>(step))
      break;
  }
  setAll(op, std::move(carried), frame);
  return llvm::Error::success();
}

static llvm::Error runWhile(scf::WhileOp op, Frame &frame) {
  Values carried = getAll(op.getInits(), frame);
  while (true) {
    auto before = frame.runRegion(op.getBefore(), std::move(carried));
    if (!before)
      return before.takeError();
    bool goesOn = std::get<int64_t>(before->front());
    carried = Values(std::make_move_iterator(before->begin() + 1),
                     std::make_move_iterator(before->end()));
    if (!goesOn)
      break;
    auto after = frame.runRegion(op.getAfter(), std::move(carried));
    if (!after)
      return after.takeError();
    carried = std::move(*after);
  }
  setAll(op, std::move(carried), frame);
  return llvm::Error::success();
}

void reference::registerControlFlow(HandlerTable &table) {
  table.add<func::CallOp>(runCall);
  table.add<scf::IfOp>(runIf);
  table.add<scf::ForOp>(runFor);
  table.add<scf::WhileOp>(runWhile);
}
