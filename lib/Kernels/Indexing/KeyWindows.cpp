//===- KeyWindows.cpp - a search of a set in itself -----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Columns of displacements that differ on the last two axes only form a group.
// The keys that the rows of a thread block meet in a group lie in one window of
// the sorted keys, which is short where the rows are of the same set. A block
// finds its windows among all keys and copies them to a pool in shared memory.
// There a key is one word: its dense number, and which of the keys up to a
// column's length above it are there. So a row searches among words of 32 bits,
// and the word that it finds tells all hits of the column.
//
// A block whose windows or numbers do not fit searches them in place.
//
//===----------------------------------------------------------------------===//

#include "KeyWindows.h"
#include "ColumnGroups.h"
#include "DenseKeys.h"
#include "RowSearch.h"
#include "sparseconv/Kernels/Builders/WarpOps.h"
#include "sparseconv/Kernels/Indexing/KeyFields.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// The longest column: its bits and those of a dense number share a word.
static constexpr int64_t kMaxLength = 8;
/// The most groups, and how far the columns of one may lie apart: windows are
/// longer with each, and few blocks should search among all keys.
static constexpr int64_t kMaxGroups = 9, kMaxSpan = 8;
/// Words of the pool: 99 of 100 blocks of scans need less for 5 groups. Bytes
/// of shared memory that a kernel may declare, and those for all else.
static constexpr int64_t kMaxPool = 3072;
static constexpr int64_t kMaxShared = 48 << 10, kOtherShared = 1 << 10;
/// Places among which all searches of a window end, by halving without a loop;
/// windows have at least as many.
static constexpr int64_t kPlaces = 128;
/// Runs of keys that a warp copies side by side, for up to so many groups and
/// for more: more windows have more keys.
static constexpr int64_t kRuns = 2, kMoreRuns = 4, kFewGroups = 3;

namespace {
class KeyWindows {
public:
  using Thread = LoopBuilder::Thread;
  KeyWindows(LoopBuilder &b, const SearchTask &task);

  static int64_t getPoolWords(const SearchTask &task);
  void emit();

private:
  /// The windows of a block, in shared memory where they fit.
  void enter(const Thread &t);
  /// bounds[i] becomes where window i starts, and bounds[groups + i] where the
  /// last key is that it may need. Each warp looks for some of them.
  struct Bounds {
    SmallVector<Value> numbers, queries, areThere;
  };
  Bounds getBounds(const Thread &t);
  void findBounds(const Thread &t, const Bounds &own);
  /// Where windows are in the pool, by their bounds.
  void placeWindows();
  /// Copies the windows to the pool.
  void fillPool(const Thread &t);
  /// The words of 32 keys that follow each other, of which the last see too
  /// few of those behind them.
  Value makeWord(Value key, Value isKey);
  /// A word of the pool at so many bytes, a multiple of 4, and words behind it.
  Value loadWord(Value bytes, int64_t behind);
  /// Bit i: dense number `query` + i is there, as `word` tells if its number is
  /// not less. `query` is shifted as words are. Bits from the columns' length
  /// on mean nothing.
  Value getHits(Value word, Value query);

  void searchRow(const Thread &t, Value row, FoundRow &found);
  /// The places and hits of the columns of a group: first all places.
  SmallVector<Value> searchWindow(size_t group);
  SmallVector<Value> searchKeys(size_t group, Value key);

  int64_t getNumBounds() const { return 2 * groups.size(); }
  int64_t getNumWarps() const { return threads / kWarpLanes; }
  int64_t getNumRuns() const {
    return groups.size() <= kFewGroups ? kRuns : kMoreRuns;
  }

  LoopBuilder &b;
  const SearchTask &task;
  const SearchColumns &columns;
  SmallVector<ColumnGroup> groups;
  DenseKeys dense;
  int64_t threads, poolWords, length;
  Type i32;
  /// The keys and how many there are (i32); what the first displacement of each
  /// column adds to a key, and what the first and then the last of each group
  /// do.
  Value keys, numKeys, firsts, extremes;

  /// Of a block (i32): where a window is in the pool, its words, and what it
  /// takes from there to the place among all keys.
  struct Window {
    Value start, words, shift;
  };
  SmallVector<Window> windows;
  /// In shared memory; words of the pool in use, and whether they fit (i1); the
  /// number of the thread's own key, shifted as words are.
  Value bounds, pool, usedWords, fits, own;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is known of a search
//===----------------------------------------------------------------------===//

int64_t KeyWindows::getPoolWords(const SearchTask &task) {
  int64_t left = kMaxShared - kOtherShared - getStageBytes(task);
  return std::min(kMaxPool, left / 4);
}

KeyWindows::KeyWindows(LoopBuilder &b, const SearchTask &task)
    : b(b), task(task), columns(task.columns), groups(groupColumns(task)),
      dense(b, task), threads(getBlockRows(task)),
      poolWords(getPoolWords(task)), length(getLongestColumn(columns)),
      i32(b.getI32Type()), keys(task.inKeys),
      numKeys(b.cast(b.dim(keys, 0), i32)) {
  Type keyType = task.packing.getKeyType();
  SmallVector<int64_t> ofColumns, ofGroups;
  for (int64_t start : ArrayRef(columns.starts).drop_back())
    ofColumns.push_back(columns.packed[start]);
  for (const ColumnGroup &group : groups)
    ofGroups.push_back(columns.packed[columns.starts[group.first]]);
  for (const ColumnGroup &group : groups)
    ofGroups.push_back(columns.packed[columns.starts[group.end] - 1]);
  firsts = getConstantBuffer(b, keyType, ofColumns);
  extremes = getConstantBuffer(b, keyType, ofGroups);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

void KeyWindows::enter(const Thread &t) {
  Value ranges = t.shared[0];
  bounds = t.shared[1];
  pool = t.shared[2];
  Value row = b.add(b.mul(t.block, threads), t.thread);
  row = b.min(row, b.sub(b.dim(task.outKeys, 0), 1));
  Value key = b.load(task.outKeys, row);
  Bounds ofWarp = getBounds(t);
  dense.clear(t, ranges);
  b.barrier();
  dense.measure(t, key, ranges);
  findBounds(t, ofWarp);
  b.barrier();
  dense.enter(ranges);
  own = b.shiftLeft(dense.getCenter(key), length);
  placeWindows();
  // A bit more than numbers need tells words below a query from those above.
  fits = b.andBits(dense.fitBits(31 - length),
                   b.lessEqual(usedWords, b.i32(poolWords)));
  b.ifThen(fits, [&] { fillPool(t); });
}

KeyWindows::Bounds KeyWindows::getBounds(const Thread &t) {
  Value warp = b.shiftRight(b.cast(t.thread, i32), llvm::Log2_64(kWarpLanes));
  Value firstRow = b.mul(b.cast(t.block, i32), threads);
  Value lastRow = b.min(b.add(firstRow, threads - 1), b.sub(numKeys, 1));
  Bounds own;
  for (int64_t i = 0; i < getNumBounds(); i += getNumWarps()) {
    Value number = b.add(warp, i), end = b.i32(getNumBounds());
    own.areThere.push_back(b.less(number, end));
    number = b.min(number, b.sub(end, 1));
    Value isStart = b.less(number, b.i32(groups.size()));
    Value row = b.select(isStart, firstRow, lastRow);
    own.numbers.push_back(b.toIndex(number));
    own.queries.push_back(b.add(b.load(task.outKeys, b.toIndex(row)),
                                b.load(extremes, b.toIndex(number))));
  }
  return own;
}

void KeyWindows::findBounds(const Thread &t, const Bounds &own) {
  Value lane = b.andBits(b.cast(t.thread, i32), kWarpLanes - 1);
  SmallVector<Value> found = findLowerBoundsByWarp(b, keys, own.queries, lane);
  for (auto [number, isThere, bound] :
       llvm::zip_equal(own.numbers, own.areThere, found))
    b.ifThen(b.andBits(b.equal(lane, 0), isThere),
             [&, number = number, bound = bound] {
               b.store(bound, bounds, number);
             });
}

void KeyWindows::placeWindows() {
  Value place = b.i32(0), most = b.i32(poolWords);
  for (size_t g = 0; g < groups.size(); ++g) {
    Value start = b.load(bounds, b.index(g));
    Value last = b.load(bounds, b.index(g + groups.size()));
    // Keys behind those that are needed do no harm.
    Value words = b.add(b.sub(last, start), 1);
    words = b.min(b.max(words, b.i32(kPlaces - 1)), most);
    windows.push_back({place, words, b.sub(start, place)});
    place = b.add(place, words);
  }
  // A search may end behind the last window.
  usedWords = b.add(place, 1);
}

void KeyWindows::fillPool(const Thread &t) {
  Value thread = b.cast(t.thread, i32);
  Value lane = b.andBits(thread, kWarpLanes - 1);
  Value warp = b.shiftRight(thread, llvm::Log2_64(kWarpLanes));
  // Keys at the end of what a warp loads are copied by another, which sees
  // those behind them.
  int64_t run = kWarpLanes - (length - 1), ofAll = run * getNumWarps();
  int64_t numRuns = getNumRuns();
  Value isCopied = b.less(lane, b.i32(run));
  b.forLoop(b.mul(warp, run), usedWords, b.i32(ofAll * numRuns), [&](Value at) {
    SmallVector<Value> loaded, areKeys;
    for (int64_t i = 0; i < numRuns; ++i) {
      Value word = b.add(b.add(at, lane), i * ofAll);
      Value shift = windows.front().shift;
      for (const Window &window : ArrayRef(windows).drop_front())
        shift = b.select(b.less(word, window.start), shift, window.shift);
      Value place = b.add(word, shift);
      areKeys.push_back(b.lessUnsigned(place, numKeys));
      place = b.minUnsigned(place, b.sub(numKeys, 1));
      loaded.push_back(b.load(keys, b.toIndex(place)));
    }
    for (int64_t i = 0; i < numRuns; ++i) {
      Value place = b.add(b.add(at, lane), i * ofAll);
      Value word = makeWord(loaded[i], areKeys[i]);
      Value isUsed = b.less(place, usedWords);
      b.ifThen(b.andBits(isCopied, isUsed),
               [&] { b.store(word, pool, b.toIndex(place)); });
    }
  });
}

Value KeyWindows::makeWord(Value key, Value isKey) {
  Value number = b.shiftLeft(dense.getNumber(key), length);
  // Behind all keys is a number above all others.
  Value word = b.select(isKey, b.orBits(number, 1), b.i32(-1));
  // Keys from one up to the next power of two above are known with each step.
  for (int64_t ahead = 1; ahead < length; ahead *= 2) {
    Value hits = getHits(fromLaneAbove(b, word, ahead), number);
    word = b.orBits(word, b.andBits(hits, (int64_t(1) << length) - 1));
  }
  return word;
}

Value KeyWindows::getHits(Value word, Value query) {
  // A number below the query's seems far above.
  Value above = b.sub(word, query);
  Value distance = b.minUnsigned(b.shiftRight(above, length), b.i32(31));
  return b.shiftLeft(above, distance);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

Value KeyWindows::loadWord(Value bytes, int64_t behind) {
  // Where it is known that no bit is lost, no shift is left in the kernel.
  Value place = arith::ShRUIOp::create(b, bytes, b.i32(2), /*isExact=*/true);
  return b.load(pool, b.toIndex(b.add(place, behind)));
}

SmallVector<Value> KeyWindows::searchWindow(size_t group) {
  // Places in the pool are in bytes: a search takes three instructions a step.
  constexpr int64_t bytes = 4;
  const Window &window = windows[group];
  Value start = b.mul(window.start, bytes);
  SmallVector<Value> queries, carried = {b.add(window.words, 1)};
  for (int64_t c = groups[group].first; c < groups[group].end; ++c) {
    Value added = dense.getDisplacement(columns.getNumbers(c).front());
    queries.push_back(b.add(own, b.shiftLeft(added, length)));
    carried.push_back(start);
  }
  // The first `half` of the places of a query go, or the last.
  auto halve = [&](Value half, ValueRange bases, Value at, int64_t behind) {
    SmallVector<Value> next;
    for (auto [base, query] : llvm::zip_equal(bases, queries)) {
      Value word = loadWord(b.add(base, at), behind);
      next.push_back(
          b.select(b.lessUnsigned(word, query), b.add(base, half), base));
    }
    return next;
  };
  Value places = b.i32(kPlaces);
  carried = b.whileLoop(
      carried, [&](ValueRange now) { return b.less(places, now[0]); },
      [&](ValueRange now) {
        Value half = b.min(b.shiftRight(now[0], 1), b.sub(now[0], places));
        SmallVector<Value> next = {b.sub(now[0], half)};
        Value skipped = b.mul(half, bytes);
        llvm::append_range(next, halve(skipped, now.drop_front(), skipped, -1));
        return next;
      });
  SmallVector<Value> bases = llvm::to_vector(ArrayRef(carried).drop_front());
  for (int64_t half = kPlaces / 2; half > 0; half /= 2)
    bases = halve(b.i32(half * bytes), bases, b.i32(0), half - 1);
  SmallVector<Value> found, hits;
  for (auto [base, query] : llvm::zip_equal(bases, queries)) {
    hits.push_back(getHits(loadWord(base, 0), query));
    found.push_back(b.add(b.shiftRight(base, 2), window.shift));
  }
  llvm::append_range(found, hits);
  return found;
}

SmallVector<Value> KeyWindows::searchKeys(size_t group, Value key) {
  // Few blocks come here, but others wait for the last one: the columns of a
  // group are searched side by side.
  const ColumnGroup &own = groups[group];
  Value start = b.load(bounds, b.index(group));
  Value words = b.sub(b.load(bounds, b.index(group + groups.size())), start);
  SmallVector<Value> queries;
  for (int64_t c = own.first; c < own.end; ++c)
    queries.push_back(b.add(key, b.load(firsts, b.index(c))));
  SmallVector<Value> starts(queries.size(), start);
  SmallVector<Value> found = findLowerBounds(b, keys, queries, starts, words);
  SmallVector<Value> places = found;
  Value last = b.sub(numKeys, 1);
  for (auto [place, query] : llvm::zip_equal(places, queries)) {
    Value hits = b.i32(0);
    for (int64_t i = 0; i < length; ++i) {
      // Behind the last key it comes again: that is the same hit.
      Value at = b.minUnsigned(b.add(place, i), last);
      Value above = b.sub(b.load(keys, b.toIndex(at)), query);
      hits = b.orBits(hits, getHit(b, columns, length, above));
    }
    found.push_back(hits);
  }
  return found;
}

void KeyWindows::searchRow(const Thread &t, Value row, FoundRow &found) {
  for (auto [g, group] : llvm::enumerate(groups)) {
    // Loads for all groups at once would need too many registers.
    if (g != 0)
      syncWarp(b);
    int64_t count = group.size();
    SmallVector<Value> both = b.ifElse(
        fits, SmallVector<Type>(2 * count, i32),
        [&, g = g] { return searchWindow(g); },
        [&, g = g] { return searchKeys(g, b.load(task.outKeys, row)); });
    for (int64_t i = 0; i < count; ++i) {
      int64_t c = group.first + i;
      int64_t bits = columns.starts[c + 1] - columns.starts[c];
      Value hits = b.andBits(both[count + i], (int64_t(1) << bits) - 1);
      found.setColumn(c, both[i], hits);
    }
  }
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void KeyWindows::emit() {
  RowSearch search;
  search.shared = {dense.getRangesType(),
                   b.getSharedType({getNumBounds()}, i32),
                   b.getSharedType({poolWords}, i32)};
  search.enter = [&](const Thread &t) { enter(t); };
  search.search = [&](const Thread &t, Value row, FoundRow &found) {
    searchRow(t, row, found);
  };
  search.isByWarps = true;
  launchRowSearch(b, task, search);
}

bool mlir::sparseconv::fitsKeyWindows(const SearchTask &task) {
  const SearchColumns &columns = task.columns;
  if (!task.isSelf() || !task.findsColumns() ||
      !DenseKeys::areNarrow(task.packing))
    return false;
  SmallVector<ColumnGroup> groups = groupColumns(task);
  int64_t dim = task.packing.getDim();
  int64_t stride = dim > 1 ? task.inStride[dim - 2] : 1;
  bool areNear = llvm::all_of(groups, [&](const ColumnGroup &group) {
    return group.span / stride <= kMaxSpan;
  });
  int64_t words = groups.size() * kPlaces + getBlockRows(task);
  return areNear && getLongestColumn(columns) <= kMaxLength &&
         groups.size() <= kMaxGroups && words <= KeyWindows::getPoolWords(task);
}

void mlir::sparseconv::emitKeyWindows(LoopBuilder &b, const SearchTask &task) {
  KeyWindows(b, task).emit();
}
