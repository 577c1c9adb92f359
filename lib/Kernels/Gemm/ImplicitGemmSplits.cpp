//===- ImplicitGemmSplits.cpp - the offsets of a split --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the rows do not fill a device, several thread blocks or warps share the
// offsets of the same rows: each split takes as many of them, by their numbers.
// Of a mask of one word those are some of its bits. Longer masks are not kept
// in registers, and a split of them is a range of numbers.
//
//===----------------------------------------------------------------------===//

#include "ImplicitGemmEmitter.h"

using namespace mlir;
using namespace mlir::sparseconv;

Value ImplicitGemmEmitter::countSplits(const TargetInfo &target, Value count) {
  Value room = b.divide(b.i32(config.roomOfSplit(target)),
                        b.maxUnsigned(count, b.i32(1)));
  return b.minUnsigned(b.maxUnsigned(room, b.i32(1)), b.i32(config.splitK));
}

/// How many of `count` offsets come before those of a split.
static Value countBefore(GpuBuilder &b, const GemmTask &task, Value count,
                         Value split) {
  return b.divide(b.mul(count, split), task.splits);
}

Value ImplicitGemmEmitter::takeSplit(const GemmTask &task, Value bits) {
  Value count = b.popCount(bits);
  auto dropFirst = [&](Value split) {
    Value end = countBefore(b, task, count, split);
    return forLoop(b, b.i32(0), end, b.i32(1), bits,
                   [&](Value, Value &left) { left = b.clearLowestBit(left); });
  };
  return changeIf(b, b.greaterEqual(task.splits, 2), bits, [&](Value &own) {
    own = b.xorBits(dropFirst(task.split), dropFirst(b.add(task.split, 1)));
  });
}

Value ImplicitGemmEmitter::findOffset(LoadWord loadWord, Value ordinal) {
  struct Search {
    /// How many offsets are still to come before it; none once it is found.
    Value before, offset;

    void fields(LoopFields &f) { f(before, offset); }
  };
  Search start{ordinal, b.i32(32 * config.maskWords())};
  Value count = b.i32(config.maskWords());
  Search end =
      forLoop(b, b.i32(0), count, b.i32(1), start, [&](Value word, Search &at) {
        Value bits = loadWord(word);
        Value ofWord = b.popCount(bits);
        Value isHere = b.lessUnsigned(at.before, ofWord);
        at.offset = changeIf(b, isHere, at.offset, [&](Value &offset) {
          Value left = forLoop(
              b, b.i32(0), at.before, b.i32(1), bits,
              [&](Value, Value &left) { left = b.clearLowestBit(left); });
          offset = b.add(b.mul(word, 32), b.countTrailingZeros(left));
        });
        at.before = b.select(isHere, b.i32(-1), b.sub(at.before, ofWord));
      });
  return end.offset;
}

OffsetRange ImplicitGemmEmitter::findSplit(const GemmTask &task,
                                           LoadWord loadWord) {
  if (!task.splits)
    return {};
  Value words = b.i32(config.maskWords());
  OffsetRange all{b.i32(0), b.mul(words, 32)};
  return changeIf(
      b, b.greaterEqual(task.splits, 2), all, [&](OffsetRange &own) {
        Value count = forLoop(b, b.i32(0), words, b.i32(1), b.i32(0),
                              [&](Value word, Value &count) {
                                count =
                                    b.add(count, b.popCount(loadWord(word)));
                              });
        auto find = [&](Value split) {
          return findOffset(loadWord, countBefore(b, task, count, split));
        };
        own = {find(task.split), find(b.add(task.split, 1))};
      });
}
