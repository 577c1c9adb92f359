//===- BindRowsTest.cpp - inputs of any number of rows that stay ----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Points can be bound as weights can. The first of the two sets of this plan is
// made of rows "x" alone, so a step that prepares makes it.
//
//===----------------------------------------------------------------------===//

#include "GrowingPlan.h"
#include "RuntimeTest.h"

using namespace sparseconv;
using namespace sparseconv::cuda;

namespace {
using Floats = std::vector<float>;

class BindRows : public RuntimeTest {
protected:
  /// Beside "x" there is an input "f", which has as many rows.
  int createBindable(uint32_t flags = 0, bool readsRowsOfF = false,
                     int64_t capacity = 20) {
    addGrowingKernels(fake());
    plan::Plan plan = makeGrowingPlan();
    plan::Function &function = plan.functions[0];
    function.steps[0].prepares = true;
    function.buffers[1].kind = plan::Buffer::Kind::Prepared;
    plan::Buffer features = function.buffers[0];
    features.name = "f";
    features.index = 1;
    function.buffers.push_back(features);
    function.inputs.push_back(function.inputs[0]);
    function.inputs[1].name = "f";
    if (readsRowsOfF) {
      function.inputs[1].dims[0].slot = function.slots.size();
      function.steps[0].params[2] = plan::Param::slot(function.slots.size());
      function.slots.push_back("rows of f");
    }
    return create(plan, capacity, flags);
  }

  /// The fake device's memory is that of the host.
  int bind(Floats &x) {
    int64_t sizes[] = {int64_t(x.size()) / 4, 4};
    sparseconv_tensor inputs[] = {makeTensor(x.data(), sizes, x.size() * 4),
                                  makeTensor(nullptr, nullptr, 0)};
    return sparseconv_instance_bind(instance, nullptr, inputs, 2);
  }

  int runFeatures(size_t rows) {
    Floats features(rows * 4);
    int64_t sizes[] = {int64_t(rows), 4};
    sparseconv_tensor inputs[] = {
        makeTensor(nullptr, nullptr, 0),
        makeTensor(features.data(), sizes, rows * 16)};
    return sparseconv_instance_run_host(instance, inputs, 2);
  }

  size_t countLaunches() {
    size_t launches = fake().launches.size();
    fake().launches.clear();
    return launches;
  }
};
} // namespace

TEST_F(BindRows, WhatIsMadeOfThemIsMadeOnce) {
  for (uint32_t flags : {0u, uint32_t(SPARSECONV_POISON)}) {
    ASSERT_EQ(createBindable(flags), SPARSECONV_OK) << sparseconv_last_error();
    Floats x = makeGrowingRows(4, 2), other = makeGrowingRows(3, 1);
    for (Floats *rows : {&x, &other}) {
      countLaunches();
      ASSERT_EQ(bind(*rows), SPARSECONV_OK) << sparseconv_last_error();
      EXPECT_EQ(countLaunches(), 1u);
      for (int i = 0; i != 4; ++i) {
        ASSERT_EQ(runFeatures(rows->size() / 4), SPARSECONV_OK)
            << sparseconv_last_error();
        EXPECT_EQ(readOutput(), computeGrowing(*rows));
        size_t launches = countLaunches();
        if (i > 1)
          EXPECT_EQ(launches, 1u);
      }
    }
    destroy();
  }
}

TEST_F(BindRows, SizesOfOtherInputsAreThoseOfARun) {
  ASSERT_EQ(createBindable(/*flags=*/0, /*readsRowsOfF=*/true), SPARSECONV_OK)
      << sparseconv_last_error();
  Floats x = makeGrowingRows(4, 2);
  ASSERT_EQ(bind(x), SPARSECONV_OK) << sparseconv_last_error();
  EXPECT_EQ(countLaunches(), 0u);
  for (size_t rows : {4, 3, 0}) {
    ASSERT_EQ(runFeatures(rows), SPARSECONV_OK) << sparseconv_last_error();
    EXPECT_EQ(readOutput(),
              computeGrowing(Floats(x.begin(), x.begin() + 4 * rows)));
  }
}

TEST_F(BindRows, CapacitiesGrowWhereTheyAreBound) {
  ASSERT_EQ(createBindable(), SPARSECONV_OK);
  Floats x = makeGrowingRows(20, 3);
  // 60 rows do not fit into 8, so the step is done twice.
  ASSERT_EQ(bind(x), SPARSECONV_OK) << sparseconv_last_error();
  EXPECT_EQ(countLaunches(), 2u);
  // What a run needs more grows in the run, and the first set is made again.
  ASSERT_EQ(runFeatures(20), SPARSECONV_OK) << sparseconv_last_error();
  EXPECT_EQ(readOutput(), computeGrowing(x));
  EXPECT_EQ(countLaunches(), 3u);
}

TEST_F(BindRows, FixedCapacitiesAreAnError) {
  ASSERT_EQ(createBindable(SPARSECONV_FIXED_CAPACITIES), SPARSECONV_OK);
  Floats x = makeGrowingRows(20, 3), few = makeGrowingRows(2, 2);
  EXPECT_EQ(bind(x), SPARSECONV_OVER_CAPACITY);
  EXPECT_NE(std::string(sparseconv_last_error()).find("downsample"),
            std::string::npos)
      << sparseconv_last_error();
  // Nothing is bound then.
  EXPECT_EQ(runFeatures(20), SPARSECONV_INVALID_ARGUMENT);
  ASSERT_EQ(bind(few), SPARSECONV_OK) << sparseconv_last_error();
  ASSERT_EQ(runFeatures(2), SPARSECONV_OK) << sparseconv_last_error();
  EXPECT_EQ(readOutput(), computeGrowing(few));
}

TEST_F(BindRows, RunsHaveAsManyRows) {
  ASSERT_EQ(createBindable(), SPARSECONV_OK);
  Floats x = makeGrowingRows(4, 1);
  ASSERT_EQ(bind(x), SPARSECONV_OK) << sparseconv_last_error();
  EXPECT_EQ(runFeatures(5), SPARSECONV_INVALID_ARGUMENT);
  EXPECT_EQ(sparseconv_last_error(), plan::describeUnequalRows("f", 5, "x", 4));
  ASSERT_EQ(runFeatures(4), SPARSECONV_OK) << sparseconv_last_error();
  EXPECT_EQ(readOutput(), computeGrowing(x));
}

TEST_F(BindRows, RefusesWhatDoesNotFit) {
  ASSERT_EQ(createBindable(), SPARSECONV_OK);
  Floats x = makeGrowingRows(21, 1);
  EXPECT_EQ(bind(x), SPARSECONV_OVER_CAPACITY);
  int64_t sizes[] = {4, 4};
  sparseconv_tensor inputs[] = {makeTensor(x.data(), sizes, 48),
                                makeTensor(nullptr, nullptr, 0)};
  EXPECT_EQ(sparseconv_instance_bind(instance, nullptr, inputs, 2),
            SPARSECONV_INVALID_ARGUMENT);
  EXPECT_STREQ(sparseconv_last_error(),
               "function 'main': input 'x' needs 64 bytes, the tensor has 48");
  int64_t more[] = {3, 4};
  inputs[0].bytes = 64;
  inputs[1] = makeTensor(x.data(), more, 48);
  EXPECT_EQ(sparseconv_instance_bind(instance, nullptr, inputs, 2),
            SPARSECONV_INVALID_ARGUMENT);
}

// Steps of runs read what is bound, too: graphs learn where that lies.
TEST_F(BindRows, GraphsFollowWhatIsBound) {
  ASSERT_EQ(createBindable(/*flags=*/0, /*readsRowsOfF=*/true), SPARSECONV_OK);
  Floats x = makeGrowingRows(4, 2), other = makeGrowingRows(4, 1);
  for (Floats *rows : {&x, &other}) {
    ASSERT_EQ(bind(*rows), SPARSECONV_OK) << sparseconv_last_error();
    if (rows == &x)
      ASSERT_EQ(sparseconv_instance_capture(instance, nullptr, 0, nullptr, 0),
                SPARSECONV_OK)
          << sparseconv_last_error();
    int64_t sizes[] = {4, 4};
    sparseconv_tensor inputs[] = {makeTensor(nullptr, nullptr, 0),
                                  makeTensor(nullptr, sizes, 64)};
    int code = SPARSECONV_REPEAT;
    while (code == SPARSECONV_REPEAT) {
      ASSERT_EQ(sparseconv_instance_replay(instance, nullptr, inputs, 2),
                SPARSECONV_OK)
          << sparseconv_last_error();
      code = sparseconv_instance_results(instance, 1);
    }
    ASSERT_EQ(code, SPARSECONV_OK) << sparseconv_last_error();
    EXPECT_EQ(readOutput(), computeGrowing(*rows));
  }
}

// A binding that needs more memory than there is leaves the instance as it was.
TEST_F(BindRows, WhatDoesNotFitIsNotAskedForAgain) {
  ASSERT_EQ(createBindable(/*flags=*/0, /*readsRowsOfF=*/false, 2000),
            SPARSECONV_OK);
  Floats few = makeGrowingRows(2, 2), many = makeGrowingRows(2000, 9);
  ASSERT_EQ(bind(few), SPARSECONV_OK) << sparseconv_last_error();
  fake().memory = fake().getUsedMemory() + 150000;
  EXPECT_EQ(bind(many), SPARSECONV_OUT_OF_MEMORY);
  ASSERT_EQ(bind(few), SPARSECONV_OK) << sparseconv_last_error();
  ASSERT_EQ(runFeatures(2), SPARSECONV_OK) << sparseconv_last_error();
  EXPECT_EQ(readOutput(), computeGrowing(few));
}

// A run whose memory is placed again has what is prepared then.
TEST_F(BindRows, RunsBeginWithWhatWasPreparedLast) {
  ASSERT_EQ(createBindable(/*flags=*/0, /*readsRowsOfF=*/false, 2000),
            SPARSECONV_OK);
  Floats x = makeGrowingRows(3, 2);
  ASSERT_EQ(bind(x), SPARSECONV_OK);
  ASSERT_EQ(runFeatures(3), SPARSECONV_OK);
  size_t memory = fake().memory;
  fake().memory = fake().getUsedMemory() + 1000;
  fake().failName = "cuLaunchKernel"; // where the old memory is placed again
  int64_t wanted[] = {20000, 20000};
  EXPECT_NE(sparseconv_instance_reserve(instance, wanted, 2), SPARSECONV_OK);
  fake().memory = memory;
  ASSERT_EQ(runFeatures(3), SPARSECONV_OK) << sparseconv_last_error();
  EXPECT_EQ(readOutput(), computeGrowing(x));
}

TEST_F(BindRows, GraphsTakeWhatIsBound) {
  ASSERT_EQ(createBindable(), SPARSECONV_OK);
  Floats x = makeGrowingRows(3, 2), other = makeGrowingRows(20, 1);
  ASSERT_EQ(bind(x), SPARSECONV_OK);
  int64_t sizes[] = {3, 4};
  sparseconv_tensor inputs[] = {makeTensor(x.data(), sizes, 48),
                                makeTensor(nullptr, nullptr, 0)};
  EXPECT_EQ(sparseconv_instance_capture(instance, inputs, 2, nullptr, 0),
            SPARSECONV_OK)
      << sparseconv_last_error();
  inputs[0] = makeTensor(other.data(), sizes, 320);
  EXPECT_EQ(sparseconv_instance_capture(instance, inputs, 2, nullptr, 0),
            SPARSECONV_INVALID_ARGUMENT);
  EXPECT_STREQ(sparseconv_last_error(),
               "function 'main': input 'x' is bound to other memory");
}

TEST_F(BindRows, ExactRunsCountTheRest) {
  ASSERT_EQ(createBindable(SPARSECONV_EXACT), SPARSECONV_OK)
      << sparseconv_last_error();
  Floats x = makeGrowingRows(4, 1);
  ASSERT_EQ(bind(x), SPARSECONV_OK) << sparseconv_last_error();
  for (int i = 0; i != 2; ++i) {
    ASSERT_EQ(runFeatures(4), SPARSECONV_OK) << sparseconv_last_error();
    EXPECT_EQ(readOutput(), computeGrowing(x));
  }
}
