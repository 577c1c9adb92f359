//===- KeyDigits.cpp - the digits by which keys are sorted ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeyDigits.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "sparseconv/Kernels/Builders/WarpOps.h"

using namespace mlir;
using namespace mlir::sparseconv;
using arith::AtomicRMWKind;

/// Wider fields are cut: their pieces are compared as 32-bit numbers.
static constexpr int64_t kMaxWidth = 31;

KeyDigits::KeyDigits(LoopBuilder &b, Type keyType, ArrayRef<int64_t> widths,
                     bool isSparse)
    : b(b), keyType(keyType), isSparse(isSparse) {
  int64_t shift = 0;
  for (int64_t width : llvm::reverse(widths))
    for (int64_t left = width; left > 0;) {
      int64_t piece = std::min(left, kMaxWidth);
      fields.push_back({shift, piece, Value(), Value()});
      shift += piece;
      left -= piece;
    }
  maxPasses = getNumSortPasses(shift);
}

void KeyDigits::alloc() {
  if (isSparse)
    ranges = b.alloc({2 * static_cast<int64_t>(fields.size())}, b.getI32Type());
}

void KeyDigits::dealloc() {
  if (isSparse)
    b.dealloc(ranges);
}

void KeyDigits::clear(Value i) {
  if (!isSparse)
    return;
  Value isLeast = b.less(i, b.index(fields.size()));
  b.store(b.select(isLeast, b.i32(-1), b.i32(0)), ranges, i);
}

Value KeyDigits::extract(Value key, const Field &field) {
  Value mask = b.constantInt(keyType, (int64_t(1) << field.width) - 1);
  return b.cast(b.andBits(b.shiftRight(key, field.shift), mask),
                b.getI32Type());
}

void KeyDigits::measure(Value keys, Value numKeys) {
  if (!isSparse)
    return;
  constexpr int64_t threads = 256, keysPerThread = 8;
  constexpr int64_t tile = threads * keysPerThread;
  Type i32 = b.getI32Type();
  Value numBlocks = b.ceilDiv(numKeys, tile);
  int64_t numRanges = 2 * fields.size();
  b.launch(
      numBlocks, threads, {b.getSharedType({numRanges}, i32)},
      [&](const LoopBuilder::Thread &t) {
        Value found = t.shared[0];
        Value isOwn = b.less(t.thread, b.index(numRanges));
        Value isLeast = b.less(t.thread, b.index(fields.size()));
        b.ifThen(isOwn, [&] {
          b.store(b.select(isLeast, b.i32(-1), b.i32(0)), found, t.thread);
        });
        b.barrier();
        b.ifThen(b.less(t.block, numBlocks), [&] {
          SmallVector<Value> loaded;
          Value last = b.sub(numKeys, 1);
          for (int64_t i = 0; i < keysPerThread; ++i) {
            // Threads without a key see the last one.
            Value position =
                b.add(b.mul(t.block, tile), b.add(t.thread, i * threads));
            loaded.push_back(b.load(keys, b.min(position, last)));
          }
          Value isFirst =
              b.equal(b.andBits(t.thread, b.index(kWarpLanes - 1)), b.index(0));
          for (size_t n = 0; n < fields.size(); ++n) {
            for (bool isMax : {false, true}) {
              Value best;
              for (Value key : loaded) {
                Value value = extract(key, fields[n]);
                if (!best)
                  best = value;
                else if (isMax)
                  best = b.maxUnsigned(best, value);
                else
                  best = b.minUnsigned(best, value);
              }
              best = isMax ? maxOfLanes(b, best) : minOfLanes(b, best);
              b.ifThen(isFirst, [&] {
                b.atomic(isMax ? AtomicRMWKind::maxu : AtomicRMWKind::minu,
                         best, found,
                         ValueRange{b.index(n + (isMax ? fields.size() : 0))});
              });
            }
          }
        });
        b.barrier();
        b.ifThen(isOwn, [&] {
          Value own = b.load(found, t.thread);
          b.ifElse(
              isLeast,
              [&] {
                b.atomic(AtomicRMWKind::minu, own, ranges,
                         ValueRange{t.thread});
              },
              [&] {
                b.atomic(AtomicRMWKind::maxu, own, ranges,
                         ValueRange{t.thread});
              });
        });
      });
}

void KeyDigits::enter() {
  if (!isSparse) {
    numPasses = b.i32(maxPasses);
    return;
  }
  SmallVector<Value> greatest;
  for (auto [n, field] : llvm::enumerate(fields)) {
    field.least = b.load(ranges, b.index(n));
    greatest.push_back(b.load(ranges, b.index(n + fields.size())));
  }
  Value bits = b.i32(0);
  for (auto [field, most] : llvm::zip(fields, greatest)) {
    field.place = bits;
    Value unused = b.countLeadingZeros(b.sub(most, field.least));
    bits = b.add(bits, b.sub(b.i32(32), unused));
  }
  // At least one, which moves keys without a bit in use to where they belong.
  Value passes = b.divide(b.add(bits, kDigitBits - 1), kDigitBits);
  numPasses = b.max(passes, b.i32(1));
}

Value KeyDigits::makeDense(Value key) {
  if (!isSparse)
    return key;
  Value dense = b.constantInt(keyType, 0);
  for (const Field &field : fields) {
    Value value = b.sub(extract(key, field), field.least);
    dense = b.orBits(dense, b.shiftLeft(b.extend(value, keyType),
                                        b.extend(field.place, keyType)));
  }
  return dense;
}

Value KeyDigits::getDigit(Value dense, Value pass) {
  Value shift = b.extend(b.mul(pass, kDigitBits), keyType);
  Value digit = b.andBits(b.shiftRight(dense, shift),
                          b.constantInt(keyType, kDigits - 1));
  return b.cast(digit, b.getI32Type());
}
