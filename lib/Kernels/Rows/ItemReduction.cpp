//===- ItemReduction.cpp - rows of batch items combined on a GPU ----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ItemReduction.h"
#include "RowLoops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "sparseconv/Kernels/Indexing/KeyFields.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Threads of a block; a thread has a vector of channels.
static constexpr int64_t kThreads = 256, kMaxLanes = 8;
/// Row blocks of all rows, and the fewest rows that are worth one.
static constexpr int64_t kMaxRowBlocks = 512, kMinRowBlock = 128;

namespace {
/// A combination of rows, and the row it comes from where that is wanted.
using Terms = SmallVector<Value>;

class ItemReduction {
public:
  ItemReduction(LoopBuilder &b, const ItemRows &rows, PoolKind kind,
                bool findsRows);
  void
  emit(function_ref<void(Value item, Value channel, Value result, Value row)>
           store);

private:
  using Thread = LoopBuilder::Thread;

  /// This thread's place in a block, and what the block has.
  struct Place {
    Value number; // of the row block, or item
    Value channel, hasChannel;
    Value rowLane, column;
    ArrayRef<Value> shared;
  };
  Place getPlace(const Thread &t);
  Value countBlocks(Value numbers) { return b.mul(numbers, chunks); }
  Terms getStart();
  /// Later rows after earlier ones.
  Terms combine(const Terms &earlier, const Terms &later);
  /// Combines begin .. end-1, neighbours by the same thread, into what the
  /// threads with rowLane 0 get.
  Terms combineRange(const Place &place, Value begin, Value end,
                     function_ref<Terms(Value)> load);
  Terms combineLanes(const Place &place, Terms own);

  LoopBuilder &b;
  const ItemRows &rows;
  PoolKind kind;
  bool findsRows;
  int64_t channels, lanes, columns, chunks, rowLanes;
  /// Rows that a thread loads at once. For single channels the addresses of
  /// more than two spill, as ptxas keeps such kernels small.
  int64_t rowsAtOnce;
  Type i32;
  VectorType type, rowType;
  Value numRows, numRowBlocks;
  /// combined[r + i]: what row block r has of item i. Both ascend, so no two
  /// meet.
  Terms combined;
};
} // namespace

static int64_t getNumChannels(Value x) {
  return cast<MemRefType>(x.getType()).getDimSize(1);
}

bool mlir::sparseconv::canCombineItems(LoopBuilder &b, Value x) {
  return b.isGpu() && getNumChannels(x) > 0;
}

ItemReduction::ItemReduction(LoopBuilder &b, const ItemRows &rows,
                             PoolKind kind, bool findsRows)
    : b(b), rows(rows), kind(kind), findsRows(findsRows),
      channels(getNumChannels(rows.x)), lanes(std::gcd(channels, kMaxLanes)),
      columns(std::min<int64_t>(32, llvm::PowerOf2Ceil(channels / lanes))),
      chunks(llvm::divideCeil(channels / lanes, columns)),
      rowLanes(kThreads / columns), rowsAtOnce(lanes == 1 ? 2 : 4),
      i32(b.getI32Type()), type(getLanes(b.getF32Type(), lanes)),
      rowType(getLanes(i32, lanes)), numRows(b.dim(rows.x, 0)),
      numRowBlocks(
          b.min(b.ceilDiv(numRows, kMinRowBlock), b.index(kMaxRowBlocks))) {}

ItemReduction::Place ItemReduction::getPlace(const Thread &t) {
  Place place;
  place.number = b.floorDiv(t.block, chunks);
  Value chunk = b.sub(t.block, b.mul(place.number, chunks));
  place.column = b.andBits(t.thread, b.index(columns - 1));
  place.rowLane = b.floorDiv(t.thread, columns);
  Value vector = b.add(b.mul(chunk, columns), place.column);
  place.hasChannel = b.less(vector, b.index(channels / lanes));
  place.channel = b.mul(vector, lanes);
  place.shared = t.shared;
  return place;
}

Terms ItemReduction::getStart() {
  Terms start = {getPoolStart(b, kind, lanes)};
  if (findsRows)
    start.push_back(b.constantInt(rowType, -1));
  return start;
}

Terms ItemReduction::combine(const Terms &earlier, const Terms &later) {
  if (!findsRows)
    return {addToPool(b, kind, earlier[0], later[0])};
  Value none = b.constantInt(rowType, -1);
  Value isLater = b.andBits(wins(b, later[0], earlier[0], earlier[1]),
                            b.notEqual(later[1], none));
  return {b.select(isLater, later[0], earlier[0]),
          b.select(isLater, later[1], earlier[1])};
}

Terms ItemReduction::combineRange(const Place &place, Value begin, Value end,
                                  function_ref<Terms(Value)> load) {
  Value share = b.ceilDiv(b.sub(end, begin), rowLanes);
  Value first = b.add(begin, b.mul(place.rowLane, share));
  Value last = b.min(b.add(first, share), end);
  // Threads without channels have no rows.
  last = b.select(place.hasChannel, last, first);
  SmallVector<Value> own = b.forLoop(
      first, last, rowsAtOnce, getStart(),
      [&](Value row, ValueRange carried) -> SmallVector<Value> {
        SmallVector<Terms> loaded;
        for (int64_t i = 0; i < rowsAtOnce; ++i)
          loaded.push_back(load(b.min(b.add(row, i), b.sub(last, 1))));
        Terms sum(carried), start = getStart();
        for (auto [i, terms] : llvm::enumerate(loaded)) {
          Value isRow = b.less(b.add(row, i), last);
          for (auto [term, neutral] : llvm::zip(terms, start))
            term = b.select(isRow, term, neutral);
          sum = combine(sum, terms);
        }
        return sum;
      });
  return combineLanes(place, own);
}

Terms ItemReduction::combineLanes(const Place &place, Terms own) {
  Value slot = b.add(b.mul(place.rowLane, columns), place.column);
  auto store = [&] {
    for (auto [term, buffer] : llvm::zip(own, place.shared))
      b.store(term, buffer, slot);
  };
  store();
  for (int64_t distance = 1; distance < rowLanes; distance *= 2) {
    b.barrier();
    Value isFirst = b.equal(b.andBits(place.rowLane, b.index(2 * distance - 1)),
                            b.index(0));
    b.ifThen(isFirst, [&] {
      Terms earlier, later;
      for (size_t i = 0; i < own.size(); ++i) {
        earlier.push_back(b.load(place.shared[i], slot));
        later.push_back(
            b.load(place.shared[i], b.add(slot, distance * columns)));
      }
      for (auto [term, buffer] :
           llvm::zip(combine(earlier, later), place.shared))
        b.store(term, buffer, slot);
    });
  }
  b.barrier();
  Terms result;
  for (size_t i = 0; i < own.size(); ++i)
    result.push_back(b.load(place.shared[i], slot));
  // What is shared may be written again at once.
  b.barrier();
  return result;
}

void ItemReduction::emit(function_ref<void(Value, Value, Value, Value)> store) {
  auto dynamic = ShapedType::kDynamic;
  Value size = b.add(rows.items, kMaxRowBlocks);
  combined.push_back(b.alloc({dynamic, channels}, b.getF32Type(), size));
  if (findsRows)
    combined.push_back(b.alloc({dynamic, channels}, i32, size));
  SmallVector<MemRefType> shared = {b.getSharedType({kThreads}, type)};
  if (findsRows)
    shared.push_back(b.getSharedType({kThreads}, rowType));
  auto isStoring = [&](const Place &place) {
    return b.andBits(place.hasChannel, b.equal(place.rowLane, b.index(0)));
  };
  // One row block at least has as many rows as all have on average.
  auto getBlockRows = [&] {
    return b.ceilDiv(numRows, b.max(numRowBlocks, b.index(1)));
  };

  b.launch(countBlocks(numRowBlocks), kThreads, shared, [&](const Thread &t) {
    b.ifThen(b.less(t.block, countBlocks(numRowBlocks)), [&] {
      Place place = getPlace(t);
      Value blockRows = getBlockRows();
      Value first = b.mul(place.number, blockRows);
      Value last = b.min(b.add(first, blockRows), numRows);
      auto getItem = [&](Value row) {
        Value key = b.load(rows.keys, row);
        return b.toIndex(getKeyBatch(b, rows.packing, key));
      };
      // Rounding up may leave nothing for the last row blocks.
      b.ifThen(b.less(first, last), [&] {
        Value end = b.min(b.add(getItem(b.sub(last, 1)), 1), rows.items);
        b.forLoop(getItem(first), end, 1, [&](Value item) {
          Value from = b.max(first, b.load(rows.begins, item));
          Value to = b.min(last, b.load(rows.begins, b.add(item, 1)));
          Terms sum = combineRange(place, from, to, [&](Value row) -> Terms {
            Value term = b.toFloat(
                b.loadVector(lanes, rows.x, {row, place.channel}, lanes));
            if (!findsRows)
              return {term};
            return {term, b.broadcast(b.cast(row, i32), lanes)};
          });
          b.ifThen(isStoring(place), [&] {
            Value at = b.add(place.number, item);
            for (auto [term, buffer] : llvm::zip(sum, combined))
              b.storeVector(term, buffer, {at, place.channel}, lanes);
          });
        });
      });
    });
  });

  b.launch(countBlocks(rows.items), kThreads, shared, [&](const Thread &t) {
    b.ifThen(b.less(t.block, countBlocks(rows.items)), [&] {
      Place place = getPlace(t);
      Value item = place.number, blockRows = getBlockRows();
      Value begin = b.load(rows.begins, item);
      Value end = b.load(rows.begins, b.add(item, 1));
      auto getRowBlock = [&](Value row) {
        return b.divide(row, b.max(blockRows, b.index(1)));
      };
      Value isEmpty = b.equal(begin, end);
      Value first = getRowBlock(begin);
      Value last =
          b.select(isEmpty, first, b.add(getRowBlock(b.sub(end, 1)), 1));
      Terms sum = combineRange(place, first, last, [&](Value rowBlock) {
        Terms terms;
        for (Value buffer : combined)
          terms.push_back(b.loadVector(
              lanes, buffer, {b.add(rowBlock, item), place.channel}, lanes));
        return terms;
      });
      b.ifThen(isStoring(place), [&] {
        store(item, place.channel, sum[0], findsRows ? sum[1] : Value());
      });
    });
  });
  for (Value buffer : combined)
    b.dealloc(buffer);
}

void mlir::sparseconv::combineItems(
    LoopBuilder &b, const ItemRows &rows, PoolKind kind, bool findsRows,
    function_ref<void(Value, Value, Value, Value)> store) {
  ItemReduction(b, rows, kind, findsRows).emit(store);
}
