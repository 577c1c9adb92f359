//===- Search.h - ways to search for a kernel map ---------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `Search` writes the kernels of `search` and `search_hits`, for a CPU and
// for a GPU. Each is an object in a file of its own.
//
// To add one: a file in lib/Kernels/Indexing, its line in Searches.def, and its
// line in CMakeLists.txt.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNELS_INDEXING_SEARCH_H
#define SPARSECONV_KERNELS_INDEXING_SEARCH_H

#include "sparseconv/Dialect/SparseConv/IR/SearchColumns.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"
#include "sparseconv/Support/NamedTable.h"

namespace mlir::sparseconv {

/// What a search reads, and the buffers that it fills (see the operations).
struct SearchTask {
  explicit SearchTask(SearchOp op);
  explicit SearchTask(SearchHitsOp op);

  /// Columns of the table: displacements, those included that are not searched
  /// for.
  int64_t getNumOffsets() const;
  /// Whether only half of the displacements are searched for.
  bool isHalf() const { return !mirrors.empty(); }
  /// Whether a set is searched in itself.
  bool isSelf() const { return inKeys == outKeys; }
  /// Whether what a row finds can be told by column.
  bool findsColumns() const { return columns.fitHits(commonStride); }
  /// Whether a query may be the all-ones key, which no set holds: the highest
  /// coordinates, displaced by their guards.
  bool mayMeetSentinel() const;

  /// Sorted keys; N_in of them, and one for each of the N rows.
  Value inKeys, outKeys;
  /// D numbers for each of K displacements; those that are searched for, by
  /// column.
  ArrayRef<int64_t> displacements;
  /// What the coordinates of `inKeys` are multiples of.
  SmallVector<int64_t> inStride;
  /// What last coordinates of both sets are multiples of.
  int64_t commonStride;
  PackingAttr packing;
  /// Where only half are searched for: for each displacement the number of its
  /// negative, else empty.
  SmallVector<int64_t> mirrors;
  SearchColumns columns;
  /// [N, K], or null where only hits are asked for.
  Value table;
  /// The results of `search_hits`; null for `search`.
  Value masks, records, counts, totals;
  /// The rows of a thread block that leaves hits, else 0.
  int64_t sampleRows = 0;
};

/// Rows of one work item of a search on a CPU. What a work item starts with,
/// such as a lower bound for every column, it pays once.
constexpr int64_t kSearchRowBlock = 1024;

/// A way to search.
class Search : public NamedEntry<Search> {
public:
  /// All searches: the first is chosen. `#sparseconv.search` names one.
  static ArrayRef<const Search *> getAll();

  /// Why sets of this packing cannot be searched, their coordinates multiples
  /// of `inStride`, or nothing.
  virtual std::string describeProblem(PackingAttr, ArrayRef<int64_t>) const {
    return {};
  }
  /// Writes loops that fill the table, for a CPU. Hits are not asked for.
  virtual void emitLoops(LoopBuilder &b, const SearchTask &task) const = 0;
  /// Writes the kernels that fill all that the task asks for, for a GPU.
  /// `launchRowSearch` (RowSearch.h) does what searches have in common.
  virtual void emitKernels(LoopBuilder &b, const SearchTask &task) const = 0;

protected:
  explicit Search(llvm::StringLiteral name) : NamedEntry(name) {}
};

/// An error for the first operation in `root` whose search is not there (it
/// lists those that are) or cannot search its sets.
LogicalResult verifySearches(Operation *root);

} // namespace mlir::sparseconv

#endif // SPARSECONV_KERNELS_INDEXING_SEARCH_H
