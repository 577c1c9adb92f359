//===- Search.cpp - z-delta search on a GPU -------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each column of displacements one lower bound, then a short walk along it
// (Spira, arXiv 2511.20834, section 4.1), by a thread for each output row. Keys
// ascend on both sides, so what some rows find lies between what the first of
// them and the row after them find: the threads of a block look for those among
// all keys first, and then each for its own among the few in between.
//
//===----------------------------------------------------------------------===//

#include "../KernelsToLoops/Blocks.h"
#include "../KernelsToLoops/KeyFields.h"
#include "../KernelsToLoops/Patterns.h"
#include "../KernelsToLoops/SearchColumns.h"
#include "ColumnHits.h"
#include "Patterns.h"
#include "SharedRows.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// What a block may stage of its part of the table, in bytes.
static constexpr int64_t kMaxStage = 40 << 10;
/// Columns that a thread searches side by side, so that their loads overlap.
static constexpr size_t kSideBySide = 9;

namespace {
class Searcher {
public:
  Searcher(LoopBuilder &b, SearchOp op);
  /// What the search leaves beside the table, or instead of it, if anything.
  std::optional<ColumnHits> emit();

private:
  using Thread = LoopBuilder::Thread;

  /// bounds[s, c] becomes what the first row of segment s of the block finds
  /// for the first displacement of column c.
  void findBounds(const Thread &t, Value bounds);
  /// The first place whose key is not below a query (i32).
  Value findAmongAll(Value query);
  void searchRow(const Thread &t, Value row, Value bounds);
  /// What a row finds for the first displacement of each of some columns, from
  /// `first` on (i32).
  SmallVector<Value> findPlaces(size_t first, ArrayRef<Value> queries,
                                Value segment, Value bounds);
  void writeEntry(const Thread &t, Value row, int64_t number, Value entry);
  /// Whether keys[place] is less than a query, or equals it.
  Value isBelow(Value place, Value query) {
    return b.lessUnsigned(b.load(keys, b.toIndex(place)), query);
  }
  Value isHit(Value place, Value query) {
    return holdsKey(b, keys, b.toIndex(place), end, query);
  }

  LoopBuilder &b;
  SearchOp op;
  SearchColumns columns;
  size_t numColumns;
  Value keys, outKeys, end, numRows;
  Type keyType, i32;
  /// What the first displacement of each column adds to a key.
  Value packed;
  int64_t volume, threads = 256, segmentRows = 16;
  TableUsers users;
  bool isStaged;
  /// In shared memory: parts of the table and of the places of hits.
  Value stage, stagedPlaces;
  ColumnHits hits;
};
} // namespace

Searcher::Searcher(LoopBuilder &b, SearchOp op)
    : b(b), op(op),
      columns(makeSearchColumns(op.getDisplacements(), op.getPacking())),
      numColumns(columns.starts.size() - 1), keys(op.getInKeys()),
      outKeys(op.getOutKeys()), end(b.dim(keys, 0)), numRows(b.dim(outKeys, 0)),
      keyType(getElementTypeOrSelf(keys.getType())), i32(b.getI32Type()),
      volume(columns.numbers.size()), users(op) {
  SmallVector<int64_t> firsts;
  for (int64_t start : ArrayRef(columns.starts).drop_back())
    firsts.push_back(columns.packed[start]);
  packed = getConstantBuffer(b, keyType, firsts);
  // As many rows as can be staged; rows of many displacements are not.
  while (threads > 64 && threads * volume * 4 > kMaxStage)
    threads /= 2;
  isStaged = users.takesTable && threads * volume * 4 <= kMaxStage;
  // A thread for each bound, where there are enough.
  auto numBounds = [&] { return (threads / segmentRows + 1) * numColumns; };
  while (segmentRows < threads && numBounds() > static_cast<size_t>(threads))
    segmentRows *= 2;
}

void Searcher::findBounds(const Thread &t, Value bounds) {
  int64_t items = (threads / segmentRows + 1) * numColumns;
  b.forLoop(t.thread, b.index(items), threads, [&](Value item) {
    Value segment = b.floorDiv(item, numColumns);
    Value column = b.sub(item, b.mul(segment, numColumns));
    Value row = b.add(b.mul(t.block, threads), b.mul(segment, segmentRows));
    row = b.min(row, b.sub(numRows, 1));
    Value query = b.add(b.load(outKeys, row), b.load(packed, column));
    b.store(findAmongAll(query), bounds, {segment, column});
  });
}

Value Searcher::findAmongAll(Value query) {
  // Keys that part what is left in equal parts, all but the last, are looked at
  // at once: few steps, as each waits for memory.
  constexpr int64_t parts = 8;
  Value zero = b.i32(0), one = b.i32(1);
  return b.whileLoop(
      {zero, b.cast(end, i32)},
      [&](ValueRange carried) { return b.less(zero, carried[1]); },
      [&](ValueRange carried) -> SmallVector<Value> {
        Value base = carried[0], length = carried[1];
        Value part =
            b.shiftRightLogical(b.add(length, parts - 1), llvm::Log2_64(parts));
        Value last = b.sub(b.add(base, length), 1), below = zero;
        for (int64_t i = 1; i < parts; ++i) {
          Value place = b.sub(b.add(base, b.mul(part, i)), 1);
          Value isAfter = b.andBits(isBelow(b.min(place, last), query),
                                    b.lessEqual(place, last));
          below = b.add(below, b.select(isAfter, one, zero));
        }
        // What is looked for comes after the last key below the query, and not
        // after the next one looked at, if there is one.
        Value skipped = b.mul(below, part);
        Value rest = b.sub(length, skipped);
        Value isLast = b.equal(below, b.i32(parts - 1));
        Value next = b.select(isLast, rest, b.min(rest, b.sub(part, 1)));
        return {b.add(base, skipped), next};
      })[0];
}

SmallVector<Value> Searcher::findPlaces(size_t first, ArrayRef<Value> queries,
                                        Value segment, Value bounds) {
  SmallVector<Value> bases;
  Value length = b.i32(0), numKeys = b.cast(end, i32);
  for (size_t c = first; c < first + queries.size(); ++c) {
    Value lower = b.load(bounds, {segment, b.index(c)});
    Value upper = b.load(bounds, {b.add(segment, 1), b.index(c)});
    length = b.max(length, b.sub(upper, lower));
    bases.push_back(lower);
  }
  // All ranges are as long as the longest, and none goes beyond the end.
  for (Value &base : bases)
    base = b.min(base, b.sub(numKeys, length));
  return findLowerBounds(b, keys, queries, bases, length);
}

void Searcher::searchRow(const Thread &t, Value row, Value bounds) {
  Value key = b.load(outKeys, row), mask = b.i32(0);
  Value segment = b.floorDiv(t.thread, segmentRows);
  auto getQuery = [&](int64_t i) {
    return b.add(key, b.constantInt(keyType, columns.packed[i]));
  };
  for (size_t first = 0; first < numColumns; first += kSideBySide) {
    size_t last = std::min(first + kSideBySide, numColumns);
    SmallVector<Value> queries;
    for (size_t c = first; c < last; ++c)
      queries.push_back(getQuery(columns.starts[c]));
    SmallVector<Value> places = findPlaces(first, queries, segment, bounds);
    for (size_t c = first; c < last; ++c) {
      Value place = places[c - first];
      if (hits.places)
        b.store(place, stagedPlaces, b.add(b.mul(t.thread, numColumns), c));
      for (int64_t i = columns.starts[c]; i < columns.starts[c + 1]; ++i) {
        Value query = getQuery(i);
        // No key lies between queries that differ by 1.
        if (!columns.isContiguous && i != columns.starts[c])
          place = b.cast(advance(b, keys, b.toIndex(place), end, query), i32);
        Value hit = isHit(place, query);
        writeEntry(t, row, columns.numbers[i], b.select(hit, place, b.i32(-1)));
        if (hits.masks)
          mask = b.orBits(mask,
                          b.select(hit, b.bit(columns.numbers[i]), b.i32(0)));
        if (columns.isDistinct)
          place = b.add(place, b.select(hit, b.i32(1), b.i32(0)));
      }
    }
  }
  if (hits.masks)
    b.store(mask, hits.masks, row);
}

void Searcher::writeEntry(const Thread &t, Value row, int64_t number,
                          Value entry) {
  if (isStaged)
    b.store(entry, stage, b.add(b.mul(t.thread, volume), number));
  else if (users.takesTable)
    b.store(entry, op.getTable(), {row, b.index(number)});
}

std::optional<ColumnHits> Searcher::emit() {
  int64_t width = numColumns, numSegments = threads / segmentRows;
  SmallVector<MemRefType> shared = {
      b.getSharedType({numSegments + 1, width}, i32)};
  if (isStaged)
    shared.push_back(b.getSharedType({threads * volume}, i32));
  if (users.takesHits) {
    auto dynamic = ShapedType::kDynamic;
    hits = {columns, b.alloc({dynamic}, i32, numRows),
            b.alloc({dynamic, width}, i32, numRows)};
    shared.push_back(b.getSharedType({threads * width}, i32));
  }
  Value numBlocks = b.ceilDiv(numRows, threads);
  b.launch(numBlocks, threads, shared, [&](const Thread &t) {
    b.ifThen(b.less(t.block, numBlocks), [&] {
      stage = isStaged ? t.shared[1] : Value();
      stagedPlaces = hits.places ? t.shared.back() : Value();
      findBounds(t, t.shared[0]);
      b.barrier();
      Value row = b.add(b.mul(t.block, threads), t.thread);
      b.ifThen(b.less(row, numRows), [&] { searchRow(t, row, t.shared[0]); });
      if (isStaged)
        writeWarpRows(b, t, threads, stage, op.getTable());
      if (hits.places)
        writeWarpRows(b, t, threads, stagedPlaces, hits.places);
    });
  });
  if (!users.takesHits)
    return std::nullopt;
  if (users.dealloc) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(users.dealloc);
    b.dealloc(hits.masks);
    b.dealloc(hits.places);
  }
  return hits;
}

void mlir::sparseconv::populateSearchToGpuPatterns(RewritePatternSet &patterns,
                                                   HitsOfTables &hitsOfTables) {
  patterns.add<LoopPattern<SearchOp>>(
      patterns.getContext(), [&](LoopBuilder &b, SearchOp op) {
        if (std::optional<ColumnHits> hits = Searcher(b, op).emit())
          hitsOfTables[op.getTable()] = *hits;
      });
}
