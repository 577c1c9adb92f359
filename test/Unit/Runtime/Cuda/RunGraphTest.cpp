//===- RunGraphTest.cpp - ordinary runs as graphs -------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GrowingPlan.h"
#include "RuntimeTest.h"
#include <algorithm>

using namespace sparseconv;
using namespace sparseconv::cuda;

namespace {
using Floats = std::vector<float>;

class RunGraph : public RuntimeTest {
protected:
  void TearDown() override {
    for (CUdeviceptr address : allocated)
      FakeDriver::getTable().cuMemFreeAsync(address, nullptr);
    RuntimeTest::TearDown();
  }

  CUdeviceptr allocate(size_t bytes) {
    CUdeviceptr address = 0;
    EXPECT_EQ(FakeDriver::getTable().cuMemAllocFromPoolAsync(
                  &address, std::max<size_t>(bytes, 16), nullptr, nullptr),
              CUDA_SUCCESS);
    allocated.push_back(address);
    return address;
  }

  /// A run on memory of its own.
  int run(const Floats &x) {
    return runOn(allocate(x.size() * 4), allocate(1600), x);
  }

  int runOn(CUdeviceptr input, CUdeviceptr output, const Floats &x) {
    int64_t sizes[] = {int64_t(x.size()) / 4, 4};
    std::copy(x.begin(), x.end(), static_cast<float *>(toPointer(input)));
    sparseconv_tensor in = makeTensor(toPointer(input), sizes, x.size() * 4);
    sparseconv_tensor out = {toPointer(output), SPARSECONV_F32, 0, nullptr,
                             1600};
    fake().work.clear();
    return sparseconv_instance_run(instance, nullptr, &in, 1, &out, 1);
  }

  int finish() { return sparseconv_instance_results(instance, 1); }

  bool wasGraph() const {
    return std::count(fake().work.begin(), fake().work.end(), "graph") != 0;
  }

  /// Several runs, none of which is a graph.
  void runInSteps() {
    for (int i = 0; i != 4; ++i) {
      Floats x = makeInput(20);
      ASSERT_EQ(run(x), SPARSECONV_OK);
      EXPECT_FALSE(wasGraph());
      ASSERT_EQ(finish(), SPARSECONV_OK);
      EXPECT_EQ(readOutput(), computeSample(x));
    }
  }

  std::vector<CUdeviceptr> allocated;
};
} // namespace

TEST_F(RunGraph, TheThirdRunIsOne) {
  for (uint32_t streams : {1, 2}) {
    ASSERT_EQ(create(makeLaunchPlan(streams), 100), SPARSECONV_OK);
    int number = 0;
    for (size_t rows : {100, 3, 57, 0, 100, 1}) {
      Floats x = makeInput(rows, rows + 1);
      ASSERT_EQ(run(x), SPARSECONV_OK) << sparseconv_last_error();
      EXPECT_EQ(wasGraph(), ++number > 2);
      ASSERT_EQ(finish(), SPARSECONV_OK) << sparseconv_last_error();
      EXPECT_EQ(readOutput(), computeSample(x));
    }
    // Three graphs are made for three places, and the last run tells one.
    EXPECT_EQ(std::count(fake().calls.begin(), fake().calls.end(),
                         "cuGraphExecKernelNodeSetParams"),
              2);
    // On the same memory there is nothing to tell.
    Floats x = makeInput(20);
    for (int i = 0; i != 2; ++i) {
      fake().calls.clear();
      ASSERT_EQ(runHost(x), SPARSECONV_OK);
      EXPECT_EQ(readOutput(), computeSample(x));
    }
    EXPECT_EQ(std::count(fake().calls.begin(), fake().calls.end(),
                         "cuGraphExecKernelNodeSetParams"),
              0);
    destroy();
    fake().calls.clear();
  }
}

TEST_F(RunGraph, TellsTheKernelsWhoseMemoryHasMoved) {
  ASSERT_EQ(create(makeLaunchPlan(1), 100), SPARSECONV_OK);
  Floats x = makeInput(20);
  CUdeviceptr inputs[] = {allocate(1600), allocate(1600)};
  CUdeviceptr outputs[] = {allocate(1600), allocate(1600)};
  // One kernel reads the input, another one writes the output.
  int64_t told[] = {0, 0, 0, 0, 0, 2, 1, 0};
  int memory[][2] = {{0, 0}, {0, 0}, {0, 0}, {0, 0},
                     {0, 1}, {1, 1}, {0, 0}, {0, 0}};
  for (size_t i = 0; i != std::size(told); ++i) {
    fake().calls.clear();
    x[0] = float(i);
    auto [input, output] = memory[i];
    ASSERT_EQ(runOn(inputs[input], outputs[output], x), SPARSECONV_OK);
    EXPECT_EQ(std::count(fake().calls.begin(), fake().calls.end(),
                         "cuGraphExecKernelNodeSetParams"),
              told[i]);
    ASSERT_EQ(finish(), SPARSECONV_OK);
    EXPECT_EQ(readOutput(), computeSample(x));
  }
}

// A caller that has memory in up to three places, in turn, gets a graph for
// each of them. For another place one of them is told, and no more are made.
TEST_F(RunGraph, ThreeKnowThreePlaces) {
  ASSERT_EQ(create(makeLaunchPlan(1), 100), SPARSECONV_OK);
  Floats x = makeInput(20);
  CUdeviceptr input = allocate(1600), outputs[4];
  for (CUdeviceptr &output : outputs)
    output = allocate(1600);
  auto countCalls = [&](size_t place, const char *name) {
    fake().calls.clear();
    x[0] += 1;
    EXPECT_EQ(runOn(input, outputs[place], x), SPARSECONV_OK);
    EXPECT_EQ(finish(), SPARSECONV_OK);
    EXPECT_EQ(readOutput(), computeSample(x));
    return std::count(fake().calls.begin(), fake().calls.end(), name);
  };
  const char *tell = "cuGraphExecKernelNodeSetParams";
  const char *make = "cuGraphInstantiateWithFlags";
  for (int run = 0; run != 5; ++run)
    EXPECT_EQ(countCalls(run % 3, make), run < 2 ? 0 : 1);
  for (int run = 5; run != 12; ++run)
    EXPECT_EQ(countCalls(run % 3, tell), 0);
  EXPECT_EQ(countCalls(3, tell), 1); // in place of 0, the longest ago
  EXPECT_EQ(countCalls(1, tell), 0);
  EXPECT_EQ(countCalls(2, tell), 0);
  EXPECT_EQ(countCalls(0, make), 0);
  EXPECT_EQ(countCalls(3, tell), 1);
}

// Where another graph fails, a run has the ones that there are.
TEST_F(RunGraph, OneIsEnough) {
  ASSERT_EQ(create(makeLaunchPlan(1), 100), SPARSECONV_OK);
  Floats x = makeInput(20);
  for (int run = 0; run != 8; ++run) {
    if (run > 2)
      fake().failName = "cuGraphInstantiateWithFlags";
    ASSERT_EQ(this->run(x), SPARSECONV_OK);
    ASSERT_EQ(finish(), SPARSECONV_OK);
    EXPECT_EQ(readOutput(), computeSample(x));
    EXPECT_EQ(wasGraph(), run > 1);
    EXPECT_EQ(std::count(fake().calls.begin(), fake().calls.end(),
                         "cuGraphExecKernelNodeSetParams"),
              run > 2 ? 2 : 0);
    fake().calls.clear();
  }
}

TEST_F(RunGraph, RunsInFlightKeepTheirMemory) {
  ASSERT_EQ(create(makeLaunchPlan(2), 100), SPARSECONV_OK);
  std::vector<Floats> inputs;
  for (size_t i = 0; i != 8; ++i) {
    inputs.push_back(makeInput(10 * i + 1, i + 1));
    ASSERT_EQ(run(inputs.back()), SPARSECONV_OK);
  }
  EXPECT_TRUE(wasGraph());
  ASSERT_EQ(finish(), SPARSECONV_OK);
  for (size_t i = 0; i != inputs.size(); ++i) {
    Floats expected = computeSample(inputs[i]);
    auto *found = static_cast<float *>(toPointer(allocated[2 * i + 1]));
    EXPECT_EQ(Floats(found, found + expected.size()), expected);
  }
}

TEST_F(RunGraph, WhoLooksAtStepsGetsSteps) {
  for (uint32_t flag : {SPARSECONV_POISON, SPARSECONV_SYNCHRONOUS}) {
    ASSERT_EQ(create(makeLaunchPlan(2), 100, flag), SPARSECONV_OK);
    runInSteps();
    destroy();
  }
}

TEST_F(RunGraph, OtherStepsThanLaunchesAreIssued) {
  ASSERT_EQ(create(makeSamplePlan(), 100), SPARSECONV_OK);
  runInSteps();
}

TEST_F(RunGraph, KeepsClusters) {
  ASSERT_EQ(create(makeLaunchPlan(1), 100), SPARSECONV_OK);
  for (int i = 0; i != 3; ++i)
    ASSERT_EQ(run(makeInput(20)), SPARSECONV_OK);
  EXPECT_EQ(fake().attributes["node 4"], 1); // of "add"
}

// A kernel behind another one may start before that ends where both are for
// sm_90a, and with a driver that knows how.
TEST_F(RunGraph, KernelsStartEarly) {
  size_t numEdges = 0;
  auto countEarly = [&](const plan::Plan &plan) {
    EXPECT_EQ(create(plan, 100), SPARSECONV_OK);
    EXPECT_EQ(sparseconv_instance_capture(instance, nullptr, 0, nullptr, 0),
              SPARSECONV_OK)
        << sparseconv_last_error();
    size_t count = 0;
    numEdges = 0;
    for (const auto &[handle, graph] : fake().graphs) {
      if (graph.source)
        continue; // the executable
      count += graph.earlyEdges;
      for (const auto &before : graph.before)
        numEdges += before.size();
    }
    destroy();
    return count;
  };
  plan::Plan plan = makeLaunchPlan(1), forAmpere = makeLaunchPlan(1);
  forAmpere.modules[0].images.resize(2);
  EXPECT_EQ(countEarly(plan), plan.functions[0].steps.size() - 1);
  EXPECT_EQ(countEarly(forAmpere), 0u);
  // Of several kernels it comes behind, it overlaps with that of its stream,
  // and waits for the others. The first of each stream has none before it.
  EXPECT_EQ(countEarly(makeLaunchPlan(2)), plan.functions[0].steps.size() - 2);
  EXPECT_EQ(numEdges, 4u);
  // What reads memory before it waits needs another of the kind before it,
  // which lets others begin when it begins itself.
  std::vector<plan::Step> &steps = plan.functions[0].steps;
  steps[1].hasPrologue = true;
  EXPECT_EQ(countEarly(plan), steps.size() - 3);
  for (plan::Step &step : steps)
    step.hasPrologue = true;
  EXPECT_EQ(countEarly(plan), steps.size() - 1);
  replaceDriver(&FakeDriver::getOldTable());
  EXPECT_EQ(countEarly(plan), 0u);
}

TEST_F(RunGraph, IsMadeAnewWhereMemoryHasGrown) {
  addGrowingKernels(fake());
  ASSERT_EQ(create(makeGrowingPlan(), 20), SPARSECONV_OK);
  for (float copies : {1, 1, 1, 1, 3, 3, 3, 3}) {
    Floats x;
    for (float i : {1, 2, 3})
      x.insert(x.end(), {copies, i, i / 2, -i});
    ASSERT_EQ(runHost(x), SPARSECONV_OK) << sparseconv_last_error();
    EXPECT_EQ(readOutput(), computeGrowing(x));
  }
}

TEST_F(RunGraph, AFailureLeavesTheInstanceWhole) {
  for (const char *name :
       {"cuGraphCreate", "cuGraphAddKernelNode",
        "cuGraphKernelNodeSetAttribute", "cuGraphInstantiateWithFlags",
        "cuGraphExecKernelNodeSetParams", "cuGraphLaunch"}) {
    ASSERT_EQ(create(makeLaunchPlan(2), 100), SPARSECONV_OK);
    Floats x = makeInput(20);
    bool needsTelling = std::string(name).rfind("cuGraphExec", 0) == 0;
    for (int i = 0; i != (needsTelling ? 5 : 2); ++i)
      ASSERT_EQ(run(x), SPARSECONV_OK);
    fake().failName = name;
    EXPECT_NE(run(x), SPARSECONV_OK) << name;
    EXPECT_EQ(fake().failed, name);
    for (int i = 0; i != 4; ++i) {
      ASSERT_EQ(run(x), SPARSECONV_OK) << name;
      ASSERT_EQ(finish(), SPARSECONV_OK) << sparseconv_last_error();
      EXPECT_EQ(readOutput(), computeSample(x));
    }
    EXPECT_TRUE(wasGraph());
    destroy();
  }
}
