//===- ProfileTest.cpp - the time of each step, and plans alone -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

using namespace sparseconv;
using namespace sparseconv::cuda;

namespace {
class Profile : public RuntimeTest {
protected:
  int64_t getNumSteps() {
    sparseconv_instance_info info;
    EXPECT_EQ(sparseconv_instance_describe(instance, &info), SPARSECONV_OK);
    return info.num_steps;
  }
  int profile(const std::vector<float> &x, std::vector<double> &times) {
    times.assign(getNumSteps() + 1, -1);
    int64_t sizes[] = {int64_t(x.size()) / 4, 4};
    sparseconv_tensor input =
        makeTensor(const_cast<float *>(x.data()), sizes, x.size() * 4);
    return sparseconv_instance_profile(instance, &input, 1, times.data());
  }
};
} // namespace

TEST_F(Profile, TimesEachStep) {
  for (uint32_t streams : {1, 2}) {
    ASSERT_EQ(create(makeSamplePlan(streams), 100), SPARSECONV_OK);
    std::vector<float> x = makeInput(37);
    std::vector<double> times;
    ASSERT_EQ(profile(x, times), SPARSECONV_OK) << sparseconv_last_error();
    // The fake device takes a millisecond for each piece of work.
    for (size_t i = 0; i != times.size(); ++i)
      EXPECT_NEAR(times[i], i * 1e-3, 1e-9);
    EXPECT_EQ(readOutput(), computeSample(x));
    // Plain runs go on, and so do captured ones.
    ASSERT_EQ(sparseconv_instance_capture(instance, nullptr, 0, nullptr, 0),
              SPARSECONV_OK);
    ASSERT_EQ(profile(x, times), SPARSECONV_OK) << sparseconv_last_error();
    x = makeInput(100);
    ASSERT_EQ(runHost(x), SPARSECONV_OK);
    EXPECT_EQ(readOutput(), computeSample(x));
    destroy();
  }
}

TEST_F(Profile, NamesSteps) {
  ASSERT_EQ(create(makeSamplePlan(), 100), SPARSECONV_OK);
  std::vector<std::string> names;
  for (int64_t i = 0; i != getNumSteps(); ++i) {
    sparseconv_step_info info;
    ASSERT_EQ(sparseconv_instance_step(instance, i, &info), SPARSECONV_OK);
    names.push_back(std::string(info.name) + "|" + info.operation + "|" +
                    info.location);
  }
  plan::Plan sample = makeSamplePlan();
  const plan::Function &function = sample.functions[0];
  std::vector<std::string> expected;
  for (const plan::Step &step : function.steps) {
    plan::Op op;
    if (step.op != plan::kNone)
      op = function.ops[step.op];
    std::string name =
        step.kind == plan::Step::Kind::Memset ? "memset" : "copy";
    if (step.kind == plan::Step::Kind::Launch)
      name = sample.kernels[step.kernel].name;
    expected.push_back(name + "|" + op.name + "|" + op.location);
  }
  EXPECT_EQ(names, expected);
  sparseconv_step_info info;
  EXPECT_EQ(sparseconv_instance_step(instance, getNumSteps(), &info),
            SPARSECONV_INVALID_ARGUMENT);
  EXPECT_EQ(sparseconv_instance_step(instance, -1, &info),
            SPARSECONV_INVALID_ARGUMENT);
  EXPECT_EQ(sparseconv_instance_step(nullptr, 0, &info),
            SPARSECONV_INVALID_ARGUMENT);
}

TEST_F(Profile, ReportsErrors) {
  ASSERT_EQ(create(makeSamplePlan(), 100), SPARSECONV_OK);
  std::vector<double> times;
  EXPECT_EQ(profile(makeInput(101), times), SPARSECONV_OVER_CAPACITY);
  std::vector<float> x = makeInput(10);
  x[4] = 13;
  EXPECT_EQ(profile(x, times), SPARSECONV_PROGRAM_ERROR);
  EXPECT_EQ(sparseconv_instance_profile(instance, nullptr, 0, nullptr),
            SPARSECONV_INVALID_ARGUMENT);
}

/// Whatever fails, nothing is leaked (as RuntimeTest checks) and later runs
/// work.
TEST_F(Profile, EveryCallMayFail) {
  ASSERT_EQ(create(makeSamplePlan(2), 100), SPARSECONV_OK);
  std::vector<float> x = makeInput(20);
  std::vector<double> times;
  ASSERT_EQ(profile(x, times), SPARSECONV_OK);
  size_t before = fake().calls.size();
  ASSERT_EQ(profile(x, times), SPARSECONV_OK);
  std::vector<std::string> calls(fake().calls.begin() + before,
                                 fake().calls.end());
  ASSERT_GT(calls.size(), 20u);
  for (size_t i = 0; i != calls.size(); ++i) {
    if (calls[i].find("Destroy") != std::string::npos ||
        calls[i] == "cuCtxPopCurrent")
      continue; // what a driver fails to give back is lost
    fake().failAt = int64_t(fake().calls.size() + i);
    EXPECT_NE(profile(x, times), SPARSECONV_OK) << calls[i];
    EXPECT_EQ(fake().failed, calls[i]);
    fake().failAt = -1;
    ASSERT_EQ(runHost(x), SPARSECONV_OK)
        << calls[i] << ": " << sparseconv_last_error();
    EXPECT_EQ(readOutput(), computeSample(x));
  }
}

TEST(Plan, IsReadWithoutADriver) {
  std::string file = plan::serialise(makeSamplePlan());
  sparseconv_plan *plan = nullptr;
  ASSERT_EQ(sparseconv_plan_read(file.data(), file.size(), &plan),
            SPARSECONV_OK);
  EXPECT_EQ(sparseconv_plan_num_functions(plan), 1);
  EXPECT_STREQ(sparseconv_plan_function_name(plan, 0), "main");
  EXPECT_EQ(sparseconv_plan_function_name(plan, 1), nullptr);
  int64_t inputs = 0, outputs = 0;
  ASSERT_EQ(sparseconv_plan_num_values(plan, "main", &inputs, &outputs),
            SPARSECONV_OK);
  EXPECT_EQ(inputs, 1);
  EXPECT_EQ(outputs, 1);
  file.assign(file.size(), 0); // the plan has a copy
  sparseconv_value_info info;
  ASSERT_EQ(sparseconv_plan_input(plan, "main", 0, &info), SPARSECONV_OK);
  EXPECT_STREQ(info.name, "x");
  EXPECT_EQ(info.sizes[0], SPARSECONV_DYNAMIC);
  ASSERT_EQ(sparseconv_plan_output(plan, "main", 0, &info), SPARSECONV_OK);
  EXPECT_STREQ(info.name, "y");
  EXPECT_EQ(sparseconv_plan_output(plan, "other", 0, &info),
            SPARSECONV_INVALID_ARGUMENT);
  EXPECT_STREQ(sparseconv_last_error(),
               "the plan has no function 'other', only 'main'");
  sparseconv_plan_destroy(plan);
  EXPECT_EQ(sparseconv_plan_read(file.data(), file.size(), &plan),
            SPARSECONV_INVALID_PLAN);
  EXPECT_EQ(sparseconv_plan_read(nullptr, 3, &plan),
            SPARSECONV_INVALID_ARGUMENT);
}
