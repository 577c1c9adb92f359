//===- Maps.cpp - encodings of kernel maps as loops -----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Patterns.h"
#include "SearchColumns.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::sparseconv;

//===----------------------------------------------------------------------===//
// search
//===----------------------------------------------------------------------===//

SearchColumns
mlir::sparseconv::makeSearchColumns(ArrayRef<int64_t> displacements,
                                    PackingAttr packing) {
  int64_t dim = packing.getDim();
  int64_t volume = displacements.size() / dim;
  auto get = [&](int64_t k) { return displacements.slice(k * dim, dim); };
  SearchColumns columns;
  columns.numbers = llvm::to_vector(llvm::seq<int64_t>(volume));
  llvm::sort(columns.numbers, [&](int64_t a, int64_t b) {
    ArrayRef<int64_t> lhs = get(a), rhs = get(b);
    if (lhs == rhs)
      return a < b;
    return std::lexicographical_compare(lhs.begin(), lhs.end(), rhs.begin(),
                                        rhs.end());
  });
  for (int64_t i = 0; i < volume; ++i) {
    ArrayRef<int64_t> here = get(columns.numbers[i]);
    columns.packed.push_back(packing.packOffset(here));
    if (i != 0) {
      ArrayRef<int64_t> before = get(columns.numbers[i - 1]);
      if (here.drop_back() == before.drop_back()) {
        columns.isContiguous &= here.back() - before.back() == 1;
        columns.isDistinct &= here != before;
        continue;
      }
    }
    columns.starts.push_back(i);
  }
  int64_t numColumns = columns.starts.size();
  columns.starts.push_back(volume);
  int64_t first = columns.starts[1];
  bool isUniform = llvm::all_of(llvm::seq<int64_t>(numColumns), [&](int64_t c) {
    return columns.starts[c] == c * first;
  });
  if (isUniform && numColumns * first == volume)
    columns.length = first;
  return columns;
}

/// Rows of one work item. Each pays one lower bound for every column.
static constexpr int64_t kSearchBlock = 1024;

/// The keys with a sentinel behind the last, larger than all: walks need no
/// other bound.
static Value copyWithSentinel(LoopBuilder &b, Value keys) {
  Type type = getElementTypeOrSelf(keys.getType());
  Value size = b.dim(keys, 0);
  Value copy = b.alloc({ShapedType::kDynamic}, type, b.add(size, 1));
  forEachRow(b, size, kRowsPerBlock,
             [&](Value row) { b.store(b.load(keys, row), copy, row); });
  b.store(b.constantInt(type, -1), copy, size);
  return copy;
}

/// Whether a query may be the all-ones key, which no set holds: the highest
/// coordinates, displaced by their guards.
static bool mayMeetSentinel(ArrayRef<int64_t> displacements,
                            PackingAttr packing) {
  if (packing.getUsedBits() < packing.getKeyWidth())
    return false;
  size_t dim = packing.getDim();
  for (size_t k = 0; k < displacements.size(); k += dim)
    if (displacements.slice(k, dim) == packing.getGuard())
      return true;
  return false;
}

namespace {
/// Writes the table of one search.
class Search {
public:
  Search(LoopBuilder &b, SearchOp op)
      : b(b), op(op),
        columns(makeSearchColumns(op.getDisplacements(), op.getPacking())),
        meetsSentinel(mayMeetSentinel(op.getDisplacements(), op.getPacking())) {
  }

  void emit();

private:
  Value getStart(Value column) {
    return columns.length ? b.mul(column, columns.length)
                          : b.load(starts, column);
  }
  Value step(Value condition, Value place) {
    return b.add(place, b.select(condition, b.index(1), b.index(0)));
  }
  Value isBelow(Value place, Value query) {
    return b.lessUnsigned(b.load(keys, place), query);
  }
  Value moveTo(Value place, Value query);
  void writeColumn(Value row, Value center, Value column, Value places);

  LoopBuilder &b;
  SearchOp op;
  SearchColumns columns;
  bool meetsSentinel;
  Value numbers, packed, starts;
  Value keys, end;
};
} // namespace

/// The first place from `place` on whose key is not below the query. Most are
/// within two steps, which are taken without a branch to guess.
Value Search::moveTo(Value place, Value query) {
  for (unsigned i = 0; i < 2; ++i)
    place = step(isBelow(place, query), place);
  return b.ifElse(
      isBelow(place, query), b.getIndexType(),
      [&]() -> SmallVector<Value> {
        return {advance(b, keys, place, end, query)};
      },
      [&]() -> SmallVector<Value> { return {place}; })[0];
}

/// The entries of one row in one column. `places` holds, for each column, the
/// place of the row before.
void Search::writeColumn(Value row, Value center, Value column, Value places) {
  Value first = getStart(column), last = getStart(b.add(column, 1));
  Value start =
      moveTo(b.load(places, column), b.add(center, b.load(packed, first)));
  b.store(start, places, column);
  b.forLoop(first, last, 1, start,
            [&](Value entry, ValueRange walk) -> SmallVector<Value> {
              Value query = b.add(center, b.load(packed, entry));
              Value place = walk[0];
              if (!columns.isContiguous)
                place = moveTo(place, query);
              Value hit = b.equal(b.load(keys, place), query);
              if (meetsSentinel)
                hit = b.andBits(hit, b.less(place, end));
              Value neighbour =
                  b.select(hit, b.cast(place, b.getI32Type()), b.i32(-1));
              b.store(neighbour, op.getTable(), {row, b.load(numbers, entry)});
              return {columns.isDistinct ? step(hit, place) : place};
            });
}

void Search::emit() {
  Type keyType = op.getPacking().getKeyType();
  numbers = getConstantBuffer(b, b.getIndexType(), columns.numbers);
  packed = getConstantBuffer(b, keyType, columns.packed);
  if (!columns.length)
    starts = getConstantBuffer(b, b.getIndexType(), columns.starts);
  int64_t count = columns.starts.size() - 1;
  Value outKeys = op.getOutKeys(), zero = b.index(0),
        numColumns = b.index(count);
  end = b.dim(op.getInKeys(), 0);
  keys = copyWithSentinel(b, op.getInKeys());

  // The rows of a block ascend, and with them the place in each column. The
  // columns of one row are searched together: they do not wait for each other.
  auto body = [&](Value, Value begin, Value blockEnd) {
    Value places = b.alloc({count}, b.getIndexType());
    Value first = b.load(outKeys, begin);
    b.forLoop(zero, numColumns, 1, [&](Value column) {
      Value query = b.add(first, b.load(packed, getStart(column)));
      b.store(b.lowerBound(keys, zero, end, query), places, column);
    });
    b.forLoop(begin, blockEnd, 1, [&](Value row) {
      Value center = b.load(outKeys, row);
      b.forLoop(zero, numColumns, 1, [&](Value column) {
        writeColumn(row, center, column, places);
      });
    });
    b.dealloc(places);
  };
  forEachBlock(b, b.dim(outKeys, 0), kSearchBlock, body);
  b.dealloc(keys);
}

static void emitSearch(LoopBuilder &b, SearchOp op) { Search(b, op).emit(); }

//===----------------------------------------------------------------------===//
// invert_table
//===----------------------------------------------------------------------===//

/// Calls `body` for each row and offset of a table, on all threads.
static void forEachEntry(LoopBuilder &b, Value table,
                         function_ref<void(Value row, Value k)> body) {
  Value volume = b.dim(table, 1);
  forEachRow(b, b.dim(table, 0), kRowsPerBlock, [&](Value row) {
    b.forLoop(b.index(0), volume, 1, [&](Value k) { body(row, k); });
  });
}

static void emitInvertTable(LoopBuilder &b, InvertTableOp op) {
  forEachEntry(b, op.getInverse(), [&](Value row, Value k) {
    b.store(b.i32(-1), op.getInverse(), {row, k});
  });
  // An input meets at most one output for each offset: no two rows write the
  // same entry.
  forEachEntry(b, op.getTable(), [&](Value row, Value k) {
    Value neighbour = b.load(op.getTable(), {row, k});
    b.ifThen(b.greaterEqual(neighbour, b.i32(0)), [&] {
      b.store(b.cast(row, b.getI32Type()), op.getInverse(),
              {b.toIndex(neighbour), k});
    });
  });
}

//===----------------------------------------------------------------------===//
// pair_lists
//===----------------------------------------------------------------------===//

static void emitPairLists(LoopBuilder &b, PairListsOp op) {
  Value table = op.getTable(), segments = op.getSegments();
  int64_t size = op.getBlock();
  Value numRows = b.dim(table, 0), volume = b.dim(table, 1);
  Value zero = b.index(0);
  auto isPair = [&](Value neighbour) {
    return b.greaterEqual(neighbour, b.i32(0));
  };

  // segments[block, k] = pairs of the block with offset k.
  forEachBlock(b, numRows, size, [&](Value block, Value begin, Value end) {
    b.forLoop(zero, volume, 1,
              [&](Value k) { b.store(b.i64(0), segments, {block, k}); });
    b.forLoop(begin, end, 1, [&](Value row) {
      b.forLoop(zero, volume, 1, [&](Value k) {
        Value hit = isPair(b.load(table, {row, k}));
        Value one = b.select(hit, b.i64(1), b.i64(0));
        Value count = b.load(segments, {block, k});
        b.store(b.add(count, one), segments, {block, k});
      });
    });
  });

  // Positions: block by block, offset by offset.
  b.forLoop(zero, b.ceilDiv(numRows, size), 1, b.i64(0),
            [&](Value block, ValueRange sum) -> SmallVector<Value> {
              SmallVector<Value> end =
                  b.forLoop(zero, volume, 1, sum,
                            [&](Value k, ValueRange sum) -> SmallVector<Value> {
                              Value count = b.load(segments, {block, k});
                              b.store(sum[0], segments, {block, k});
                              return {b.add(sum[0], count)};
                            });
              b.store(end[0], segments, {block, volume});
              return end;
            });

  // Each row is written where the next pair belongs, and stays if it is one:
  // no branch to guess, and nothing is written beyond the segment.
  forEachBlock(b, numRows, size, [&](Value block, Value begin, Value end) {
    b.forLoop(zero, volume, 1, [&](Value k) {
      Value from = b.toIndex(b.load(segments, {block, k}));
      Value to = b.toIndex(b.load(segments, {block, b.add(k, 1)}));
      b.whileLoop(
          {from, begin},
          [&](ValueRange carried) { return b.less(carried[0], to); },
          [&](ValueRange carried) -> SmallVector<Value> {
            auto [position, row] = std::pair(carried[0], carried[1]);
            Value neighbour = b.load(table, {row, k});
            b.store(neighbour, op.getInRows(), position);
            b.store(b.cast(row, b.getI32Type()), op.getOutRows(), position);
            Value step = b.select(isPair(neighbour), b.index(1), zero);
            return {b.add(position, step), b.add(row, 1)};
          });
    });
  });
}

void mlir::sparseconv::populateMapsToLoopsPatterns(
    RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<LoopPattern<SearchOp>>(context, emitSearch);
  patterns.add<LoopPattern<InvertTableOp>>(context, emitInvertTable);
  patterns.add<LoopPattern<PairListsOp>>(context, emitPairLists);
}
