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
#include "RadixSort.h"
#include "SharedRows.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// What a block may stage of its part of the table, in bytes.
static constexpr int64_t kMaxStage = 40 << 10;
/// Columns that a thread searches side by side, so that their loads overlap;
/// five or nine were slower.
static constexpr size_t kSideBySide = 3;

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
  /// Returns the row's mask, where hits are wanted.
  Value searchRow(const Thread &t, Value row, Value bounds);
  /// What a row finds for the first displacement of each of some columns, from
  /// `first` on (i32).
  SmallVector<Value> findPlaces(size_t first, ArrayRef<Value> queries,
                                Value segment, Value bounds);
  void writeEntry(const Thread &t, Value row, int64_t number, Value entry);
  /// Bit i: key `query` + i is there, for all `length` of a column that lies at
  /// `place` or behind.
  Value findHits(Value place, Value query, int64_t length);
  /// The hits of column `c` as bits of a mask.
  Value toMask(size_t c, Value hits);
  void stageRecord(const Thread &t, ArrayRef<Value> places, Value mask);
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
  int64_t volume, threads = 256, segmentRows = 32;
  TableUsers users;
  bool isStaged;
  /// In shared memory: parts of the table and of the records of hits.
  Value stage, stagedRecords;
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
  int64_t words = users.takesTable ? volume : 0;
  if (users.takesHits)
    words += ColumnHits::getRecordSize(columns);
  while (threads > 64 && threads * words * 4 > kMaxStage)
    threads /= 2;
  isStaged = users.takesTable && threads * words * 4 <= kMaxStage;
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

Value Searcher::findHits(Value place, Value query, int64_t length) {
  return b.ifElse(
      b.less(b.index(0), end), i32,
      [&]() -> SmallVector<Value> {
        // Keys differ, so no more than `length` can be less than that above the
        // query. Behind the last key it may come again: that is the same hit.
        Value last = b.sub(b.cast(end, i32), 1), hits = b.i32(0);
        SmallVector<Value> above;
        for (int64_t i = 0; i < length; ++i) {
          Value key = b.load(keys, b.toIndex(b.min(b.add(place, i), last)));
          above.push_back(b.sub(key, query));
        }
        for (Value number : above) {
          Value isHit = b.lessUnsigned(number, b.constantInt(keyType, length));
          Value bit =
              b.createOrFold<arith::ShLIOp>(b.i32(1), b.cast(number, i32));
          hits = b.orBits(hits, b.select(isHit, bit, b.i32(0)));
        }
        return {hits};
      },
      [&]() -> SmallVector<Value> { return {b.i32(0)}; })[0];
}

Value Searcher::toMask(size_t c, Value found) {
  int64_t begin = columns.starts[c], end = columns.starts[c + 1];
  ArrayRef<int64_t> numbers =
      ArrayRef(columns.numbers).slice(begin, end - begin);
  auto isNext = [](int64_t a, int64_t b) { return b != a + 1; };
  if (llvm::adjacent_find(numbers, isNext) == numbers.end())
    return b.shiftLeft(found, numbers.front());
  Value mask = b.i32(0);
  for (auto [i, number] : llvm::enumerate(numbers)) {
    Value isHit = b.notEqual(b.andBits(found, b.bit(i)), b.i32(0));
    mask = b.orBits(mask, b.select(isHit, b.bit(number), b.i32(0)));
  }
  return mask;
}

void Searcher::stageRecord(const Thread &t, ArrayRef<Value> places,
                           Value mask) {
  constexpr int64_t piece = ColumnHits::kPiece;
  auto type = VectorType::get(piece, i32);
  SmallVector<Value> record(places);
  record.push_back(mask);
  int64_t size = ColumnHits::getRecordSize(columns);
  record.resize(size, b.i32(0));
  for (int64_t i = 0; i < size / piece; ++i) {
    Value words = vector::FromElementsOp::create(
        b, type, ArrayRef(record).slice(i * piece, piece));
    b.store(words, stagedRecords, b.add(b.mul(t.thread, size / piece), i));
  }
}

Value Searcher::searchRow(const Thread &t, Value row, Value bounds) {
  Value key = b.load(outKeys, row), mask = b.i32(0);
  Value segment = b.floorDiv(t.thread, segmentRows);
  auto getQuery = [&](int64_t i) {
    return b.add(key, b.constantInt(keyType, columns.packed[i]));
  };
  // A column of up to 32 neighbours: hits are bits of a word.
  bool isShort = columns.isContiguous && columns.isDistinct && volume <= 32;
  SmallVector<Value> allPlaces;
  for (size_t first = 0; first < numColumns; first += kSideBySide) {
    size_t last = std::min(first + kSideBySide, numColumns);
    SmallVector<Value> queries;
    for (size_t c = first; c < last; ++c)
      queries.push_back(getQuery(columns.starts[c]));
    SmallVector<Value> places = findPlaces(first, queries, segment, bounds);
    llvm::append_range(allPlaces, places);
    for (size_t c = first; c < last; ++c) {
      int64_t begin = columns.starts[c], end = columns.starts[c + 1];
      Value place = places[c - first];
      if (isShort) {
        Value found = findHits(place, queries[c - first], end - begin);
        if (users.takesHits)
          mask = b.orBits(mask, toMask(c, found));
        if (!users.takesTable)
          continue;
        for (int64_t i = 0; i < end - begin; ++i) {
          uint32_t own = uint32_t(1) << i;
          writeEntry(t, row, columns.numbers[begin + i],
                     getColumnEntry(b, place, found, own - 1, own));
        }
        continue;
      }
      for (int64_t i = begin; i < end; ++i) {
        Value query = getQuery(i);
        // No key lies between queries that differ by 1.
        if (!columns.isContiguous && i != begin)
          place =
              b.cast(advance(b, keys, b.toIndex(place), this->end, query), i32);
        Value hit = isHit(place, query);
        writeEntry(t, row, columns.numbers[i], b.select(hit, place, b.i32(-1)));
        if (columns.isDistinct)
          place = b.add(place, b.select(hit, b.i32(1), b.i32(0)));
      }
    }
  }
  if (users.takesHits) {
    b.store(mask, hits.masks, row);
    stageRecord(t, allPlaces, mask);
  }
  return mask;
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
    int64_t size = ColumnHits::getRecordSize(columns);
    hits = {columns, b.alloc({dynamic}, i32, numRows),
            b.alloc({dynamic, size}, i32, numRows),
            OffsetCounts(b, numRows, threads), allocSortSums(b, volume)};
    auto piece = VectorType::get(ColumnHits::kPiece, i32);
    shared.push_back(
        b.getSharedType({threads * size / ColumnHits::kPiece}, piece));
    shared.push_back(hits.counts.getSharedType(b));
  }
  Value numBlocks = b.ceilDiv(numRows, threads);
  b.launch(numBlocks, threads, shared, [&](const Thread &t) {
    // Without rows there is nothing to sort.
    if (users.takesHits)
      b.ifThen(b.equal(t.block, b.index(0)),
               [&] { clearSortSums(b, hits.sortSums, t.thread, threads); });
    b.ifThen(b.less(t.block, numBlocks), [&] {
      stage = isStaged ? t.shared[1] : Value();
      if (users.takesHits)
        stagedRecords = t.shared[isStaged ? 2 : 1];
      findBounds(t, t.shared[0]);
      b.barrier();
      Value row = b.add(b.mul(t.block, threads), t.thread);
      Value mask = b.ifElse(
          b.less(row, numRows), i32,
          [&]() -> SmallVector<Value> {
            return {searchRow(t, row, t.shared[0])};
          },
          [&]() -> SmallVector<Value> { return {b.i32(0)}; })[0];
      if (isStaged)
        writeWarpRows(b, t, threads, stage, op.getTable());
      if (!users.takesHits)
        return;
      writeWarpRows(b, t, threads, stagedRecords, hits.records);
      hits.counts.add(b, t, mask, volume, t.shared.back());
    });
  });
  if (!users.takesHits)
    return std::nullopt;
  if (users.dealloc) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(users.dealloc);
    b.dealloc(hits.masks);
    b.dealloc(hits.records);
    b.dealloc(hits.counts.counts);
    b.dealloc(hits.sortSums);
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
