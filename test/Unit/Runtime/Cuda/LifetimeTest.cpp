//===- LifetimeTest.cpp - threads, and what lives how long ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of the section "Threads and lifetimes" of docs/runtime.md.
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"
#include <cstring>
#include <thread>

using namespace sparseconv;
using namespace sparseconv::cuda;

namespace {
class Lifetime : public RuntimeTest {
protected:
  void TearDown() override {
    for (CUdeviceptr pointer : memory)
      FakeDriver::getTable().cuMemFreeAsync(pointer, nullptr);
    RuntimeTest::TearDown();
  }

  void *allocate(size_t bytes) {
    CUdeviceptr pointer = 0;
    EXPECT_EQ(FakeDriver::getTable().cuMemAllocFromPoolAsync(&pointer, bytes,
                                                             nullptr, nullptr),
              CUDA_SUCCESS);
    memory.push_back(pointer);
    return toPointer(pointer);
  }

  /// Enqueues a run on memory of the caller's, which is not done yet.
  void enqueue(const std::vector<float> &x, void *output) {
    void *input = allocate(x.size() * 4);
    std::memcpy(input, x.data(), x.size() * 4);
    int64_t sizes[] = {int64_t(x.size()) / 4, 4};
    sparseconv_tensor in = makeTensor(input, sizes, x.size() * 4);
    sparseconv_tensor out = makeTensor(output, nullptr, 640);
    out.rank = 0;
    ASSERT_EQ(sparseconv_instance_run(instance, nullptr, &in, 1, &out, 1),
              SPARSECONV_OK)
        << sparseconv_last_error();
    // Neither the tensors nor the sizes are read after the call.
    sizes[0] = -1;
    in = out = {};
  }

  std::vector<CUdeviceptr> memory;
};
} // namespace

TEST_F(Lifetime, BytesAreCopied) {
  std::string file = plan::serialise(makeSamplePlan()), name = "main";
  ASSERT_EQ(sparseconv_context_create(0, &context), SPARSECONV_OK);
  ASSERT_EQ(
      sparseconv_program_load(context, file.data(), file.size(), &program),
      SPARSECONV_OK);
  sparseconv_plan *plan = nullptr;
  ASSERT_EQ(sparseconv_plan_read(file.data(), file.size(), &plan),
            SPARSECONV_OK);
  std::fill(file.begin(), file.end(), '\xFF');
  int64_t capacity = 40;
  ASSERT_EQ(sparseconv_instance_create(program, name.c_str(), &capacity, 1, 0,
                                       &instance),
            SPARSECONV_OK);
  std::fill(name.begin(), name.end(), 'x');
  capacity = -1;
  std::vector<float> x = makeInput(40);
  ASSERT_EQ(runHost(x), SPARSECONV_OK);
  EXPECT_EQ(readOutput(), computeSample(x));
  EXPECT_STREQ(sparseconv_plan_function_name(plan, 0), "main");
  sparseconv_plan_destroy(plan);
}

TEST_F(Lifetime, ARunBorrowsMemoryAlone) {
  ASSERT_EQ(create(makeSamplePlan(), 40), SPARSECONV_OK);
  std::vector<float> x = makeInput(30), expected = computeSample(x);
  auto *y = static_cast<float *>(allocate(640));
  enqueue(x, y);
  EXPECT_EQ(sparseconv_instance_results(instance, 0), SPARSECONV_NOT_READY);
  ASSERT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_OK);
  EXPECT_EQ(std::vector<float>(y, y + expected.size()), expected);
}

TEST_F(Lifetime, DestroyingAnInstanceWaitsForItsRun) {
  ASSERT_EQ(create(makeSamplePlan(), 40), SPARSECONV_OK);
  std::vector<float> x = makeInput(30), expected = computeSample(x);
  auto *y = static_cast<float *>(allocate(640));
  enqueue(x, y);
  ASSERT_FALSE(fake().queue.empty());
  // In the order that asks most of it.
  sparseconv_context_destroy(std::exchange(context, nullptr));
  sparseconv_program_destroy(std::exchange(program, nullptr));
  sparseconv_instance_destroy(std::exchange(instance, nullptr));
  EXPECT_TRUE(fake().queue.empty());
  EXPECT_EQ(std::vector<float>(y, y + expected.size()), expected);
}

TEST_F(Lifetime, NamesLiveAsLongAsTheirOwner) {
  ASSERT_EQ(create(makeSamplePlan(), 40), SPARSECONV_OK);
  sparseconv_value_info input = {};
  sparseconv_step_info step = {};
  ASSERT_EQ(sparseconv_program_input(program, "main", 0, &input),
            SPARSECONV_OK);
  ASSERT_EQ(sparseconv_instance_step(instance, 2, &step), SPARSECONV_OK);
  const char *function = sparseconv_program_function_name(program, 0);
  // Those of the program, after the context and the instance.
  sparseconv_context_destroy(std::exchange(context, nullptr));
  EXPECT_STREQ(step.location, "net.mlir:3:8");
  ASSERT_EQ(runHost(makeInput(3)), SPARSECONV_OK);
  EXPECT_STREQ(step.name, "keep");
  sparseconv_instance_destroy(std::exchange(instance, nullptr));
  EXPECT_STREQ(function, "main");
  EXPECT_STREQ(input.name, "x");
  EXPECT_EQ(input.sizes[1], 4);
}

// Its text stays although the object that it is of is gone.
TEST_F(Lifetime, TheLastErrorIsOfItsThread) {
  ASSERT_EQ(create(makeSamplePlan(), 40), SPARSECONV_OK);
  EXPECT_EQ(runHost(makeInput(41)), SPARSECONV_OVER_CAPACITY);
  std::string text = sparseconv_last_error();
  std::thread([&] {
    EXPECT_STREQ(sparseconv_last_error(), "");
    EXPECT_EQ(sparseconv_context_create(7, &context), SPARSECONV_NO_DEVICE);
  }).join();
  destroy();
  EXPECT_EQ(sparseconv_last_error(), text);
}

// Calls on one instance take turns; a run and the reading of its results are
// two, so all threads have the same data here.
TEST_F(Lifetime, ThreadsShareAnInstance) {
  ASSERT_EQ(create(makeSamplePlan(2), 40), SPARSECONV_OK);
  std::vector<float> x = makeInput(30), expected = computeSample(x);
  auto work = [&] {
    for (int i = 0; i != 50; ++i) {
      ASSERT_EQ(runHost(x), SPARSECONV_OK) << sparseconv_last_error();
      std::vector<float> y(expected.size());
      ASSERT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_OK);
      ASSERT_EQ(
          sparseconv_instance_read_output(instance, 0, y.data(), y.size() * 4),
          SPARSECONV_OK)
          << sparseconv_last_error();
      EXPECT_EQ(y, expected);
    }
  };
  std::thread threads[] = {std::thread(work), std::thread(work),
                           std::thread(work), std::thread(work)};
  for (std::thread &thread : threads)
    thread.join();
}

// Threads load and run what they have in common, and leave it in any order.
TEST_F(Lifetime, ThreadsShareAProgram) {
  ASSERT_EQ(create(makeSamplePlan(), 40), SPARSECONV_OK);
  std::string file = plan::serialise(makeSamplePlan());
  auto work = [&](unsigned seed) {
    for (unsigned i = 0; i != 20; ++i) {
      sparseconv_program *own = nullptr;
      sparseconv_instance *run = nullptr;
      int64_t capacity = 40, sizes[] = {int64_t(i), 4};
      ASSERT_EQ(
          sparseconv_program_load(context, file.data(), file.size(), &own),
          SPARSECONV_OK);
      ASSERT_EQ(sparseconv_instance_create(i % 2 ? own : program, "main",
                                           &capacity, 1, 0, &run),
                SPARSECONV_OK);
      sparseconv_program_destroy(own);
      std::vector<float> x = makeInput(i, seed + i);
      sparseconv_tensor input = makeTensor(x.data(), sizes, x.size() * 4);
      ASSERT_EQ(sparseconv_instance_run_host(run, &input, 1), SPARSECONV_OK);
      std::vector<float> expected = computeSample(x), y(expected.size());
      ASSERT_EQ(sparseconv_instance_read_output(run, 0, y.data(), y.size() * 4),
                SPARSECONV_OK);
      EXPECT_EQ(y, expected);
      sparseconv_instance_destroy(run);
    }
  };
  std::thread a(work, 100), b(work, 200), c(work, 300);
  a.join();
  b.join();
  c.join();
}
