//===- RowSearch.h - a search with a thread for each row --------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What searches on a GPU have in common. Each thread of a thread block searches
// for the neighbours of one output row. The threads gather what they find in
// shared memory and write it together: the table word after word, and hits
// record after record.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_ROWSEARCH_H
#define SPARSECONV_LIB_KERNELS_INDEXING_ROWSEARCH_H

#include "OffsetCounts.h"
#include "TableWriter.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"
#include "sparseconv/Kernels/Indexing/Search.h"
#include <functional>

namespace mlir::sparseconv {

/// Takes what a row finds. The search tells all of it: by column where hits are
/// asked for, else by column or entry by entry, in any order.
class FoundRow {
public:
  /// Offset `number` finds `entry` (i32): a position in `in_keys`, or -1.
  void setEntry(int64_t number, Value entry);
  /// The same where the number (index) is known to the kernel alone.
  void setEntry(Value number, Value entry);
  /// A whole column of neighbours, where hits are left of rows. Those of the
  /// column lie from `place` (i32) on, and bit i of `hits` (i32) is set
  /// where displacement i of the column is there. Columns come in their order.
  void setColumn(int64_t column, Value place, Value hits);

private:
  friend class RowSearchKernel;
  FoundRow(LoopBuilder &b, const SearchTask &task, Value thread, Value row,
           TableWriter &table, Value stage);
  /// Moves what is known of the record to shared memory, in whole pieces.
  void stageRecord();

  LoopBuilder &b;
  const SearchTask &task;
  Value thread, row;
  TableWriter &table;
  /// The block's part of the table in shared memory, or null where it is not
  /// gathered there.
  Value stage;
  /// The records of the block in shared memory, or null.
  Value records;
  SmallVector<Value> mask;
  /// Of the row's record, from piece `firstPiece` on.
  SmallVector<Value> record;
  int64_t firstPiece = 0;
};

/// Bit i where a key is displacement i of a column of `length`, else 0 (i32).
/// `above` is how far the key lies above the column's first query.
Value getHit(LoopBuilder &b, const SearchColumns &columns, int64_t length,
             Value above);

/// The part that differs between searches.
struct RowSearch {
  /// What the threads of a block share for the search.
  SmallVector<MemRefType> shared;
  /// Prepares a block, by all of its threads, before a barrier; or null.
  std::function<void(const LoopBuilder::Thread &t)> enter;
  /// Searches for the neighbours of a row.
  std::function<void(const LoopBuilder::Thread &t, Value row, FoundRow &found)>
      search;
  /// Whether the lanes of a warp search together. Those without a row then find
  /// what the last one finds.
  bool isByWarps = false;
};

/// The rows (and threads) of a thread block of a search.
int64_t getBlockRows(const SearchTask &task);

/// The shared memory in which a block gathers what its rows find and counts
/// their offsets, in bytes.
int64_t getStageBytes(const SearchTask &task);

/// Writes the kernel of a search. Shared buffers of the search come first in
/// those of a thread.
void launchRowSearch(LoopBuilder &b, const SearchTask &task,
                     const RowSearch &search);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_ROWSEARCH_H
