//===- FormLaunches.cpp - operations divided into launches ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormKernels.h"
#include "FunctionBuffers.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Blocks of a parallel loop's launch, whose threads take several iterations
/// where there are more.
static constexpr int64_t kMaxBlocks = 4096;

bool mlir::sparseconv::isRepeatable(Operation *op) {
  if (isa<DeviceScalarOp>(op))
    return true;
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         !isa<memref::DimOp, GrowableCapacityOp>(op);
}

/// Whether `op` stays on the host as it is.
static bool isHostOp(Operation *op) {
  return isa<memref::AllocOp, memref::DeallocOp, memref::GetGlobalOp,
             memref::DimOp, func::ReturnOp, GrowableCapacityOp>(op) ||
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

/// Whether `op` reads a number that one of `scalars` may write.
static bool readsResultOf(Operation *op, ArrayRef<Operation *> scalars) {
  auto number = dyn_cast<DeviceScalarOp>(op);
  if (!number)
    return false;
  Value buffer = getBase(number.getBuffer());
  auto mayWrite = [&](Operation *user) {
    return !isa<memref::LoadOp>(user) &&
           llvm::any_of(user->getOperands(), [&](Value operand) {
             return isa<MemRefType>(operand.getType()) &&
                    getBase(operand) == buffer;
           });
  };
  return llvm::any_of(scalars, [&](Operation *scalar) {
    auto find = [&](Operation *user) {
      return mayWrite(user) ? WalkResult::interrupt() : WalkResult::advance();
    };
    return scalar->walk(find).wasInterrupted();
  });
}

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
  // Enough to fill a device; a bound on sizes may be far above them.
  Value gridSize = b.min(b.ceilDiv(total, blockSize), b.index(kMaxBlocks));
  gpu::LaunchOp launch = createLaunch(loc, gridSize, blockSize);
  openConditions(rewriter, loc, conditions);
  LoopBuilder inner(loc, rewriter);
  Value first = inner.add(inner.mul(launch.getBlockIds().x, blockSize),
                          launch.getThreadIds().x);
  Value stride = inner.mul(launch.getGridSize().x, blockSize);
  inner.forLoop(first, total, stride, [&](Value linear) {
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
      // A launch reads the numbers that it takes in before it does anything.
      if (readsResultOf(op, scalars))
        flush();
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
    if (auto loop = dyn_cast<scf::ForOp>(op); loop && loop.getStaticTripCount())
      return op->emitError("a loop around kernels has too many iterations, or "
                           "with others in its function too many, to be "
                           "unrolled");
    if (!branch)
      return op->emitError("control flow around kernels would need a number of "
                           "the device on the host");
    if (failed(divideBranch(branch, conditions)))
      return failure();
  }
  flush();
  return success();
}
