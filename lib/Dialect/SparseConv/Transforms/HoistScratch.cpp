//===- HoistScratch.cpp - memory of threads before they start -------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Dialect/SparseConv/Utils/Calls.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVHOISTSCRATCH
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

static constexpr StringLiteral kThread = "sparseconv_cpu_thread";
static constexpr StringLiteral kThreads = "sparseconv_cpu_threads";

/// The outermost parallel region around `op`, or null.
static omp::ParallelOp getOutermostRegion(Operation *op) {
  omp::ParallelOp outermost;
  for (auto region = op->getParentOfType<omp::ParallelOp>(); region;
       region = region->getParentOfType<omp::ParallelOp>())
    outermost = region;
  return outermost;
}

static Value callCounter(LoopBuilder &b, StringRef name) {
  auto call = func::CallOp::create(b, name, TypeRange(b.getI64Type()));
  return b.toIndex(call.getResult(0));
}

/// Replaces `alloc` by the part of this thread of a buffer in front of
/// `region`.
static void hoist(memref::AllocOp alloc, omp::ParallelOp region) {
  // Threads do not write to one cache line.
  constexpr uint64_t line = 64;
  MemRefType type = alloc.getType();
  int64_t bytes = llvm::alignTo(
      type.getNumElements() *
          DataLayout::closest(alloc).getTypeSize(type.getElementType()),
      line);
  LoopBuilder before(alloc.getLoc(), region);
  Value size = before.mul(callCounter(before, kThreads), bytes);
  Value all = before.alloc({ShapedType::kDynamic}, before.getI8Type(), {size});
  LoopBuilder inside(alloc.getLoc(), alloc);
  Value offset = inside.mul(callCounter(inside, kThread), bytes);
  auto part = memref::ViewOp::create(inside, type, all, offset, ValueRange());
  for (Operation *user : llvm::make_early_inc_range(alloc->getUsers()))
    if (isa<memref::DeallocOp>(user))
      user->erase();
  alloc.replaceAllUsesWith(part.getResult());
  alloc.erase();
  LoopBuilder after(region.getLoc(), region->getContext());
  after.setInsertionPointAfter(region);
  after.dealloc(all);
}

/// Takes away a scope around nothing that is allocated on the stack. Upstream
/// keeps those that have calls, and its conversion to control flow then leaves
/// several blocks in them, where only one may be.
static void inlineScope(RewriterBase &rewriter, memref::AllocaScopeOp scope) {
  bool hasStack =
      scope.walk([](memref::AllocaOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (hasStack || !scope.getBodyRegion().hasOneBlock())
    return;
  Block *body = &scope.getBodyRegion().front();
  Operation *end = body->getTerminator();
  SmallVector<Value> results(end->getOperands());
  rewriter.eraseOp(end);
  rewriter.inlineBlockBefore(body, scope);
  rewriter.replaceOp(scope, results);
}

namespace {
struct HoistScratch
    : mlir::sparseconv::impl::SparseConvHoistScratchBase<HoistScratch> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk(
        [&](memref::AllocaScopeOp scope) { inlineScope(rewriter, scope); });
    SmallVector<std::pair<memref::AllocOp, omp::ParallelOp>> found;
    getOperation()->walk([&](memref::AllocOp alloc) {
      omp::ParallelOp region = getOutermostRegion(alloc);
      if (region && alloc.getType().hasStaticShape())
        found.emplace_back(alloc, region);
    });
    for (auto [alloc, region] : found)
      hoist(alloc, region);
    if (found.empty())
      return;
    Builder builder(&getContext());
    auto type = builder.getFunctionType({}, builder.getI64Type());
    for (StringRef name : {kThread, kThreads})
      declareFunction(getOperation(), name, type);
  }
};
} // namespace
