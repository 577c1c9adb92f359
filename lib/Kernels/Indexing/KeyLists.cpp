//===- KeyLists.cpp - lists of keys as loops ------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels for which a key is an unsigned number and no more: sort, unique,
// select, intersect.
//
//===----------------------------------------------------------------------===//

#include "CoordinateChecks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "sparseconv/Dialect/SparseConv/Utils/Calls.h"
#include "sparseconv/Kernels/Indexing/IndexingKernels.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::kMaxRows;
using ::sparseconv::StatusCode;
using ::sparseconv::StatusSide;

//===----------------------------------------------------------------------===//
// sort
//===----------------------------------------------------------------------===//

/// The address of the first element of a buffer.
static Value getPointer(LoopBuilder &b, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  Value address =
      b.cast(memref::ExtractAlignedPointerAsIndexOp::create(b, buffer),
             b.getI64Type());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || offset != 0) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
    Value start = b.cast(metadata.getOffset(), b.getI64Type());
    address = b.add(address, b.mul(start, type.getElementTypeBitWidth() / 8));
  }
  auto pointerType = LLVM::LLVMPointerType::get(b.getContext());
  return LLVM::IntToPtrOp::create(b, pointerType, address);
}

void mlir::sparseconv::emitSortCall(LoopBuilder &b, SortOp op) {
  Value keys = op.getKeys();
  bool isWide = getElementTypeOrSelf(keys.getType()).isInteger(64);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  func::FuncOp function = declareFunction(
      op->getParentOfType<ModuleOp>(),
      isWide ? "sparseconv_cpu_sort_u64" : "sparseconv_cpu_sort_u32",
      b.getFunctionType({pointer, pointer, pointer, i64, i64}, {}));
  Value numKeys = b.cast(b.dim(keys, 0), i64);
  func::CallOp::create(b, function,
                       {getPointer(b, keys), getPointer(b, op.getSorted()),
                        getPointer(b, op.getPermutation()), numKeys,
                        b.i64(llvm::sum_of(op.getFields()))});
}

//===----------------------------------------------------------------------===//
// unique
//===----------------------------------------------------------------------===//

void mlir::sparseconv::emitUnique(LoopBuilder &b, UniqueOp op) {
  Value sorted = op.getSorted(), zero = b.index(0);
  SetRoom room(b, op);
  Compaction compaction;
  compaction.numRows = b.dim(sorted, 0);
  compaction.start = [](Value) { return SmallVector<Value>(); };
  // A key is kept where it differs from the one before.
  compaction.visit = [&](Value row, ValueRange) -> SmallVector<Value> {
    Value before = b.load(sorted, b.max(b.sub(row, 1), zero));
    Value differs = b.notEqual(b.load(sorted, row), before);
    return {b.orBits(differs, b.equal(row, zero))};
  };
  compaction.accept = [&](Value total) { return room.fits(b, total); };
  compaction.conclude = [&](Value total, Value) { room.storeCount(b, total); };
  compaction.write = [&](Value row, Value kept, Value position, ValueRange) {
    Value original = b.load(op.getPermutation(), row);
    b.ifThen(kept, [&] {
      b.store(b.load(sorted, row), op.getKeys(), position);
      b.store(original, op.getOrder(), position);
    });
    b.store(b.cast(position, b.getI32Type()), op.getRowOf(),
            b.toIndex(original));
  };
  compactRows(b, compaction);
}

//===----------------------------------------------------------------------===//
// select, intersect
//===----------------------------------------------------------------------===//

void mlir::sparseconv::emitSelect(LoopBuilder &b, SelectOp op) {
  Value keys = op.getKeys(), mask = op.getMask(), zero = b.index(0);
  Value numRows = b.dim(keys, 0), length = b.dim(mask, 0);
  Compaction compaction;
  compaction.numRows = numRows;
  compaction.start = [](Value) { return SmallVector<Value>(); };
  compaction.visit = [&](Value row, ValueRange) -> SmallVector<Value> {
    return {b.load(mask, row)};
  };
  compaction.conclude = [&](Value total, Value) {
    b.store(total, op.getCount(), zero);
  };
  compaction.write = [&](Value row, Value kept, Value position, ValueRange) {
    b.ifThen(kept, [&] {
      b.store(b.load(keys, row), op.getKept(), position);
      b.store(b.cast(row, b.getI32Type()), op.getRows(), position);
    });
  };
  b.ifElse(
      b.equal(numRows, length), [&] { compactRows(b, compaction); },
      [&] {
        LoopBuilder::Report report{StatusCode::RowCountMismatch,
                                   static_cast<int64_t>(op.getOpId())};
        // The mask is operand 1 of prune.
        report.axis = b.i64(1);
        report.value = length;
        report.lower = numRows;
        report.extra = b.i64(static_cast<int64_t>(StatusSide::Set));
        b.report(op.getStatus(), report);
        b.store(zero, op.getCount(), zero);
      });
}

void mlir::sparseconv::emitIntersect(LoopBuilder &b, IntersectOp op) {
  Value lhs = op.getLhs(), rhs = op.getRhs(), zero = b.index(0);
  Value rhsEnd = b.dim(rhs, 0);
  Compaction compaction;
  compaction.numRows = b.dim(lhs, 0);
  // Each row block carries its place in rhs: keys ascend on both sides.
  compaction.start = [&](Value first) -> SmallVector<Value> {
    return {b.lowerBound(rhs, zero, rhsEnd, b.load(lhs, first))};
  };
  compaction.visit = [&](Value row, ValueRange carried) -> SmallVector<Value> {
    Value key = b.load(lhs, row);
    Value place = advance(b, rhs, carried[0], rhsEnd, key);
    return {holdsKey(b, rhs, place, rhsEnd, key), place};
  };
  compaction.conclude = [&](Value total, Value) {
    b.store(total, op.getCount(), zero);
  };
  compaction.write = [&](Value row, Value kept, Value position,
                         ValueRange carried) {
    b.ifThen(kept, [&] {
      b.store(b.load(lhs, row), op.getKeys(), position);
      b.store(b.cast(row, b.getI32Type()), op.getLhsRows(), position);
      b.store(b.cast(carried[0], b.getI32Type()), op.getRhsRows(), position);
    });
  };
  compactRows(b, compaction);
}
