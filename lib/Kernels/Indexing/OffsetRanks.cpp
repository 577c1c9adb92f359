//===- OffsetRanks.cpp - offsets, the rarest first ------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OffsetRanks.h"
#include "sparseconv/Kernels/Builders/WarpOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Words of a mask that a thread block ranks for itself.
static constexpr int64_t kMaxWordsByBlocks = 4;
/// Lanes that share the comparisons of an offset, and places that each compares
/// side by side.
static constexpr int64_t kQuarters = 4, kSideBySide = 8;
/// More than the rows of a sample.
static constexpr int64_t kMostRows = kMaxSample << 10;

OffsetRanks::OffsetRanks(LoopBuilder &b, const RowMasks &rows, bool hasShares)
    : b(b), rows(rows), hasShares(hasShares), words(getMaskWords(rows.offsets)),
      sample(b, rows.counts, b.dim(rows.masks, 1), rows.sampleRows) {}

bool OffsetRanks::isByBlocks() const { return words <= kMaxWordsByBlocks; }

int64_t OffsetRanks::getNumberBits() const {
  return llvm::Log2_64_Ceil(words * kMaskBits);
}

SmallVector<MemRefType> OffsetRanks::getSharedTypes() const {
  int64_t bits = words * kMaskBits;
  MemRefType numbers = b.getSharedType({bits}, b.getI32Type());
  if (!isByBlocks())
    return {numbers};
  int64_t pieces = words * getNumPieces(), size = 1 << getPieceBits();
  SmallVector<MemRefType> types = {
      numbers, numbers, b.getSharedType({words, pieces, size}, b.getI32Type())};
  if (hasShares)
    types.push_back(b.getSharedType({bits}, b.getF32Type()));
  return types;
}

void OffsetRanks::alloc() {
  int64_t bits = words * kMaskBits;
  ranks = b.alloc({bits}, b.getI32Type());
  lacks = b.alloc({bits}, b.getF32Type());
  record = b.alloc({1}, b.getI32Type());
}

void OffsetRanks::enter(Value thread, int64_t threads, ValueRange shared) {
  sums = shared[0];
  if (isByBlocks()) {
    ranks = shared[1];
    tables = shared[2];
    if (hasShares)
      lacks = shared[3];
  }
  addSample(thread, threads);
  rank(thread, threads);
  b.barrier();
  if (isByBlocks()) {
    fillTables(thread, threads);
    b.barrier();
    return;
  }
  b.ifThen(b.equal(thread, b.index(0)),
           [&] { b.store(pairs, record, b.index(0)); });
}

void OffsetRanks::enterRanked() {
  sampleRows = sample.countRows(b);
  pairs = b.load(record, b.index(0));
}

void OffsetRanks::addSample(Value thread, int64_t threads) {
  Value end = b.index(words * kMaskBits);
  b.forLoop(thread, end, threads, [&](Value k) { b.store(b.i32(0), sums, k); });
  b.barrier();
  sample.sum(b, thread, threads, sums);
  sampleRows = sample.countRows(b);
  Value lane = b.andBits(thread, b.index(kWarpLanes - 1));
  Value found =
      b.forLoop(b.index(0), b.index(words), 1, b.i32(0),
                [&](Value word, ValueRange sum) -> SmallVector<Value> {
                  Value k = b.add(b.mul(word, kMaskBits), lane);
                  return {b.add(sum[0], b.load(sums, k))};
                })[0];
  pairs = sumOfLanes(b, found);
  b.barrier();
  // Now one comparison says which of two offsets is rarer: of those that are as
  // frequent, the one with the higher number. Bits behind the offsets come
  // last.
  b.forLoop(thread, end, threads, [&](Value k) {
    Value isOffset = b.less(k, b.index(rows.offsets));
    Value count = b.select(isOffset, b.load(sums, k), b.i32(kMostRows));
    Value number = b.cast(b.sub(b.sub(end, 1), k), b.getI32Type());
    number = b.select(isOffset, number, b.cast(k, b.getI32Type()));
    b.store(b.orBits(b.shiftLeft(count, getNumberBits()), number), sums, k);
  });
  b.barrier();
}

Value OffsetRanks::countRarer(Value own, Value quarter) {
  int64_t each = words * kMaskBits / kQuarters;
  Value begin = b.mul(quarter, each);
  return b.forLoop(
      b.index(0), b.index(each), kSideBySide, b.i32(0),
      [&](Value first, ValueRange carried) -> SmallVector<Value> {
        Value count = carried[0];
        for (int64_t i = 0; i < kSideBySide; ++i) {
          Value other = b.load(sums, b.add(b.add(begin, first), i));
          count =
              b.add(count, b.select(b.less(other, own), b.i32(1), b.i32(0)));
        }
        return {count};
      })[0];
}

void OffsetRanks::setRank(Value k, Value rank) {
  if (isByBlocks())
    b.store(rank, ranks, k);
  else
    b.store(b.cast(k, b.getI32Type()), ranks, b.toIndex(rank));
}

void OffsetRanks::setShare(Value k, Value rank, Value count) {
  auto toFloat = [&](Value number) {
    return arith::SIToFPOp::create(b, b.getF32Type(), number).getResult();
  };
  // Neither 0 nor 1, so that every row has a share.
  Value share = b.divide(toFloat(b.sub(b.add(sampleRows, 1), count)),
                         toFloat(b.add(sampleRows, 2)));
  Value isOffset = b.less(k, b.index(rows.offsets));
  b.store(b.select(isOffset, share, b.f32(1)), lacks, b.toIndex(rank));
}

void OffsetRanks::rank(Value thread, int64_t threads) {
  Value items = b.index(words * kMaskBits * kQuarters);
  b.forLoop(thread, items, threads, [&](Value item) {
    Value k = b.floorDiv(item, kQuarters);
    Value quarter = b.andBits(item, b.index(kQuarters - 1));
    Value own = b.load(sums, k), rarer = countRarer(own, quarter);
    for (int64_t lanes = 1; lanes < kQuarters; lanes *= 2)
      rarer = b.add(rarer, fromLaneAcross(b, rarer, lanes));
    b.ifThen(b.equal(quarter, b.index(0)), [&] {
      setRank(k, rarer);
      if (hasShares)
        setShare(k, rarer, b.shiftRight(own, getNumberBits()));
    });
  });
}

void OffsetRanks::fillTables(Value thread, int64_t threads) {
  int64_t pieceBits = getPieceBits(), size = 1 << pieceBits;
  Value numItems = b.index(words * getNumPieces() * size);
  b.forLoop(thread, numItems, threads, [&](Value item) {
    Value piece = b.floorDiv(item, size),
          bits = b.andBits(item, b.index(size - 1));
    SmallVector<Value> entries(words, b.i32(0));
    for (int64_t bit = 0; bit < pieceBits; ++bit) {
      Value rank = b.load(ranks, b.add(b.mul(piece, pieceBits), bit));
      Value isSet = b.notEqual(b.andBits(bits, b.index(1 << bit)), b.index(0));
      Value place =
          b.shiftRight(b.bit(kMaskBits - 1), b.remainder(rank, kMaskBits));
      Value own = b.select(isSet, place, b.i32(0));
      Value word = b.divide(rank, kMaskBits);
      for (auto [number, entry] : llvm::enumerate(entries))
        entry = b.orBits(entry, b.select(b.equal(word, number), own, b.i32(0)));
    }
    for (auto [number, entry] : llvm::enumerate(entries))
      b.store(entry, tables, {b.index(number), piece, bits});
  });
}

Value OffsetRanks::rankByTables(ValueRange mask, int64_t word) {
  int64_t pieceBits = getPieceBits(), numPieces = getNumPieces();
  Value ranked = b.i32(0);
  // Pieces behind the offsets are of no use.
  int64_t end = llvm::divideCeilSigned(rows.offsets, pieceBits);
  for (int64_t piece = 0; piece < end; ++piece) {
    Value bits =
        b.shiftRight(mask[piece / numPieces], piece % numPieces * pieceBits);
    Value own = b.andBits(bits, (1 << pieceBits) - 1);
    Value entry =
        b.load(tables, {b.index(word), b.index(piece), b.toIndex(own)});
    ranked = b.orBits(ranked, entry);
  }
  return ranked;
}

Value OffsetRanks::gather(Value row, Value word) {
  return b.forLoop(
      b.index(0), b.index(kMaskBits), 1, b.i32(0),
      [&](Value i, ValueRange carried) -> SmallVector<Value> {
        Value rank = b.add(b.mul(word, kMaskBits), i);
        Value k = b.load(ranks, rank);
        Value own =
            b.load(rows.masks, {b.toIndex(b.divide(k, kMaskBits)), row});
        Value bit = b.andBits(b.shiftRight(own, b.remainder(k, kMaskBits)), 1);
        return {b.orBits(b.shiftLeft(carried[0], 1), bit)};
      })[0];
}

SmallVector<Value> OffsetRanks::load(Value row) {
  SmallVector<Value> mask;
  for (int64_t word = 0; isByBlocks() && word < words; ++word)
    mask.push_back(b.load(rows.masks, {b.index(word), row}));
  return mask;
}

SmallVector<Value> OffsetRanks::forWords(ValueRange mask, Value row,
                                         ValueRange inits, Body body) {
  if (!isByBlocks())
    return b.forLoop(b.index(0), b.index(words), 1, inits,
                     [&](Value word, ValueRange carried) {
                       return body(
                           word, [&] { return gather(row, word); }, carried);
                     });
  SmallVector<Value> carried(inits);
  for (int64_t word = 0; word < words; ++word)
    carried =
        body(b.index(word), [&] { return rankByTables(mask, word); }, carried);
  return carried;
}
