//===- Tape.cpp - scalar blocks on many points at once --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tape.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::sparseconv;
using namespace mlir::sparseconv::reference;

unsigned Tape::addRegister(Type type) {
  isFloat.push_back(isFloatScalar(type));
  return isFloat.size() - 1;
}

llvm::Expected<Tape> Tape::compile(Block &block, Frame &frame) {
  Tape tape;
  llvm::DenseMap<Value, unsigned> registers;
  for (Value argument : block.getArguments())
    registers[argument] = tape.addRegister(argument.getType());

  auto getRegister = [&](Value value) {
    auto [it, isNew] = registers.try_emplace(value, 0);
    if (isNew) {
      it->second = tape.addRegister(value.getType());
      tape.constants.push_back({frame.get(value), it->second});
    }
    return it->second;
  };

  for (Operation &op : block.without_terminator()) {
    if (op.getNumResults() != 1 ||
        !op.getResult(0).getType().isIntOrIndexOrFloat())
      return makeError(&op, "the reference does not know this operation in the "
                            "region of another");
    unsigned result = tape.addRegister(op.getResult(0).getType());
    registers[op.getResult(0)] = result;
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      tape.indices.push_back({static_cast<int64_t>(index.getDim()), result});
      continue;
    }
    Attribute constant;
    if (matchPattern(&op, m_Constant(&constant))) {
      std::optional<ReferenceValue> value = getScalarConstant(constant);
      if (!value)
        return makeError(&op, "the reference does not know this constant");
      tape.constants.push_back({std::move(*value), result});
      continue;
    }
    Instruction instruction{&op, nullptr, {}, result};
    instruction.kernel = getScalarKernel(&op, frame.isExact());
    if (!instruction.kernel)
      return makeError(&op, "the reference does not know this operation");
    for (Value operand : op.getOperands())
      instruction.operands.push_back(getRegister(operand));
    tape.instructions.push_back(std::move(instruction));
  }
  for (Value operand : block.getTerminator()->getOperands())
    tape.yields.push_back(getRegister(operand));
  return tape;
}

Tape::State Tape::makeState() const {
  State state;
  size_t count = isFloat.size();
  state.lanes.resize(count);
  state.floats.resize(count);
  state.integers.resize(count);
  for (size_t reg = 0; reg < count; ++reg) {
    if (isFloat[reg]) {
      state.floats[reg].resize(kLanes);
      state.lanes[reg].f = state.floats[reg].data();
    } else {
      state.integers[reg].resize(kLanes);
      state.lanes[reg].i = state.integers[reg].data();
    }
  }
  for (const Constant &constant : constants) {
    Lanes lanes = state.lanes[constant.reg];
    if (lanes.f)
      std::fill_n(lanes.f, kLanes, std::get<double>(constant.value));
    else
      std::fill_n(lanes.i, kLanes, std::get<int64_t>(constant.value));
  }
  return state;
}

StatusCode Tape::run(State &state, int64_t n, Operation *&failed) const {
  SmallVector<Lanes, 4> operands;
  for (const Instruction &instruction : instructions) {
    operands.clear();
    for (unsigned operand : instruction.operands)
      operands.push_back(state.lanes[operand]);
    StatusCode code =
        instruction.kernel(n, operands, state.lanes[instruction.result]);
    if (code != StatusCode::None) {
      failed = instruction.op;
      return code;
    }
  }
  return StatusCode::None;
}
