//===- GraphTest.cpp - captured functions ---------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"
#include <algorithm>
#include <cstring>
#include <set>

using namespace sparseconv;
using namespace sparseconv::cuda;

namespace {
class Graph : public RuntimeTest {
protected:
  int replay(const std::vector<float> &x, void *data = nullptr) {
    int64_t sizes[] = {int64_t(x.size()) / 4, 4};
    sparseconv_tensor input = makeTensor(data, sizes, x.size() * 4);
    return sparseconv_instance_replay(instance, nullptr, &input, 1);
  }
  float *getInputBuffer(uint64_t *bytes) {
    void *data = nullptr;
    EXPECT_EQ(sparseconv_instance_input_buffer(instance, 0, &data, bytes),
              SPARSECONV_OK);
    return static_cast<float *>(data);
  }
};
} // namespace

TEST_F(Graph, ReplaysOtherSizes) {
  for (uint32_t streams : {1, 2})
    for (uint32_t flags : {0u, uint32_t(SPARSECONV_POISON)}) {
      ASSERT_EQ(create(makeSamplePlan(streams), 100, flags), SPARSECONV_OK);
      ASSERT_EQ(sparseconv_instance_capture(instance, nullptr, 0, nullptr, 0),
                SPARSECONV_OK)
          << sparseconv_last_error();
      uint64_t bytes = 0;
      float *buffer = getInputBuffer(&bytes);
      EXPECT_EQ(bytes, 1600u);
      for (size_t rows : {100, 3, 0, 57}) {
        std::vector<float> x = makeInput(rows, rows);
        fake().drain();
        std::copy(x.begin(), x.end(), buffer);
        ASSERT_EQ(replay(x), SPARSECONV_OK) << sparseconv_last_error();
        ASSERT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_OK);
        EXPECT_EQ(readOutput(), computeSample(x));
      }
      EXPECT_EQ(replay(makeInput(101)), SPARSECONV_OVER_CAPACITY);
      EXPECT_STREQ(sparseconv_last_error(),
                   "function 'main': input 'x': dimension 0 is 101, more than "
                   "its capacity of 100");
      // Plain runs go on.
      std::vector<float> x = makeInput(20);
      ASSERT_EQ(runHost(x), SPARSECONV_OK);
      EXPECT_EQ(readOutput(), computeSample(x));
      destroy();
    }
}

TEST_F(Graph, OnlyTheSizesAreUploaded) {
  ASSERT_EQ(create(makeSamplePlan(), 100), SPARSECONV_OK);
  ASSERT_EQ(sparseconv_instance_capture(instance, nullptr, 0, nullptr, 0),
            SPARSECONV_OK);
  fake().work.clear();
  ASSERT_EQ(replay(makeInput(10)), SPARSECONV_OK);
  EXPECT_EQ(fake().work,
            (std::vector<std::string>{"HtoD 80", "graph", "DtoH 80"}));
}

TEST_F(Graph, CopiesInputsFromElsewhere) {
  ASSERT_EQ(create(makeSamplePlan(), 100), SPARSECONV_OK);
  ASSERT_EQ(sparseconv_instance_capture(instance, nullptr, 0, nullptr, 0),
            SPARSECONV_OK);
  std::vector<float> x = makeInput(10);
  CUdeviceptr elsewhere = 0;
  FakeDriver::getTable().cuMemAllocFromPoolAsync(&elsewhere, 160, nullptr,
                                                 nullptr);
  void *data = toPointer(elsewhere);
  std::memcpy(data, x.data(), 160);
  fake().work.clear();
  ASSERT_EQ(replay(x, data), SPARSECONV_OK);
  EXPECT_EQ(fake().work, (std::vector<std::string>{"DtoD 160", "HtoD 80",
                                                   "graph", "DtoH 80"}));
  ASSERT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_OK);
  EXPECT_EQ(readOutput(), computeSample(x));
  FakeDriver::getTable().cuMemFreeAsync(elsewhere, nullptr);
}

TEST_F(Graph, FixedMemoryOfTheCaller) {
  ASSERT_EQ(create(makeSamplePlan(), 100), SPARSECONV_OK);
  CUdeviceptr pointers[2];
  for (CUdeviceptr &pointer : pointers)
    FakeDriver::getTable().cuMemAllocFromPoolAsync(&pointer, 1600, nullptr,
                                                   nullptr);
  auto *x = static_cast<float *>(toPointer(pointers[0]));
  auto *y = static_cast<float *>(toPointer(pointers[1]));
  sparseconv_tensor input = {x, SPARSECONV_F32, 0, nullptr, 1599};
  sparseconv_tensor output = {y, SPARSECONV_F32, 0, nullptr, 1600};
  EXPECT_EQ(sparseconv_instance_capture(instance, &input, 1, &output, 1),
            SPARSECONV_INVALID_ARGUMENT);
  EXPECT_STREQ(sparseconv_last_error(),
               "function 'main': input 'x' needs 1600 bytes, the tensor has "
               "1599");
  input.bytes = 1600;
  // The second capture takes the place of the first.
  for (int i = 0; i != 2; ++i)
    ASSERT_EQ(sparseconv_instance_capture(instance, &input, 1, &output, 1),
              SPARSECONV_OK);
  std::vector<float> values = makeInput(33);
  std::memcpy(x, values.data(), values.size() * 4);
  ASSERT_EQ(replay(values, x), SPARSECONV_OK);
  ASSERT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_OK);
  std::vector<float> expected = computeSample(values);
  EXPECT_EQ(std::vector<float>(y, y + expected.size()), expected);
  destroy();
  for (CUdeviceptr pointer : pointers)
    FakeDriver::getTable().cuMemFreeAsync(pointer, nullptr);
}

TEST_F(Graph, Errors) {
  ASSERT_EQ(create(makeSamplePlan(), 10), SPARSECONV_OK);
  EXPECT_EQ(replay(makeInput(3)), SPARSECONV_INVALID_ARGUMENT);
  EXPECT_STREQ(sparseconv_last_error(),
               "function 'main' has not been captured");
  // A stream that somebody else captures.
  CUstream stream = nullptr;
  FakeDriver::getTable().cuStreamCreate(&stream, 1);
  sparseconv_tensor input = {nullptr, SPARSECONV_F32, 2, nullptr, 0};
  int64_t sizes[] = {0, 4};
  input.sizes = sizes;
  fake().captured = stream;
  EXPECT_EQ(sparseconv_instance_run(instance, stream, &input, 1, nullptr, 0),
            SPARSECONV_INVALID_ARGUMENT);
  EXPECT_STREQ(sparseconv_last_error(),
               "function 'main': the stream is being captured; capture the "
               "instance instead");
  fake().captured = nullptr;
  FakeDriver::getTable().cuStreamDestroy(stream);
}

/// A step of a stream that waits for one of another stream alone. The fake
/// driver does it at once where the graph does not say so.
TEST_F(Graph, KeepsTheOrderOfStreams) {
  plan::Plan plan = makeSamplePlan(2);
  for (size_t step : {2, 3, 4})
    plan.functions[0].steps[step].stream = 1;
  ASSERT_EQ(create(plan, 100), SPARSECONV_OK) << sparseconv_last_error();
  ASSERT_EQ(sparseconv_instance_capture(instance, nullptr, 0, nullptr, 0),
            SPARSECONV_OK);
  std::vector<float> x = makeInput(20);
  std::copy(x.begin(), x.end(), getInputBuffer(nullptr));
  ASSERT_EQ(replay(x), SPARSECONV_OK) << sparseconv_last_error();
  ASSERT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_OK);
  EXPECT_EQ(readOutput(), computeSample(x));
}

/// The second step writes nothing, and others wait for it.
TEST_F(Graph, StepsOfNoBytes) {
  for (uint32_t streams : {1, 2}) {
    ASSERT_EQ(create(makeSamplePlan(streams), 0), SPARSECONV_OK);
    ASSERT_EQ(sparseconv_instance_capture(instance, nullptr, 0, nullptr, 0),
              SPARSECONV_OK)
        << sparseconv_last_error();
    ASSERT_EQ(replay({}), SPARSECONV_OK);
    ASSERT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_OK);
    EXPECT_EQ(readOutput(), std::vector<float>());
    std::vector<double> times(6);
    int64_t sizes[] = {0, 4};
    sparseconv_tensor input = makeTensor(nullptr, sizes, 0);
    EXPECT_EQ(sparseconv_instance_profile(instance, &input, 1, times.data()),
              SPARSECONV_OK);
    destroy();
  }
}

/// A graph that cannot be made leaves the one that is there.
TEST_F(Graph, AFailureKeepsTheOldOne) {
  ASSERT_EQ(create(makeSamplePlan(2), 100, SPARSECONV_POISON), SPARSECONV_OK);
  ASSERT_EQ(sparseconv_instance_capture(instance, nullptr, 0, nullptr, 0),
            SPARSECONV_OK);
  for (const char *name :
       {"cuGraphCreate", "cuGraphAddKernelNode", "cuGraphAddMemsetNode",
        "cuGraphAddMemcpyNode", "cuGraphKernelNodeSetAttribute",
        "cuGraphInstantiateWithFlags"}) {
    fake().failName = name;
    EXPECT_NE(sparseconv_instance_capture(instance, nullptr, 0, nullptr, 0),
              SPARSECONV_OK)
        << name;
    EXPECT_EQ(fake().failed, name);
    std::vector<float> x = makeInput(20);
    std::copy(x.begin(), x.end(), getInputBuffer(nullptr));
    ASSERT_EQ(replay(x), SPARSECONV_OK) << name;
    ASSERT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_OK) << name;
    EXPECT_EQ(readOutput(), computeSample(x)) << name;
  }
}

/// The names of the calls between first and last work of the device.
static std::set<std::string> getCallsOfTheNetwork() {
  std::vector<const char *> calls = takeDriverCalls();
  auto isWork = [](const std::string &name) {
    return name.rfind("cuLaunch", 0) == 0 || name == "cuGraphLaunch";
  };
  size_t first = calls.size(), last = 0;
  for (size_t i = 0; i != calls.size(); ++i)
    if (isWork(calls[i])) {
      first = std::min(first, i);
      last = i;
    }
  std::set<std::string> names;
  for (size_t i = first; i <= last && i < calls.size(); ++i)
    names.insert(calls[i]);
  return names;
}

TEST_F(Graph, LogOfCalls) {
  replaceDriver(&logDriverCalls(FakeDriver::getTable()));
  ASSERT_EQ(create(makeSamplePlan(2), 10), SPARSECONV_OK);
  takeDriverCalls();
  ASSERT_EQ(runHost(makeInput(10)), SPARSECONV_OK);
  EXPECT_EQ(getCallsOfTheNetwork(),
            (std::set<std::string>{"cuLaunchKernelEx", "cuLaunchKernel",
                                   "cuMemsetD32Async", "cuMemcpyDtoDAsync",
                                   "cuEventRecord", "cuStreamWaitEvent"}));
  ASSERT_EQ(sparseconv_instance_capture(instance, nullptr, 0, nullptr, 0),
            SPARSECONV_OK);
  takeDriverCalls();
  for (int i = 0; i != 3; ++i)
    ASSERT_EQ(replay(makeInput(10)), SPARSECONV_OK);
  ASSERT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_OK);
  for (const std::string &name : getCallsOfTheNetwork())
    EXPECT_EQ(name.find("Synchronize"), std::string::npos) << name;
}

TEST_F(Graph, TenThousandReplays) {
  ASSERT_EQ(create(makeSamplePlan(2), 60), SPARSECONV_OK);
  ASSERT_EQ(sparseconv_instance_capture(instance, nullptr, 0, nullptr, 0),
            SPARSECONV_OK);
  float *buffer = getInputBuffer(nullptr);
  std::string live;
  for (size_t i = 0; i != 10000; ++i) {
    std::vector<float> x = makeInput(i % 61, i % 7);
    fake().drain();
    std::copy(x.begin(), x.end(), buffer);
    ASSERT_EQ(replay(x), SPARSECONV_OK);
    ASSERT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_OK);
    ASSERT_EQ(readOutput(), computeSample(x));
    if (i == 2)
      live = fake().getLive();
  }
  EXPECT_EQ(fake().getLive(), live);
}
