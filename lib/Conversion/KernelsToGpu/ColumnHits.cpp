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

SmallVector<Value> ColumnHits::getEntries(LoopBuilder &b, Value row,
                                          Value mask) const {
  SmallVector<Value> entries(columns.numbers.size()), firsts;
  int64_t numColumns = columns.starts.size() - 1;
  for (int64_t c = 0; c < numColumns; ++c)
    firsts.push_back(b.load(places, {row, b.index(c)}));
  for (int64_t c = 0; c < numColumns; ++c) {
    uint32_t before = 0;
    for (int64_t i = columns.starts[c]; i < columns.starts[c + 1]; ++i) {
      int64_t number = columns.numbers[i];
      uint32_t bit = uint32_t(1) << number;
      auto getBits = [&](uint32_t bits) {
        return b.andBits(mask, b.i32(static_cast<int32_t>(bits)));
      };
      Value place = firsts[c];
      if (before)
        place = b.add(place, b.createOrFold<math::CtPopOp>(getBits(before)));
      Value isHit = b.notEqual(getBits(bit), b.i32(0));
      entries[number] = b.select(isHit, place, b.i32(-1));
      before |= bit;
    }
  }
  return entries;
}
