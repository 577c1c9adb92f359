//===- FormKernels.cpp - kernels, and what the host does ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three steps: the operations of the function are divided into launches and
// what stays on the host; each launch takes in what it needs of the host's
// values; what the host still computes becomes arithmetic on capacities.
//
//===----------------------------------------------------------------------===//

#include "Capacities.h"
#include "FunctionBuffers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Kernels/LoopBuilder.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVFORMKERNELS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// Whether a kernel can repeat `op` instead of being handed its results.
static bool isRepeatable(Operation *op) {
  if (isa<DeviceScalarOp>(op))
    return true;
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         !isa<memref::DimOp>(op);
}

/// Whether `op` stays on the host as it is.
static bool isHostOp(Operation *op) {
  return isa<memref::AllocOp, memref::DeallocOp, memref::GetGlobalOp,
             memref::DimOp, func::ReturnOp>(op) ||
         isRepeatable(op);
}

static bool holdsLaunch(Operation *op) {
  return op
      ->walk([](Operation *nested) {
        return isa<scf::ParallelOp, gpu::LaunchOp, gpu::LaunchFuncOp>(nested)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
class KernelFormer {
public:
  KernelFormer(func::FuncOp function, int64_t blockSize)
      : function(function), rewriter(function.getContext()),
        blockSize(blockSize) {}

  LogicalResult run();

private:
  /// Launches of `block`, each under `conditions`.
  LogicalResult divide(Block &block, ArrayRef<Value> conditions);
  LogicalResult divideBranch(scf::IfOp branch, ArrayRef<Value> conditions);
  /// A launch of one thread with `ops`, which follow each other.
  void formScalarKernel(ArrayRef<Operation *> ops, ArrayRef<Value> conditions);
  LogicalResult formLoopKernel(scf::ParallelOp loop,
                               ArrayRef<Value> conditions);
  gpu::LaunchOp createLaunch(Location loc, Value gridSize, int64_t threads);
  void addConditions(gpu::LaunchOp launch, ArrayRef<Value> conditions);

  /// Makes `launch` independent of numbers that only the device knows.
  LogicalResult takeIn(gpu::LaunchOp launch);
  Value takeIn(OpBuilder &builder, Value value, IRMapping &mapping,
               Operation *user);
  /// The number of the device for a dynamic size of a buffer.
  Value getSize(memref::DimOp dim);
  Value rebuildBuffer(OpBuilder &builder, Value base, IRMapping &mapping,
                      Operation *user);

  LogicalResult returnSizes();
  LogicalResult useCapacities();

  func::FuncOp function;
  IRRewriter rewriter;
  int64_t blockSize;
  Capacities capacities;
  SmallVector<gpu::LaunchOp> launches;
  /// Launches of kernels that are already functions.
  SmallVector<gpu::LaunchFuncOp> calls;
  /// For each buffer: its dynamic sizes, as numbers of the device; and its
  /// address alone, as kernels take it.
  llvm::DenseMap<Value, SmallVector<Value>> sizes;
  llvm::DenseMap<Value, Value> addresses;
};
} // namespace

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

gpu::LaunchOp KernelFormer::createLaunch(Location loc, Value gridSize,
                                         int64_t threads) {
  LoopBuilder b(loc, rewriter);
  Value one = b.index(1);
  auto launch = gpu::LaunchOp::create(rewriter, loc, gridSize, one, one,
                                      b.index(threads), one, one);
  launches.push_back(launch);
  rewriter.setInsertionPointToEnd(&launch.getBody().front());
  auto end = gpu::TerminatorOp::create(rewriter, loc);
  rewriter.setInsertionPoint(end);
  return launch;
}

/// Opens an scf.if for each condition; what follows is written inside.
static void openConditions(RewriterBase &rewriter, Location loc,
                           ArrayRef<Value> conditions) {
  for (Value condition : conditions) {
    auto branch = scf::IfOp::create(rewriter, loc, condition);
    rewriter.setInsertionPointToStart(branch.thenBlock());
  }
}

/// All threads agree on the conditions, so that barriers may stand inside.
void KernelFormer::addConditions(gpu::LaunchOp launch,
                                 ArrayRef<Value> conditions) {
  if (conditions.empty())
    return;
  Block &body = launch.getBody().front();
  auto ops =
      llvm::to_vector(llvm::make_pointer_range(body.without_terminator()));
  rewriter.setInsertionPointToStart(&body);
  openConditions(rewriter, launch.getLoc(), conditions);
  for (Operation *op : ops)
    rewriter.moveOpBefore(op, rewriter.getInsertionBlock(),
                          rewriter.getInsertionPoint());
}

void KernelFormer::formScalarKernel(ArrayRef<Operation *> ops,
                                    ArrayRef<Value> conditions) {
  Operation *last = ops.back();
  Location loc = ops.front()->getLoc();
  // Numbers that are used afterwards leave through buffers.
  llvm::SmallPtrSet<Operation *, 16> inside(ops.begin(), ops.end());
  SmallVector<Value> results;
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
            return !ancestor || !inside.contains(ancestor);
          }))
        results.push_back(result);

  rewriter.setInsertionPointAfter(last);
  SmallVector<Value> slots;
  for (Value result : results)
    slots.push_back(memref::AllocOp::create(
        rewriter, loc, MemRefType::get({1}, result.getType())));
  LoopBuilder b(loc, rewriter);
  gpu::LaunchOp launch = createLaunch(loc, b.index(1), 1);
  openConditions(rewriter, loc, conditions);
  Block *body = rewriter.getInsertionBlock();
  auto position = rewriter.getInsertionPoint();
  for (Operation *op : ops)
    rewriter.moveOpBefore(op, body, position);
  rewriter.setInsertionPoint(body, position);
  for (auto [result, slot] : llvm::zip(results, slots)) {
    LoopBuilder inner(loc, rewriter);
    inner.store(result, slot, inner.index(0));
  }
  rewriter.setInsertionPointAfter(launch);
  for (auto [result, slot] : llvm::zip(results, slots)) {
    Value scalar =
        DeviceScalarOp::create(rewriter, loc, slot, /*bound=*/Value());
    rewriter.replaceUsesWithIf(result, scalar, [&](OpOperand &use) {
      return !launch->isProperAncestor(use.getOwner());
    });
  }
}

LogicalResult KernelFormer::formLoopKernel(scf::ParallelOp loop,
                                           ArrayRef<Value> conditions) {
  Location loc = loop.getLoc();
  if (loop.getNumResults() != 0)
    return loop.emitError("a parallel loop with results has no form on the "
                          "GPU");
  rewriter.setInsertionPoint(loop);
  // The iterations of each dimension, and of all.
  SmallVector<Value> counts;
  LoopBuilder b(loc, rewriter);
  Value total = b.index(1);
  for (auto [lower, upper, step] :
       llvm::zip(loop.getLowerBound(), loop.getUpperBound(), loop.getStep())) {
    Value count = b.sub(upper, lower);
    if (!isConstantIntValue(step, 1))
      count = b.createOrFold<arith::CeilDivSIOp>(count, step);
    counts.push_back(count);
    total = b.mul(total, count);
  }
  Value gridSize = b.ceilDiv(total, blockSize);
  gpu::LaunchOp launch = createLaunch(loc, gridSize, blockSize);
  openConditions(rewriter, loc, conditions);
  LoopBuilder inner(loc, rewriter);
  Value linear = inner.add(inner.mul(launch.getBlockIds().x, blockSize),
                           launch.getThreadIds().x);
  inner.ifThen(inner.less(linear, total), [&] {
    SmallVector<Value> ivs(counts.size());
    for (int64_t axis = counts.size() - 1; axis >= 0; --axis) {
      Value index = linear;
      if (axis != 0) {
        index = inner.createOrFold<arith::RemUIOp>(linear, counts[axis]);
        linear = inner.createOrFold<arith::DivUIOp>(linear, counts[axis]);
      }
      ivs[axis] = inner.add(inner.mul(index, loop.getStep()[axis]),
                            loop.getLowerBound()[axis]);
    }
    Block *body = loop.getBody();
    rewriter.eraseOp(body->getTerminator());
    rewriter.inlineBlockBefore(body, inner.getInsertionBlock(),
                               inner.getInsertionPoint(), ivs);
  });
  rewriter.eraseOp(loop);
  return success();
}

LogicalResult KernelFormer::divideBranch(scf::IfOp branch,
                                         ArrayRef<Value> conditions) {
  if (branch.getNumResults() != 0)
    return branch.emitError("a branch around kernels that has results would "
                            "need its condition on the host");
  SmallVector<Value> inner(conditions);
  inner.push_back(branch.getCondition());
  if (failed(divide(*branch.thenBlock(), inner)))
    return failure();
  if (Block *otherwise = branch.elseBlock()) {
    rewriter.setInsertionPoint(branch);
    LoopBuilder b(branch.getLoc(), rewriter);
    inner.back() = b.notBit(branch.getCondition());
    if (failed(divide(*otherwise, inner)))
      return failure();
  }
  for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
    if (!block)
      continue;
    rewriter.eraseOp(block->getTerminator());
    rewriter.inlineBlockBefore(block, branch);
  }
  rewriter.eraseOp(branch);
  return success();
}

LogicalResult KernelFormer::divide(Block &block, ArrayRef<Value> conditions) {
  SmallVector<Operation *> scalars;
  auto ops = llvm::to_vector(llvm::make_pointer_range(block));
  auto flush = [&] {
    if (!scalars.empty())
      formScalarKernel(scalars, conditions);
    scalars.clear();
  };
  for (Operation *op : ops) {
    if (isHostOp(op) || op->hasTrait<OpTrait::IsTerminator>()) {
      // Arithmetic on what the code before reads goes with it; all else comes
      // after it.
      if (llvm::none_of(op->getOperands(), [&](Value operand) {
            return llvm::is_contained(scalars, operand.getDefiningOp());
          }))
        continue;
      if (isRepeatable(op) && op->getNumResults() != 0 &&
          llvm::all_of(op->getResultTypes(),
                       [](Type type) { return type.isIntOrIndexOrFloat(); }))
        scalars.push_back(op);
      else
        flush();
      continue;
    }
    if (isa<CallOpInterface>(op))
      return op->emitError("a call that is not inlined has no form on the GPU");
    if (auto launch = dyn_cast<gpu::LaunchOp>(op)) {
      flush();
      launches.push_back(launch);
      addConditions(launch, conditions);
      continue;
    }
    if (auto call = dyn_cast<gpu::LaunchFuncOp>(op)) {
      flush();
      calls.push_back(call);
      for (Value operand : call.getKernelOperands())
        if (auto address = operand.getDefiningOp<UnrealizedConversionCastOp>())
          address.setOperand(0, getBase(address.getOperand(0)));
      if (!conditions.empty())
        return op->emitError("a kernel under a condition");
      continue;
    }
    if (auto loop = dyn_cast<scf::ParallelOp>(op)) {
      flush();
      if (failed(formLoopKernel(loop, conditions)))
        return failure();
      continue;
    }
    if (!holdsLaunch(op)) {
      scalars.push_back(op);
      continue;
    }
    flush();
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch)
      return op->emitError("control flow around kernels would need a number of "
                           "the device on the host");
    if (failed(divideBranch(branch, conditions)))
      return failure();
  }
  flush();
  return success();
}

//===----------------------------------------------------------------------===//
// What a launch needs
//===----------------------------------------------------------------------===//

Value KernelFormer::rebuildBuffer(OpBuilder &builder, Value base,
                                  IRMapping &mapping, Operation *user) {
  auto type = cast<MemRefType>(base.getType());
  if (type.hasStaticShape())
    return base;
  if (!type.getLayout().isIdentity()) {
    user->emitError("a buffer with strides crosses into a kernel");
    return {};
  }
  Value &address = addresses[base];
  if (!address) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointAfterValue(base);
    address = memref::ReinterpretCastOp::create(
        rewriter, base.getLoc(),
        MemRefType::get({}, type.getElementType(), MemRefLayoutAttrInterface(),
                        type.getMemorySpace()),
        base, /*offset=*/rewriter.getIndexAttr(0),
        /*sizes=*/ArrayRef<OpFoldResult>(),
        /*strides=*/ArrayRef<OpFoldResult>());
  }
  LoopBuilder b(base.getLoc(), builder);
  SmallVector<OpFoldResult> shape, strides(type.getRank());
  unsigned next = 0;
  for (int64_t size : type.getShape()) {
    if (!ShapedType::isDynamic(size)) {
      shape.push_back(builder.getIndexAttr(size));
      continue;
    }
    ArrayRef<Value> known = sizes[base];
    if (next == known.size()) {
      user->emitError("takes a buffer of which a size is not known");
      return {};
    }
    Value number = takeIn(builder, known[next++], mapping, user);
    if (!number)
      return {};
    shape.push_back(number);
  }
  OpFoldResult stride = builder.getIndexAttr(1);
  for (int64_t axis = type.getRank() - 1; axis >= 0; --axis) {
    strides[axis] = stride;
    std::optional<int64_t> size = getConstantIntValue(shape[axis]);
    std::optional<int64_t> inner = getConstantIntValue(stride);
    if (size && inner)
      stride = builder.getIndexAttr(*size * *inner);
    else
      stride =
          b.mul(getValueOrCreateConstantIndexOp(b, b.getLoc(), stride),
                getValueOrCreateConstantIndexOp(b, b.getLoc(), shape[axis]));
  }
  // The strided type, then the plain one that users expect.
  Value view = memref::ReinterpretCastOp::create(
      builder, base.getLoc(), address, builder.getIndexAttr(0), shape, strides);
  return memref::CastOp::create(builder, base.getLoc(), type, view);
}

Value KernelFormer::getSize(memref::DimOp dim) {
  if (!dim)
    return {};
  auto it = sizes.find(dim.getSource());
  std::optional<int64_t> axis = dim.getConstantIndex();
  if (it == sizes.end() || !axis)
    return {};
  ArrayRef<int64_t> shape =
      cast<MemRefType>(dim.getSource().getType()).getShape();
  size_t place = llvm::count_if(shape.take_front(*axis), ShapedType::isDynamic);
  return place < it->second.size() ? it->second[place] : Value();
}

Value KernelFormer::takeIn(OpBuilder &builder, Value value, IRMapping &mapping,
                           Operation *user) {
  if (Value mapped = mapping.lookupOrNull(value))
    return mapped;
  Operation *op = value.getDefiningOp();
  Value result;
  if (!op || isa<memref::AllocOp, memref::GetGlobalOp>(op)) {
    if (!isa<MemRefType>(value.getType())) {
      user->emitError("a scalar argument has to be passed in a buffer");
      return {};
    }
    result = rebuildBuffer(builder, value, mapping, user);
  } else if (auto scalar = dyn_cast<DeviceScalarOp>(op)) {
    LoopBuilder b(op->getLoc(), builder);
    result = b.load(scalar.getBuffer(), b.index(0));
  } else if (Value size = getSize(dyn_cast<memref::DimOp>(op))) {
    result = takeIn(builder, size, mapping, user);
  } else if (isRepeatable(op)) {
    for (Value operand : op->getOperands())
      if (!takeIn(builder, operand, mapping, user))
        return {};
    result = builder.clone(*op, mapping)
                 ->getResult(cast<OpResult>(value).getResultNumber());
  } else {
    op->emitError(
        "a kernel needs a value that is neither a buffer nor a number "
        "of the device");
    return {};
  }
  if (result)
    mapping.map(value, result);
  return result;
}

LogicalResult KernelFormer::takeIn(gpu::LaunchOp launch) {
  WalkResult result = launch.walk([](memref::AllocOp alloc) -> WalkResult {
    return alloc.emitError("a kernel allocates memory of its own");
  });
  if (result.wasInterrupted())
    return failure();
  llvm::SetVector<Value> needed;
  getUsedValuesDefinedAbove(launch.getBody(), needed);
  OpBuilder builder = OpBuilder::atBlockBegin(&launch.getBody().front());
  IRMapping mapping;
  for (Value value : needed) {
    Value taken = takeIn(builder, value, mapping, launch);
    if (!taken)
      return failure();
    if (taken == value)
      continue;
    // Uses among the operations that were just written are right as they are.
    rewriter.replaceUsesWithIf(value, taken, [&](OpOperand &use) {
      return launch.getBody().isAncestor(use.getOwner()->getParentRegion()) &&
             use.getOwner() != taken.getDefiningOp();
    });
  }
  return success();
}

//===----------------------------------------------------------------------===//
// What the host does
//===----------------------------------------------------------------------===//

LogicalResult KernelFormer::returnSizes() {
  auto end = cast<func::ReturnOp>(function.front().getTerminator());
  SmallVector<Value> results;
  SmallVector<std::pair<int64_t, int64_t>> sizeOf;
  SmallVector<Value> slots;
  for (auto [number, result] : llvm::enumerate(end.getOperands())) {
    int64_t n = number;
    rewriter.setInsertionPoint(end);
    Location loc = end.getLoc();
    auto leave = [&](Value scalar, bool isSize) {
      auto source = scalar.getDefiningOp<DeviceScalarOp>();
      Value slot;
      // Results that are no sizes have buffers of their own.
      if (isSize && source && !isa<BlockArgument>(source.getBuffer())) {
        slot = source.getBuffer();
      } else {
        slot = memref::AllocOp::create(rewriter, loc,
                                       MemRefType::get({1}, scalar.getType()));
        LoopBuilder b(loc, rewriter);
        createLaunch(loc, b.index(1), 1);
        LoopBuilder inner(loc, rewriter);
        inner.store(scalar, slot, inner.index(0));
        rewriter.setInsertionPoint(end);
      }
      return slot;
    };
    auto type = dyn_cast<MemRefType>(result.getType());
    if (!type) {
      results.push_back(leave(result, /*isSize=*/false));
      continue;
    }
    std::optional<ResultBuffer> buffer = findResultBuffer(result);
    if (!buffer)
      return end.emitError("result ")
             << n << " is not a buffer of the function's own";
    results.push_back(buffer->alloc);
    SmallVector<OpFoldResult> room = buffer->alloc.getMixedSizes();
    for (auto [axis, size] : llvm::enumerate(buffer->shape)) {
      std::optional<int64_t> known = getConstantIntValue(size);
      if (known && known == getConstantIntValue(room[axis]))
        continue;
      sizeOf.push_back({n, static_cast<int64_t>(axis)});
      slots.push_back(
          leave(getValueOrCreateConstantIndexOp(rewriter, loc, size),
                /*isSize=*/true));
    }
  }
  function.setFunctionType(rewriter.getFunctionType(
      function.getArgumentTypes(), ValueRange(results).getTypes()));
  for (auto [entry, slot] : llvm::zip(sizeOf, slots)) {
    NamedAttribute attribute = rewriter.getNamedAttr(
        "sparseconv.size_of",
        rewriter.getDenseI64ArrayAttr({entry.first, entry.second}));
    if (failed(function.insertResult(results.size(), slot.getType(),
                                     rewriter.getDictionaryAttr(attribute))))
      return failure();
    results.push_back(slot);
  }
  rewriter.modifyOpInPlace(end, [&] { end->setOperands(results); });
  return success();
}

LogicalResult KernelFormer::useCapacities() {
  // All before the first operation: capacities depend on arguments alone.
  rewriter.setInsertionPoint(&function.front().front());
  auto replace = [&](OpOperand &operand) -> LogicalResult {
    Value capacity = capacities.get(rewriter, operand.get());
    if (!capacity)
      return operand.getOwner()->emitError(
          "a size that only the device knows has no bound on the host");
    operand.set(capacity);
    return success();
  };
  auto replaceGrid = [&](auto launch) {
    gpu::KernelDim3 grid = launch.getGridSizeOperandValues();
    return llvm::all_of(launch->getOpOperands(), [&](OpOperand &use) {
      bool isGrid = llvm::is_contained({grid.x, grid.y, grid.z}, use.get());
      return !isGrid || succeeded(replace(use));
    });
  };
  if (!llvm::all_of(launches, replaceGrid) || !llvm::all_of(calls, replaceGrid))
    return failure();
  SmallVector<memref::AllocOp> allocs(function.getOps<memref::AllocOp>());
  for (memref::AllocOp alloc : allocs)
    for (OpOperand &operand : alloc->getOpOperands())
      if (failed(replace(operand)))
        return failure();
  return success();
}

LogicalResult KernelFormer::run() {
  if (!function.getBody().hasOneBlock())
    return function.emitError("control flow between blocks has no form on the "
                              "GPU");
  if (failed(divide(function.front(), {})))
    return failure();
  for (auto alloc : function.getOps<memref::AllocOp>())
    sizes[alloc.getMemref()] = llvm::to_vector(alloc.getDynamicSizes());
  for (BlockArgument argument : function.getArguments()) {
    auto sizeOf = function.getArgAttrOfType<DenseI64ArrayAttr>(
        argument.getArgNumber(), "sparseconv.size_of");
    if (!sizeOf)
      continue;
    if (!isSizeOfArgument(function, sizeOf))
      return function.emitError("argument ")
             << argument.getArgNumber()
             << " is the size of something that is no dynamic dimension";
    rewriter.setInsertionPointToStart(&function.front());
    BlockArgument buffer = function.getArgument(sizeOf[0]);
    LoopBuilder b(function.getLoc(), rewriter);
    sizes[buffer].push_back(DeviceScalarOp::create(
        b, argument, memref::DimOp::create(b, buffer, b.index(sizeOf[1]))));
  }
  if (failed(returnSizes()))
    return failure();
  for (gpu::LaunchOp launch : launches)
    if (failed(takeIn(launch)))
      return failure();
  if (failed(useCapacities()))
    return failure();
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.front())))
    if (isOpTriviallyDead(&op))
      rewriter.eraseOp(&op);
  return success();
}

namespace {
struct FormKernels
    : mlir::sparseconv::impl::SparseConvFormKernelsBase<FormKernels> {
  using Base::Base;
  void runOnOperation() override {
    if (!getOperation().isPublic() || getOperation().isDeclaration())
      return;
    if (failed(KernelFormer(getOperation(), blockSize).run()))
      signalPassFailure();
  }
};
} // namespace
