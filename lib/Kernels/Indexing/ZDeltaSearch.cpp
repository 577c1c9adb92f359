//===- ZDeltaSearch.cpp - one lower bound for a column, then a walk -------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Displacements that differ on the last axis only form a column. For one output
// row the inputs of a column lie close together among the sorted keys, so one
// lower bound and a short walk find them all (Spira, arXiv 2511.20834, section
// 4.1).
//
// A CPU goes through the rows of a row block in their order: keys ascend, and
// with them the place in each column, so that the lower bound is a walk, too.
// ZDeltaKernel.cpp has the kernel of a GPU.
//
//===----------------------------------------------------------------------===//

#include "Searches.h"
#include "TableWriter.h"
#include "ZDeltaKernel.h"
#include "mlir/IR/TypeUtilities.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// The keys with a sentinel behind the last, larger than all: walks need no
/// other bound.
static Value copyWithSentinel(LoopBuilder &b, Value keys) {
  Type type = getElementTypeOrSelf(keys.getType());
  Value size = b.dim(keys, 0);
  Value copy = b.alloc({ShapedType::kDynamic}, type, b.add(size, 1));
  forEachRow(b, size, kDefaultRowBlock,
             [&](Value row) { b.store(b.load(keys, row), copy, row); });
  b.store(b.constantInt(type, -1), copy, size);
  return copy;
}

namespace {
/// Writes the table of one search as loops.
class ZDeltaLoops {
public:
  ZDeltaLoops(LoopBuilder &b, const SearchTask &task)
      : b(b), task(task), columns(task.columns),
        meetsSentinel(task.mayMeetSentinel()), table(b, task) {}

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
  const SearchTask &task;
  const SearchColumns &columns;
  bool meetsSentinel;
  TableWriter table;
  Value numbers, packed, starts;
  Value keys, end;
};
} // namespace

/// The first place from `place` on whose key is not below the query. Most are
/// within two steps, which are taken without a branch to guess.
Value ZDeltaLoops::moveTo(Value place, Value query) {
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
void ZDeltaLoops::writeColumn(Value row, Value center, Value column,
                              Value places) {
  Value first = getStart(column), last = getStart(b.add(column, 1));
  Value start =
      moveTo(b.load(places, column), b.add(center, b.load(packed, first)));
  b.store(start, places, column);
  b.forLoop(first, last, 1, start,
            [&](Value entry, ValueRange walk) -> SmallVector<Value> {
              Value query = b.add(center, b.load(packed, entry));
              Value place = walk[0];
              if (!columns.isContiguous())
                place = moveTo(place, query);
              Value hit = b.equal(b.load(keys, place), query);
              if (meetsSentinel)
                hit = b.andBits(hit, b.less(place, end));
              Value neighbour =
                  b.select(hit, b.cast(place, b.getI32Type()), b.i32(-1));
              table.setEntry(row, b.load(numbers, entry), neighbour);
              return {columns.isDistinct ? step(hit, place) : place};
            });
}

void ZDeltaLoops::emit() {
  table.prepare();
  Type keyType = task.packing.getKeyType();
  numbers = getConstantBuffer(b, b.getIndexType(), columns.numbers);
  packed = getConstantBuffer(b, keyType, columns.packed);
  if (!columns.length)
    starts = getConstantBuffer(b, b.getIndexType(), columns.starts);
  int64_t count = columns.getNumColumns();
  Value outKeys = task.outKeys, zero = b.index(0), numColumns = b.index(count);
  end = b.dim(task.inKeys, 0);
  keys = copyWithSentinel(b, task.inKeys);

  // The rows of a row block ascend, and with them the place in each column. The
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
  forEachRowBlock(b, b.dim(outKeys, 0), kSearchRowBlock, body);
  b.dealloc(keys);
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

namespace {
class ZDeltaSearch final : public Search {
public:
  ZDeltaSearch() : Search("zdelta") {}

  void emitLoops(LoopBuilder &b, const SearchTask &task) const override {
    ZDeltaLoops(b, task).emit();
  }
  void emitKernels(LoopBuilder &b, const SearchTask &task) const override {
    emitZDeltaKernel(b, task);
  }
};
} // namespace

namespace mlir::sparseconv {
const Search &getZDeltaSearch() {
  static const ZDeltaSearch search;
  return search;
}
} // namespace mlir::sparseconv
