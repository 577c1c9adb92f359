//===- OffsetList.cpp - the offsets of a tile in shared memory ------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OffsetList.h"
#include "RowStages.h"

using namespace mlir;
using namespace mlir::sparseconv;

static constexpr int64_t kEntryBytes = 2;
/// How often the end is marked: more often than there are stages in a ring, and
/// than stages of rows go beyond it.
static constexpr int64_t kEnds = 16;
static_assert(kEnds >= 3 * RowStages::kMost);

int64_t OffsetList::getSharedBytes(const ImplicitGemmConfig &config) {
  return (32 * config.maskWords() + kEnds) * kEntryBytes;
}

/// The bits of a word that belong to offsets before `offset`.
static Value bitsBelow(GpuBuilder &b, Value offset, Value word) {
  Value bits = b.sub(offset, b.mul(word, 32));
  Value some = b.sub(b.shiftLeft(b.i32(1), b.remainder(bits, 32)), 1);
  Value all = b.select(b.less(bits, b.i32(32)), some, b.i32(-1));
  return b.select(b.less(b.i32(0), bits), all, b.i32(0));
}

void OffsetList::write(const OffsetRange &range,
                       function_ref<Value(Value word)> loadWord) const {
  GpuBuilder &b = e.b;
  auto store = [&](Value offset, Value place) {
    Value entry = b.add(begin, b.mul(place, kEntryBytes));
    b.store(arith::TruncIOp::create(b, b.getI16Type(), offset),
            b.offset(b.dynamicShared(), entry), kEntryBytes);
  };
  Value ownBit = b.shiftLeft(b.i32(1), e.lane);
  Value count = forLoop(
      b, b.i32(0), b.i32(e.config.maskWords()), b.i32(1), b.i32(0),
      [&](Value word, Value &before) {
        Value bits = loadWord(word);
        if (range.first)
          bits = b.andBits(bits, b.xorBits(bitsBelow(b, range.end, word),
                                           bitsBelow(b, range.first, word)));
        Value place =
            b.add(before, b.popCount(b.andBits(bits, b.sub(ownBit, 1))));
        b.ifThen(b.notEqual(b.andBits(bits, ownBit), 0),
                 [&] { store(b.add(b.mul(word, 32), e.lane), place); });
        before = b.add(before, b.popCount(bits));
      });
  b.ifThen(b.lessUnsigned(e.lane, kEnds),
           [&] { store(b.i32(-1), b.add(count, e.lane)); });
}

Value OffsetList::takeEntry(GpuBuilder &b, OffsetWalk &walk) {
  Value entry = b.load(b.getI16Type(), b.offset(b.dynamicShared(), walk.entry),
                       kEntryBytes);
  walk.entry = b.add(walk.entry, kEntryBytes);
  return arith::ExtSIOp::create(b, b.getI32Type(), entry);
}
