//===- Search.cpp - z-delta search on a GPU -------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread for each output row and column of displacements: one lower bound,
// then a short walk along the column (Spira, arXiv 2511.20834, section 4.1).
//
//===----------------------------------------------------------------------===//

#include "../KernelsToLoops/Blocks.h"
#include "../KernelsToLoops/Patterns.h"
#include "../KernelsToLoops/SearchColumns.h"
#include "Patterns.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::sparseconv;

static void emitSearch(LoopBuilder &b, SearchOp op) {
  SearchColumns columns =
      makeSearchColumns(op.getDisplacements(), op.getPacking());
  Value keys = op.getInKeys(), outKeys = op.getOutKeys();
  Type keyType = getElementTypeOrSelf(keys.getType());
  Value numbers = getConstantBuffer(b, b.getIndexType(), columns.numbers);
  Value packed = getConstantBuffer(b, keyType, columns.packed);
  Value starts = getConstantBuffer(b, b.getIndexType(), columns.starts);
  Value numColumns = b.index(columns.starts.size() - 1);
  Value numRows = b.dim(outKeys, 0), zero = b.index(0), end = b.dim(keys, 0);

  b.parallelFor(b.mul(numRows, numColumns), [&](Value item) {
    Value row = b.createOrFold<arith::DivUIOp>(item, numColumns);
    Value column = b.createOrFold<arith::RemUIOp>(item, numColumns);
    Value key = b.load(outKeys, row);
    Value first = b.load(starts, column);
    Value last = b.load(starts, b.add(column, 1));
    auto getQuery = [&](Value i) { return b.add(key, b.load(packed, i)); };
    Value place = b.lowerBound(keys, zero, end, getQuery(first));
    b.forLoop(first, last, 1, place,
              [&](Value i, ValueRange carried) -> SmallVector<Value> {
                Value query = getQuery(i);
                Value place = advance(b, keys, carried[0], end, query);
                Value hit = holdsKey(b, keys, place, end, query);
                Value entry =
                    b.select(hit, b.cast(place, b.getI32Type()), b.i32(-1));
                b.store(entry, op.getTable(), {row, b.load(numbers, i)});
                return {place};
              });
  });
}

void mlir::sparseconv::populateSearchToGpuPatterns(
    RewritePatternSet &patterns) {
  patterns.add<LoopPattern<SearchOp>>(patterns.getContext(), emitSearch);
}
