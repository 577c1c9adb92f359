//===- BuildPlan.cpp - from host functions to plans -----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "sparseconv/Dialect/SparseConv/IR/ElementBytes.h"
#include "sparseconv/Dialect/SparseConv/IR/EntryNames.h"
#include "sparseconv/Dialect/SparseConv/IR/EntrySizes.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/IR/StatusArgument.h"
#include "sparseconv/Target/Plan/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVBUILDPLAN
#include "sparseconv/Target/Plan/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
/// Turns one host function into a plan's.
class PlanBuilder {
public:
  PlanBuilder(func::FuncOp function, OpTable ops)
      : function(function), ops(std::move(ops)), b(function) {}

  LogicalResult run();

private:
  LogicalResult addInputs();
  void addInput(BlockArgument argument);
  LogicalResult addOutputs(func::ReturnOp op);
  LogicalResult addOutput(func::ReturnOp op, unsigned number);
  LogicalResult addBuffer(memref::AllocOp op);
  LogicalResult addLaunch(gpu::LaunchFuncOp op);

  /// The slot of a dimension of a result, or null if none is returned.
  Value getResultSize(func::ReturnOp op, unsigned number, unsigned axis,
                      StringRef name);
  LogicalResult addSizes(Operation *user, ValueRange sizes,
                         SmallVectorImpl<Value> &result);
  /// What sets of few rows get, and how much more than the rows that they stem
  /// from the others do.
  static constexpr int64_t kLeastRows = 4096, kStartFactor = 2;
  /// Memory for sets that grow, with the slot that kernels compare with.
  LogicalResult addGrowable(Operation *user, GrowableCapacityOp op);
  /// A size that a run may read, with the slot that holds it.
  FailureOr<Value> addExactSize(Operation *user, ExactSizeOp op);
  /// A size of the function in terms of capacities.
  FailureOr<Value> addSize(Operation *user, Value size);
  /// What a launch takes for a view of a buffer.
  FailureOr<Value> addAddress(Operation *user, Value view);

  func::FuncOp function;
  OpTable ops;
  OpBuilder b;
  /// From what the function has to what the plan has.
  IRMapping map;
  /// Slots of counts that are not returned.
  unsigned numCounts = 0;
};

struct BuildPlan : mlir::sparseconv::impl::SparseConvBuildPlanBase<BuildPlan> {
  void runOnOperation() override;
};
} // namespace

//===----------------------------------------------------------------------===//
// Sizes and addresses
//===----------------------------------------------------------------------===//

LogicalResult PlanBuilder::addGrowable(Operation *user, GrowableCapacityOp op) {
  SmallVector<Value> sizes;
  if (failed(addSizes(user, {op.getRows(), op.getBound()}, sizes)))
    return failure();
  Location loc = op.getLoc();
  Value start = arith::MaxUIOp::create(
      b, loc,
      arith::MulIOp::create(
          b, loc, sizes[0],
          arith::ConstantIndexOp::create(b, loc, kStartFactor)),
      arith::ConstantIndexOp::create(b, loc, kLeastRows));
  std::string name = "limit." + std::to_string(op.getOpId());
  Value limit = PlanSlotOp::create(b, loc, name);
  map.map(op.getLimit(), limit);
  map.map(op.getCapacity(), PlanGrowableCapacityOp::create(
                                b, loc, limit, start, sizes[1], op.getOpId())
                                .getResult());
  return success();
}

FailureOr<Value> PlanBuilder::addExactSize(Operation *user, ExactSizeOp op) {
  Value count = op.getCount();
  if (!map.contains(count) && count.getDefiningOp<memref::AllocOp>())
    map.map(count, PlanSlotOp::create(b, op.getLoc(),
                                      "count." + std::to_string(numCounts++)));
  Value slot = map.lookupOrNull(count);
  if (!slot || !slot.getDefiningOp<PlanSlotOp>())
    return user->emitError("a size is in no buffer of the function's own");
  FailureOr<Value> capacity = addSize(user, op.getCapacity());
  if (failed(capacity))
    return failure();
  Value size = PlanExactSizeOp::create(b, op.getLoc(), slot, *capacity);
  map.map(op.getResult(), size);
  return size;
}

FailureOr<Value> PlanBuilder::addSize(Operation *user, Value size) {
  if (Value known = map.lookupOrNull(size))
    return known;
  Operation *op = size.getDefiningOp();
  Value result;
  if (auto exact = dyn_cast_or_null<ExactSizeOp>(op))
    return addExactSize(user, exact);
  if (auto grown = dyn_cast_or_null<GrowableCapacityOp>(op)) {
    if (failed(addGrowable(user, grown)))
      return failure();
    return map.lookup(size);
  }
  if (auto dim = dyn_cast_or_null<memref::DimOp>(op)) {
    Value source = map.lookupOrNull(dim.getSource());
    std::optional<int64_t> axis = dim.getConstantIndex();
    if (axis && source && source.getDefiningOp<PlanInputOp>())
      result = PlanCapacityOp::create(b, dim.getLoc(), source, *axis);
  } else if (op && isa_and_nonnull<arith::ArithDialect>(op->getDialect())) {
    if (!isSizeOperation(op))
      return user->emitError("a size is computed by '") << op->getName() << "'";
    for (Value operand : op->getOperands())
      if (failed(addSize(user, operand)))
        return failure();
    result = b.clone(*op, map)->getResult(0);
  }
  if (!result)
    return user->emitError("a size is no expression of capacities");
  map.map(size, result);
  return result;
}

LogicalResult PlanBuilder::addSizes(Operation *user, ValueRange sizes,
                                    SmallVectorImpl<Value> &result) {
  for (Value size : sizes) {
    FailureOr<Value> added = addSize(user, size);
    if (failed(added))
      return failure();
    result.push_back(*added);
  }
  return success();
}

FailureOr<Value> PlanBuilder::addAddress(Operation *user, Value view) {
  if (Value known = map.lookupOrNull(view))
    return known;
  if (auto grown = view.getDefiningOp<GrowableCapacityOp>()) {
    if (failed(addGrowable(user, grown)))
      return failure();
    return map.lookup(view);
  }
  Value source;
  int64_t elements = 0;
  if (auto subview = view.getDefiningOp<memref::SubViewOp>()) {
    source = subview.getSource();
    SmallVector<int64_t> strides;
    if (failed(subview.getType().getStridesAndOffset(strides, elements)))
      elements = ShapedType::kDynamic;
  } else if (auto cast = view.getDefiningOp<memref::ReinterpretCastOp>()) {
    source = cast.getSource();
    elements = cast.getStaticOffset(0);
  } else if (Operation *op = view.getDefiningOp();
             isa_and_nonnull<memref::CastOp, UnrealizedConversionCastOp>(op)) {
    source = op->getOperand(0);
  }
  if (!source)
    return user->emitError("a parameter is no buffer of the function");
  if (ShapedType::isDynamic(elements))
    return user->emitError("a view starts where only the device knows");
  FailureOr<Value> address = addAddress(user, source);
  if (failed(address) || elements == 0)
    return address;
  Type element = cast<MemRefType>(view.getType()).getElementType();
  Value bytes = arith::ConstantIndexOp::create(
      b, user->getLoc(), elements * getElementBytes(element));
  return PlanAddressOp::create(b, user->getLoc(), *address, bytes).getResult();
}

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

/// What holds the size of a dimension on the device.
static bool isSizeType(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getElementType().isIndex() &&
         memref.getShape() == ArrayRef<int64_t>{1};
}

static std::string getSlotName(StringRef value, unsigned axis) {
  return (value + "." + Twine(axis)).str();
}

void PlanBuilder::addInput(BlockArgument argument) {
  auto type = cast<MemRefType>(argument.getType());
  unsigned number = argument.getArgNumber();
  std::string name = getArgumentName(function, number);
  std::optional<unsigned> equalRows = getEqualRows(function, number);
  SmallVector<Value> sizes;
  for (unsigned axis = 0; axis < type.getRank(); ++axis) {
    if (!type.isDynamicDim(axis))
      continue;
    PlanInputOp other;
    if (axis == 0 && equalRows)
      other = map.lookup(function.getArgument(*equalRows))
                  .getDefiningOp<PlanInputOp>();
    if (other)
      sizes.push_back(other.getSizes().front());
    else
      sizes.push_back(
          PlanSlotOp::create(b, argument.getLoc(), getSlotName(name, axis)));
    for (BlockArgument size : function.getArguments())
      if (getArgumentSizeOf(function, size.getArgNumber()) ==
          EntryDim{number, axis})
        map.map(size, sizes.back());
  }
  map.map(
      argument,
      PlanInputOp::create(b, argument.getLoc(), type, name, sizes).getResult());
}

LogicalResult PlanBuilder::addInputs() {
  auto isSize = [&](unsigned number) {
    return getArgumentSizeOf(function, number).has_value();
  };
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    if (!isa<MemRefType>(argument.getType()))
      return function.emitError("argument ")
             << number
             << " is not a memref, which is all that a plan takes: networks "
                "are lowered first";
    if (isSize(number) && !isSizeType(argument.getType()))
      return function.emitError("argument ")
             << number << " is a size, so it has to be a memref<1xindex>";
    if (isSize(number))
      continue;
    if (argument == getStatusArgument(function))
      map.map(argument, PlanStatusOp::create(b, argument.getLoc()).getResult());
    else
      addInput(argument);
  }
  return success();
}

Value PlanBuilder::getResultSize(func::ReturnOp op, unsigned number,
                                 unsigned axis, StringRef name) {
  for (auto [i, size] : llvm::enumerate(op.getOperands())) {
    if (getResultSizeOf(function, i) != EntryDim{number, axis})
      continue;
    if (!map.contains(size))
      map.map(size,
              PlanSlotOp::create(b, size.getLoc(), getSlotName(name, axis))
                  .getResult());
    return map.lookup(size);
  }
  return {};
}

LogicalResult PlanBuilder::addOutput(func::ReturnOp op, unsigned number) {
  Value value = op.getOperand(number);
  auto alloc = value.getDefiningOp<memref::AllocOp>();
  if (!alloc)
    return op.emitError("result ") << number << " is no buffer of the function";
  if (map.contains(value))
    return op.emitError("a buffer is returned twice");
  std::string name = getResultName(function, number);
  SmallVector<int64_t> shape(alloc.getType().getShape());
  SmallVector<Value> capacities, sizes;
  auto dynamic = alloc.getDynamicSizes().begin();
  for (auto [axis, size] : llvm::enumerate(shape)) {
    Value slot = getResultSize(op, number, axis, name);
    bool isDynamic = ShapedType::isDynamic(size);
    if (!slot && isDynamic)
      return op.emitError("the size of dimension ")
             << axis << " of result " << number << " is not returned";
    if (!slot)
      continue;
    FailureOr<Value> capacity;
    if (isDynamic)
      capacity = addSize(op, *dynamic++);
    else
      capacity =
          arith::ConstantIndexOp::create(b, alloc.getLoc(), size).getResult();
    if (failed(capacity))
      return failure();
    capacities.push_back(*capacity);
    sizes.push_back(slot);
    size = ShapedType::kDynamic;
  }
  auto type = MemRefType::get(shape, alloc.getType().getElementType());
  map.map(value,
          PlanOutputOp::create(b, alloc.getLoc(), type, name, capacities, sizes)
              .getResult());
  return success();
}

LogicalResult PlanBuilder::addOutputs(func::ReturnOp op) {
  for (unsigned i = 0; i < op.getNumOperands(); ++i)
    if (!getResultSizeOf(function, i) && failed(addOutput(op, i)))
      return failure();
  for (auto [i, value] : llvm::enumerate(op.getOperands())) {
    if (!map.contains(value))
      return op.emitError("result ") << i << " is no size of another";
    if (getResultSizeOf(function, i) && !isSizeType(value.getType()))
      return op.emitError("result ")
             << i << " is a size, so it has to be a memref<1xindex>";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Buffers and steps
//===----------------------------------------------------------------------===//

LogicalResult PlanBuilder::addBuffer(memref::AllocOp op) {
  // An output, or its size.
  if (map.contains(op))
    return success();
  SmallVector<Value> sizes;
  if (failed(addSizes(op, op.getDynamicSizes(), sizes)))
    return failure();
  map.map(
      op.getResult(),
      PlanBufferOp::create(b, op.getLoc(), op.getType(), sizes).getResult());
  return success();
}

LogicalResult PlanBuilder::addLaunch(gpu::LaunchFuncOp op) {
  gpu::KernelDim3 blocks = op.getGridSizeOperandValues();
  SmallVector<Value> grid = {blocks.x};
  if (!matchPattern(blocks.y, m_One()))
    grid.push_back(blocks.y);
  SmallVector<Value> sizes, addresses;
  if (failed(addSizes(op, grid, sizes)))
    return failure();
  APInt threads, shared(64, 0);
  if (!matchPattern(op.getBlockSizeX(), m_ConstantInt(&threads)))
    return op.emitError("the size of a block is not constant");
  if (op.getDynamicSharedMemorySize() &&
      !matchPattern(op.getDynamicSharedMemorySize(), m_ConstantInt(&shared)))
    return op.emitError("the size of shared memory is not constant");
  for (Value operand : op.getKernelOperands()) {
    FailureOr<Value> address = addAddress(op, operand);
    if (failed(address))
      return failure();
    addresses.push_back(*address);
  }
  std::optional<uint32_t> number = ops.find(op.getLoc());
  PlanLaunchOp::create(b, op.getLoc(), op.getKernel(), sizes,
                       threads.getZExtValue(), shared.getZExtValue(), addresses,
                       /*stream=*/0,
                       /*after=*/ValueRange(), /*prepares=*/false,
                       /*counts=*/false, /*prologue=*/false,
                       number ? b.getI32IntegerAttr(*number) : IntegerAttr());
  return success();
}

LogicalResult PlanBuilder::run() {
  func::ReturnOp end;
  if (function.getBody().hasOneBlock())
    end = dyn_cast<func::ReturnOp>(function.front().getTerminator());
  if (!end)
    return function.emitError(
        "is not one block that returns, which is all that "
        "a plan is made of");
  auto result = PlanFuncOp::create(b, function.getLoc(), function.getName());
  b.setInsertionPointToStart(&result.getBody().front());
  Block &body = function.getBody().front();
  // What is returned is no buffer: first see what that is.
  if (failed(addInputs()) || failed(addOutputs(end)))
    return failure();
  // Nor is what holds a count.
  for (auto exact : body.getOps<ExactSizeOp>())
    if (failed(addSize(exact, exact.getResult())))
      return failure();
  for (Operation &op : body.without_terminator()) {
    LogicalResult done =
        TypeSwitch<Operation *, LogicalResult>(&op)
            .Case([&](memref::AllocOp op) { return addBuffer(op); })
            .Case([&](gpu::LaunchFuncOp op) { return addLaunch(op); })
            .Case([&](memref::GetGlobalOp op) {
              b.clone(*op, map);
              return success();
            })
            .Case([](memref::DeallocOp) { return success(); })
            .Default([](Operation *op) -> LogicalResult {
              // Sizes and views are added where they are used.
              if (isMemoryEffectFree(op))
                return success();
              return op->emitError("'")
                     << op->getName() << "' is no step of a plan";
            });
    if (failed(done))
      return failure();
  }
  if (ArrayAttr table = ops.getAttr())
    result.setOpTableAttr(table);
  function.erase();
  return success();
}

void BuildPlan::runOnOperation() {
  OpTable ops(getOperation());
  for (auto function :
       llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
    if (function.isPublic() && !function.isDeclaration() &&
        failed(PlanBuilder(function, ops).run()))
      return signalPassFailure();
}
