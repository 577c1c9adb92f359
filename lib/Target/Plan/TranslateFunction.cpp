//===- TranslateFunction.cpp - from one host function to its steps --------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TranslateFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace plan = ::sparseconv::plan;
using plan::SizeExpr;

static std::optional<plan::ElementType> getElementType(Type type) {
  using plan::ElementType;
  if (type.isIndex())
    return ElementType::I64;
  if (type.isInteger())
    switch (type.getIntOrFloatBitWidth()) {
    case 1:
      return ElementType::I1;
    case 8:
      return ElementType::I8;
    case 16:
      return ElementType::I16;
    case 32:
      return ElementType::I32;
    case 64:
      return ElementType::I64;
    default:
      return std::nullopt;
    }
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  if (type.isF32())
    return ElementType::F32;
  if (type.isF64())
    return ElementType::F64;
  return std::nullopt;
}

static bool isSlotType(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  return buffer && buffer.getElementType().isIndex() &&
         buffer.hasStaticShape() && buffer.getNumElements() == 1;
}

namespace {
/// Translates one function.
class FunctionTranslator {
public:
  FunctionTranslator(func::FuncOp function, plan::Plan &plan,
                     const llvm::StringMap<uint32_t> &kernels)
      : function(function), plan(plan), kernels(kernels) {}

  FailureOr<plan::Function> run();

private:
  LogicalResult addInputs();
  LogicalResult addOutputs(func::ReturnOp op);
  LogicalResult addBuffer(memref::AllocOp op);
  LogicalResult addConstant(memref::GetGlobalOp op);
  LogicalResult addLaunch(gpu::LaunchFuncOp op);

  FailureOr<plan::Value> describe(Operation *op, MemRefType type, Twine name);
  FailureOr<SizeExpr> getSize(Operation *user, Value value);
  FailureOr<plan::Param> getParam(Operation *user, Value value);
  uint32_t addSlot(Value value, Twine name);
  FailureOr<SizeExpr> getBytes(memref::AllocOp op);

  func::FuncOp function;
  plan::Plan &plan;
  const llvm::StringMap<uint32_t> &kernels;
  plan::Function result;
  llvm::DenseMap<Value, uint32_t> slots, buffers, inputs;
  llvm::DenseMap<Value, SizeExpr> sizes;
  Value status;
};
} // namespace

FailureOr<plan::Value>
FunctionTranslator::describe(Operation *op, MemRefType type, Twine name) {
  plan::Value value;
  value.name = name.str();
  std::optional<plan::ElementType> element =
      getElementType(type.getElementType());
  if (!element)
    return op->emitError("a plan has no elements of type ")
           << type.getElementType();
  value.type = *element;
  for (int64_t size : type.getShape()) {
    plan::Dim dim;
    dim.size = ShapedType::isDynamic(size) ? plan::kDynamic : size;
    value.dims.push_back(dim);
  }
  return value;
}

uint32_t FunctionTranslator::addSlot(Value value, Twine name) {
  auto [it, isNew] = slots.try_emplace(value, result.slots.size());
  if (isNew)
    result.slots.push_back(name.str());
  return it->second;
}

LogicalResult FunctionTranslator::addInputs() {
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type)
      return function.emitError("argument ")
             << number << " is not a tensor, which is all that a plan takes";
    if (auto sizeOf = function.getArgAttrOfType<DenseI64ArrayAttr>(
            number, "sparseconv.size_of")) {
      plan::Value &input =
          result.inputs[inputs.lookup(function.getArgument(sizeOf[0]))];
      input.dims[sizeOf[1]].slot =
          addSlot(argument, input.name + "." + Twine(sizeOf[1]));
      continue;
    }
    // The status record is the last argument that is no size.
    bool isLast = number + 1 == function.getNumArguments() ||
                  function.getArgAttr(number + 1, "sparseconv.size_of");
    if (isLast) {
      status = argument;
      continue;
    }
    auto name =
        function.getArgAttrOfType<StringAttr>(number, "sparseconv.name");
    FailureOr<plan::Value> input = describe(
        function, type, name ? Twine(name.getValue()) : "arg" + Twine(number));
    if (failed(input))
      return failure();
    uint32_t index = result.inputs.size();
    inputs[argument] = index;
    buffers[argument] = result.buffers.size();
    plan::Buffer buffer;
    buffer.name = input->name;
    buffer.kind = plan::Buffer::Kind::Input;
    buffer.index = index;
    buffer.bytes = SizeExpr::constant(plan::getByteWidth(input->type));
    for (auto [axis, dim] : llvm::enumerate(input->dims))
      buffer.bytes = buffer.bytes * (dim.size == plan::kDynamic
                                         ? SizeExpr::capacity(index, axis)
                                         : SizeExpr::constant(dim.size));
    result.buffers.push_back(buffer);
    result.inputs.push_back(std::move(*input));
  }
  return success();
}

FailureOr<SizeExpr> FunctionTranslator::getSize(Operation *user, Value value) {
  if (auto it = sizes.find(value); it != sizes.end())
    return it->second;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return SizeExpr::constant(constant.getSExtValue());
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast_or_null<memref::DimOp>(op))
    if (auto it = inputs.find(dim.getSource()); it != inputs.end())
      if (std::optional<int64_t> axis = dim.getConstantIndex())
        return SizeExpr::capacity(it->second, *axis);
  if (!op || op->getNumOperands() != 2)
    return user->emitError("a size is no expression of capacities");
  FailureOr<SizeExpr> lhs = getSize(user, op->getOperand(0));
  FailureOr<SizeExpr> rhs = getSize(user, op->getOperand(1));
  if (failed(lhs) || failed(rhs))
    return failure();
  SizeExpr expr;
  if (isa<arith::AddIOp>(op))
    expr = *lhs + *rhs;
  else if (isa<arith::MulIOp>(op))
    expr = *lhs * *rhs;
  else if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    expr = plan::ceilDiv(*lhs, *rhs);
  else if (isa<arith::FloorDivSIOp, arith::DivUIOp, arith::DivSIOp>(op))
    expr = plan::floorDiv(*lhs, *rhs);
  else if (isa<arith::MaxSIOp, arith::MaxUIOp>(op))
    expr = plan::max(*lhs, *rhs);
  else if (isa<arith::MinSIOp, arith::MinUIOp>(op))
    expr = plan::min(*lhs, *rhs);
  else
    return user->emitError("a size is computed by '") << op->getName() << "'";
  sizes[value] = expr;
  return expr;
}

FailureOr<SizeExpr> FunctionTranslator::getBytes(memref::AllocOp op) {
  MemRefType type = op.getType();
  std::optional<plan::ElementType> element =
      getElementType(type.getElementType());
  if (!element)
    return op.emitError("a plan has no elements of type ")
           << type.getElementType();
  SizeExpr bytes = SizeExpr::constant(plan::getByteWidth(*element));
  auto dynamic = op.getDynamicSizes().begin();
  for (int64_t size : type.getShape()) {
    if (!ShapedType::isDynamic(size)) {
      bytes = bytes * SizeExpr::constant(size);
      continue;
    }
    FailureOr<SizeExpr> expr = getSize(op, *dynamic++);
    if (failed(expr))
      return failure();
    bytes = bytes * *expr;
  }
  return bytes;
}

LogicalResult FunctionTranslator::addBuffer(memref::AllocOp op) {
  // A size that leaves the function is a slot.
  bool isSize = llvm::any_of(op->getUses(), [&](OpOperand &use) {
    return isa<func::ReturnOp>(use.getOwner()) &&
           function.getResultAttr(use.getOperandNumber(), "sparseconv.size_of");
  });
  if (isSlotType(op.getType()) && isSize) {
    addSlot(op, "size" + Twine(result.slots.size()));
    return success();
  }
  FailureOr<SizeExpr> bytes = getBytes(op);
  if (failed(bytes))
    return failure();
  plan::Buffer buffer;
  buffer.name = "buffer" + std::to_string(result.buffers.size());
  buffer.bytes = *bytes;
  buffer.firstStep = ~0u;
  buffers[op] = result.buffers.size();
  result.buffers.push_back(buffer);
  return success();
}

/// The bytes of a constant as a device holds them, or nothing.
static std::optional<std::string> getContents(Attribute contents) {
  if (auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(contents)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    std::optional<plan::ElementType> element =
        getElementType(resource.getElementType());
    if (!blob || !element ||
        static_cast<int64_t>(blob->getData().size()) !=
            resource.getNumElements() * plan::getByteWidth(*element))
      return std::nullopt;
    return std::string(blob->getData().begin(), blob->getData().end());
  }
  auto dense = dyn_cast_or_null<DenseElementsAttr>(contents);
  if (!dense || !dense.getElementType().isIntOrIndexOrFloat())
    return std::nullopt;
  std::string bytes;
  auto append = [&](const APInt &value) {
    unsigned width = llvm::divideCeil(value.getBitWidth(), 8);
    uint64_t bits = value.getZExtValue();
    bytes.append(reinterpret_cast<const char *>(&bits), width);
  };
  if (isa<FloatType>(dense.getElementType()))
    for (const APFloat &value : dense.getValues<APFloat>())
      append(value.bitcastToAPInt());
  else
    for (const APInt &value : dense.getValues<APInt>())
      append(value);
  return bytes;
}

LogicalResult FunctionTranslator::addConstant(memref::GetGlobalOp op) {
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      op, op.getNameAttr());
  std::optional<std::string> bytes =
      global ? getContents(global.getConstantInitValue()) : std::nullopt;
  if (!bytes)
    return op.emitError("a plan holds constants with known contents only");
  plan::Buffer buffer;
  buffer.name = op.getName().str();
  buffer.kind = plan::Buffer::Kind::Constant;
  buffer.bytes = SizeExpr::constant(bytes->size());
  // Functions, and inlined copies of one, share the module's constants.
  auto known = llvm::find_if(plan.constants, [&](const plan::Constant &other) {
    return other.name == buffer.name;
  });
  buffer.index = known != plan.constants.end()
                     ? known - plan.constants.begin()
                     : plan.addConstant(buffer.name, std::move(*bytes));
  buffers[op] = result.buffers.size();
  result.buffers.push_back(buffer);
  return success();
}

FailureOr<plan::Param> FunctionTranslator::getParam(Operation *user,
                                                    Value value) {
  int64_t offset = 0;
  while (Operation *op = value.getDefiningOp()) {
    if (auto view = dyn_cast<memref::SubViewOp>(op)) {
      auto type = cast<MemRefType>(view.getType());
      std::optional<plan::ElementType> element =
          getElementType(type.getElementType());
      SmallVector<int64_t> strides;
      int64_t elements = 0;
      if (!element || failed(type.getStridesAndOffset(strides, elements)) ||
          ShapedType::isDynamic(elements))
        return user->emitError("a view starts where only the device knows");
      offset += elements * plan::getByteWidth(*element);
      value = view.getSource();
    } else if (isa<memref::ReinterpretCastOp, memref::CastOp,
                   UnrealizedConversionCastOp>(op)) {
      value = op->getOperand(0);
    } else {
      break;
    }
  }
  if (value == status)
    return plan::Param::status();
  if (auto it = slots.find(value); it != slots.end() && offset == 0)
    return plan::Param::slot(it->second);
  if (auto it = buffers.find(value); it != buffers.end()) {
    plan::Buffer &buffer = result.buffers[it->second];
    uint32_t step = result.steps.size();
    if (buffer.firstStep == ~0u)
      buffer.firstStep = step;
    buffer.lastStep = step;
    return plan::Param::buffer(it->second, SizeExpr::constant(offset));
  }
  return user->emitError("a parameter is no buffer of the function");
}

LogicalResult FunctionTranslator::addLaunch(gpu::LaunchFuncOp op) {
  plan::Step step;
  auto kernel = kernels.find(op.getKernelName().getValue());
  if (kernel == kernels.end())
    return op.emitError("no such kernel");
  step.kernel = kernel->second;
  gpu::KernelDim3 grid = op.getGridSizeOperandValues();
  gpu::KernelDim3 block = op.getBlockSizeOperandValues();
  FailureOr<SizeExpr> x = getSize(op, grid.x), y = getSize(op, grid.y);
  if (failed(x) || failed(y))
    return failure();
  step.gridX = *x;
  step.gridY = *y;
  APInt threads;
  if (!matchPattern(block.x, m_ConstantInt(&threads)))
    return op.emitError("the size of a block is not constant");
  step.blockX = threads.getZExtValue();
  if (Value shared = op.getDynamicSharedMemorySize()) {
    APInt bytes;
    if (!matchPattern(shared, m_ConstantInt(&bytes)))
      return op.emitError("the size of shared memory is not constant");
    step.dynamicSharedBytes = bytes.getZExtValue();
    uint32_t &most = plan.kernels[step.kernel].dynamicSharedBytes;
    most = std::max(most, step.dynamicSharedBytes);
  }
  for (Value operand : op.getKernelOperands()) {
    FailureOr<plan::Param> param = getParam(op, operand);
    if (failed(param))
      return failure();
    step.params.push_back(std::move(*param));
  }
  result.steps.push_back(std::move(step));
  return success();
}

LogicalResult FunctionTranslator::addOutputs(func::ReturnOp op) {
  unsigned numOutputs = op.getNumOperands();
  for (unsigned i = 0; i < op.getNumOperands(); ++i)
    if (function.getResultAttr(i, "sparseconv.size_of"))
      numOutputs = std::min(numOutputs, i);
  for (unsigned i = 0; i < numOutputs; ++i) {
    Value value = op.getOperand(i);
    auto alloc = value.getDefiningOp<memref::AllocOp>();
    if (!alloc || !buffers.contains(value))
      return op.emitError("result ") << i << " is no buffer of the function";
    auto name = function.getResultAttrOfType<StringAttr>(i, "sparseconv.name");
    FailureOr<plan::Value> output =
        describe(op, alloc.getType(),
                 name ? Twine(name.getValue()) : "result" + Twine(i));
    if (failed(output))
      return failure();
    auto dynamic = alloc.getDynamicSizes().begin();
    for (plan::Dim &dim : output->dims)
      if (dim.size == plan::kDynamic) {
        FailureOr<SizeExpr> capacity = getSize(op, *dynamic++);
        if (failed(capacity))
          return failure();
        dim.capacity = *capacity;
      }
    plan::Buffer &buffer = result.buffers[buffers[value]];
    if (buffer.kind == plan::Buffer::Kind::Output)
      return op.emitError("a buffer is returned twice");
    buffer.kind = plan::Buffer::Kind::Output;
    buffer.index = result.outputs.size();
    buffer.firstStep = buffer.lastStep = 0;
    result.outputs.push_back(std::move(*output));
  }
  for (unsigned i = numOutputs; i < op.getNumOperands(); ++i) {
    auto sizeOf = function.getResultAttrOfType<DenseI64ArrayAttr>(
        i, "sparseconv.size_of");
    auto slot = slots.find(op.getOperand(i));
    if (!sizeOf || slot == slots.end())
      return op.emitError("result ") << i << " is no size of another";
    plan::Dim &dim = result.outputs[sizeOf[0]].dims[sizeOf[1]];
    if (dim.size != plan::kDynamic)
      dim.capacity =
          SizeExpr::constant(std::exchange(dim.size, plan::kDynamic));
    dim.slot = slot->second;
  }
  return success();
}

FailureOr<plan::Function> FunctionTranslator::run() {
  result.name = function.getName().str();
  if (failed(addInputs()))
    return failure();
  for (Operation &op : function.front()) {
    LogicalResult done =
        TypeSwitch<Operation *, LogicalResult>(&op)
            .Case([&](memref::AllocOp op) { return addBuffer(op); })
            .Case([&](memref::GetGlobalOp op) { return addConstant(op); })
            .Case([&](gpu::LaunchFuncOp op) { return addLaunch(op); })
            .Case([&](func::ReturnOp op) { return addOutputs(op); })
            .Case<memref::DeallocOp, memref::DimOp, memref::ReinterpretCastOp>(
                [](auto) { return success(); })
            .Default([](Operation *op) -> LogicalResult {
              if (isMemoryEffectFree(op))
                return success();
              return op->emitError("'")
                     << op->getName() << "' is no step of a plan";
            });
    if (failed(done))
      return failure();
  }
  // What no step uses.
  for (plan::Buffer &buffer : result.buffers)
    if (buffer.firstStep == ~0u)
      buffer.firstStep = 0;
  return std::move(result);
}

FailureOr<plan::Function>
mlir::sparseconv::translateFunction(func::FuncOp function, plan::Plan &plan,
                                    const llvm::StringMap<uint32_t> &kernels) {
  return FunctionTranslator(function, plan, kernels).run();
}
