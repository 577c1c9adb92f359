//===- FormKernels.cpp - kernels, and what the host does ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormKernels.h"
#include "FunctionBuffers.h"
#include "sparseconv/Dialect/SparseConv/IR/EntrySizes.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVFORMKERNELS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// Whether a buffer is an argument that is no size of another one.
static bool isScalarArgument(Value buffer) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument)
    return false;
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return !getArgumentSizeOf(function, argument.getArgNumber());
}

LogicalResult KernelFormer::returnSizes() {
  auto end = cast<func::ReturnOp>(function.front().getTerminator());
  SmallVector<Value> results;
  SmallVector<EntryDim> sizeOf;
  SmallVector<Value> slots;
  for (auto [number, result] : llvm::enumerate(end.getOperands())) {
    int64_t n = number;
    rewriter.setInsertionPoint(end);
    Location loc = end.getLoc();
    auto leave = [&](Value scalar, bool isSize) {
      auto source = scalar.getDefiningOp<DeviceScalarOp>();
      Value slot;
      // Results that are no sizes have buffers of their own.
      if (isSize && source && !isScalarArgument(source.getBuffer())) {
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
    NamedAttribute attribute = makeSizeOf(rewriter.getContext(), entry);
    if (failed(function.insertResult(results.size(), slot.getType(),
                                     rewriter.getDictionaryAttr(attribute))))
      return failure();
    results.push_back(slot);
  }
  rewriter.modifyOpInPlace(end, [&] { end->setOperands(results); });
  return success();
}

/// Puts the buffers of counts in front, where sizes that depend on them are
/// computed, and returns the operation behind.
static Operation *moveCounts(func::FuncOp function) {
  llvm::SetVector<Operation *> counts;
  function.walk([&](DeviceScalarOp scalar) {
    if (auto alloc = scalar.getBuffer().getDefiningOp<memref::AllocOp>();
        alloc && scalar.getBound())
      counts.insert(alloc);
  });
  Operation *first = &function.front().front();
  while (counts.contains(first))
    first = first->getNextNode();
  for (Operation *count : counts)
    if (!count->isBeforeInBlock(first))
      count->moveBefore(first);
  return first;
}

LogicalResult KernelFormer::useCapacities() {
  // All at the beginning: capacities depend on arguments alone.
  rewriter.setInsertionPoint(moveCounts(function));
  auto replace = [&](OpOperand &operand) -> LogicalResult {
    Value capacity = capacities.getExact(rewriter, operand.get());
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
  // Those that no memory depends on; kernels compare with them nevertheless.
  for (auto op : llvm::to_vector(function.getOps<GrowableCapacityOp>()))
    if (!op.getLimit().use_empty() &&
        !capacities.get(rewriter, op.getCapacity()))
      return op.emitError("a capacity has no bound on the host");
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
    std::optional<EntryDim> dim =
        getArgumentSizeOf(function, argument.getArgNumber());
    if (!dim)
      continue;
    BlockArgument buffer = function.getArgument(dim->number);
    auto type = dyn_cast<MemRefType>(buffer.getType());
    if (!type || !type.isDynamicDim(dim->axis))
      return function.emitError("argument ")
             << argument.getArgNumber()
             << " is the size of something that is no dynamic dimension";
    rewriter.setInsertionPointToStart(&function.front());
    LoopBuilder b(function.getLoc(), rewriter);
    sizes[buffer].push_back(DeviceScalarOp::create(
        b, argument, memref::DimOp::create(b, buffer, b.index(dim->axis))));
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
