//===- AllocationTest.cpp - a host without memory -------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lets each allocation of a program's life fail in turn: what the C interface
// returns is a status, and nothing is lost.
//
//===----------------------------------------------------------------------===//

#include "GrowingPlan.h"
#include "RuntimeTest.h"
#include <cstdlib>
#include <functional>
#include <new>
#include <set>

using namespace sparseconv;
using namespace sparseconv::cuda;

/// Allocations of this thread until one fails; negative where none does.
static thread_local int64_t allocationsLeft = -1;

// NOLINTBEGIN(misc-new-delete-overloads): the others call these.
void *operator new(size_t size) {
  if (allocationsLeft >= 0 && !FakeDriver::isInside) {
    bool fails = allocationsLeft == 0;
    --allocationsLeft;
    if (fails)
      throw std::bad_alloc();
  }
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
// NOLINTEND(misc-new-delete-overloads)

namespace {
class Allocation : public RuntimeTest {
protected:
  /// All that one can do on a plan, where allocation number `failing` fails.
  /// The first failure.
  int doEverything(const std::string &file, int64_t failing) {
    int64_t capacity = 10, sizes[] = {5, 4};
    std::vector<float> x = makeInput(5);
    std::vector<double> times(16);
    sparseconv_tensor input = makeTensor(x.data(), sizes, 80);
    sparseconv_tensor anywhere = makeTensor(nullptr, sizes, 80);
    int code = SPARSECONV_OK;
    auto attempt = [&](auto call) {
      if (code == SPARSECONV_OK)
        code = call();
    };
    allocationsLeft = failing;
    attempt([&] { return sparseconv_context_create(0, &context); });
    attempt([&] {
      return sparseconv_program_load(context, file.data(), file.size(),
                                     &program);
    });
    attempt([&] {
      return sparseconv_instance_create(program, "main", &capacity, 1,
                                        SPARSECONV_POISON, &instance);
    });
    attempt([&] { return sparseconv_instance_run_host(instance, &input, 1); });
    attempt([&] {
      return sparseconv_instance_profile(instance, &input, 1, times.data());
    });
    attempt([&] {
      return sparseconv_instance_capture(instance, nullptr, 0, nullptr, 0);
    });
    attempt([&] {
      return sparseconv_instance_replay(instance, nullptr, &anywhere, 1);
    });
    attempt([&] { return sparseconv_instance_results(instance, 1); });
    attempt([&] {
      sparseconv_plan *plan = nullptr;
      int result = sparseconv_plan_read(file.data(), file.size(), &plan);
      sparseconv_plan_destroy(plan);
      return result;
    });
    return code;
  }
};
} // namespace

TEST_F(Allocation, EachFailsInTurn) {
  std::string file = plan::serialise(makeSamplePlan(2));
  int64_t failures = 0;
  for (int64_t number = 0;; ++number) {
    SetUp();
    int result = doEverything(file, number);
    bool isOver = std::exchange(allocationsLeft, -1) >= 0;
    if (isOver) {
      EXPECT_EQ(result, SPARSECONV_OK) << sparseconv_last_error();
      EXPECT_GT(failures, 200);
      break;
    }
    ++failures;
    ASSERT_EQ(result, SPARSECONV_OUT_OF_MEMORY) << number;
    EXPECT_NE(
        std::string(sparseconv_last_error()).find("the host has no memory"),
        std::string::npos)
        << number << ": " << sparseconv_last_error();
    // What was made before can be used.
    if (instance) {
      std::vector<float> x = makeInput(6);
      EXPECT_EQ(runHost(x), SPARSECONV_OK) << number;
      EXPECT_EQ(readOutput(), computeSample(x)) << number;
    }
    destroy();
    EXPECT_EQ(fake().getLive(), "") << number;
    EXPECT_EQ(fake().misuse, std::vector<std::string>()) << number;
  }
}

// Of a run that is repeated with more memory of the device.
TEST_F(Allocation, EachFailsInTurnWhileMemoryGrows) {
  std::vector<float> x;
  for (int i = 0; i != 20; ++i)
    x.insert(x.end(), {3, float(i), 0, 1});
  int64_t failures = 0;
  for (int64_t number = 0;; ++number) {
    SetUp();
    addGrowingKernels(fake());
    ASSERT_EQ(create(makeGrowingPlan(), 20), SPARSECONV_OK);
    allocationsLeft = number;
    int result = runHost(x);
    bool isOver = std::exchange(allocationsLeft, -1) >= 0;
    // A stream that writes a message keeps its own to itself.
    if (isOver || result != SPARSECONV_OUT_OF_MEMORY)
      EXPECT_EQ(result, SPARSECONV_OK)
          << number << ": " << sparseconv_last_error();
    failures += result == SPARSECONV_OUT_OF_MEMORY;
    EXPECT_EQ(runHost(x), SPARSECONV_OK)
        << number << ": " << sparseconv_last_error();
    EXPECT_EQ(readOutput(), computeGrowing(x)) << number;
    destroy();
    EXPECT_EQ(fake().getLive(), "") << number;
    EXPECT_EQ(fake().misuse, std::vector<std::string>()) << number;
    if (isOver) {
      EXPECT_GT(failures, 40);
      break;
    }
  }
}

namespace {
/// A loop over frames on memory of the caller's.
class Frames : public RuntimeTest {
protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    ASSERT_EQ(create(makeLaunchPlan(2), 40), SPARSECONV_OK);
    for (CUdeviceptr &pointer : memory)
      ASSERT_EQ(FakeDriver::getTable().cuMemAllocFromPoolAsync(
                    &pointer, 640, nullptr, nullptr),
                CUDA_SUCCESS);
  }
  void TearDown() override {
    for (CUdeviceptr pointer : memory)
      FakeDriver::getTable().cuMemFreeAsync(pointer, nullptr);
    RuntimeTest::TearDown();
  }

  /// The memory of an input and of an output, which change places.
  sparseconv_tensor getInput(int frame, const int64_t *sizes) {
    return {toPointer(memory[frame % 2]), SPARSECONV_F32, 2, sizes, 640};
  }
  sparseconv_tensor getOutput(int frame) {
    return {toPointer(memory[2 + frame % 2]), SPARSECONV_F32, 0, nullptr, 640};
  }

  /// Frames of changing sizes; after the first ones, an allocation is an error.
  void loop(int firstFrames,
            const std::function<int(int frame, const int64_t *sizes)> &run) {
    const std::set<std::string> allocating = {
        "cuMemAllocFromPoolAsync", "cuMemHostAlloc",
        "cuStreamCreate",          "cuEventCreate",
        "cuGraphCreate",           "cuGraphInstantiateWithFlags"};
    for (int frame = 0; frame != 12; ++frame) {
      std::vector<float> x = makeInput(frame * 7 % 40, frame), y(160);
      int64_t sizes[] = {int64_t(x.size()) / 4, 4}, found[2];
      uint64_t bytes = 0;
      void *data = nullptr;
      std::copy(x.begin(), x.end(),
                static_cast<float *>(toPointer(memory[frame % 2])));
      fake().calls.clear();
      allocationsLeft = frame < firstFrames ? -1 : 0;
      int code = run(frame, sizes);
      if (code == SPARSECONV_OK)
        code = sparseconv_instance_check(instance, 1);
      if (code == SPARSECONV_OK)
        code = sparseconv_instance_results(instance, 1);
      if (code == SPARSECONV_OK)
        code = sparseconv_instance_output(instance, 0, found, &bytes, &data);
      if (code == SPARSECONV_OK)
        code = sparseconv_instance_read_output(instance, 0, y.data(), bytes);
      allocationsLeft = -1;
      ASSERT_EQ(code, SPARSECONV_OK) << frame << sparseconv_last_error();
      y.resize(bytes / 4);
      EXPECT_EQ(y, computeSample(x)) << frame;
      for (const std::string &call : fake().calls)
        EXPECT_FALSE(frame >= firstFrames && allocating.count(call)) << call;
    }
  }

  CUdeviceptr memory[4] = {};
};
} // namespace

TEST_F(Frames, ReplaysAllocateNothingAfterTheFirst) {
  sparseconv_tensor input = getInput(0, nullptr), output = getOutput(0);
  input.rank = 0;
  ASSERT_EQ(sparseconv_instance_capture(instance, &input, 1, &output, 1),
            SPARSECONV_OK)
      << sparseconv_last_error();
  // Every other frame lies elsewhere than where it was captured.
  loop(1, [&](int frame, const int64_t *sizes) {
    sparseconv_tensor input = getInput(frame, sizes);
    return sparseconv_instance_replay(instance, nullptr, &input, 1);
  });
}

// The third run makes a graph.
TEST_F(Frames, RunsAllocateNothingAfterTheFifth) {
  loop(5, [&](int frame, const int64_t *sizes) {
    sparseconv_tensor input = getInput(frame, sizes);
    sparseconv_tensor output = getOutput(frame);
    return sparseconv_instance_run(instance, nullptr, &input, 1, &output, 1);
  });
}
