//===- ExportFunction.cpp - from the operations of a plan to its data -----===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExportFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::sparseconv;
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

namespace {
/// Translates one function.
class FunctionExporter {
public:
  FunctionExporter(PlanFuncOp function, plan::Plan &plan)
      : function(function), plan(plan) {}

  FailureOr<plan::Function> run();

private:
  LogicalResult add(PlanInputOp op);
  LogicalResult add(PlanOutputOp op);
  LogicalResult add(PlanBufferOp op);
  LogicalResult add(memref::GetGlobalOp op);
  void add(PlanGrowableCapacityOp op);
  void add(PlanLaunchOp op);

  /// Adds a buffer for the result of an operation, whose dynamic dimensions
  /// are as given.
  LogicalResult addBuffer(Operation *op, plan::Buffer::Kind kind,
                          ArrayRef<SizeExpr> dynamicSizes, uint32_t index = 0,
                          StringRef name = {});
  uint32_t getKernel(SymbolRefAttr name);
  const SizeExpr &getSize(Value value);
  plan::Param getParam(Value value);

  PlanFuncOp function;
  plan::Plan &plan;
  plan::Function result;
  llvm::DenseMap<Value, uint32_t> slots, buffers, inputs, steps;
  llvm::DenseMap<Value, SizeExpr> sizes;
};
} // namespace

const SizeExpr &FunctionExporter::getSize(Value value) {
  auto it = sizes.find(value);
  if (it != sizes.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  SizeExpr expr;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    expr = SizeExpr::constant(constant.getSExtValue());
  } else if (auto capacity = dyn_cast<PlanCapacityOp>(op)) {
    expr = SizeExpr::capacity(inputs.lookup(capacity.getInput()),
                              capacity.getDim());
  } else if (auto exact = dyn_cast<PlanExactSizeOp>(op)) {
    expr = plan::exact(slots.lookup(exact.getCount()),
                       getSize(exact.getCapacity()));
  } else {
    // As isSizeOperation allows.
    SizeExpr lhs = getSize(op->getOperand(0)), rhs = getSize(op->getOperand(1));
    expr = TypeSwitch<Operation *, SizeExpr>(op)
               .Case([&](arith::AddIOp) { return lhs + rhs; })
               .Case([&](arith::MulIOp) { return lhs * rhs; })
               .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
                   [&](auto) { return plan::ceilDiv(lhs, rhs); })
               .Case<arith::FloorDivSIOp, arith::DivSIOp, arith::DivUIOp>(
                   [&](auto) { return plan::floorDiv(lhs, rhs); })
               .Case<arith::MaxSIOp, arith::MaxUIOp>(
                   [&](auto) { return plan::max(lhs, rhs); })
               .Case<arith::MinSIOp, arith::MinUIOp>(
                   [&](auto) { return plan::min(lhs, rhs); });
  }
  return sizes[value] = std::move(expr);
}

/// The bytes from one element of a buffer to the next. A value that passes from
/// one kernel to another may be a vector, which LLVM aligns to a power of two.
static std::optional<int64_t> getElementBytes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  std::optional<plan::ElementType> element =
      getElementType(vector ? vector.getElementType() : type);
  if (!element)
    return std::nullopt;
  int64_t bytes = plan::getByteWidth(*element);
  return vector ? llvm::PowerOf2Ceil(bytes * vector.getNumElements()) : bytes;
}

LogicalResult FunctionExporter::addBuffer(Operation *op,
                                          plan::Buffer::Kind kind,
                                          ArrayRef<SizeExpr> dynamicSizes,
                                          uint32_t index, StringRef name) {
  auto type = cast<MemRefType>(op->getResult(0).getType());
  std::optional<int64_t> elementBytes = getElementBytes(type.getElementType());
  if (!elementBytes)
    return op->emitError("a plan has no elements of type ")
           << type.getElementType();
  plan::Buffer buffer;
  buffer.name = name.empty() ? "buffer" + std::to_string(result.buffers.size())
                             : name.str();
  buffer.kind = kind;
  buffer.index = index;
  buffer.bytes = SizeExpr::constant(*elementBytes);
  const auto *dynamic = dynamicSizes.begin();
  for (int64_t size : type.getShape())
    buffer.bytes =
        buffer.bytes *
        (ShapedType::isDynamic(size) ? *dynamic++ : SizeExpr::constant(size));
  buffers[op->getResult(0)] = result.buffers.size();
  result.buffers.push_back(std::move(buffer));
  return success();
}

/// An input or output without its sizes.
static plan::Value getValue(StringRef name, MemRefType type) {
  plan::Value value;
  value.name = name.str();
  if (auto element = getElementType(type.getElementType()))
    value.type = *element;
  for (int64_t size : type.getShape()) {
    plan::Dim &dim = value.dims.emplace_back();
    dim.size = ShapedType::isDynamic(size) ? plan::kDynamic : size;
  }
  return value;
}

LogicalResult FunctionExporter::add(PlanInputOp op) {
  uint32_t index = result.inputs.size();
  plan::Value input = getValue(op.getName(), cast<MemRefType>(op.getType()));
  auto slot = op.getSizes().begin();
  SmallVector<SizeExpr> capacities;
  for (auto [axis, dim] : llvm::enumerate(input.dims)) {
    if (dim.size != plan::kDynamic)
      continue;
    dim.slot = slots.lookup(*slot++);
    capacities.push_back(SizeExpr::capacity(index, axis));
  }
  inputs[op] = index;
  result.inputs.push_back(std::move(input));
  return addBuffer(op, plan::Buffer::Kind::Input, capacities, index,
                   op.getName());
}

LogicalResult FunctionExporter::add(PlanOutputOp op) {
  uint32_t index = result.outputs.size();
  plan::Value output = getValue(op.getName(), cast<MemRefType>(op.getType()));
  SmallVector<SizeExpr> capacities;
  for (plan::Dim &dim : output.dims) {
    if (dim.size != plan::kDynamic)
      continue;
    dim.slot = slots.lookup(op.getSizes()[capacities.size()]);
    dim.capacity = getSize(op.getCapacities()[capacities.size()]);
    capacities.push_back(dim.capacity);
  }
  result.outputs.push_back(std::move(output));
  return addBuffer(op, plan::Buffer::Kind::Output, capacities, index,
                   op.getName());
}

LogicalResult FunctionExporter::add(PlanBufferOp op) {
  return addBuffer(op,
                   op.getPrepared() ? plan::Buffer::Kind::Prepared
                                    : plan::Buffer::Kind::Scratch,
                   llvm::map_to_vector(op.getSizes(), [&](Value size) {
                     return getSize(size);
                   }));
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

LogicalResult FunctionExporter::add(memref::GetGlobalOp op) {
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      function, op.getNameAttr());
  std::optional<std::string> bytes =
      global ? getContents(global.getConstantInitValue()) : std::nullopt;
  if (!bytes)
    return op.emitError("a plan holds constants with known contents only");
  // Functions, and inlined copies of one, share the module's constants.
  std::string name = op.getName().str();
  auto known = llvm::find_if(plan.constants, [&](const plan::Constant &other) {
    return other.name == name;
  });
  uint32_t index = known != plan.constants.end()
                       ? known - plan.constants.begin()
                       : plan.addConstant(name, std::move(*bytes));
  return addBuffer(op, plan::Buffer::Kind::Constant, {}, index, name);
}

uint32_t FunctionExporter::getKernel(SymbolRefAttr name) {
  StringRef symbol = name.getLeafReference().getValue();
  StringRef module = name.getRootReference().getValue();
  auto known = llvm::find_if(plan.kernels, [&](const plan::Kernel &kernel) {
    return kernel.name == symbol && plan.modules[kernel.module].name == module;
  });
  if (known == plan.kernels.end()) {
    plan::Kernel &kernel = plan.kernels.emplace_back();
    kernel.name = symbol.str();
    kernel.module = llvm::find_if(plan.modules,
                                  [&](const plan::Module &candidate) {
                                    return candidate.name == module;
                                  }) -
                    plan.modules.begin();
    return plan.kernels.size() - 1;
  }
  return known - plan.kernels.begin();
}

plan::Param FunctionExporter::getParam(Value value) {
  std::optional<SizeExpr> offset;
  while (auto address = value.getDefiningOp<PlanAddressOp>()) {
    const SizeExpr &bytes = getSize(address.getBytes());
    offset = offset ? *offset + bytes : bytes;
    value = address.getBuffer();
  }
  if (value.getDefiningOp<PlanStatusOp>())
    return plan::Param::status();
  if (auto it = slots.find(value); it != slots.end())
    return plan::Param::slot(it->second);
  return plan::Param::buffer(buffers.lookup(value),
                             offset.value_or(SizeExpr::constant(0)));
}

void FunctionExporter::add(PlanGrowableCapacityOp op) {
  plan::Growable growable;
  growable.slot = slots.lookup(op.getLimit());
  growable.op = op.getOp();
  growable.start = getSize(op.getStart());
  growable.bound = getSize(op.getBound());
  sizes[op] = SizeExpr::growable(result.growables.size());
  result.growables.push_back(std::move(growable));
}

void FunctionExporter::add(PlanLaunchOp op) {
  plan::Step step;
  step.kernel = getKernel(op.getKernel());
  step.gridX = getSize(op.getGrid().front());
  if (op.getGrid().size() > 1)
    step.gridY = getSize(op.getGrid().back());
  step.blockX = op.getBlock();
  step.dynamicSharedBytes = op.getShared();
  uint32_t &most = plan.kernels[step.kernel].dynamicSharedBytes;
  most = std::max(most, step.dynamicSharedBytes);
  for (Value arg : op.getArgs())
    step.params.push_back(getParam(arg));
  step.stream = op.getStream();
  step.prepares = op.getPrepares();
  step.counts = op.getCounts();
  step.hasPrologue = op.getPrologue();
  for (Value other : op.getAfter())
    step.dependencies.push_back(steps.lookup(other));
  if (op.getOp())
    step.op = *op.getOp();
  steps[op.getDone()] = result.steps.size();
  result.steps.push_back(std::move(step));
}

FailureOr<plan::Function> FunctionExporter::run() {
  result.name = function.getName().str();
  result.numStreams = function.getStreams();
  if (ArrayAttr table = function.getOpTableAttr())
    for (auto entry : table.getAsRange<ArrayAttr>())
      result.ops.push_back(
          {cast<StringAttr>(entry[0]).str(), cast<StringAttr>(entry[1]).str()});
  for (Operation &op : function.getBody().front()) {
    LogicalResult done =
        TypeSwitch<Operation *, LogicalResult>(&op)
            .Case([&](PlanSlotOp op) {
              slots[op] = result.slots.size();
              result.slots.push_back(op.getName().str());
              return success();
            })
            .Case<PlanInputOp, PlanOutputOp, PlanBufferOp, memref::GetGlobalOp>(
                [&](auto op) { return add(op); })
            .Case<PlanGrowableCapacityOp, PlanLaunchOp>([&](auto op) {
              add(op);
              return success();
            })
            // The others are looked at where they are used.
            .Default(success());
    if (failed(done))
      return failure();
  }
  plan::setLifetimes(result);
  return std::move(result);
}

FailureOr<plan::Function> mlir::sparseconv::exportFunction(PlanFuncOp function,
                                                           plan::Plan &plan) {
  return FunctionExporter(function, plan).run();
}
