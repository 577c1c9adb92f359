//===- RowSearch.cpp - a search with a thread for each row ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowSearch.h"
#include "ColumnHits.h"
#include "DigitCounts.h"
#include "SharedRows.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "sparseconv/Kernels/Builders/WarpOps.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// 32-bit words that a row leaves in shared memory.
static int64_t getStageWords(const SearchTask &task) {
  // What other rows write, too, is not gathered.
  int64_t words = task.table && !task.isHalf() ? task.getNumOffsets() : 0;
  return words + (task.masks ? task.columns.getRecordSize() : 0);
}

int64_t mlir::sparseconv::getBlockRows(const SearchTask &task) {
  return task.masks ? task.sampleRows
                    : getSearchRows(getStageWords(task), task.isSelf());
}

/// Words of a mask where hits are wanted, else one that stays empty.
static int64_t getNumWords(const SearchTask &task) {
  return task.masks ? getMaskWords(task.getNumOffsets()) : 1;
}

/// Rows of many displacements go to memory entry by entry.
static bool isStaged(const SearchTask &task) {
  return task.table && !task.isHalf() &&
         task.getNumOffsets() <= kMaxUnrolledOffsets &&
         getBlockRows(task) * getStageWords(task) * 4 <= kMaxSearchStage;
}

int64_t mlir::sparseconv::getStageBytes(const SearchTask &task) {
  int64_t rows = getBlockRows(task);
  int64_t words = isStaged(task) ? task.getNumOffsets() : 0;
  if (task.masks)
    words += task.columns.getRecordSize() + 1;
  return rows * words * 4;
}

Value mlir::sparseconv::getHit(LoopBuilder &b, const SearchColumns &columns,
                               int64_t length, Value above) {
  Value isHit = b.lessUnsigned(above, (length - 1) * columns.spacing + 1);
  Value number = b.divide(b.cast(above, b.getI32Type()), columns.spacing);
  return b.select(isHit, b.shiftLeft(b.i32(1), number), b.i32(0));
}

//===----------------------------------------------------------------------===//
// FoundRow
//===----------------------------------------------------------------------===//

FoundRow::FoundRow(LoopBuilder &b, const SearchTask &task, Value thread,
                   Value row, TableWriter &table, Value stage)
    : b(b), task(task), thread(thread), row(row), table(table), stage(stage),
      mask(getNumWords(task), b.i32(0)) {}

void FoundRow::setEntry(int64_t number, Value entry) {
  setEntry(b.index(number), entry);
}

void FoundRow::setEntry(Value number, Value entry) {
  if (stage)
    b.store(entry, stage, b.add(b.mul(thread, task.getNumOffsets()), number));
  else if (task.table)
    table.setEntry(row, number, entry);
}

void FoundRow::setColumn(int64_t column, Value place, Value hits) {
  ArrayRef<int64_t> numbers = task.columns.getNumbers(column);
  record.push_back(place);
  // Where there are many, registers have no room for all of them.
  if (task.masks && mask.size() > 1)
    stageRecord();
  if (task.masks)
    addHits(b, numbers, hits, mask);
  if (!task.table)
    return;
  for (auto [i, number] : llvm::enumerate(numbers)) {
    uint32_t own = uint32_t(1) << i;
    setEntry(number, getColumnEntry(b, place, hits, own - 1, own));
  }
}

void FoundRow::stageRecord() {
  auto type = VectorType::get(kHitWords, b.getI32Type());
  int64_t ofRow = task.columns.getRecordSize() / kHitWords;
  ArrayRef<Value> left = record;
  for (; left.size() >= kHitWords; left = left.drop_front(kHitWords)) {
    Value words =
        vector::FromElementsOp::create(b, type, left.take_front(kHitWords));
    Value piece = b.add(b.mul(thread, ofRow), firstPiece++);
    b.store(words, records, getPiecePlace(b, piece, thread, ofRow));
  }
  record = llvm::to_vector(left);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

namespace mlir::sparseconv {
class RowSearchKernel {
public:
  RowSearchKernel(LoopBuilder &b, const SearchTask &task,
                  const RowSearch &search)
      : b(b), task(task), search(search), threads(getBlockRows(task)),
        numRows(b.dim(task.outKeys, 0)), table(b, task) {
    if (task.masks)
      counts = OffsetCounts(b, task.counts, numRows, threads);
  }

  void emit();

private:
  using Thread = LoopBuilder::Thread;

  /// Searches for the neighbours of the rows of a thread block.
  void searchBlock(const Thread &t);
  /// Searches for those of a row. Returns its mask, where hits are wanted.
  SmallVector<Value> searchRow(const Thread &t, Value row);

  LoopBuilder &b;
  const SearchTask &task;
  const RowSearch &search;
  int64_t threads;
  Value numRows;
  TableWriter table;
  OffsetCounts counts;
  /// In shared memory: the block's part of the table and of the records, and
  /// what its offsets are counted in.
  Value stage, stagedRecords, sharedCounts;
};
} // namespace mlir::sparseconv

SmallVector<Value> RowSearchKernel::searchRow(const Thread &t, Value row) {
  FoundRow found(b, task, t.thread, row, table, stage);
  found.records = stagedRecords;
  search.search(t, row, found);
  if (task.masks) {
    for (auto [word, bits] : llvm::enumerate(found.mask))
      b.store(bits, task.masks, {b.index(word), row});
    llvm::append_range(found.record, found.mask);
    found.record.resize(llvm::alignTo(found.record.size(), kHitWords),
                        b.i32(0));
    found.stageRecord();
  }
  return found.mask;
}

void RowSearchKernel::searchBlock(const Thread &t) {
  if (search.enter) {
    search.enter(t);
    b.barrier();
  }
  Value row = b.add(b.mul(t.block, threads), t.thread);
  Value isRow = b.less(row, numRows);
  int64_t words = getNumWords(task);
  SmallVector<Value> mask;
  if (search.isByWarps) {
    mask = searchRow(t, b.min(row, b.sub(numRows, 1)));
    for (Value &bits : mask)
      bits = b.select(isRow, bits, b.i32(0));
  } else {
    mask = b.ifElse(
        isRow, SmallVector<Type>(words, b.getI32Type()),
        [&] { return searchRow(t, row); },
        [&] { return SmallVector<Value>(words, b.i32(0)); });
  }
  letNextStart(b);
  if (stage)
    writeWarpRows(b, t, threads, stage, task.table);
  if (!task.masks)
    return;
  writeWarpRows(b, t, threads, stagedRecords, task.records);
  counts.add(b, t, mask, sharedCounts);
}

void RowSearchKernel::emit() {
  table.prepare();
  Type i32 = b.getI32Type();
  SmallVector<MemRefType> shared = search.shared;
  if (isStaged(task))
    shared.push_back(b.getSharedType({threads * task.getNumOffsets()}, i32));
  if (task.masks) {
    auto piece = VectorType::get(kHitWords, i32);
    int64_t pieces = threads * task.columns.getRecordSize() / kHitWords;
    shared.push_back(b.getSharedType({pieces}, piece));
    shared.push_back(counts.getSharedType(b));
  }
  Value numBlocks = b.ceilDiv(numRows, threads);
  b.launch(numBlocks, threads, shared, [&](const Thread &t) {
    ArrayRef<Value> own = ArrayRef(t.shared).drop_front(search.shared.size());
    if (isStaged(task)) {
      stage = own.front();
      own = own.drop_front();
    }
    if (task.masks) {
      stagedRecords = own[0];
      sharedCounts = own[1];
      // Without rows there is nothing to sort.
      b.ifThen(b.equal(t.block, b.index(0)),
               [&] { clearSortSums(b, task.totals, t.thread, threads); });
    }
    b.ifThen(b.less(t.block, numBlocks), [&] { searchBlock(t); });
  });
}

void mlir::sparseconv::launchRowSearch(LoopBuilder &b, const SearchTask &task,
                                       const RowSearch &search) {
  RowSearchKernel(b, task, search).emit();
}
