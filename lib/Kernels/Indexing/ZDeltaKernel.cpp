//===- ZDeltaKernel.cpp - z-delta search on a GPU -------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread searches for each row. What some rows find lies between what the
// first of them and the row after them find: the threads of a thread block look
// for those among all keys first, and then each for its own among the few in
// between.
//
//===----------------------------------------------------------------------===//

#include "ZDeltaKernel.h"
#include "KeyWindows.h"
#include "RowSearch.h"
#include "mlir/IR/TypeUtilities.h"
#include "sparseconv/Kernels/Indexing/KeyFields.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Columns that a thread searches side by side, so that their loads overlap;
/// five or nine were slower.
static constexpr int64_t kSideBySide = 3;
/// Columns whose bounds have room in shared memory.
static constexpr int64_t kMaxBoundedColumns = 2048;

namespace {
/// Writes the kernel of one search.
class ZDeltaKernel {
public:
  ZDeltaKernel(LoopBuilder &b, const SearchTask &task);
  void emit();

private:
  using Thread = LoopBuilder::Thread;

  /// bounds[s, c] becomes what the first row of segment s of the block finds
  /// for the first displacement of column c.
  void findBounds(const Thread &t);
  /// The first place whose key is not below a query (i32).
  Value findAmongAll(Value query);
  /// What a row of a segment finds for the first displacement of each of some
  /// columns (index) (i32).
  SmallVector<Value> findPlaces(ArrayRef<Value> someColumns,
                                ArrayRef<Value> queries, Value segment,
                                Value bounds);
  /// Bit i: the key that lies i times the spacing above `query` is there, for
  /// all `length` of a column that lies at `place` or behind.
  Value findHits(Value place, Value query, int64_t length);
  /// A row, column by column.
  void searchRow(const Thread &t, Value row, FoundRow &found);
  void searchRowInLoops(const Thread &t, Value row, FoundRow &found);
  /// The entries of a column, displacement by displacement.
  void walkColumn(int64_t column, Value key, Value place, FoundRow &found);
  /// Hands the entry for a query, whose key would be at `place`, to `setEntry`.
  /// Returns the place where the walk to the next query begins.
  Value takeStep(Value place, Value query,
                 function_ref<void(Value entry)> setEntry);
  Value walkTo(Value place, Value query) {
    return b.cast(advance(b, keys, b.toIndex(place), end, query), i32);
  }
  Value getQuery(Value key, int64_t displacement) {
    return b.add(key, b.constantInt(keyType, columns.packed[displacement]));
  }

  LoopBuilder &b;
  const SearchTask &task;
  const SearchColumns &columns;
  int64_t numColumns, threads, segmentRows = 32;
  Value keys, end, numRows;
  Type keyType, i32;
  /// Whether there is code for each column, or a loop over them.
  bool isUnrolled;
  /// What the first displacement of each column adds to a key.
  Value firsts;
  /// Where code is not unrolled: what each displacement adds to a key, its
  /// number, and where columns start.
  Value packed, numbers, starts;
};
} // namespace

ZDeltaKernel::ZDeltaKernel(LoopBuilder &b, const SearchTask &task)
    : b(b), task(task), columns(task.columns),
      numColumns(columns.getNumColumns()), threads(getBlockRows(task)),
      keys(task.inKeys), end(b.dim(keys, 0)), numRows(b.dim(task.outKeys, 0)),
      keyType(getElementTypeOrSelf(keys.getType())), i32(b.getI32Type()),
      isUnrolled(task.findsColumns() ||
                 columns.getNumOffsets() <= kMaxUnrolledOffsets) {
  SmallVector<int64_t> offsets;
  for (int64_t start : ArrayRef(columns.starts).drop_back())
    offsets.push_back(columns.packed[start]);
  firsts = getConstantBuffer(b, keyType, offsets);
  if (!isUnrolled) {
    packed = getConstantBuffer(b, keyType, columns.packed);
    numbers = getConstantBuffer(b, i32, columns.numbers);
    starts = getConstantBuffer(b, i32, columns.starts);
  }
  // A thread for each bound, where there are enough.
  auto numBounds = [&] { return (threads / segmentRows + 1) * numColumns; };
  while (segmentRows < threads && numBounds() > threads)
    segmentRows *= 2;
}

void ZDeltaKernel::findBounds(const Thread &t) {
  Value bounds = t.shared[0];
  int64_t items = (threads / segmentRows + 1) * numColumns;
  b.forLoop(t.thread, b.index(items), threads, [&](Value item) {
    Value segment = b.floorDiv(item, numColumns);
    Value column = b.sub(item, b.mul(segment, numColumns));
    Value row = b.add(b.mul(t.block, threads), b.mul(segment, segmentRows));
    row = b.min(row, b.sub(numRows, 1));
    Value query = b.add(b.load(task.outKeys, row), b.load(firsts, column));
    b.store(findAmongAll(query), bounds, {segment, column});
  });
}

Value ZDeltaKernel::findAmongAll(Value query) {
  // Keys that divide what is left in equal sections, all but the last, are
  // looked at at once: few steps, as each waits for memory.
  constexpr int64_t sections = 8;
  Value zero = b.i32(0), one = b.i32(1);
  return b.whileLoop(
      {zero, b.cast(end, i32)},
      [&](ValueRange carried) { return b.less(zero, carried[1]); },
      [&](ValueRange carried) -> SmallVector<Value> {
        Value base = carried[0], length = carried[1];
        Value section =
            b.shiftRight(b.add(length, sections - 1), llvm::Log2_64(sections));
        Value last = b.sub(b.add(base, length), 1), below = zero;
        for (int64_t i = 1; i < sections; ++i) {
          Value place = b.sub(b.add(base, b.mul(section, i)), 1);
          Value key = b.load(keys, b.toIndex(b.min(place, last)));
          Value isAfter =
              b.andBits(b.lessUnsigned(key, query), b.lessEqual(place, last));
          below = b.add(below, b.select(isAfter, one, zero));
        }
        // What is looked for comes after the last key below the query, and not
        // after the next one looked at, if there is one.
        Value skipped = b.mul(below, section);
        Value rest = b.sub(length, skipped);
        Value isLast = b.equal(below, b.i32(sections - 1));
        Value next = b.select(isLast, rest, b.min(rest, b.sub(section, 1)));
        return {b.add(base, skipped), next};
      })[0];
}

SmallVector<Value> ZDeltaKernel::findPlaces(ArrayRef<Value> someColumns,
                                            ArrayRef<Value> queries,
                                            Value segment, Value bounds) {
  SmallVector<Value> bases;
  Value length = b.i32(0), numKeys = b.cast(end, i32);
  for (Value column : someColumns) {
    Value lower = b.load(bounds, {segment, column});
    Value upper = b.load(bounds, {b.add(segment, 1), column});
    length = b.max(length, b.sub(upper, lower));
    bases.push_back(lower);
  }
  // All ranges are as long as the longest, and none goes beyond the end.
  for (Value &base : bases)
    base = b.min(base, b.sub(numKeys, length));
  return findLowerBounds(b, keys, queries, bases, length);
}

Value ZDeltaKernel::findHits(Value place, Value query, int64_t length) {
  return b.ifElse(
      b.less(b.index(0), end), i32,
      [&]() -> SmallVector<Value> {
        // Keys are a spacing apart, so no more than `length` can be as near to
        // the query. Behind the last key it may come again: that is the same
        // hit.
        Value last = b.sub(b.cast(end, i32), 1), hits = b.i32(0);
        SmallVector<Value> above;
        for (int64_t i = 0; i < length; ++i) {
          Value key = b.load(keys, b.toIndex(b.min(b.add(place, i), last)));
          above.push_back(b.sub(key, query));
        }
        for (Value number : above)
          hits = b.orBits(hits, getHit(b, columns, length, number));
        return {hits};
      },
      [&]() -> SmallVector<Value> { return {b.i32(0)}; })[0];
}

Value ZDeltaKernel::takeStep(Value place, Value query,
                             function_ref<void(Value entry)> setEntry) {
  Value hit = holdsKey(b, keys, b.toIndex(place), end, query);
  setEntry(b.select(hit, place, b.i32(-1)));
  if (!columns.isDistinct)
    return place;
  return b.add(place, b.select(hit, b.i32(1), b.i32(0)));
}

void ZDeltaKernel::walkColumn(int64_t column, Value key, Value place,
                              FoundRow &found) {
  for (int64_t i = columns.starts[column]; i < columns.starts[column + 1];
       ++i) {
    Value query = getQuery(key, i);
    // No key lies between queries that differ by 1.
    if (!columns.isContiguous() && i != columns.starts[column])
      place = walkTo(place, query);
    place = takeStep(place, query, [&](Value entry) {
      found.setEntry(columns.numbers[i], entry);
    });
  }
}

void ZDeltaKernel::searchRow(const Thread &t, Value row, FoundRow &found) {
  Value key = b.load(task.outKeys, row);
  Value segment = b.floorDiv(t.thread, segmentRows);
  for (int64_t first = 0; first < numColumns; first += kSideBySide) {
    int64_t last = std::min(first + kSideBySide, numColumns);
    SmallVector<Value> some, queries;
    for (int64_t c = first; c < last; ++c) {
      some.push_back(b.index(c));
      queries.push_back(getQuery(key, columns.starts[c]));
    }
    SmallVector<Value> places = findPlaces(some, queries, segment, t.shared[0]);
    for (int64_t c = first; c < last; ++c) {
      Value place = places[c - first], query = queries[c - first];
      int64_t length = columns.starts[c + 1] - columns.starts[c];
      if (task.findsColumns())
        found.setColumn(c, place, findHits(place, query, length));
      else
        walkColumn(c, key, place, found);
    }
  }
}

void ZDeltaKernel::searchRowInLoops(const Thread &t, Value row,
                                    FoundRow &found) {
  Value key = b.load(task.outKeys, row);
  Value segment = b.floorDiv(t.thread, segmentRows);
  b.forLoop(b.index(0), b.index(numColumns), 1, [&](Value column) {
    Value first = b.add(key, b.load(firsts, column));
    Value place = numColumns <= kMaxBoundedColumns
                      ? findPlaces(column, first, segment, t.shared[0])[0]
                      : findAmongAll(first);
    Value begin = b.toIndex(b.load(starts, column));
    Value stop = b.toIndex(b.load(starts, b.add(column, 1)));
    b.forLoop(begin, stop, 1, place,
              [&](Value i, ValueRange carried) -> SmallVector<Value> {
                Value query = b.add(key, b.load(packed, i));
                Value from = columns.isContiguous() ? carried[0]
                                                    : walkTo(carried[0], query);
                return {takeStep(from, query, [&](Value entry) {
                  found.setEntry(b.toIndex(b.load(numbers, i)), entry);
                })};
              });
  });
}

void ZDeltaKernel::emit() {
  RowSearch search;
  if (numColumns <= kMaxBoundedColumns) {
    search.shared.push_back(
        b.getSharedType({threads / segmentRows + 1, numColumns}, i32));
    search.enter = [&](const Thread &t) { findBounds(t); };
  }
  search.search = [&](const Thread &t, Value row, FoundRow &found) {
    if (isUnrolled)
      searchRow(t, row, found);
    else
      searchRowInLoops(t, row, found);
  };
  launchRowSearch(b, task, search);
}

void mlir::sparseconv::emitZDeltaKernel(LoopBuilder &b,
                                        const SearchTask &task) {
  if (fitsKeyWindows(task))
    return emitKeyWindows(b, task);
  ZDeltaKernel(b, task).emit();
}
