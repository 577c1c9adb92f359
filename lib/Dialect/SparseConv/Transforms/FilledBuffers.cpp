//===- FilledBuffers.cpp - buffers that begin with one value --------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FilledBuffers.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

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
  if (!matchPattern(value, m_Constant()))
    return {};
  // It outlives the body.
  Operation *constant = value.getDefiningOp();
  if (generic->isProperAncestor(constant))
    constant->moveBefore(generic);
  return value;
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

/// What stores the value that all elements of `buffer` have before `op`, and
/// the value; or twice null.
static std::pair<Operation *, Value> findStore(Operation *op, Value buffer) {
  Operation *writer = findWriter(op, buffer);
  Operation *filler = writer;
  if (auto copy = dyn_cast_if_present<linalg::CopyOp>(writer))
    filler = findWriter(copy, copy.getInputs()[0]);
  Value start = filler ? getFilled(filler) : Value();
  return start ? std::pair(writer, start) : std::pair(nullptr, Value());
}

Value mlir::sparseconv::findStart(Operation *op, Value buffer) {
  return findStore(op, buffer).second;
}

Value mlir::sparseconv::takeStart(Operation *op, Value buffer) {
  auto [writer, start] = findStore(op, buffer);
  bool isCopied = llvm::any_of(buffer.getUsers(), [&](Operation *user) {
    return copiesFrom(user, buffer) && user->isBeforeInBlock(op);
  });
  if (start && !isCopied)
    writer->erase();
  return start;
}

/// Erases buffers that are filled and not read any more.
void mlir::sparseconv::eraseUnread(func::FuncOp function) {
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
