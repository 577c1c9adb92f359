//===- GrowTest.cpp - capacities that grow from run to run ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GrowingPlan.h"
#include "RuntimeTest.h"
#include "sparseconv/Support/Status.h"
#include <cstring>

using namespace sparseconv;
using namespace sparseconv::cuda;

namespace {
class Grow : public RuntimeTest {
protected:
  int createGrowing(int64_t capacity, uint32_t flags = 0) {
    addGrowingKernels(fake());
    return create(makeGrowingPlan(), capacity, flags);
  }

  std::vector<int64_t> getCapacities() {
    std::vector<int64_t> result;
    for (int64_t i = 0; i != 2; ++i) {
      sparseconv_growable_info info;
      EXPECT_EQ(sparseconv_instance_growable(instance, i, &info),
                SPARSECONV_OK);
      result.push_back(info.capacity);
    }
    return result;
  }

  /// Enqueues a run on the fake device's memory, which is that of the host.
  int start(std::vector<float> &x, std::vector<float> &y) {
    int64_t sizes[] = {int64_t(x.size()) / 4, 4};
    sparseconv_tensor input = makeTensor(x.data(), sizes, x.size() * 4);
    sparseconv_tensor output = {y.data(), SPARSECONV_F32, 0, nullptr,
                                y.size() * 4};
    return sparseconv_instance_run(instance, nullptr, &input, 1, &output, 1);
  }

  int replay(size_t rows) {
    int64_t sizes[] = {int64_t(rows), 4};
    sparseconv_tensor input = makeTensor(nullptr, sizes, rows * 16);
    return sparseconv_instance_replay(instance, nullptr, &input, 1);
  }

  uint64_t getRoom() {
    uint64_t bytes = 0;
    EXPECT_EQ(sparseconv_instance_output_capacity(instance, 0, nullptr, &bytes),
              SPARSECONV_OK);
    return bytes;
  }
};

using Numbers = std::vector<int64_t>;
} // namespace

TEST_F(Grow, StartsSmallAndSaysSo) {
  ASSERT_EQ(createGrowing(20), SPARSECONV_OK) << sparseconv_last_error();
  sparseconv_instance_info info;
  ASSERT_EQ(sparseconv_instance_describe(instance, &info), SPARSECONV_OK);
  EXPECT_EQ(info.num_growables, 2);
  EXPECT_LT(info.arena_bytes, 1000u);
  sparseconv_growable_info growable;
  ASSERT_EQ(sparseconv_instance_growable(instance, 1, &growable),
            SPARSECONV_OK);
  EXPECT_STREQ(growable.operation, "sparseconv.expand");
  EXPECT_STREQ(growable.location, "net.mlir:4:8");
  EXPECT_EQ(growable.capacity, 8);
  EXPECT_EQ(growable.bound, 80);
  for (int64_t index : {-1, 2}) {
    EXPECT_EQ(sparseconv_instance_growable(instance, index, &growable),
              SPARSECONV_INVALID_ARGUMENT);
    EXPECT_EQ(std::string(sparseconv_last_error()),
              "function 'main' has no growable capacity " +
                  std::to_string(index));
  }
}

// A set that had too little memory is empty, so that the next one shows in the
// second run what it needs.
TEST_F(Grow, RepeatsUntilItFits) {
  ASSERT_EQ(createGrowing(20, SPARSECONV_POISON), SPARSECONV_OK);
  std::vector<float> x = makeGrowingRows(20, 3);
  ASSERT_EQ(runHost(x), SPARSECONV_OK) << sparseconv_last_error();
  EXPECT_EQ(readOutput(), computeGrowing(x));
  EXPECT_EQ(fake().launches.size(), 6u);
  // A quarter more than 60 and 180.
  EXPECT_EQ(getCapacities(), (Numbers{75, 225}));
  // What was learned stays.
  fake().launches.clear();
  std::vector<float> more = makeGrowingRows(18, 3);
  ASSERT_EQ(runHost(more), SPARSECONV_OK);
  EXPECT_EQ(readOutput(), computeGrowing(more));
  EXPECT_EQ(fake().launches.size(), 2u);
}

TEST_F(Grow, UpToTheBound) {
  ASSERT_EQ(createGrowing(20), SPARSECONV_OK);
  std::vector<float> x = makeGrowingRows(20, 10);
  ASSERT_EQ(runHost(x), SPARSECONV_OK) << sparseconv_last_error();
  EXPECT_EQ(readOutput(), computeGrowing(x));
  EXPECT_EQ(getCapacities(), (Numbers{200, 2000}));
  // A plan whose bound is no bound.
  x = makeGrowingRows(20, 11);
  EXPECT_EQ(runHost(x), SPARSECONV_OVER_CAPACITY);
  EXPECT_EQ(
      std::string(sparseconv_last_error()),
      "net.mlir:3:8: sparseconv.downsample: the result has 220 rows, more "
      "than its capacity of 200");
  x = makeGrowingRows(3, 2);
  EXPECT_EQ(runHost(x), SPARSECONV_OK);
  EXPECT_EQ(readOutput(), computeGrowing(x));
}

TEST_F(Grow, NotWhereCapacitiesAreFixed) {
  ASSERT_EQ(createGrowing(20, SPARSECONV_FIXED_CAPACITIES), SPARSECONV_OK);
  std::vector<float> x = makeGrowingRows(20, 3);
  EXPECT_EQ(runHost(x), SPARSECONV_OVER_CAPACITY);
  EXPECT_EQ(std::string(sparseconv_last_error()),
            "net.mlir:3:8: sparseconv.downsample: the result has 60 rows, more "
            "than its capacity of 8");
  EXPECT_EQ(fake().launches.size(), 2u);
  EXPECT_EQ(getCapacities(), (Numbers{8, 8}));
  // But by the caller.
  int64_t wanted[] = {60, 180};
  ASSERT_EQ(sparseconv_instance_reserve(instance, wanted, 2), SPARSECONV_OK);
  EXPECT_EQ(runHost(x), SPARSECONV_OK);
  EXPECT_EQ(readOutput(), computeGrowing(x));
}

TEST_F(Grow, Reserve) {
  ASSERT_EQ(createGrowing(20), SPARSECONV_OK);
  std::vector<float> x = makeGrowingRows(2, 2);
  ASSERT_EQ(runHost(x), SPARSECONV_OK);
  auto reserve = [&](Numbers rows) {
    return sparseconv_instance_reserve(instance, rows.data(), rows.size());
  };
  EXPECT_EQ(reserve({1}), SPARSECONV_INVALID_ARGUMENT);
  EXPECT_STREQ(sparseconv_last_error(),
               "function 'main' has 2 growable capacities, but 1 are given");
  EXPECT_EQ(reserve({100, -1}), SPARSECONV_INVALID_ARGUMENT);
  EXPECT_STREQ(sparseconv_last_error(), "a capacity is -1");
  EXPECT_EQ(sparseconv_instance_reserve(instance, nullptr, 2),
            SPARSECONV_INVALID_ARGUMENT);
  // Less is no change: the results are still there.
  EXPECT_EQ(reserve({8, 0}), SPARSECONV_OK);
  EXPECT_EQ(readOutput(), computeGrowing(x));
  EXPECT_EQ(reserve({INT64_MAX, 50}), SPARSECONV_OK) << sparseconv_last_error();
  EXPECT_EQ(getCapacities(), (Numbers{200, 200}));
  EXPECT_EQ(sparseconv_instance_results(instance, 1),
            SPARSECONV_INVALID_ARGUMENT);
  EXPECT_EQ(reserve({0, 300}), SPARSECONV_OK);
  EXPECT_EQ(getCapacities(), (Numbers{200, 300}));
  fake().launches.clear();
  x = makeGrowingRows(20, 3);
  EXPECT_EQ(runHost(x), SPARSECONV_OK);
  EXPECT_EQ(readOutput(), computeGrowing(x));
  EXPECT_EQ(fake().launches.size(), 2u);
}

TEST_F(Grow, AsksToRepeatWhatWasEnqueued) {
  ASSERT_EQ(createGrowing(20), SPARSECONV_OK);
  std::vector<float> x = makeGrowingRows(20, 3), y;
  for (int64_t capacity : {75, 225}) {
    y.assign(getRoom() / 4, 0);
    ASSERT_EQ(start(x, y), SPARSECONV_OK) << sparseconv_last_error();
    // It says so as often as it is asked, and grows once.
    for (int i = 0; i != 2; ++i) {
      EXPECT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_REPEAT);
      EXPECT_NE(std::string(sparseconv_last_error())
                    .find("rows, more than its capacity of " +
                          std::string(capacity == 75 ? "8" : "75") +
                          "; there is memory for more now, so it has to run "
                          "again"),
                std::string::npos)
          << sparseconv_last_error();
    }
    EXPECT_EQ(getCapacities().back(), capacity);
    EXPECT_EQ(getRoom(), uint64_t(capacity) * 16);
  }
  // An output that was large enough before is not now.
  EXPECT_EQ(start(x, y), SPARSECONV_INVALID_ARGUMENT);
  y.assign(getRoom() / 4, 0);
  ASSERT_EQ(start(x, y), SPARSECONV_OK);
  EXPECT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_OK);
  std::vector<float> expected = computeGrowing(x);
  y.resize(expected.size());
  EXPECT_EQ(y, expected);
  EXPECT_STREQ(sparseconv_code_name(SPARSECONV_REPEAT), "SPARSECONV_REPEAT");
}

// Runs that are under way use memory that goes only when they are done.
TEST_F(Grow, WaitsForRunsInFlight) {
  ASSERT_EQ(createGrowing(20), SPARSECONV_OK);
  std::vector<float> large = makeGrowingRows(20, 3),
                     small = makeGrowingRows(2, 2);
  std::vector<float> y(getRoom() / 4), z(getRoom() / 4);
  ASSERT_EQ(start(small, y), SPARSECONV_OK);
  ASSERT_EQ(start(large, z), SPARSECONV_OK);
  EXPECT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_REPEAT);
  std::vector<float> expected = computeGrowing(small);
  y.resize(expected.size());
  EXPECT_EQ(y, expected);
}

TEST_F(Grow, CapturesAgain) {
  ASSERT_EQ(createGrowing(20), SPARSECONV_OK);
  std::vector<float> small = makeGrowingRows(2, 2), x = makeGrowingRows(20, 3);
  ASSERT_EQ(runHost(small), SPARSECONV_OK);
  ASSERT_EQ(sparseconv_instance_capture(instance, nullptr, 0, nullptr, 0),
            SPARSECONV_OK);
  void *data = nullptr;
  ASSERT_EQ(sparseconv_instance_input_buffer(instance, 0, &data, nullptr),
            SPARSECONV_OK);
  std::memcpy(data, x.data(), x.size() * 4);
  for (int i = 0; i != 2; ++i) {
    ASSERT_EQ(replay(20), SPARSECONV_OK) << sparseconv_last_error();
    EXPECT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_REPEAT);
  }
  ASSERT_EQ(replay(20), SPARSECONV_OK);
  EXPECT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_OK);
  EXPECT_EQ(readOutput(), computeGrowing(x));
  // Not into memory of the caller's that is too small.
  std::vector<float> y(getRoom() / 4);
  sparseconv_tensor output = {y.data(), SPARSECONV_F32, 0, nullptr,
                              y.size() * 4};
  ASSERT_EQ(sparseconv_instance_capture(instance, nullptr, 0, &output, 1),
            SPARSECONV_OK);
  int64_t wanted[] = {0, 300};
  ASSERT_EQ(sparseconv_instance_reserve(instance, wanted, 2), SPARSECONV_OK);
  EXPECT_EQ(replay(20), SPARSECONV_INVALID_ARGUMENT);
  EXPECT_STREQ(sparseconv_last_error(),
               "function 'main': output 'y' needs 4800 "
               "bytes, the tensor has 3600");
}

TEST_F(Grow, Profile) {
  ASSERT_EQ(createGrowing(20), SPARSECONV_OK);
  std::vector<float> x = makeGrowingRows(20, 3);
  int64_t sizes[] = {20, 4};
  sparseconv_tensor input = makeTensor(x.data(), sizes, x.size() * 4);
  double times[3] = {};
  ASSERT_EQ(sparseconv_instance_profile(instance, &input, 1, times),
            SPARSECONV_OK)
      << sparseconv_last_error();
  EXPECT_EQ(readOutput(), computeGrowing(x));
  EXPECT_GT(times[2], times[1]);
}

TEST_F(Grow, NoMemory) {
  ASSERT_EQ(createGrowing(2000), SPARSECONV_OK);
  std::vector<float> x = makeGrowingRows(2000, 10),
                     small = makeGrowingRows(2, 2);
  ASSERT_EQ(runHost(small), SPARSECONV_OK);
  // Enough for what there is.
  size_t all = fake().memory;
  fake().memory = fake().getUsedMemory() + 1000;
  EXPECT_EQ(runHost(x), SPARSECONV_OUT_OF_MEMORY);
  std::string text = sparseconv_last_error();
  EXPECT_EQ(text.find("net.mlir:3:8: sparseconv.downsample: the result has "
                      "20000 rows, more than its capacity of 8: the working "
                      "memory of function 'main' (32"),
            0u)
      << text;
  EXPECT_EQ(getCapacities(), (Numbers{8, 8}));
  EXPECT_EQ(runHost(small), SPARSECONV_OK) << sparseconv_last_error();
  EXPECT_EQ(readOutput(), computeGrowing(small));
  // Not even for that any more, but for the instance's input.
  fake().memory = 2000 * 16 + 100;
  EXPECT_EQ(runHost(x), SPARSECONV_OUT_OF_MEMORY);
  EXPECT_EQ(runHost(small), SPARSECONV_OUT_OF_MEMORY);
  fake().memory = all;
  EXPECT_EQ(runHost(small), SPARSECONV_OK) << sparseconv_last_error();
  EXPECT_EQ(runHost(x), SPARSECONV_OK) << sparseconv_last_error();
  EXPECT_EQ(readOutput(), computeGrowing(x));
}

// What a damaged kernel reports leads to no run without end.
TEST_F(Grow, ReportsThatAreWrong) {
  StatusRecord record;
  auto lie = [&](int64_t opId, int64_t value, int64_t upper) {
    record.code = static_cast<int64_t>(StatusCode::OverCapacity);
    record.opId = opId;
    record.value = value;
    record.upper = upper;
    return runHost(makeGrowingRows(2, 2));
  };
  addGrowingKernels(fake());
  fake().kernels["copies"].body = [&](const FakeLaunch &l) {
    std::memcpy(l.pointer<char>(5), &record, sizeof(record));
  };
  ASSERT_EQ(create(makeGrowingPlan(), 20), SPARSECONV_OK);
  EXPECT_EQ(lie(0, 8, 8), SPARSECONV_OVER_CAPACITY);
  EXPECT_EQ(lie(0, -5, 8), SPARSECONV_OVER_CAPACITY);
  EXPECT_EQ(lie(0, 100, 9), SPARSECONV_OVER_CAPACITY);
  EXPECT_EQ(lie(2, 100, 8), SPARSECONV_OVER_CAPACITY);
  EXPECT_EQ(lie(-1, 100, 8), SPARSECONV_OVER_CAPACITY);
  EXPECT_EQ(getCapacities(), (Numbers{8, 8}));
  // As far as its bound.
  EXPECT_EQ(lie(0, INT64_MAX, 8), SPARSECONV_OVER_CAPACITY);
  EXPECT_EQ(getCapacities(), (Numbers{200, 200}));
}

TEST_F(Grow, EveryCallFailsInTurn) {
  std::vector<float> x = makeGrowingRows(20, 3), small = makeGrowingRows(2, 2);
  for (int64_t i = 0;; ++i) {
    RuntimeTest::SetUp();
    ASSERT_EQ(createGrowing(20), SPARSECONV_OK);
    fake().failAt = int64_t(fake().calls.size()) + i;
    int code = runHost(x);
    std::string name = fake().failed;
    if (name.empty()) {
      EXPECT_EQ(code, SPARSECONV_OK);
      EXPECT_GT(i, 40);
      return;
    }
    if (code != SPARSECONV_OK)
      EXPECT_NE(std::string(sparseconv_last_error()).find("(fake failure)"),
                std::string::npos)
          << i << ' ' << name << ": " << sparseconv_last_error();
    for (const std::vector<float> &again : {small, x}) {
      ASSERT_EQ(runHost(again), SPARSECONV_OK)
          << i << ' ' << name << ": " << sparseconv_last_error();
      EXPECT_EQ(readOutput(), computeGrowing(again)) << i << ' ' << name;
    }
    destroy();
    // What did not go away because the call to that end failed.
    std::string live = fake().getLive();
    EXPECT_TRUE(live == "" ||
                (name == "cuMemFreeAsync" && live == "memory 1") ||
                (name == "cuCtxPopCurrent" && live == "current context 1"))
        << i << ' ' << name << ": " << live;
    EXPECT_EQ(fake().misuse, std::vector<std::string>()) << i << ' ' << name;
  }
}
