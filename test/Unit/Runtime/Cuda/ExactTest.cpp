//===- ExactTest.cpp - runs with exact sizes ------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CountingPlan.h"
#include "GrowingPlan.h"
#include "RuntimeTest.h"
#include <algorithm>
#include <set>

using namespace sparseconv;
using namespace sparseconv::cuda;

namespace {
class Exact : public RuntimeTest {
protected:
  int createCounting(int64_t capacity, uint32_t flags = SPARSECONV_EXACT) {
    addCountingKernels(fake());
    return create(makeCountingPlan(), capacity, flags);
  }

  /// `rows` rows, of which `kept` are kept.
  static std::vector<float> makeRows(size_t rows, size_t kept) {
    std::vector<float> x;
    for (size_t i = 0; i != rows; ++i)
      x.insert(x.end(), {i < kept ? 1.0f : -1.0f, float(i), 0.5f, -float(i)});
    return x;
  }

  /// The grids of a run, as they ran.
  std::vector<unsigned> getGrids(const std::vector<float> &x) {
    fake().launches.clear();
    EXPECT_EQ(runHost(x), SPARSECONV_OK) << sparseconv_last_error();
    EXPECT_EQ(readOutput(), computeCounting(x));
    std::vector<unsigned> grids;
    for (const FakeLaunch &launch : fake().launches)
      grids.push_back(launch.gridX);
    return grids;
  }

  uint64_t getArena() {
    sparseconv_instance_info info = {};
    EXPECT_EQ(sparseconv_instance_describe(instance, &info), SPARSECONV_OK);
    return info.arena_bytes;
  }

  int64_t countCalls(const char *name) {
    return std::count(fake().calls.begin(), fake().calls.end(), name);
  }
};

using Grids = std::vector<unsigned>;
} // namespace

// The steps that count have grids by capacity and come first, and the others
// those of the rows that there are.
TEST_F(Exact, CountsFirst) {
  ASSERT_EQ(createCounting(800, 0), SPARSECONV_OK) << sparseconv_last_error();
  EXPECT_EQ(getGrids(makeRows(160, 16)), (Grids{100, 100, 100, 100, 100}));
  uint64_t whole = getArena();
  destroy();
  ASSERT_EQ(createCounting(800), SPARSECONV_OK) << sparseconv_last_error();
  // mark, select; twice, take, pass.
  EXPECT_EQ(getGrids(makeRows(160, 16)), (Grids{100, 100, 20, 2, 2}));
  EXPECT_LT(getArena(), whole);
  EXPECT_EQ(getGrids(makeRows(0, 0)), (Grids{100, 100, 1, 1, 1}));
  EXPECT_EQ(getGrids(makeRows(800, 800)), (Grids{100, 100, 100, 100, 100}));
  EXPECT_EQ(getArena(), 256 + 2 * 6400 + 2 * 12800u);
}

// What both parts use keeps its memory; what only one uses does not.
TEST_F(Exact, Memory) {
  ASSERT_EQ(createCounting(800), SPARSECONV_OK);
  // Record and slots, flags and rows.
  EXPECT_EQ(getArena(), 256 + 2 * 6400u);
  ASSERT_EQ(runHost(makeRows(160, 16)), SPARSECONV_OK);
  // Twice 160 rows, and 16 of them.
  EXPECT_EQ(getArena(), 256 + 2 * 6400 + 2560 + 256u);
  fake().calls.clear();
  // As many rows of all kinds take nothing new, and fewer less.
  ASSERT_EQ(runHost(makeRows(160, 16)), SPARSECONV_OK);
  EXPECT_EQ(countCalls("cuMemAllocFromPoolAsync"), 0);
  EXPECT_EQ(countCalls("cuStreamSynchronize"), 1);
  ASSERT_EQ(runHost(makeRows(159, 3)), SPARSECONV_OK);
  EXPECT_EQ(countCalls("cuMemAllocFromPoolAsync"), 0);
  ASSERT_EQ(runHost(makeRows(10, 3)), SPARSECONV_OK);
  EXPECT_EQ(getArena(), 256 + 2 * 6400 + 2 * 256u);
}

TEST_F(Exact, EveryKindOfRun) {
  for (int flags : {0, int(SPARSECONV_POISON), int(SPARSECONV_SYNCHRONOUS)}) {
    ASSERT_EQ(createCounting(100, flags | SPARSECONV_EXACT), SPARSECONV_OK);
    // No graph is made, however often it runs.
    for (size_t rows : {100, 1, 64, 0, 99})
      getGrids(makeRows(rows, rows / 3));
    EXPECT_EQ(countCalls("cuGraphCreate"), 0);
    // On the caller's memory, of which the fake driver knows nothing.
    if (flags == SPARSECONV_POISON) {
      TearDown();
      SetUp();
      continue;
    }
    std::vector<float> x = makeRows(50, 20), y(400);
    int64_t sizes[] = {50, 4};
    sparseconv_tensor input = makeTensor(x.data(), sizes, 800);
    sparseconv_tensor output = {y.data(), SPARSECONV_F32, 0, nullptr, 1600};
    ASSERT_EQ(sparseconv_instance_run(instance, nullptr, &input, 1, &output, 1),
              SPARSECONV_OK)
        << sparseconv_last_error();
    ASSERT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_OK);
    y.resize(80);
    EXPECT_EQ(y, computeCounting(x));
    TearDown();
    SetUp();
  }
}

// An error is the same, whichever step reports it.
TEST_F(Exact, Errors) {
  std::vector<float> x = makeRows(40, 20);
  x[4 * 7] = 13;
  std::string texts[2];
  for (int flags : {0, int(SPARSECONV_EXACT)}) {
    ASSERT_EQ(createCounting(100, flags), SPARSECONV_OK);
    EXPECT_EQ(runHost(x), SPARSECONV_PROGRAM_ERROR);
    texts[flags != 0] = sparseconv_last_error();
    getGrids(makeRows(40, 20)); // it can be used again
    TearDown();
    SetUp();
  }
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_NE(texts[0].find("net.mlir:3:8"), std::string::npos) << texts[0];
}

TEST_F(Exact, HasNoGraphAndNoProfile) {
  ASSERT_EQ(createCounting(100), SPARSECONV_OK);
  std::string in = "function 'main' runs with exact sizes, which differ from "
                   "run to run; ";
  EXPECT_EQ(sparseconv_instance_capture(instance, nullptr, 0, nullptr, 0),
            SPARSECONV_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(sparseconv_last_error()),
            in + "a graph needs an instance without SPARSECONV_EXACT");
  std::vector<float> x = makeRows(4, 4);
  int64_t sizes[] = {4, 4};
  sparseconv_tensor input = makeTensor(x.data(), sizes, 64);
  double times[6];
  EXPECT_EQ(sparseconv_instance_profile(instance, &input, 1, times),
            SPARSECONV_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(sparseconv_last_error()),
            in + "a profile needs an instance without SPARSECONV_EXACT");
}

// Capacities grow as they do otherwise.
TEST_F(Exact, Grows) {
  addGrowingKernels(fake());
  plan::Plan plan = makeGrowingPlan();
  plan.functions[0].steps[0].counts = true;
  plan::SizeExpr rows = plan::exact(1, plan::SizeExpr::growable(0));
  plan.functions[0].steps[1].gridX =
      plan::ceilDiv(rows, plan::SizeExpr::constant(32));
  ASSERT_EQ(create(plan, 20, SPARSECONV_EXACT | SPARSECONV_POISON),
            SPARSECONV_OK)
      << sparseconv_last_error();
  std::vector<float> x;
  for (int i = 0; i != 20; ++i)
    x.insert(x.end(), {5, float(i), 0, 1});
  ASSERT_EQ(runHost(x), SPARSECONV_OK) << sparseconv_last_error();
  EXPECT_EQ(readOutput(), computeGrowing(x));
  // 100 rows, where there is memory for 125.
  ASSERT_EQ(fake().launches.size(), 6u);
  EXPECT_EQ(fake().launches[4].gridX, 4u);
  EXPECT_EQ(fake().launches[5].gridX, 4u);
  sparseconv_growable_info info;
  ASSERT_EQ(sparseconv_instance_growable(instance, 0, &info), SPARSECONV_OK);
  EXPECT_EQ(info.capacity, 125);
}

TEST_F(Exact, OutOfMemory) {
  ASSERT_EQ(createCounting(800), SPARSECONV_OK);
  getGrids(makeRows(8, 8));
  // For inputs, outputs and what is counted, but not for twice 800 rows.
  fake().memory = fake().getUsedMemory() + 4096;
  EXPECT_EQ(runHost(makeRows(800, 800)), SPARSECONV_OUT_OF_MEMORY);
  EXPECT_NE(std::string(sparseconv_last_error())
                .find("the memory of this run of function 'main' (25600 bytes"),
            std::string::npos)
      << sparseconv_last_error();
  getGrids(makeRows(8, 8));
}

TEST_F(Exact, EveryCallFails) {
  auto doEverything = [&] {
    if (int code = createCounting(100))
      return code;
    for (size_t rows : {5, 90})
      if (int code = runHost(makeRows(rows, rows / 2)))
        return code;
    return int(SPARSECONV_OK);
  };
  ASSERT_EQ(doEverything(), SPARSECONV_OK) << sparseconv_last_error();
  int64_t calls = fake().calls.size();
  destroy();
  for (int64_t i = 0; i != calls; ++i) {
    SetUp();
    fake().failAt = i;
    int code = doEverything();
    std::string name = fake().failed;
    // What there is nobody to tell about.
    std::set<std::string> unnoticed = {"cuCtxPopCurrent", "cuMemFreeAsync"};
    if (!unnoticed.count(name)) {
      EXPECT_EQ(code, SPARSECONV_CUDA_ERROR) << i << ' ' << name;
    }
    // What was made before can be used again.
    if (instance)
      getGrids(makeRows(60, 30));
    destroy();
    // What did not go away because the call to that end failed.
    std::string live = fake().getLive();
    if (!unnoticed.count(name)) {
      EXPECT_EQ(live, "") << i << ' ' << name;
    }
    EXPECT_EQ(fake().misuse, std::vector<std::string>()) << i << ' ' << name;
  }
  FakeDriver::reset();
}
