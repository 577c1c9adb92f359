//===- TableWriter.cpp - the entries of a neighbour table -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TableWriter.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Whether displacements are in such an order that their negatives come in the
/// opposite one, as those of a box do.
static bool areReversed(ArrayRef<int64_t> mirrors) {
  for (auto [k, mirror] : llvm::enumerate(llvm::reverse(mirrors)))
    if (mirror != static_cast<int64_t>(k))
      return false;
  return true;
}

void TableWriter::prepare() {
  if (!task.isHalf())
    return;
  if (!areReversed(task.mirrors))
    mirrors = getConstantBuffer(b, b.getIndexType(), task.mirrors);
  fill();
}

void TableWriter::fill() {
  int64_t numOffsets = task.getNumOffsets(), zero = -1;
  for (auto [k, mirror] : llvm::enumerate(task.mirrors))
    if (mirror == static_cast<int64_t>(k))
      zero = k;
  auto setFirst = [&](Value row, Value number) {
    Value isSelf = b.equal(number, b.index(zero));
    Value entry = b.select(isSelf, b.cast(row, b.getI32Type()), b.i32(-1));
    b.store(entry, task.table, {row, number});
  };
  Value numRows = b.dim(task.table, 0);
  if (!b.isGpu())
    return forEachRow(b, numRows, kSearchRowBlock, [&](Value row) {
      b.forLoop(b.index(0), b.index(numOffsets), 1,
                [&](Value number) { setFirst(row, number); });
    });
  b.parallelFor(b.mul(numRows, numOffsets), [&](Value i) {
    Value row = b.divide(i, numOffsets);
    setFirst(row, b.sub(i, b.mul(row, numOffsets)));
  });
}

Value TableWriter::getMirror(Value number) {
  return mirrors ? b.load(mirrors, number)
                 : b.sub(b.index(task.getNumOffsets() - 1), number);
}

void TableWriter::setEntry(Value row, Value number, Value entry) {
  if (!task.isHalf())
    return b.store(entry, task.table, {row, number});
  // An input meets at most one output for each offset: no two rows write the
  // same entry.
  b.ifThen(b.greaterEqual(entry, 0), [&] {
    b.store(entry, task.table, {row, number});
    b.store(b.cast(row, b.getI32Type()), task.table,
            {b.toIndex(entry), getMirror(number)});
  });
}
