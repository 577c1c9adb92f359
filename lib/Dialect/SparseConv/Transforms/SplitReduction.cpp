//===- SplitReduction.cpp - a reduction of many rows in parts -------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitReduction.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Threads of a block, the terms that a thread loads before it combines them,
/// and the fewest terms that are worth a thread.
static constexpr int64_t kThreads = 256, kTermsAtOnce = 4, kMinTerms = 8;
/// Blocks of the first kernel: about two for each multiprocessor of a large
/// GPU, and as many as the second one loads at once.
static constexpr int64_t kMaxBlocks = 256, kPartsAtOnce = 8;
/// Elements of a block of the second kernel: its loads are as wide as a sector
/// of the cache.
static constexpr int64_t kLastColumns = 8;
/// On a CPU: the terms of a part, and the most parts.
static constexpr int64_t kCpuTerms = 512, kMaxCpuParts = 256;
/// Reductions of fewer terms, or to more elements, keep one thread for each
/// element.
static constexpr int64_t kMinStaticTerms = 4096, kMaxElements = 16384;

/// What changes nothing when it is combined with other terms. Upstream takes
/// the width of an index, which has none, for extremes and masks.
static std::optional<TypedAttr> findNeutral(Operation *combiner) {
  if (!combiner->getResult(0).getType().isIndex())
    return arith::getNeutralElement(combiner);
  Builder b(combiner->getContext());
  if (isa<arith::AndIOp, arith::MinUIOp>(combiner))
    return b.getIndexAttr(-1);
  if (isa<arith::MinSIOp>(combiner))
    return b.getIndexAttr(std::numeric_limits<int64_t>::max());
  if (isa<arith::MaxSIOp>(combiner))
    return b.getIndexAttr(std::numeric_limits<int64_t>::min());
  if (isa<arith::MaxUIOp>(combiner))
    return b.getIndexAttr(0);
  return arith::getNeutralElement(combiner);
}

bool SplitReduction::match() {
  if (!op.hasPureBufferSemantics())
    return false;
  op.getParallelDims(kept);
  op.getReductionDims(reduced);
  if (reduced.empty() || kept.size() + reduced.size() != op.getNumLoops())
    return false;
  SmallVector<int64_t, 4> ranges = op.getStaticLoopRanges();
  for (unsigned loop : kept) {
    if (ShapedType::isDynamic(ranges[loop]) || ranges[loop] > kMaxElements)
      return false;
    numElements *= ranges[loop];
    if (numElements > kMaxElements)
      return false;
  }
  int64_t numStatic = 1;
  bool isDynamic = false;
  for (unsigned loop : reduced) {
    if (ShapedType::isDynamic(ranges[loop]))
      isDynamic = true;
    else
      numStatic = std::min(numStatic * std::min(ranges[loop], kMinStaticTerms),
                           kMinStaticTerms);
  }
  if (numElements == 0 || numStatic == 0 ||
      (!isDynamic && numStatic < kMinStaticTerms))
    return false;
  ArrayRef<BlockArgument> results = op.getRegionOutputArgs();
  for (auto [number, init] : llvm::enumerate(op.getDpsInitsMutable())) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (!map.isProjectedPermutation() || map.getNumResults() != kept.size())
      return false;
    SmallVector<Operation *> found;
    terms.push_back(matchReduction(results, number, found));
    if (!terms.back() || found.size() != 1)
      return false;
    std::optional<TypedAttr> start = findNeutral(found[0]);
    if (!start)
      return false;
    combiners.push_back(found[0]);
    neutral.push_back(*start);
  }
  return true;
}

void SplitReduction::splitNumber(Value value, ArrayRef<unsigned> numbers,
                                 SmallVectorImpl<Value> &ivs) {
  if (numbers.empty())
    return;
  for (unsigned loop : llvm::reverse(numbers.drop_front())) {
    Value rest = b.divide(value, sizes[loop]);
    ivs[loop] = b.sub(value, b.mul(rest, sizes[loop]));
    value = rest;
  }
  ivs[numbers.front()] = value;
}

void SplitReduction::forElements(
    function_ref<void(Value element, SmallVector<Value> &ivs)> body) {
  SmallVector<Value> ivs(op.getNumLoops());
  OpBuilder::InsertionGuard guard(b);
  Value element = b.index(0);
  for (unsigned loop : kept) {
    auto inner = scf::ForOp::create(b, b.index(0), sizes[loop], b.index(1));
    b.setInsertionPointToStart(inner.getBody());
    ivs[loop] = inner.getInductionVar();
    element = b.add(b.mul(element, sizes[loop]), ivs[loop]);
  }
  body(element, ivs);
}

SplitReduction::Terms SplitReduction::computeTerms(ArrayRef<Value> ivs) {
  IRMapping mapping;
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value value = input->get();
    if (isa<MemRefType>(value.getType())) {
      SmallVector<Value> indices;
      for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults())
        indices.push_back(affine::AffineApplyOp::create(
            b, AffineMap::get(ivs.size(), 0, expr), ivs));
      value = b.load(value, indices);
    }
    mapping.map(op.getMatchingBlockArgument(input), value);
  }
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (llvm::is_contained(combiners, &inner))
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      mapping.map(index.getResult(), ivs[index.getDim()]);
    else
      b.clone(inner, mapping);
  }
  return llvm::map_to_vector(
      terms, [&](Value value) { return mapping.lookupOrDefault(value); });
}

SplitReduction::Terms SplitReduction::combine(ValueRange earlier,
                                              ValueRange later) {
  Terms result;
  for (auto [combiner, first, second] : llvm::zip(combiners, earlier, later)) {
    Operation *copy = b.clone(*combiner);
    copy->setOperands({first, second});
    result.push_back(copy->getResult(0));
  }
  return result;
}

SplitReduction::Terms SplitReduction::getNeutral() {
  return llvm::map_to_vector(neutral, [&](TypedAttr value) -> Value {
    return arith::ConstantOp::create(b, value);
  });
}

SplitReduction::Place SplitReduction::getPlace(const Thread &t, int64_t width,
                                               Value first) {
  Place place;
  place.lanes = kThreads / width;
  place.width = width;
  place.lane = b.divide(t.thread, width);
  place.element = b.add(first, b.remainder(t.thread, width));
  place.isActive = b.andBits(b.less(place.element, b.index(numElements)),
                             b.less(place.lane, b.index(place.lanes)));
  place.slot = t.thread;
  place.shared = t.shared;
  return place;
}

SplitReduction::Terms
SplitReduction::combineRange(const Place &place, Value first, Value end,
                             Value stride, int64_t atOnce,
                             function_ref<Terms(Value)> load) {
  Value count = b.ceilDiv(b.max(b.sub(end, first), b.index(0)), stride);
  count = b.select(place.isActive, count, b.index(0));
  Value last = b.sub(count, 1);
  return b.forLoop(b.index(0), count, atOnce, getNeutral(),
                   [&](Value i, ValueRange carried) -> SmallVector<Value> {
                     SmallVector<Terms> loaded;
                     for (int64_t k = 0; k < atOnce; ++k) {
                       Value number = b.min(b.add(i, k), last);
                       loaded.push_back(
                           load(b.add(first, b.mul(number, stride))));
                     }
                     Terms sum(carried), start = getNeutral();
                     for (auto [k, own] : llvm::enumerate(loaded)) {
                       Value isTerm = b.lessEqual(b.add(i, k), last);
                       for (auto [term, none] : llvm::zip(own, start))
                         term = b.select(isTerm, term, none);
                       sum = combine(sum, own);
                     }
                     return sum;
                   });
}

SplitReduction::Terms SplitReduction::combineLanes(const Place &place,
                                                   Terms own) {
  for (auto [term, buffer] : llvm::zip(own, place.shared))
    b.store(term, buffer, place.slot);
  for (int64_t half = llvm::PowerOf2Ceil(place.lanes) / 2; half; half /= 2) {
    b.barrier();
    Value other = b.add(place.lane, half);
    Value hasOther = b.andBits(b.less(place.lane, b.index(half)),
                               b.less(other, b.index(place.lanes)));
    b.ifThen(hasOther, [&] {
      Terms earlier, later;
      Value at = b.add(place.slot, half * place.width);
      for (Value buffer : place.shared) {
        earlier.push_back(b.load(buffer, place.slot));
        later.push_back(b.load(buffer, at));
      }
      for (auto [term, buffer] :
           llvm::zip(combine(earlier, later), place.shared))
        b.store(term, buffer, place.slot);
    });
  }
  // A thread reads what it has written itself.
  return llvm::map_to_vector(
      place.shared, [&](Value buffer) { return b.load(buffer, place.slot); });
}

void SplitReduction::ifFirst(const Place &place, function_ref<void()> then) {
  b.ifThen(b.andBits(place.isActive, b.equal(place.lane, b.index(0))), then);
}

/// The memory that a block of threads needs, a buffer for each result.
static SmallVector<MemRefType> getShared(LoopBuilder &b, ValueRange partial) {
  return llvm::map_to_vector(partial, [&](Value buffer) {
    Type type = cast<MemRefType>(buffer.getType()).getElementType();
    return b.getSharedType({kThreads}, type);
  });
}

void SplitReduction::emitPartial() {
  Value launched = b.mul(numParts, chunks);
  b.launch(launched, kThreads, getShared(b, partial), [&](const Thread &t) {
    // The host knows a bound alone, and may launch more.
    b.ifThen(b.less(t.block, launched), [&] {
      Value number = b.divide(t.block, chunks);
      Value chunk = b.sub(t.block, b.mul(number, chunks));
      Place place = getPlace(t, columns, b.mul(chunk, columns));
      Value first = b.add(b.mul(number, place.lanes), place.lane);
      Value stride = b.mul(numParts, place.lanes);
      Terms sum = combineRange(place, first, numTerms, stride, kTermsAtOnce,
                               [&](Value term) {
                                 SmallVector<Value> ivs(op.getNumLoops());
                                 splitNumber(place.element, kept, ivs);
                                 splitNumber(term, reduced, ivs);
                                 return computeTerms(ivs);
                               });
      sum = combineLanes(place, sum);
      ifFirst(place, [&] {
        for (auto [value, buffer] : llvm::zip(sum, partial))
          b.store(value, buffer, {number, place.element});
      });
    });
  });
}

void SplitReduction::emitResults() {
  int64_t width = std::min(numElements, kLastColumns);
  Value launched = b.index(llvm::divideCeil(numElements, width));
  b.launch(launched, kThreads, getShared(b, partial), [&](const Thread &t) {
    Place place = getPlace(t, width, b.mul(t.block, width));
    Terms sum =
        combineRange(place, place.lane, numParts, b.index(place.lanes),
                     kPartsAtOnce, [&](Value block) {
                       return llvm::map_to_vector(partial, [&](Value buffer) {
                         return b.load(buffer, {block, place.element});
                       });
                     });
    sum = combineLanes(place, sum);
    ifFirst(place, [&] {
      SmallVector<Value> ivs(op.getNumLoops());
      splitNumber(place.element, kept, ivs);
      finish(ivs, sum);
    });
  });
}

void SplitReduction::finish(ArrayRef<Value> ivs, const Terms &sum) {
  Terms before;
  SmallVector<SmallVector<Value>> indices;
  for (auto [init, start] : llvm::zip(op.getDpsInitsMutable(), starts)) {
    auto &at = indices.emplace_back();
    AffineMap map = op.getMatchingIndexingMap(&init);
    for (unsigned i = 0; i < map.getNumResults(); ++i)
      at.push_back(ivs[map.getDimPosition(i)]);
    before.push_back(start ? start : b.load(init.get(), at));
  }
  for (auto [value, init, at] :
       llvm::zip(combine(before, sum), op.getDpsInits(), indices))
    b.store(value, init, at);
}

void SplitReduction::emitOnGpu() {
  columns = std::min(numElements, kThreads);
  chunks = llvm::divideCeil(numElements, columns);
  prepare(std::max<int64_t>(1, kMaxBlocks / chunks),
          b.ceilDiv(numTerms, kThreads / columns * kMinTerms));
  emitPartial();
  emitResults();
}

void SplitReduction::emitOnCpu() {
  prepare(kMaxCpuParts, b.ceilDiv(numTerms, kCpuTerms));
  Value share = b.ceilDiv(numTerms, b.max(numParts, b.index(1)));
  b.parallelFor(numParts, [&](Value part) {
    forElements([&](Value element, SmallVector<Value> &) {
      for (auto [value, buffer] : llvm::zip(getNeutral(), partial))
        b.store(value, buffer, {part, element});
    });
    Value first = b.mul(part, share);
    Value last = b.min(b.add(first, share), numTerms);
    b.forLoop(first, last, 1, [&](Value term) {
      forElements([&](Value element, SmallVector<Value> &ivs) {
        splitNumber(term, reduced, ivs);
        Terms before = llvm::map_to_vector(partial, [&](Value buffer) {
          return b.load(buffer, {part, element});
        });
        for (auto [value, buffer] :
             llvm::zip(combine(before, computeTerms(ivs)), partial))
          b.store(value, buffer, {part, element});
      });
    });
  });
  forElements([&](Value element, SmallVector<Value> &ivs) {
    Terms sum = b.forLoop(
        b.index(0), numParts, 1, getNeutral(),
        [&](Value part, ValueRange carried) -> SmallVector<Value> {
          return combine(carried,
                         llvm::map_to_vector(partial, [&](Value buffer) {
                           return b.load(buffer, {part, element});
                         }));
        });
    finish(ivs, sum);
  });
}

void SplitReduction::prepare(int64_t most, Value number) {
  numParts = b.min(number, b.index(most));
  for (Value init : op.getDpsInits()) {
    Type type = cast<MemRefType>(init.getType()).getElementType();
    partial.push_back(b.alloc({most, numElements}, type));
  }
}

void SplitReduction::emit(ArrayRef<Value> known) {
  starts = known;
  auto loops = cast<linalg::LinalgOp>(*op);
  for (Range range : loops.createLoopRanges(b, op.getLoc()))
    sizes.push_back(
        getValueOrCreateConstantIndexOp(b, op.getLoc(), range.size));
  numTerms = b.index(1);
  for (unsigned loop : reduced)
    numTerms = b.mul(numTerms, sizes[loop]);
  if (b.isGpu())
    emitOnGpu();
  else
    emitOnCpu();
  for (Value buffer : partial)
    b.dealloc(buffer);
}
