//===- ColumnHits.cpp - what a search finds, by column --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnHits.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::sparseconv;

Value mlir::sparseconv::getColumnEntry(LoopBuilder &b, Value place, Value hits,
                                       uint32_t before, uint32_t own) {
  auto getBits = [&](uint32_t bits) {
    return b.andBits(hits, b.i32(static_cast<int32_t>(bits)));
  };
  if (before)
    place = b.add(place, b.popCount(getBits(before)));
  Value isHit = b.notEqual(getBits(own), b.i32(0));
  return b.select(isHit, place, b.i32(-1));
}

SmallVector<Value> mlir::sparseconv::loadEntries(LoopBuilder &b,
                                                 const SearchColumns &columns,
                                                 Value records, Value row) {
  SmallVector<Value> entries(columns.getNumOffsets()), record;
  for (int64_t i = 0; i < columns.getRecordSize(); i += kHitWords) {
    Value words = b.loadVector(kHitWords, records, {row, b.index(i)},
                               /*multiple=*/kHitWords);
    for (int64_t j = 0; j < kHitWords; ++j)
      record.push_back(vector::ExtractOp::create(b, words, j));
  }
  Value mask = record[columns.getNumColumns()];
  for (int64_t c = 0; c < columns.getNumColumns(); ++c) {
    uint32_t before = 0;
    for (int64_t number : columns.getNumbers(c)) {
      uint32_t own = uint32_t(1) << number;
      entries[number] = getColumnEntry(b, record[c], mask, before, own);
      before |= own;
    }
  }
  return entries;
}
