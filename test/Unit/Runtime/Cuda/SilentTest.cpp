//===- SilentTest.cpp - runs that tell the host nothing -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"
#include <algorithm>

using namespace sparseconv;
using namespace sparseconv::cuda;

namespace {
using Floats = std::vector<float>;

/// y = x + w, with the rows of x and nothing that can fail.
plan::Plan makeSilentPlan() {
  plan::Plan plan = makeSamplePlan();
  plan::Function &function = plan.functions[0];
  function.buffers.resize(3);
  function.slots.resize(1);
  function.outputs[0].dims[0].slot = 0;
  plan::Step add = function.steps[0];
  add.params[2] = plan::Param::buffer(1);
  function.steps = {add};
  return plan;
}

class Silent : public RuntimeTest {
protected:
  /// A run on `rows` rows, and what the results should be.
  void run(size_t rows) {
    Floats x = makeInput(rows, rows + 1), expected;
    for (size_t i = 0; i != x.size(); ++i)
      expected.push_back(x[i] + sampleWeights[i % 4]);
    int64_t sizes[] = {int64_t(rows), 4};
    Floats memory(rows * 4 + 4), room(404);
    auto align = [](Floats &floats) {
      auto address = reinterpret_cast<uintptr_t>(floats.data());
      return floats.data() + (16 - address % 16) % 16 / 4;
    };
    std::copy(x.begin(), x.end(), align(memory));
    sparseconv_tensor in = makeTensor(align(memory), sizes, x.size() * 4);
    sparseconv_tensor out = {align(room), SPARSECONV_F32, 0, nullptr, 1600};
    fake().calls.clear();
    ASSERT_EQ(sparseconv_instance_run(instance, nullptr, &in, 1, &out, 1),
              SPARSECONV_OK)
        << sparseconv_last_error();
    calls = fake().calls;
    ASSERT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_OK);
    int64_t found[2];
    ASSERT_EQ(sparseconv_instance_output(instance, 0, found, nullptr, nullptr),
              SPARSECONV_OK);
    EXPECT_EQ(found[0], sizes[0]);
    EXPECT_EQ(Floats(align(room), align(room) + x.size()), expected);
  }

  int64_t count(const char *name) const {
    return std::count(calls.begin(), calls.end(), name);
  }
  int reports() const {
    sparseconv_instance_info info;
    EXPECT_EQ(sparseconv_instance_describe(instance, &info), SPARSECONV_OK);
    return info.reports;
  }

  std::vector<std::string> calls; ///< of the last run
};
} // namespace

TEST_F(Silent, CopiesSizesWhereTheyChange) {
  ASSERT_EQ(create(makeSilentPlan(), 100), SPARSECONV_OK)
      << sparseconv_last_error();
  EXPECT_EQ(reports(), 0);
  size_t before = 1000;
  for (size_t rows : {7, 7, 7, 100, 100, 0, 7}) {
    run(rows);
    EXPECT_EQ(count("cuMemcpyHtoDAsync"), before != rows);
    EXPECT_EQ(count("cuMemcpyDtoHAsync"), 0);
    // One step is launched as it is.
    EXPECT_EQ(count("cuLaunchKernelEx"), 1);
    EXPECT_EQ(count("cuGraphLaunch"), 0);
    before = rows;
  }
}

TEST_F(Silent, CopiesSizesAgainAfterAFailure) {
  ASSERT_EQ(create(makeSilentPlan(), 100), SPARSECONV_OK);
  run(7);
  fake().failName = "cuLaunchKernelEx";
  alignas(16) float x[28] = {}, y[400];
  int64_t sizes[] = {7, 4};
  sparseconv_tensor in = makeTensor(x, sizes, sizeof(x));
  sparseconv_tensor out = {y, SPARSECONV_F32, 0, nullptr, sizeof(y)};
  EXPECT_NE(sparseconv_instance_run(instance, nullptr, &in, 1, &out, 1),
            SPARSECONV_OK);
  run(7);
  EXPECT_EQ(count("cuMemcpyHtoDAsync"), 1);
  run(7);
  EXPECT_EQ(count("cuMemcpyHtoDAsync"), 0);
}

TEST_F(Silent, TakesNoPinnedMemoryForRunsOfOneSize) {
  ASSERT_EQ(create(makeSilentPlan(), 100), SPARSECONV_OK);
  run(7);
  alignas(16) float x[28] = {}, y[10][28];
  int64_t sizes[] = {7, 4};
  sparseconv_tensor in = makeTensor(x, sizes, sizeof(x));
  CUstream other = nullptr;
  FakeDriver::getTable().cuStreamCreate(&other, 1);
  fake().calls.clear();
  for (size_t i = 0; i != 10; ++i) {
    sparseconv_tensor out = {y[i], SPARSECONV_F32, 0, nullptr, sizeof(x)};
    ASSERT_EQ(sparseconv_instance_run(instance, i % 2 ? other : nullptr, &in, 1,
                                      &out, 1),
              SPARSECONV_OK)
        << sparseconv_last_error();
  }
  calls = fake().calls;
  EXPECT_EQ(count("cuMemHostAlloc"), 0);
  // The first finds that the run before it has ended.
  EXPECT_EQ(count("cuStreamWaitEvent"), 9);
  ASSERT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_OK);
  for (const auto &rows : y)
    for (size_t i = 0; i != 28; ++i)
      EXPECT_EQ(rows[i], sampleWeights[i % 4]);
  destroy();
  FakeDriver::getTable().cuStreamDestroy(other);
}

/// Hardly anybody asks for the end of such a run, so that it is recorded where
/// somebody does. Streams other than the default one may be gone by then.
TEST_F(Silent, RecordsTheEndOfARunOnTheDefaultStreamWhereItIsAskedFor) {
  ASSERT_EQ(create(makeSilentPlan(), 100), SPARSECONV_OK);
  alignas(16) float x[28] = {}, y[28];
  int64_t sizes[] = {7, 4};
  sparseconv_tensor in = makeTensor(x, sizes, sizeof(x));
  sparseconv_tensor out = {y, SPARSECONV_F32, 0, nullptr, sizeof(y)};
  CUstream other = nullptr;
  FakeDriver::getTable().cuStreamCreate(&other, 1);
  auto runOn = [&](CUstream stream) {
    fake().calls.clear();
    EXPECT_EQ(sparseconv_instance_run(instance, stream, &in, 1, &out, 1),
              SPARSECONV_OK)
        << sparseconv_last_error();
    calls = fake().calls;
  };
  for (int i = 0; i != 3; ++i) {
    runOn(nullptr);
    EXPECT_EQ(count("cuEventRecord"), 0);
    EXPECT_EQ(count("cuStreamWaitEvent"), 0);
  }
  // It comes behind the run before, and its own end is recorded at once.
  runOn(other);
  EXPECT_EQ(count("cuEventRecord"), 2);
  EXPECT_EQ(count("cuStreamWaitEvent"), 1);
  runOn(nullptr);
  EXPECT_EQ(count("cuEventRecord"), 0);
  EXPECT_EQ(count("cuStreamWaitEvent"), 1);
  fake().calls.clear();
  EXPECT_EQ(sparseconv_instance_results(instance, 0), SPARSECONV_NOT_READY);
  EXPECT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_OK);
  calls = fake().calls;
  EXPECT_EQ(count("cuEventRecord"), 1);
  runOn(nullptr);
  fake().calls.clear();
  destroy();
  calls = fake().calls;
  EXPECT_EQ(count("cuEventRecord"), 1);
  EXPECT_EQ(count("cuEventSynchronize"), 1);
  FakeDriver::getTable().cuStreamDestroy(other);
}

TEST_F(Silent, OthersReport) {
  ASSERT_EQ(create(makeSamplePlan(), 100), SPARSECONV_OK);
  EXPECT_EQ(reports(), SPARSECONV_REPORTS_ERRORS | SPARSECONV_REPORTS_SIZES);
  destroy();
  // A size that no input has is one that a kernel may have found.
  plan::Plan plan = makeSilentPlan();
  plan.functions[0].slots.push_back("rows of y");
  ASSERT_EQ(create(plan, 100), SPARSECONV_OK);
  EXPECT_EQ(reports(), SPARSECONV_REPORTS_SIZES);
}
