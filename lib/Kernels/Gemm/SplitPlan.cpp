//===- SplitPlan.cpp - which thread blocks share rows ---------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitPlan.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Grains that are rated. What is said of one is the time, whose lowest bits
/// are the grain's number: the least of all says which it is.
static constexpr int64_t kNumGrains = 16;
/// Words for what is said of grains, and for sums of warps.
static constexpr int64_t kNumRates = 32;
/// Words of the first task, and behind them the number of the next one.
static constexpr int64_t kTaskWords = 4;

int64_t SplitPlan::getSharedBytes(const ImplicitGemmConfig &config) {
  if (config.splitK == 1)
    return 0;
  return (2 * config.threads() + 1 + kNumRates + kTaskWords + 1) * 4;
}

Value SplitPlan::getElement(Part part, Value index) {
  int64_t threads = e.config.threads();
  int64_t starts[] = {0, threads, threads + kNumRates,
                      2 * threads + 1 + kNumRates};
  return b.offset(b.dynamicShared(),
                  b.add(b.mul(index, 4), begin + 4 * starts[part]));
}

static Value divideCeil(GpuBuilder &b, Value number, Value by) {
  return b.divide(b.add(number, b.sub(by, 1)), by);
}

//===----------------------------------------------------------------------===//
// Grains
//===----------------------------------------------------------------------===//

namespace {
/// Nanoseconds, as measured on an H200.
struct Costs {
  explicit Costs(const ImplicitGemmConfig &config) {
    // What waits for memory, or for the tensor cores.
    double products = static_cast<double>(config.rowsPerBlock()) *
                      config.inChannels * config.tileN;
    step = std::llround(std::max(1000.0, products / 2.95e3));
    split = config.rowsPerBlock() * config.tileN / 26 * 4;
  }
  /// Of an offset; of the sums of a split that others add to theirs; and of
  /// what there is to do beside that.
  int64_t step, split, fence = 2000;
};
} // namespace

namespace {
/// What a grain makes of the row blocks: how many tasks, the offsets of the
/// largest, and the most tasks of a row block.
struct Tasks {
  Value number, largest, most;

  void fields(LoopFields &f) { f(number, largest, most); }
};
} // namespace

/// How many offsets the rows of a row block have.
Value SplitPlan::countOffsets(Value rowBlock) {
  int64_t tiles = e.config.rowsPerBlock() / e.config.rowsPerTile();
  Value firstTile = b.mul(rowBlock, tiles);
  return forLoop(b, b.i32(0), b.i32(e.config.maskWords()), b.i32(1), b.i32(0),
                 [&](Value word, Value &count) {
                   Value bits = e.joinWords(firstTile, tiles, word);
                   count = b.add(count, b.popCount(bits));
                 });
}

/// By one warp: when the last task ends, or -1 where not all tasks of a grain
/// run at a time, or a row block has more than it may.
Value SplitPlan::rate(Value grain) {
  Tasks all{b.i32(0), b.i32(0), b.i32(1)};
  // Behind the last row block there are no offsets.
  all = forLoop(b, b.i32(0), numRowBlocks, b.i32(kWarpLanes), all,
                [&](Value first, Tasks &now) {
                  Value i = b.add(e.lane, first);
                  Value count = loadElement(Counts, i);
                  Value isRowBlock = b.lessUnsigned(i, numRowBlocks);
                  Value own =
                      b.maxUnsigned(divideCeil(b, count, grain), b.i32(1));
                  Value more = b.select(isRowBlock, own, b.i32(0));
                  now.number = b.add(now.number, more);
                  now.largest =
                      b.maxUnsigned(now.largest, divideCeil(b, count, own));
                  now.most = b.maxUnsigned(now.most, own);
                });
  Value tasks = sumOfLanes(b, all.number);
  Value largest = maxOfLanes(b, all.largest), most = maxOfLanes(b, all.most);
  Costs costs(e.config);
  Value others = b.sub(most, 1);
  Value time = b.add(b.mul(largest, costs.step), b.mul(others, costs.split));
  time =
      b.add(time, b.select(b.equal(others, 0), b.i32(0), b.i32(costs.fence)));
  Value fits = b.andBits(b.lessEqual(tasks, b.gridSize()),
                         b.lessEqual(most, b.i32(e.config.splitK)));
  return b.select(fits, time, b.i32(-1));
}

/// From all offsets down.
static Value getGrain(GpuBuilder &b, const ImplicitGemmConfig &config,
                      Value number) {
  Value part = b.mul(b.sub(b.i32(kNumGrains), number), config.offsets);
  return b.divide(b.add(part, kNumGrains - 1), kNumGrains);
}

void SplitPlan::rateGrains() {
  Value warp = b.divide(e.thread, kWarpLanes);
  b.forLoop(warp, b.i32(kNumGrains), b.i32(e.config.warps), [&](Value number) {
    Value time = rate(getGrain(b, e.config, number));
    Value rated = b.orBits(b.mul(time, kNumGrains), number);
    rated = b.select(b.equal(time, -1), b.i32(-1), rated);
    b.ifThen(b.equal(e.lane, 0),
             [&] { b.store(rated, getElement(Rates, number), 4); });
  });
}

Value SplitPlan::chooseGrain() {
  Value best = loadElement(Rates, 0);
  for (int64_t number : llvm::seq<int64_t>(1, kNumGrains))
    best = b.minUnsigned(best, loadElement(Rates, number));
  return getGrain(b, e.config, b.remainder(best, kNumGrains));
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

/// The sum of the numbers of all threads before this one.
Value SplitPlan::addUpBefore(Value own) {
  Value sum = own;
  for (int64_t distance = 1; distance < kWarpLanes; distance *= 2) {
    Value theirs = b.shuffle(sum, b.sub(e.lane, distance));
    Value isThere = b.greaterEqual(e.lane, distance);
    sum = b.add(sum, b.select(isThere, theirs, b.i32(0)));
  }
  // The rates have been read, and make room for the sums of the warps.
  b.barrier();
  Value warp = b.divide(e.thread, kWarpLanes);
  b.ifThen(b.equal(e.lane, kWarpLanes - 1),
           [&] { b.store(sum, getElement(Rates, warp), 4); });
  b.barrier();
  Value before = b.sub(sum, own);
  for (int64_t other : llvm::seq(e.config.warps - 1)) {
    Value isBefore = b.lessUnsigned(b.i32(other), warp);
    Value theirs = loadElement(Rates, other);
    before = b.add(before, b.select(isBefore, theirs, b.i32(0)));
  }
  return before;
}

/// With a thread for each row block. Returns the number of tasks.
Value SplitPlan::cut() {
  int64_t threads = e.config.threads();
  Value isRowBlock = b.lessUnsigned(e.thread, numRowBlocks);
  // Row blocks with many offsets come last in the order of rows.
  Value count = changeIf(b, isRowBlock, b.i32(0), [&](Value &count) {
    count = countOffsets(b.sub(b.sub(numRowBlocks, 1), e.thread));
  });
  b.store(count, getElement(Counts, e.thread), 4);
  b.barrier();
  rateGrains();
  b.barrier();
  Value own = b.maxUnsigned(divideCeil(b, count, chooseGrain()), b.i32(1));
  own = b.select(isRowBlock, own, b.i32(0));
  Value before = addUpBefore(own);
  b.store(before, getElement(Starts, e.thread), 4);
  b.ifThen(b.equal(e.thread, threads - 1), [&] {
    b.store(b.add(before, own), getElement(Starts, threads), 4);
  });
  b.barrier();
  return loadElement(Starts, threads);
}

/// Tells all threads of the first task, once they have met.
void SplitPlan::findFirst() {
  Value number = b.blockId();
  auto store = [&](ArrayRef<Value> task) {
    for (auto [i, word] : llvm::enumerate(task))
      b.store(word, getElement(First, i), 4);
  };
  auto findSplit = [&] {
    Value first = loadElement(Starts, e.thread);
    Value count = b.sub(loadElement(Starts, b.add(e.thread, 1)), first);
    Value split = b.sub(number, first);
    b.ifThen(b.lessUnsigned(split, count),
             [&] { store({e.thread, split, count, first}); });
  };
  auto takeWhole = [&] {
    b.ifThen(b.equal(e.thread, 0),
             [&] { store({number, b.i32(0), b.i32(1), b.i32(0)}); });
  };
  b.ifElse(isCut, findSplit, takeWhole);
}

void SplitPlan::make() {
  int64_t rows = e.config.rowsPerBlock();
  numRowBlocks = b.divide(b.add(e.outRows, rows - 1), rows);
  numTasks = numRowBlocks;
  first = b.blockId();
  if (e.config.splitK == 1)
    return;
  Value most = b.minUnsigned(b.gridSize(), b.i32(e.config.threads() + 1));
  isCut = b.lessUnsigned(numRowBlocks, most);
  numTasks =
      changeIf(b, isCut, numRowBlocks, [&](Value &number) { number = cut(); });
  findFirst();
  b.barrier();
  first = loadElement(First, 0);
}

SplitPlan::Task SplitPlan::getTask(Value number) {
  Value rowBlock = b.sub(b.sub(numRowBlocks, 1), number);
  if (e.config.splitK == 1)
    return {rowBlock, {}, {}, {}};
  return {rowBlock, loadElement(First, 1), loadElement(First, 2),
          loadElement(First, 3)};
}

void SplitPlan::reloadSplit(GemmTask &task, Value warpgroup) {
  if (e.config.splitK == 1)
    return;
  Task found = getTask(b.i32(0));
  task.split = found.split;
  task.splits = found.splits;
  // The splits of each tile lie side by side.
  int64_t tiles = e.config.rowsPerBlock() / e.config.rowsPerTile();
  task.firstSplit =
      b.add(b.mul(found.firstSplit, tiles), b.mul(warpgroup, found.splits));
}

Value SplitPlan::takeNext(Value number, Value isTaker) {
  Value stride = b.gridSize();
  if (!isByCounter())
    return b.add(number, stride);
  // The first of each thread block is not taken here, but each task that a
  // thread block ends adds one. So the counter is 0 again behind the last, for
  // the next run.
  return changeIf(b, isTaker, b.i32(0), [&](Value &next) {
    Value place = b.i32(e.config.countersOfTiles());
    if (e.columnTile)
      place = b.add(place, e.columnTile);
    Value taken =
        b.atomicIncrement(b.element(e.counters, place, 4), b.sub(numTasks, 1));
    next = b.add(taken, stride);
  });
}

Value SplitPlan::share(Value next, Value isTaker) {
  if (isByCounter())
    b.ifThen(isTaker, [&] { b.store(next, getElement(First, kTaskWords), 4); });
  b.barrier();
  return isByCounter() ? loadElement(First, kTaskWords) : next;
}

/// Where row blocks are cut there are fewer of them than thread blocks.
Value SplitPlan::hasNext(Value next) {
  return b.lessUnsigned(next, numRowBlocks);
}
