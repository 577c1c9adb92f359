//===- LookBack.cpp - sums over the tiles before --------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LookBack.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::sparseconv;
using arith::AtomicRMWKind;

/// Tiles that a look back reads at once.
static constexpr int64_t kWindow = 4;

/// A word says nothing yet (0), what a tile has in a pass, or the sum up to its
/// end. The number is in the low half, which of them in the high half: one
/// access has both.
static constexpr int64_t kKindShift = 32, kOwn = 1, kAll = 2;

void LookBack::alloc() {
  Value numWords = b.mul(numTiles, width);
  said = b.alloc({ShapedType::kDynamic}, b.getI64Type(), numWords);
}

void LookBack::dealloc() { b.dealloc(said); }

void LookBack::clear(Value tile, Value column) {
  b.store(b.i64(0), said, getWord(tile, column));
}

void LookBack::say(Value kind, Value number, Value word) {
  Type i64 = b.getI64Type();
  Value text = b.orBits(b.extend(number, i64),
                        b.shiftLeft(b.extend(kind, i64), kKindShift));
  b.atomic(AtomicRMWKind::assign, text, said, ValueRange{word});
}

void LookBack::tell(Value pass, Value tile, Value column, Value number) {
  Value isFirst = b.equal(tile, b.index(0));
  Value kind = b.select(isFirst, getKind(pass, kAll), getKind(pass, kOwn));
  say(kind, number, getWord(tile, column));
}

Value LookBack::getSumBefore(Value pass, Value tile, Value column, Value own,
                             Value lower) {
  Type i32 = b.getI32Type();
  Value ofPass = getKind(pass, kOwn), all = getKind(pass, kAll);
  Value isFirst = b.equal(tile, b.index(0)), zero = b.i32(0);
  Value before = b.whileLoop(
      {lower, b.sub(tile, 1), b.notBit(isFirst)},
      [&](ValueRange carried) { return carried[2]; },
      [&](ValueRange carried) -> SmallVector<Value> {
        Value sum = carried[0], next = carried[1];
        SmallVector<Value> words;
        for (int64_t i = 0; i < kWindow; ++i) {
          Value place = b.max(b.sub(next, i), b.index(0));
          // A load that sees what other blocks write meanwhile.
          words.push_back(b.atomic(AtomicRMWKind::ori, b.i64(0), said,
                                   ValueRange{getWord(place, column)}));
        }
        Value isOn = b.i1(true), isDone = b.notBit(isOn);
        for (Value word : words) {
          Value kind = b.cast(b.shiftRight(word, kKindShift), i32);
          isOn = b.andBits(isOn, b.lessEqual(ofPass, kind));
          sum = b.add(sum, b.select(isOn, b.cast(word, i32), zero));
          next = b.sub(next, b.select(isOn, b.index(1), b.index(0)));
          isDone = b.orBits(isDone, b.andBits(isOn, b.equal(kind, all)));
          isOn = b.andBits(isOn, b.notBit(isDone));
        }
        return {sum, next, b.notBit(isDone)};
      })[0];
  b.ifThen(b.notBit(isFirst),
           [&] { say(all, b.add(before, own), getWord(tile, column)); });
  return before;
}
