//===- SplitReductions.cpp - reductions of many rows in parts -------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitReduction.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVSPLITREDUCTIONS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// The value that `op` fills all of its destination with, or null.
static Value getFilled(Operation *op) {
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return fill.value();
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumDpsInputs() || generic.getNumDpsInits() != 1 ||
      !generic.getMatchingIndexingMap(generic.getDpsInitOperand(0))
           .isPermutation())
    return {};
  Value value = generic.getBody()->getTerminator()->getOperand(0);
  return matchPattern(value, m_Constant()) ? value : Value();
}

/// Whether `user` copies from `buffer`.
static bool copiesFrom(Operation *user, Value buffer) {
  auto copy = dyn_cast<linalg::CopyOp>(user);
  return copy && copy.getInputs()[0] == buffer;
}

/// The last operation before `op` that uses `buffer`, a buffer of the
/// function's own without views, other than to copy from it; null if there is
/// none.
static Operation *findWriter(Operation *op, Value buffer) {
  if (!buffer.getDefiningOp<memref::AllocOp>())
    return nullptr;
  Operation *last = nullptr;
  for (Operation *user : buffer.getUsers()) {
    if (isa<ViewLikeOpInterface>(user) || user->getBlock() != op->getBlock())
      return nullptr;
    if (!copiesFrom(user, buffer) && user->isBeforeInBlock(op) &&
        (!last || last->isBeforeInBlock(user)))
      last = user;
  }
  return last;
}

/// The value that all elements of `buffer` have before `op`, which overwrites
/// them; or null. What stores it there is erased unless others copy it: several
/// reductions start with copies of one buffer.
static Value takeStart(Operation *op, Value buffer) {
  Operation *writer = findWriter(op, buffer);
  if (!writer)
    return {};
  if (auto copy = dyn_cast<linalg::CopyOp>(writer)) {
    Operation *filler = findWriter(copy, copy.getInputs()[0]);
    Value start = filler ? getFilled(filler) : Value();
    if (start)
      copy.erase();
    return start;
  }
  Value start = getFilled(writer);
  bool isCopied = llvm::any_of(buffer.getUsers(), [&](Operation *user) {
    return copiesFrom(user, buffer) && user->isBeforeInBlock(op);
  });
  if (start && !isCopied)
    writer->erase();
  return start;
}

/// Erases buffers that are filled and not read any more.
static void eraseUnread(func::FuncOp function) {
  for (auto alloc : llvm::to_vector(function.getOps<memref::AllocOp>())) {
    SmallVector<Operation *> users(alloc->getUsers());
    bool isRead = llvm::any_of(users, [](Operation *user) {
      return !isa<memref::DeallocOp>(user) && !getFilled(user);
    });
    if (isRead || users.empty())
      continue;
    for (Operation *user : users)
      user->erase();
    alloc.erase();
  }
}

namespace {
struct SplitReductions
    : mlir::sparseconv::impl::SparseConvSplitReductionsBase<SplitReductions> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> found;
    getOperation()->walk([&](linalg::GenericOp op) { found.push_back(op); });
    for (linalg::GenericOp op : found) {
      // In a loop or a branch a launch has no place.
      if (op->getParentOp() != getOperation())
        continue;
      LoopBuilder b(op.getLoc(), op);
      b.setTarget(getTargetInfo(op));
      SplitReduction reduction(b, op);
      if (!reduction.match())
        continue;
      reduction.emit(llvm::map_to_vector(op.getDpsInits(), [&](Value buffer) {
        return takeStart(op, buffer);
      }));
      op.erase();
    }
    eraseUnread(getOperation());
  }
};
} // namespace
