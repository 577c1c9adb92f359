//===- Maps.cpp - encodings of kernel maps as loops -----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Indexing/IndexingKernels.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Calls `body` for each row and offset of a table, on all threads.
static void forEachEntry(LoopBuilder &b, Value table,
                         function_ref<void(Value row, Value k)> body) {
  Value volume = b.dim(table, 1);
  forEachRow(b, b.dim(table, 0), kDefaultRowBlock, [&](Value row) {
    b.forLoop(b.index(0), volume, 1, [&](Value k) { body(row, k); });
  });
}

void mlir::sparseconv::emitInvertTable(LoopBuilder &b, InvertTableOp op) {
  forEachEntry(b, op.getInverse(), [&](Value row, Value k) {
    b.store(b.i32(-1), op.getInverse(), {row, k});
  });
  // An input meets at most one output for each offset: no two rows write the
  // same entry.
  forEachEntry(b, op.getTable(), [&](Value row, Value k) {
    Value neighbour = b.load(op.getTable(), {row, k});
    b.ifThen(b.greaterEqual(neighbour, b.i32(0)), [&] {
      b.store(b.cast(row, b.getI32Type()), op.getInverse(),
              {b.toIndex(neighbour), k});
    });
  });
}

void mlir::sparseconv::emitKeepOffsets(LoopBuilder &b, KeepOffsetsOp op) {
  int64_t offsets = cast<ShapedType>(op.getTable().getType()).getDimSize(1);
  llvm::SmallBitVector isKept(offsets);
  for (int64_t offset : op.getOffsets())
    isKept.set(offset);
  Value none = b.i32(-1);
  forEachRow(b, b.dim(op.getKept(), 0), kDefaultRowBlock, [&](Value row) {
    for (int64_t offset : llvm::seq(offsets)) {
      SmallVector<Value> place = {row, b.index(offset)};
      Value neighbour = isKept[offset] ? b.load(op.getTable(), place) : none;
      b.store(neighbour, op.getKept(), place);
    }
  });
}
