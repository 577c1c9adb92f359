//===- GroupPairs.cpp - a place for each pair, by offset ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pairs are first numbered by offset, with nothing between them. That says how
// many each offset has, which decides on groups and where each offset begins.
// Then pairs move to their places. No number is known to the host.
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Indexing/IndexingKernels.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::kMaxRows;
using ::sparseconv::StatusCode;

namespace {
class PairGrouper {
public:
  PairGrouper(LoopBuilder &b, GroupPairsOp op)
      : b(b), op(op), table(op.getTable()), places(op.getPlaces()),
        offsets(b.dim(table, 1)), zero(b.index(0)) {}

  void emit();

private:
  void checkRoom();
  void clear();
  /// Numbers pairs by offset, then by output row.
  void numberPairs();
  Value countPairs(Value k) {
    return b.sub(b.load(numbers, b.add(k, 1)), b.load(numbers, k));
  }
  void orderOffsets();
  void placeOffsets();
  void movePairs();
  void writeSegments();
  /// Calls `body` for each offset and output row.
  void forEntries(function_ref<void(Value k, Value row)> body);

  LoopBuilder &b;
  GroupPairsOp op;
  Value table, places, offsets, zero;
  /// Rows of the table; none where there is no room for their pairs.
  Value numRows;
  /// The number of the first pair of each offset, and of those behind the last.
  Value numbers;
  /// Offsets by their numbers of pairs, largest first.
  Value order;
  /// For each offset the first of its places, and where they end.
  Value begins, ends;
};
} // namespace

void PairGrouper::checkRoom() {
  Value room = b.dim(op.getRows(), 0), most = b.index(kMaxRows);
  Value fits = b.lessEqual(room, most);
  b.ifThen(b.notBit(fits), [&] {
    LoopBuilder::Report report{StatusCode::SizeOutOfRange,
                               static_cast<int64_t>(op.getOpId())};
    report.value = room;
    report.upper = most;
    b.report(op.getStatus(), report);
  });
  numRows = b.select(fits, b.dim(table, 0), zero);
}

void PairGrouper::clear() {
  Value none = b.i32(-1);
  forEachRow(b, b.dim(op.getRows(), 0), kDefaultRowBlock,
             [&](Value place) { b.store(none, op.getRows(), place); });
  forEachRow(b, b.mul(b.dim(table, 0), offsets), kDefaultRowBlock,
             [&](Value entry) {
               b.store(none, places,
                       {b.divide(entry, offsets), b.remainder(entry, offsets)});
             });
  // What stays where there are no rows.
  b.parallelFor(b.add(offsets, 1), [&](Value k) { b.store(zero, numbers, k); });
}

void PairGrouper::numberPairs() {
  auto split = [&](Value entry) {
    return std::pair(b.divide(entry, numRows), b.remainder(entry, numRows));
  };
  Compaction compaction;
  compaction.numRows = b.mul(numRows, offsets);
  compaction.start = [](Value) { return SmallVector<Value>(); };
  compaction.visit = [&](Value entry, ValueRange) -> SmallVector<Value> {
    auto [k, row] = split(entry);
    return {b.greaterEqual(b.load(table, {row, k}), b.i32(0))};
  };
  compaction.conclude = [&](Value total, Value) {
    b.store(total, numbers, offsets);
  };
  compaction.write = [&](Value entry, Value kept, Value last, ValueRange) {
    auto [k, row] = split(entry);
    Value place = b.cast(last, b.getI32Type());
    b.ifThen(kept, [&, k = k, row = row] { b.store(place, places, {row, k}); });
    Value first = b.select(kept, last, b.add(last, 1));
    b.ifThen(b.equal(row, zero), [&, k = k] { b.store(first, numbers, k); });
  };
  compactRows(b, compaction);
}

void PairGrouper::orderOffsets() {
  b.parallelFor(offsets, [&](Value k) {
    Value own = countPairs(k);
    Value before =
        b.forLoop(zero, offsets, 1, zero,
                  [&](Value other, ValueRange sum) -> SmallVector<Value> {
                    Value theirs = countPairs(other);
                    Value isFirst = b.orBits(
                        b.less(own, theirs),
                        b.andBits(b.equal(own, theirs), b.less(other, k)));
                    return {b.add(sum[0], b.select(isFirst, b.index(1), zero))};
                  })[0];
    b.store(k, order, before);
  });
}

void PairGrouper::placeOffsets() {
  int64_t rowBlock = op.getRowBlock();
  auto place = [&](Value i, ValueRange carried) -> SmallVector<Value> {
    Value k = b.load(order, i), own = countPairs(k);
    Value largest = carried[0], begin = carried[1];
    // 1 - own / largest > epsilon, in whole numbers.
    Value isNew = b.less(b.mul(largest, b.index(op.getEpsilon())),
                         b.mul(b.sub(largest, own), b.index(100)));
    largest = b.select(isNew, own, largest);
    Value isPadded = b.less(largest, b.index(op.getS()));
    Value end = b.add(begin, b.select(isPadded, largest, own));
    b.store(begin, begins, k);
    b.store(end, ends, k);
    return {largest, b.mul(b.ceilDiv(end, rowBlock), b.index(rowBlock))};
  };
  Value first = countPairs(b.load(order, zero));
  Value count = b.forLoop(zero, offsets, 1, {first, zero}, place)[1];
  b.store(count, op.getCount(), zero);
}

void PairGrouper::forEntries(function_ref<void(Value, Value)> body) {
  forEachRow(b, b.mul(numRows, offsets), kDefaultRowBlock, [&](Value entry) {
    body(b.remainder(entry, offsets), b.divide(entry, offsets));
  });
}

void PairGrouper::movePairs() {
  forEntries([&](Value k, Value row) {
    Value number = b.load(places, {row, k});
    b.ifThen(b.greaterEqual(number, b.i32(0)), [&] {
      Value inOffset = b.sub(b.toIndex(number), b.load(numbers, k));
      Value place = b.add(b.load(begins, k), inOffset);
      b.store(b.cast(place, b.getI32Type()), places, {row, k});
      b.store(b.load(table, {row, k}), op.getRows(), place);
    });
  });
}

void PairGrouper::writeSegments() {
  Value segments = op.getSegments(), rowBlock = b.index(op.getRowBlock());
  b.parallelFor(b.dim(segments, 0), [&](Value block) {
    Value first = b.mul(block, rowBlock);
    auto store = [&](Value place, Value k) {
      b.store(b.cast(place, b.getI64Type()), segments, {block, k});
    };
    Value end =
        b.forLoop(zero, offsets, 1, first,
                  [&](Value k, ValueRange place) -> SmallVector<Value> {
                    store(place[0], k);
                    // A row block has places of one offset at most.
                    Value isHere = b.lessEqual(b.load(begins, k), first);
                    Value rest = b.max(b.sub(b.load(ends, k), first), zero);
                    Value own = b.select(isHere, b.min(rest, rowBlock), zero);
                    return {b.add(place[0], own)};
                  })[0];
    store(end, offsets);
  });
}

void PairGrouper::emit() {
  auto type = cast<MemRefType>(table.getType());
  int64_t known = type.getDimSize(1);
  numbers = b.alloc(known + 1, b.getIndexType());
  for (Value *buffer : {&order, &begins, &ends})
    *buffer = b.alloc(known, b.getIndexType());
  checkRoom();
  clear();
  numberPairs();
  orderOffsets();
  placeOffsets();
  movePairs();
  writeSegments();
  for (Value buffer : {numbers, order, begins, ends})
    b.dealloc(buffer);
}

void mlir::sparseconv::emitGroupPairs(LoopBuilder &b, GroupPairsOp op) {
  PairGrouper(b, op).emit();
}
