//===- WeightGradSplits.cpp - what gradients by the weights are made of ---===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/TypeUtilities.h"
#include "sparseconv/Kernels/Builders/ConvShape.h"
#include "sparseconv/Kernels/Gemm/WeightGrad.h"
#include "sparseconv/Kernels/Indexing/BlockSums.h"
#include "sparseconv/Kernels/Indexing/RowBlocks.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
/// One thread block finds how many steps a thread block of the gradient has.
class Shares {
public:
  Shares(LoopBuilder &b, const WeightGradConfig &config, Value counts,
         Value shares)
      : b(b), config(config), counts(counts), shares(shares) {}

  void emit();

private:
  static constexpr int64_t kThreads = 128;
  /// No thread block has fewer steps, unless its offset has.
  static constexpr int64_t kLeastSteps = 4;

  /// Calls `body` with each offset of this thread, and the thread blocks that
  /// it needs if each has so many steps: none behind the last one. `sum` is
  /// carried along.
  Value forShares(const LoopBuilder::Thread &t, Value steps,
                  function_ref<Value(Value k, Value own, Value sum)> body);
  Value sumShares(const LoopBuilder::Thread &t, Value steps);
  Value findSteps(const LoopBuilder::Thread &t);
  void store(const LoopBuilder::Thread &t, Value steps);

  LoopBuilder &b;
  const WeightGradConfig &config;
  Value counts, shares;
};
} // namespace

Value Shares::forShares(const LoopBuilder::Thread &t, Value steps,
                        function_ref<Value(Value, Value, Value)> body) {
  int64_t rounded = llvm::alignTo(config.offsets, kThreads);
  return b.forLoop(t.thread, b.index(rounded), kThreads, b.i32(0),
                   [&](Value k, ValueRange sum) -> SmallVector<Value> {
                     Value known = b.min(k, b.index(config.offsets - 1));
                     Value pairs = b.load(counts, known);
                     Value own = b.ceilDiv(
                         b.ceilDiv(pairs, b.i32(config.pairs)), steps);
                     Value isThere = b.less(k, b.index(config.offsets));
                     return {body(k, b.select(isThere, own, b.i32(0)), sum[0])};
                   })[0];
}

Value Shares::sumShares(const LoopBuilder::Thread &t, Value steps) {
  Value own = forShares(
      t, steps, [&](Value, Value own, Value sum) { return b.add(sum, own); });
  return sumInBlock(b, t, own, t.shared[0], kThreads).total;
}

/// The fewest steps with which there are enough thread blocks.
Value Shares::findSteps(const LoopBuilder::Thread &t) {
  Value one = b.i32(1);
  Value all = sumShares(t, one);
  int64_t blocks = config.gridX();
  // With `upper`, the offsets' last thread blocks are one each too many.
  Value lower = b.max(b.divide(all, blocks), b.i32(kLeastSteps));
  Value spare = b.i32(std::max<int64_t>(blocks - config.offsets, 1));
  Value upper = b.max(b.add(b.divide(all, spare), 1), lower);
  return b.whileLoop(
      {lower, upper},
      [&](ValueRange bounds) { return b.less(bounds[0], bounds[1]); },
      [&](ValueRange bounds) -> SmallVector<Value> {
        Value middle = b.divide(b.add(bounds[0], bounds[1]), 2);
        Value fits = b.lessEqual(sumShares(t, middle), b.i32(blocks));
        return {b.select(fits, bounds[0], b.add(middle, 1)),
                b.select(fits, middle, bounds[1])};
      })[0];
}

void Shares::store(const LoopBuilder::Thread &t, Value steps) {
  Value end = forShares(t, steps, [&](Value k, Value own, Value sum) {
    BlockSums sums = sumInBlock(b, t, own, t.shared[0], kThreads);
    b.ifThen(b.less(k, b.index(config.offsets)),
             [&] { b.store(b.add(sum, sums.before), shares, k); });
    return b.add(sum, sums.total);
  });
  b.ifThen(b.equal(t.thread, b.index(0)),
           [&] { b.store(end, shares, b.index(config.offsets)); });
}

void Shares::emit() {
  b.launch(b.index(1), kThreads, {getBlockSumsType(b, kThreads)},
           [&](const LoopBuilder::Thread &t) { store(t, findSteps(t)); });
}

void mlir::sparseconv::emitShares(LoopBuilder &b,
                                  const WeightGradConfig &config, Value counts,
                                  Value shares) {
  Shares(b, config, counts, shares).emit();
}

namespace {
/// Adds up the splits. With few channels and most pairs at one offset there are
/// few elements of very many splits, so several threads share an element.
class SplitSums {
public:
  SplitSums(LoopBuilder &b, const WeightGradConfig &config, Value shares,
            Value splits, Value dw);
  void emit();

private:
  static constexpr int64_t kThreads = 256, kMostSharers = 8;
  /// With more threads than this, sharing costs more than it gains (measured on
  /// an H200).
  static constexpr int64_t kEnoughThreads = 900 << 10;
  /// Loads of a thread that do not wait for each other.
  static constexpr int64_t kTogether = 8;

  /// The sum of the splits `begin + sharer + i * sharers` of element `at` of an
  /// offset, as far as they come before `end`.
  Value sumOwn(Value begin, Value end, Value sharer, Value at);
  void store(Value sum, Value place);

  LoopBuilder &b;
  const WeightGradConfig &config;
  Value shares, splits, dw;
  /// Elements, and threads that share one.
  int64_t elements, sharers = kMostSharers;
};
} // namespace

SplitSums::SplitSums(LoopBuilder &b, const WeightGradConfig &config,
                     Value shares, Value splits, Value dw)
    : b(b), config(config), shares(shares), splits(splits), dw(dw),
      elements(config.offsets * config.elements()) {
  while (sharers > 1 && elements * sharers > kEnoughThreads)
    sharers /= 2;
}

Value SplitSums::sumOwn(Value begin, Value end, Value sharer, Value at) {
  Value last = b.max(b.sub(end, 1), b.index(0));
  return b.forLoop(b.add(begin, sharer), end, sharers * kTogether, b.f32(0),
                   [&](Value first, ValueRange carried) -> SmallVector<Value> {
                     SmallVector<Value> terms;
                     for (int64_t i = 0; i < kTogether; ++i) {
                       Value split = b.add(first, i * sharers);
                       Value value = b.load(splits, {b.min(split, last), at});
                       terms.push_back(
                           b.select(b.less(split, end), value, b.f32(0)));
                     }
                     Value sum = carried[0];
                     for (Value term : terms)
                       sum = b.add(sum, term);
                     return {sum};
                   })[0];
}

void SplitSums::store(Value sum, Value place) {
  ConvShape shape = ConvShape::get(cast<MemRefType>(dw.getType()));
  auto divide = [&](Value value, int64_t by) {
    return std::pair(b.divide(value, by), b.remainder(value, by));
  };
  auto [rest, column] = divide(place, shape.out);
  auto [slice, row] = divide(rest, shape.in);
  auto [offset, group] = divide(slice, shape.groups);
  b.store(b.fromFloat(sum, getElementTypeOrSelf(dw.getType())), dw,
          shape.weightIndices(offset, group, row, column));
}

void SplitSums::emit() {
  int64_t ofBlock = kThreads / sharers;
  MemRefType sums = b.getSharedType({sharers, ofBlock}, b.getF32Type());
  b.launch(b.index(llvm::divideCeil(elements, ofBlock)), kThreads, {sums},
           [&](const LoopBuilder::Thread &t) {
             Value sharer = b.divide(t.thread, ofBlock);
             Value column = b.remainder(t.thread, ofBlock);
             Value place = b.add(b.mul(t.block, ofBlock), column);
             Value known = b.min(place, b.index(elements - 1));
             Value k = b.divide(known, config.elements());
             auto getSplit = [&](Value k) {
               return b.mul(b.toIndex(b.load(shares, k)), config.slices);
             };
             Value own = sumOwn(getSplit(k), getSplit(b.add(k, 1)), sharer,
                                b.remainder(known, config.elements()));
             b.store(own, t.shared[0], {sharer, column});
             b.barrier();
             Value stores = b.andBits(b.equal(sharer, b.index(0)),
                                      b.less(place, b.index(elements)));
             b.ifThen(stores, [&] {
               Value sum = own;
               for (int64_t s = 1; s < sharers; ++s)
                 sum = b.add(sum, b.load(t.shared[0], {b.index(s), column}));
               store(sum, place);
             });
           });
}

void mlir::sparseconv::emitSumOfSplits(LoopBuilder &b,
                                       const WeightGradConfig &config,
                                       Value shares, Value splits, Value dw) {
  SplitSums(b, config, shares, splits, dw).emit();
}
