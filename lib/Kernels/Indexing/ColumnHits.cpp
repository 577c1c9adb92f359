//===- ColumnHits.cpp - what a search finds, by column --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnHits.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::sparseconv;

Value mlir::sparseconv::getColumnEntry(LoopBuilder &b, Value place, Value hits,
                                       uint32_t before, uint32_t own) {
  auto getBits = [&](uint32_t bits) {
    return b.andBits(hits, b.i32(static_cast<int32_t>(bits)));
  };
  if (before)
    place = b.add(place, b.popCount(getBits(before)));
  Value isHit = b.notEqual(getBits(own), b.i32(0));
  return b.select(isHit, place, b.i32(-1));
}

/// The words of a row's record that the offsets of a word of its mask need; the
/// others stay null.
static SmallVector<Value> loadRecord(LoopBuilder &b,
                                     const SearchColumns &columns,
                                     Value records, Value row, int64_t word) {
  SmallVector<bool> isNeeded(columns.getRecordSize());
  for (int64_t c = 0; c < columns.getNumColumns(); ++c) {
    ArrayRef<int64_t> numbers = columns.getNumbers(c);
    auto isOfWord = [&](int64_t number) { return number / kMaskBits == word; };
    if (!llvm::any_of(numbers, isOfWord))
      continue;
    isNeeded[c] = true;
    for (int64_t number : numbers)
      isNeeded[columns.getNumColumns() + number / kMaskBits] = true;
  }
  SmallVector<Value> record(isNeeded.size());
  for (size_t i = 0; i < record.size(); i += kHitWords) {
    if (!llvm::is_contained(ArrayRef(isNeeded).slice(i, kHitWords), true))
      continue;
    Value words = b.loadVector(kHitWords, records, {row, b.index(i)},
                               /*multiple=*/kHitWords);
    for (int64_t j = 0; j < kHitWords; ++j)
      record[i + j] = vector::ExtractOp::create(b, words, j);
  }
  return record;
}

SmallVector<Value> mlir::sparseconv::loadEntries(LoopBuilder &b,
                                                 const SearchColumns &columns,
                                                 Value records, Value row,
                                                 int64_t word) {
  int64_t offsets = columns.getNumOffsets(), first = word * kMaskBits;
  SmallVector<Value> entries(std::min(offsets - first, kMaskBits));
  SmallVector<Value> record = loadRecord(b, columns, records, row, word);
  ArrayRef<Value> mask = ArrayRef(record).drop_front(columns.getNumColumns());
  for (int64_t c = 0; c < columns.getNumColumns(); ++c) {
    // The hits before an offset's own may be in more words than its own.
    SmallVector<uint32_t> before(getMaskWords(offsets));
    for (int64_t number : columns.getNumbers(c)) {
      int64_t ownWord = number / kMaskBits;
      uint32_t own = uint32_t(1) << number % kMaskBits;
      if (ownWord == word) {
        Value place = record[c];
        for (auto [other, bits] : llvm::enumerate(before))
          if (bits && int64_t(other) != word) {
            Value hits =
                b.andBits(mask[other], b.i32(static_cast<int32_t>(bits)));
            place = b.add(place, b.popCount(hits));
          }
        entries[number - first] =
            getColumnEntry(b, place, mask[word], before[word], own);
      }
      before[ownWord] |= own;
    }
  }
  return entries;
}

/// Whether numbers follow each other within a word.
static bool isRun(ArrayRef<int64_t> numbers) {
  auto isNext = [](int64_t a, int64_t b) { return b != a + 1; };
  return llvm::adjacent_find(numbers, isNext) == numbers.end() &&
         numbers.front() / kMaskBits == numbers.back() / kMaskBits;
}

void mlir::sparseconv::addHits(LoopBuilder &b, ArrayRef<int64_t> numbers,
                               Value hits, MutableArrayRef<Value> mask) {
  if (isRun(numbers)) {
    Value &word = mask[numbers.front() / kMaskBits];
    word = b.orBits(word, b.shiftLeft(hits, numbers.front() % kMaskBits));
    return;
  }
  SmallVector<Value> ofWords(mask.size());
  for (auto [i, number] : llvm::enumerate(numbers)) {
    Value isHit = b.notEqual(b.andBits(hits, b.bit(i)), b.i32(0));
    Value bit = b.select(isHit, b.bit(number % kMaskBits), b.i32(0));
    Value &ofWord = ofWords[number / kMaskBits];
    ofWord = b.orBits(ofWord ? ofWord : b.i32(0), bit);
  }
  for (auto [word, ofWord] : llvm::zip_equal(mask, ofWords))
    if (ofWord)
      word = b.orBits(word, ofWord);
}
