//===- SharedRows.cpp - rows of a table in shared memory ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedRows.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "sparseconv/Kernels/Builders/WarpOps.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
/// The words of a warp's rows, in pieces of one or some: those of a lane are 32
/// pieces apart.
struct WarpWords {
  WarpWords(LoopBuilder &b, const LoopBuilder::Thread &t, int64_t threads,
            Value table, int64_t piece = 1) {
    int64_t columns = cast<MemRefType>(table.getType()).getDimSize(1);
    pieces = columns / piece;
    SmallVector<ReassociationIndices> all = {{0, 1}};
    words = memref::CollapseShapeOp::create(b, table, all);
    Value lane = b.andBits(t.thread, b.index(kWarpLanes - 1));
    Value firstThread = b.sub(t.thread, lane);
    inStage = b.add(b.mul(firstThread, pieces), lane);
    inTable = b.mul(b.add(b.mul(t.block, threads * pieces), inStage), piece);
    end = b.mul(b.dim(table, 0), columns);
  }

  /// Of a row.
  int64_t pieces;
  Value words, end, inStage, inTable;
};
} // namespace

Value mlir::sparseconv::getPiecePlace(LoopBuilder &b, Value piece, Value row,
                                      int64_t pieces) {
  // 8 pieces of 16 bytes take all banks.
  constexpr int64_t ofBanks = 8;
  if (pieces % ofBanks != 0)
    return piece;
  return b.xorBits(piece, b.andBits(row, ofBanks - 1));
}

void mlir::sparseconv::readWarpRows(LoopBuilder &b,
                                    const LoopBuilder::Thread &t,
                                    int64_t threads, Value table, Value stage) {
  WarpWords own(b, t, threads, table);
  // All loads come before the stores, which would order them.
  SmallVector<Value> loaded;
  for (int64_t i = 0; i < own.pieces; ++i) {
    Value word = b.min(b.add(own.inTable, kWarpLanes * i), b.sub(own.end, 1));
    loaded.push_back(b.load(own.words, word));
  }
  for (auto [i, value] : llvm::enumerate(loaded))
    b.store(value, stage, b.add(own.inStage, kWarpLanes * i));
  syncWarp(b);
}

void mlir::sparseconv::writeWarpRows(LoopBuilder &b,
                                     const LoopBuilder::Thread &t,
                                     int64_t threads, Value stage,
                                     Value table) {
  Type element = cast<MemRefType>(stage.getType()).getElementType();
  auto vector = dyn_cast<VectorType>(element);
  int64_t piece = vector ? vector.getNumElements() : 1;
  WarpWords own(b, t, threads, table, piece);
  syncWarp(b);
  for (int64_t i = 0; i < own.pieces; ++i) {
    Value word = b.add(own.inTable, kWarpLanes * i * piece);
    Value at = b.add(own.inStage, kWarpLanes * i);
    if (vector)
      at = getPiecePlace(b, at, b.divide(at, own.pieces), own.pieces);
    Value value = b.load(stage, at);
    b.ifThen(b.less(word, own.end), [&] {
      if (vector)
        b.storeVector(value, own.words, word, /*multiple=*/piece);
      else
        b.store(value, own.words, word);
    });
  }
}
