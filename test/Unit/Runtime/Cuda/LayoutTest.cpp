//===- LayoutTest.cpp - schedules and arenas ------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GrowingPlan.h"
#include "SamplePlan.h"
#include "sparseconv/Runtime/PlanLayout.h"
#include <gtest/gtest.h>
#include <random>

using namespace sparseconv;
using namespace sparseconv::plan;

/// A function of memsets: each step writes the buffers whose lifetime begins or
/// ends there.
static Function makeChain(const std::vector<std::array<uint32_t, 2>> &lifetimes,
                          const std::vector<int64_t> &bytes,
                          uint32_t numSteps) {
  Function function;
  function.name = "chain";
  for (size_t b = 0; b != lifetimes.size(); ++b) {
    Buffer buffer;
    buffer.name = "b" + std::to_string(b);
    buffer.bytes = SizeExpr::constant(bytes[b]);
    buffer.firstStep = lifetimes[b][0];
    buffer.lastStep = lifetimes[b][1];
    function.buffers.push_back(buffer);
  }
  function.steps.resize(numSteps);
  return function;
}

static Layout layOutOrDie(const Function &function,
                          const Capacities &capacities = {}) {
  std::string error;
  std::optional<Layout> layout =
      layOut(function, Schedule(function), capacities, error);
  EXPECT_TRUE(layout) << error;
  return layout ? *layout : Layout();
}

TEST(Layout, ReusesMemoryOfDeadBuffers) {
  // The second starts when the first is dead; the third overlaps both.
  Function function = makeChain({{0, 0}, {1, 2}, {0, 1}}, {1000, 900, 300}, 3);
  Layout layout = layOutOrDie(function);
  EXPECT_EQ(layout.scalarBytes, 64);
  EXPECT_EQ(layout.bufferOffsets[0], 256);
  EXPECT_EQ(layout.bufferOffsets[1], 256);
  EXPECT_EQ(layout.bufferOffsets[2], 256 + 1024);
  EXPECT_EQ(layout.arenaBytes, 256 + 1024 + 512);
  EXPECT_EQ(layout.scratchBytes, 1024 + 1024 + 512);
}

TEST(Layout, FillsGaps) {
  Function function =
      makeChain({{0, 3}, {0, 1}, {0, 3}, {2, 3}}, {1024, 512, 256, 300}, 4);
  Layout layout = layOutOrDie(function);
  // The last takes the place of the second, between the first and the third.
  EXPECT_EQ(layout.bufferOffsets[1], 256 + 1024);
  EXPECT_EQ(layout.bufferOffsets[2], 256 + 1024 + 512);
  EXPECT_EQ(layout.bufferOffsets[3], 256 + 1024);
}

TEST(Layout, RandomBuffersDoNotOverlap) {
  for (unsigned round = 0; round != 200; ++round) {
    std::mt19937 random(round);
    uint32_t numSteps = 1 + random() % 20, numStreams = 1 + random() % 3;
    std::vector<std::array<uint32_t, 2>> lifetimes;
    std::vector<int64_t> bytes;
    for (unsigned b = 0; b != 12; ++b) {
      uint32_t x = random() % numSteps, y = random() % numSteps;
      lifetimes.push_back({std::min(x, y), std::max(x, y)});
      bytes.push_back(random() % 2000);
    }
    Function function = makeChain(lifetimes, bytes, numSteps);
    function.numStreams = numStreams;
    for (uint32_t i = 0; i != numSteps; ++i) {
      function.steps[i].stream = random() % numStreams;
      for (uint32_t d = 0; d != i; ++d)
        if (random() % 4 == 0)
          function.steps[i].dependencies.push_back(d);
    }
    // Reachability the slow way.
    std::vector<std::vector<bool>> before(numSteps,
                                          std::vector<bool>(numSteps));
    for (uint32_t i = 0; i != numSteps; ++i)
      for (uint32_t j = 0; j != i; ++j) {
        bool direct = function.steps[i].stream == function.steps[j].stream;
        for (uint32_t d : function.steps[i].dependencies)
          direct |= d == j;
        if (!direct)
          continue;
        before[j][i] = true;
        for (uint32_t k = 0; k != j; ++k)
          if (before[k][j])
            before[k][i] = true;
      }
    Schedule schedule(function);
    Layout layout = layOutOrDie(function);
    for (uint32_t a = 0; a != 12; ++a)
      for (uint32_t b = 0; b != 12; ++b) {
        bool ends = true;
        for (uint32_t x : lifetimes[a])
          for (uint32_t y : lifetimes[b])
            ends &= x != y && before[x][y];
        EXPECT_EQ(schedule.endsBefore(a, b), ends);
        int64_t endA = layout.bufferOffsets[a] + bytes[a];
        int64_t endB = layout.bufferOffsets[b] + bytes[b];
        if (a == b || !bytes[a] || !bytes[b] ||
            endA <= layout.bufferOffsets[b] || endB <= layout.bufferOffsets[a])
          continue;
        EXPECT_TRUE(schedule.endsBefore(a, b) || schedule.endsBefore(b, a));
      }
  }
}

TEST(Layout, ManyBuffersDoNotOverlap) {
  // Each lives for a few of its steps; half of them are of a second stream.
  constexpr uint32_t numSteps = 30, numBuffers = 4600;
  std::mt19937 random(1);
  std::vector<std::array<uint32_t, 2>> lifetimes;
  std::vector<int64_t> bytes;
  for (uint32_t b = 0; b != numBuffers; ++b) {
    uint32_t first = random() % numSteps;
    lifetimes.push_back({first, std::min(first + b % 3, numSteps - 1)});
    bytes.push_back(1 + random() % 2000);
  }
  Function function = makeChain(lifetimes, bytes, numSteps);
  function.numStreams = 2;
  for (uint32_t i = 0; i != numSteps; ++i) {
    function.steps[i].stream = i % 2;
    if (i % 5 == 4)
      function.steps[i].dependencies = {i - 1, i - 3};
  }
  Schedule schedule(function);
  Layout layout = layOutOrDie(function);
  for (uint32_t a = 0; a != numBuffers; ++a)
    for (uint32_t b = 0; b != a; ++b)
      if (layout.bufferOffsets[a] + bytes[a] > layout.bufferOffsets[b] &&
          layout.bufferOffsets[b] + bytes[b] > layout.bufferOffsets[a])
        ASSERT_TRUE(schedule.endsBefore(a, b) || schedule.endsBefore(b, a))
            << a << ' ' << b;
  EXPECT_LT(3 * layout.arenaBytes, layout.scratchBytes);
}

TEST(Layout, HundredsOfThousandsOfBuffers) {
  // With the square of their number in steps this would take minutes.
  constexpr uint32_t numBuffers = 200000, numSteps = 1000;
  std::vector<std::array<uint32_t, 2>> lifetimes;
  std::vector<int64_t> bytes;
  for (uint32_t b = 0; b != numBuffers; ++b) {
    lifetimes.push_back({b % numSteps, b % numSteps});
    bytes.push_back(256);
  }
  Layout layout = layOutOrDie(makeChain(lifetimes, bytes, numSteps));
  EXPECT_EQ(layout.scratchBytes, int64_t(256) * numBuffers);
  EXPECT_EQ(layout.arenaBytes, 256 + int64_t(256) * numBuffers / numSteps);
}

TEST(Layout, BranchesKeepTheirMemory) {
  // Two buffers whose steps do not overlap, but on streams without an order.
  Function function = makeChain({{0, 0}, {1, 1}}, {512, 512}, 3);
  function.numStreams = 2;
  function.steps[1].stream = 1;
  Layout apart = layOutOrDie(function);
  EXPECT_NE(apart.bufferOffsets[0], apart.bufferOffsets[1]);
  function.steps[1].dependencies = {0};
  Layout shared = layOutOrDie(function);
  EXPECT_EQ(shared.bufferOffsets[0], shared.bufferOffsets[1]);
}

TEST(Schedule, WaitsOnlyWhereNeeded) {
  Function function;
  function.numStreams = 3;
  function.steps.resize(6);
  auto set = [&](uint32_t i, uint32_t stream, std::vector<uint32_t> after) {
    function.steps[i].stream = stream;
    function.steps[i].dependencies = std::move(after);
  };
  set(0, 0, {});
  set(1, 1, {0});
  set(2, 1, {0});    // implied by step 1
  set(3, 0, {1, 2}); // step 1 is implied by step 2
  set(4, 0, {0, 2}); // same stream, implied by step 3
  set(5, 2, {});     // nothing joins it
  Schedule schedule(function);
  EXPECT_TRUE(schedule.waits[1].forFork);
  EXPECT_FALSE(schedule.waits[2].forFork);
  EXPECT_EQ(schedule.waits[1].steps, std::vector<uint32_t>{0});
  EXPECT_TRUE(schedule.waits[2].steps.empty());
  EXPECT_EQ(schedule.waits[3].steps, std::vector<uint32_t>{2});
  EXPECT_TRUE(schedule.waits[4].steps.empty());
  EXPECT_TRUE(schedule.waits[5].forFork);
  EXPECT_EQ(schedule.joins, std::vector<uint32_t>{5});
  EXPECT_EQ(schedule.signals,
            (std::vector<bool>{true, false, true, false, false, true}));
}

// Two steps that report errors keep their order where one between them, which
// reports as well, is left out.
TEST(Schedule, WhatIsLeftOutStandsForWhatIsBeforeIt) {
  Function function;
  function.numStreams = 2;
  function.steps.resize(4);
  for (uint32_t i : {1, 2})
    function.steps[i].prepares = true;
  function.steps[1].dependencies = {0};
  function.steps[2].dependencies = {1};
  function.steps[3].dependencies = {2};
  function.steps[3].stream = 1;
  Schedule schedule(function, {false, true, true, false});
  EXPECT_EQ(schedule.waits[3].steps, std::vector<uint32_t>{0});
  Schedule whole(function);
  EXPECT_EQ(whole.waits[3].steps, std::vector<uint32_t>{2});
}

/// Random steps on random buffers; a step counts where one that counts comes
/// after it and uses the same.
static Function makeCounting(std::mt19937 &random) {
  Function function;
  function.buffers.resize(10);
  for (Buffer &buffer : function.buffers)
    buffer.bytes = SizeExpr::constant(1 + random() % 2000);
  function.steps.resize(12);
  for (Step &step : function.steps)
    for (int i = 0; i != 2; ++i)
      step.params.push_back(Param::buffer(random() % 10));
  std::vector<bool> isNeeded(10);
  for (auto step = function.steps.rbegin(); step != function.steps.rend();
       ++step) {
    forEachBuffer(*step, [&](uint32_t b) { step->counts |= isNeeded[b]; });
    step->counts |= random() % 8 == 0;
    if (step->counts)
      forEachBuffer(*step, [&](uint32_t b) { isNeeded[b] = true; });
  }
  setLifetimes(function);
  return function;
}

// With exact sizes the steps that count are a program of their own, and so are
// the others. What both use has memory in the first that nothing else takes.
TEST(Layout, Phases) {
  unsigned numShared = 0;
  for (unsigned round = 0; round != 200; ++round) {
    std::mt19937 random(round);
    Function function = makeCounting(random);
    std::array<Schedule, 2> parts = {Schedule(function, {}, Phase::Counts),
                                     Schedule(function, {}, Phase::Rest)};
    for (bool isRest : {false, true}) {
      std::string error;
      std::optional<Layout> layout = layOut(function, parts[isRest], {}, error);
      ASSERT_TRUE(layout) << error;
      // First and last use in this part, and whether the rest uses it, too.
      std::array<uint32_t, 10> first, last;
      std::array<bool, 10> isCounted{}, isLater{};
      first.fill(99);
      for (uint32_t i = 0; i != function.steps.size(); ++i) {
        EXPECT_EQ(parts[isRest].leavesOut(i),
                  function.steps[i].counts == isRest);
        forEachBuffer(function.steps[i], [&](uint32_t b) {
          (function.steps[i].counts ? isCounted : isLater)[b] = true;
          if (function.steps[i].counts == isRest)
            return;
          first[b] = std::min(first[b], i);
          last[b] = i;
        });
      }
      for (uint32_t a = 0; a != 10; ++a) {
        bool isHere = isRest ? isLater[a] && !isCounted[a] : isCounted[a];
        ASSERT_EQ(layout->bufferOffsets[a] >= 0, isHere);
        for (uint32_t b = 0; b != a; ++b) {
          int64_t x = layout->bufferOffsets[a], y = layout->bufferOffsets[b];
          if (x < 0 || y < 0 || x + layout->bufferBytes[a] <= y ||
              y + layout->bufferBytes[b] <= x)
            continue;
          ++numShared;
          EXPECT_TRUE(last[a] < first[b] || last[b] < first[a]) << round;
          EXPECT_TRUE(isRest || (!isLater[a] && !isLater[b])) << round;
        }
      }
    }
  }
  EXPECT_GT(numShared, 100u);
}

TEST(Layout, Sizes) {
  Plan plan = makeSamplePlan();
  Layout layout = layOutOrDie(plan.functions[0], {{{100, 4}}, {}, {}});
  EXPECT_EQ(layout.bufferBytes,
            (std::vector<int64_t>{1600, 1600, 16, 1600, 1600, 1600, 8}));
  EXPECT_EQ(layout.outputCapacities,
            (std::vector<std::vector<int64_t>>{{100, 4}}));
  EXPECT_EQ(layout.steps[0].gridX, 4);
  EXPECT_EQ(layout.steps[4].params,
            (std::vector<int64_t>{0, 0, 0, 0, 100, 0, 0}));
  EXPECT_EQ(layout.scalarBytes, 80);
  // `copied` takes the place of `sum`; `runs` comes before both.
  EXPECT_EQ(layout.bufferOffsets[6], 256);
  EXPECT_EQ(layout.bufferOffsets[5], layout.bufferOffsets[3]);
  EXPECT_EQ(layout.arenaBytes, 512 + 2 * 1792);
  // Grids are whole clusters, and never empty.
  EXPECT_EQ(layOutOrDie(plan.functions[0], {{{65, 4}}, {}, {}}).steps[0].gridX,
            4);
  EXPECT_EQ(layOutOrDie(plan.functions[0], {{{0, 4}}, {}, {}}).steps[0].gridX,
            2);
  EXPECT_EQ(layOutOrDie(plan.functions[0], {{{0, 4}}, {}, {}}).steps[2].gridX,
            1);
}

static std::string getError(const Function &function, int64_t capacity) {
  std::string error;
  return layOut(function, Schedule(function), {{{capacity, 4}}, {}, {}}, error)
             ? "no error"
             : error;
}

TEST(Layout, Errors) {
  Plan plan = makeSamplePlan();
  Function &function = plan.functions[0];
  EXPECT_EQ(getError(function, INT64_MAX / 8),
            "function 'main': buffer 'x': a size does not fit 63 bits "
            "((cap(x, 0) * 16))");
  EXPECT_EQ(getError(function, INT64_MAX / 16),
            "function 'main': buffer 'x': (cap(x, 0) * 16) is "
            "9223372036854775792, expected 0 .. 1152921504606846976");
  EXPECT_EQ(getError(function, int64_t(1) << 40),
            "function 'main': step 0: ceildiv(cap(x, 0), 32) is 34359738368, "
            "expected 0 .. 2147483647");
  function.steps[1].targetOffset = SizeExpr::constant(4);
  EXPECT_EQ(getError(function, 10),
            "function 'main': step 1: bytes [4, +160) are outside buffer "
            "'kept' of 160 bytes");
  function.steps[1].bytes = SizeExpr::constant(6);
  EXPECT_EQ(getError(function, 10),
            "function 'main': step 1: a memset is not of whole values");
  function.steps[0].params[0].expr = SizeExpr::constant(161);
  EXPECT_EQ(getError(function, 10),
            "function 'main': step 0: bytes [161, +0) are outside buffer 'x' "
            "of 160 bytes");
  function.steps[0].gridX = SizeExpr::constant(-1);
  EXPECT_EQ(getError(function, 10),
            "function 'main': step 0: -1 is -1, expected 0 .. 2147483647");
}

TEST(Layout, GrowableCapacities) {
  Function function = makeGrowingPlan().functions[0];
  auto getCapacities = [&](int64_t rows, std::vector<int64_t> asked) {
    Layout layout = layOutOrDie(function, {{{rows, 4}}, std::move(asked), {}});
    EXPECT_EQ(layout.bufferBytes[1], layout.growables[0].capacity * 16);
    EXPECT_EQ(layout.outputCapacities[0][0], layout.growables[1].capacity);
    EXPECT_EQ(layout.growables[0].bound, rows * 10);
    EXPECT_EQ(layout.growables[1].bound, layout.growables[0].capacity * 10);
    return std::pair(layout.growables[0].capacity,
                     layout.growables[1].capacity);
  };
  // From the start, or what is asked for, to the bound.
  EXPECT_EQ(getCapacities(100, {}), std::pair(8l, 8l));
  EXPECT_EQ(getCapacities(100, {5}), std::pair(8l, 8l));
  EXPECT_EQ(getCapacities(100, {50}), std::pair(50l, 50l));
  EXPECT_EQ(getCapacities(100, {50, 70}), std::pair(50l, 70l));
  EXPECT_EQ(getCapacities(100, {50, 7000}), std::pair(50l, 500l));
  EXPECT_EQ(getCapacities(100, {INT64_MAX, INT64_MAX}),
            std::pair(1000l, 10000l));
  EXPECT_EQ(getCapacities(0, {50, 50}), std::pair(0l, 0l));

  std::string error;
  function.growables[1].bound = SizeExpr::constant(-1);
  EXPECT_FALSE(
      layOut(function, Schedule(function), {{{100, 4}}, {}, {}}, error));
  EXPECT_EQ(error.find("function 'main': growable capacity 1: -1 is -1"), 0u)
      << error;
}
