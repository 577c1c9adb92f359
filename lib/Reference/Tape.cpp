//===- Tape.cpp - scalar blocks on many points at once --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tape.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::sparseconv;
using namespace mlir::sparseconv::reference;

unsigned Tape::addRegister(Type type) {
  isFloat.push_back(isFloatScalar(type));
  return isFloat.size() - 1;
}

class Tape::Compiler {
public:
  Compiler(Tape &tape, Frame &frame) : tape(tape), frame(frame) {}

  unsigned add(Value value) {
    return registers[value] = tape.addRegister(value.getType());
  }
  unsigned get(Value value);
  llvm::Error compile(Operation *op);

private:
  /// An instruction for each result of `op`. `makeKernel` gets its number.
  void addInstructions(Operation *op, ValueRange operands,
                       function_ref<Kernel(unsigned)> makeKernel);
  llvm::Error compileRegions(Operation *op);

  Tape &tape;
  Frame &frame;
  llvm::DenseMap<Value, unsigned> registers;
};

unsigned Tape::Compiler::get(Value value) {
  auto it = registers.find(value);
  if (it != registers.end())
    return it->second;
  unsigned reg = add(value);
  tape.constants.push_back({frame.get(value), reg});
  return reg;
}

void Tape::Compiler::addInstructions(
    Operation *op, ValueRange operands,
    function_ref<Kernel(unsigned)> makeKernel) {
  SmallVector<unsigned, 3> read;
  for (Value operand : operands)
    read.push_back(get(operand));
  for (OpResult result : op->getResults())
    tape.instructions.push_back(
        {op, makeKernel(result.getResultNumber()), read, add(result)});
}

llvm::Error Tape::Compiler::compile(Operation *op) {
  if (isa<scf::IfOp, scf::ForOp>(op))
    return compileRegions(op);
  if (op->getNumResults() != 1 ||
      !op->getResult(0).getType().isIntOrIndexOrFloat())
    return makeError(op, "the reference does not know this operation in the "
                         "region of another");
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    tape.indices.push_back(
        {static_cast<int64_t>(index.getDim()), add(index.getResult())});
    return llvm::Error::success();
  }
  Attribute constant;
  if (matchPattern(op, m_Constant(&constant))) {
    std::optional<ReferenceValue> value = getScalarConstant(constant);
    if (!value)
      return makeError(op, "the reference does not know this constant");
    tape.constants.push_back({std::move(*value), add(op->getResult(0))});
    return llvm::Error::success();
  }
  Kernel kernel = getScalarKernel(op, frame.isExact());
  if (!kernel)
    return makeError(op, "the reference does not know this operation");
  addInstructions(op, op->getOperands(), [&](unsigned) { return kernel; });
  return llvm::Error::success();
}

llvm::Expected<Tape> Tape::compile(Block &block, Frame &frame,
                                   ValueRange given) {
  Tape tape;
  Compiler compiler(tape, frame);
  for (Value argument : block.getArguments())
    compiler.add(argument);
  for (Value value : given)
    compiler.add(value);
  for (Operation &op : block.without_terminator())
    if (llvm::Error error = compiler.compile(&op))
      return error;
  for (Value operand : block.getTerminator()->getOperands())
    tape.yields.push_back(compiler.get(operand));
  return tape;
}

//===----------------------------------------------------------------------===//
// Branches and loops, which each lane takes by itself
//===----------------------------------------------------------------------===//

static void copyLane(Lanes from, int64_t i, Lanes to, int64_t j) {
  if (from.f)
    to.f[j] = from.f[i];
  else
    to.i[j] = from.i[i];
}

namespace {
/// A region on one lane.
class RegionOnLane {
public:
  RegionOnLane(const Tape &tape, unsigned numArguments)
      : tape(tape), state(tape.makeState()), numArguments(numArguments) {}

  Lanes getArgument(unsigned number) { return state[number]; }
  Lanes getYield(unsigned number) { return state[tape.getYields()[number]]; }

  /// `given` are the values from outside that the region reads.
  StatusCode run(ArrayRef<Lanes> given, int64_t lane) {
    for (auto [number, values] : llvm::enumerate(given))
      copyLane(values, lane, state[numArguments + number], 0);
    Operation *failed = nullptr;
    return tape.run(state, 1, failed);
  }

private:
  const Tape &tape;
  Tape::State state;
  unsigned numArguments;
};
} // namespace

/// Operands: the condition, and what the regions read.
static StatusCode runIf(ArrayRef<Tape> regions, unsigned number, int64_t n,
                        ArrayRef<Lanes> operands, Lanes result) {
  RegionOnLane sides[] = {{regions[0], 0}, {regions[1], 0}};
  for (int64_t lane = 0; lane < n; ++lane) {
    RegionOnLane &side = sides[operands[0].i[lane] ? 0 : 1];
    if (StatusCode code = side.run(operands.drop_front(), lane);
        code != StatusCode::None)
      return code;
    copyLane(side.getYield(number), 0, result, lane);
  }
  return StatusCode::None;
}

/// Operands: the bounds and the step, the values before the first turn, and
/// what the region reads.
static StatusCode runFor(const Tape &region, unsigned numCarried,
                         unsigned number, int64_t n, ArrayRef<Lanes> operands,
                         Lanes result) {
  RegionOnLane body(region, 1 + numCarried);
  // What a turn yields, until all of it replaces what it was given.
  SmallVector<double> floats(numCarried);
  SmallVector<int64_t> integers(numCarried);
  auto getNext = [&](unsigned k) {
    return body.getYield(k).f ? Lanes{&floats[k], nullptr}
                              : Lanes{nullptr, &integers[k]};
  };
  ArrayRef<Lanes> inits = operands.slice(3, numCarried);
  ArrayRef<Lanes> given = operands.drop_front(3 + numCarried);
  for (int64_t lane = 0; lane < n; ++lane) {
    int64_t upper = operands[1].i[lane], step = operands[2].i[lane];
    for (unsigned k = 0; k < numCarried; ++k)
      copyLane(inits[k], lane, body.getArgument(1 + k), 0);
    for (int64_t i = operands[0].i[lane]; i < upper && step > 0; i += step) {
      *body.getArgument(0).i = i;
      if (StatusCode code = body.run(given, lane); code != StatusCode::None)
        return code;
      for (unsigned k = 0; k < numCarried; ++k)
        copyLane(body.getYield(k), 0, getNext(k), 0);
      for (unsigned k = 0; k < numCarried; ++k)
        copyLane(getNext(k), 0, body.getArgument(1 + k), 0);
      // The next counter may not fit its type.
      if (static_cast<uint64_t>(upper) - static_cast<uint64_t>(i) <=
          static_cast<uint64_t>(step))
        break;
    }
    copyLane(body.getArgument(1 + number), 0, result, lane);
  }
  return StatusCode::None;
}

llvm::Error Tape::Compiler::compileRegions(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && loop.getUnsignedCmp())
    return makeError(op, "the reference does not know unsigned loops");
  // Without results there is nothing that it does.
  if (op->getNumResults() == 0)
    return llvm::Error::success();
  llvm::SetVector<Value> given;
  getUsedValuesDefinedAbove(op->getRegions(), given);
  auto regions = std::make_shared<std::vector<Tape>>();
  for (Region &region : op->getRegions()) {
    auto inner = Tape::compile(region.front(), frame, given.getArrayRef());
    if (!inner)
      return inner.takeError();
    regions->push_back(std::move(*inner));
  }
  SmallVector<Value> operands(op->getOperands());
  llvm::append_range(operands, given);
  bool isLoop = isa<scf::ForOp>(op);
  unsigned numResults = op->getNumResults();
  addInstructions(op, operands, [&](unsigned number) -> Kernel {
    return [=](int64_t n, ArrayRef<Lanes> operands, Lanes result) {
      return isLoop ? runFor(regions->front(), numResults, number, n, operands,
                             result)
                    : runIf(*regions, number, n, operands, result);
    };
  });
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

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
