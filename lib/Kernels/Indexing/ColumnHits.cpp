//===- ColumnHits.cpp - what a search finds, by column --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnHits.h"

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

HitRecord::HitRecord(LoopBuilder &b, const SearchColumns &columns,
                     ArrayRef<Value> ofRow, Value isRow)
    : columns(columns), words(ofRow) {
  for (Value &word : MutableArrayRef(words).drop_front(columns.getNumColumns()))
    word = b.select(isRow, word, b.i32(0));
}

Value HitRecord::getEntry(LoopBuilder &b, int64_t offset) const {
  int64_t ownWord = offset / kMaskBits, column = 0;
  while (!llvm::is_contained(columns.getNumbers(column), offset))
    ++column;
  // Before an offset's own hit are those of its column, in any word.
  SmallVector<uint32_t> before(getMaskWords(columns.getNumOffsets()));
  for (int64_t number : columns.getNumbers(column)) {
    if (number == offset)
      break;
    before[number / kMaskBits] |= uint32_t(1) << number % kMaskBits;
  }
  Value place = words[column];
  for (auto [word, bits] : llvm::enumerate(before))
    if (bits && int64_t(word) != ownWord) {
      Value hits = b.andBits(getMask(word), b.i32(static_cast<int32_t>(bits)));
      place = b.add(place, b.popCount(hits));
    }
  return getColumnEntry(b, place, getMask(ownWord), before[ownWord],
                        uint32_t(1) << offset % kMaskBits);
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
