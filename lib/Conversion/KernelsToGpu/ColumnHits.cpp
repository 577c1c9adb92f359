//===- ColumnHits.cpp - what a search finds, by column --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnHits.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Whether `user` takes the table without a change.
static bool isReader(Operation *user, Value table) {
  auto kernel = dyn_cast<DestinationStyleOpInterface>(user);
  return kernel && !llvm::is_contained(kernel.getDpsInits(), table);
}

TableUsers::TableUsers(SearchOp op) {
  Value table = op.getTable();
  SearchColumns columns =
      makeSearchColumns(op.getDisplacements(), op.getPacking());
  bool isWhole = columns.isContiguous && columns.isDistinct &&
                 columns.numbers.size() <= 32 &&
                 table.getDefiningOp<memref::AllocOp>();
  for (Operation *user : table.getUsers()) {
    if (user == op || isa<memref::DimOp>(user))
      continue;
    if (isa<memref::DeallocOp>(user)) {
      dealloc = user;
      continue;
    }
    isWhole &= isReader(user, table);
    if (isa<TileRowsOp>(user) && user->getBlock() == op->getBlock() &&
        op->isBeforeInBlock(user))
      takesHits = true;
    else
      takesTable = true;
  }
  takesHits &= isWhole;
  takesTable |= !takesHits;
}

Value mlir::sparseconv::getColumnEntry(LoopBuilder &b, Value place, Value hits,
                                       uint32_t before, uint32_t own) {
  auto getBits = [&](uint32_t bits) {
    return b.andBits(hits, b.i32(static_cast<int32_t>(bits)));
  };
  if (before)
    place = b.add(place, b.createOrFold<math::CtPopOp>(getBits(before)));
  Value isHit = b.notEqual(getBits(own), b.i32(0));
  return b.select(isHit, place, b.i32(-1));
}

SmallVector<Value> ColumnHits::getEntries(LoopBuilder &b, Value row) const {
  SmallVector<Value> entries(columns.numbers.size()), record;
  for (int64_t first = 0; first < getRecordSize(columns); first += kPiece) {
    Value piece = b.loadVector(kPiece, records, {row, b.index(first)},
                               /*multiple=*/kPiece);
    for (int64_t i = 0; i < kPiece; ++i)
      record.push_back(vector::ExtractOp::create(b, piece, i));
  }
  int64_t numColumns = columns.starts.size() - 1;
  Value mask = record[numColumns];
  for (int64_t c = 0; c < numColumns; ++c) {
    uint32_t before = 0;
    for (int64_t i = columns.starts[c]; i < columns.starts[c + 1]; ++i) {
      int64_t number = columns.numbers[i];
      uint32_t own = uint32_t(1) << number;
      entries[number] = getColumnEntry(b, record[c], mask, before, own);
      before |= own;
    }
  }
  return entries;
}
