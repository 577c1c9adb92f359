//===- RunTest.cpp - runs of a function -----------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

using namespace sparseconv;
using namespace sparseconv::cuda;

// NOLINTNEXTLINE(readability-identifier-naming): a C name.
extern "C" const char *sparseconv_test_name_from_c(void);

TEST(PlainC, Calls) {
  EXPECT_STREQ(sparseconv_test_name_from_c(), "SPARSECONV_INVALID_ARGUMENT");
  EXPECT_STREQ(sparseconv_last_error(), "instance is NULL");
}

namespace {
class Run : public RuntimeTest {
protected:
  /// Device memory as a caller has it.
  float *allocate(size_t floats) {
    CUdeviceptr pointer = 0;
    FakeDriver::getTable().cuMemAllocFromPoolAsync(&pointer, floats * 4,
                                                   nullptr, nullptr);
    owned.push_back(pointer);
    return static_cast<float *>(toPointer(pointer));
  }
  float *upload(const std::vector<float> &values) {
    float *device = allocate(values.size());
    std::copy(values.begin(), values.end(), device);
    return device;
  }
  CUstream makeStream() {
    CUstream stream = nullptr;
    FakeDriver::getTable().cuStreamCreate(&stream, 1);
    streams.push_back(stream);
    return stream;
  }
  void TearDown() override {
    destroy();
    for (CUdeviceptr pointer : owned)
      FakeDriver::getTable().cuMemFreeAsync(pointer, nullptr);
    for (CUstream stream : streams)
      FakeDriver::getTable().cuStreamDestroy(stream);
    RuntimeTest::TearDown();
  }
  /// Enqueues a run on device memory.
  int run(CUstream stream, float *x, size_t rows, float *y, size_t outputRows) {
    int64_t sizes[] = {int64_t(rows), 4};
    sparseconv_tensor input = makeTensor(x, sizes, rows * 16);
    sparseconv_tensor output = {y, SPARSECONV_F32, 0, nullptr, outputRows * 16};
    return sparseconv_instance_run(instance, stream, &input, 1, &output, 1);
  }
  std::vector<CUdeviceptr> owned;
  std::vector<CUstream> streams;
};
} // namespace

TEST_F(Run, Host) {
  ASSERT_EQ(create(makeSamplePlan(), 100), SPARSECONV_OK)
      << sparseconv_last_error();
  EXPECT_STREQ(sparseconv_context_chip(context), "sm_90a");
  EXPECT_STREQ(sparseconv_context_device_name(context), "Fake 9000");
  EXPECT_EQ(fake().images, std::vector<std::string>{"cubin 90a"});
  for (size_t rows : {0, 1, 37, 100}) {
    std::vector<float> x = makeInput(rows, rows);
    ASSERT_EQ(runHost(x), SPARSECONV_OK) << sparseconv_last_error();
    EXPECT_EQ(readOutput(), computeSample(x));
  }
  const FakeLaunch &add = fake().launches[0];
  EXPECT_EQ(add.gridX, 4u);
  EXPECT_EQ(add.blockX, 128u);
  EXPECT_EQ(add.shared, 60000u);
  EXPECT_EQ(add.cluster, 2u);
  EXPECT_EQ(fake().attributes, (std::map<std::string, int>{{"add 8", 60000}}));
  // Kept from run to run.
  EXPECT_EQ(*fake().launches.back().pointer<int64_t>(3), 4);
}

// A parameter can point into a buffer, also into one whose address changes.
TEST_F(Run, OffsetsOfBuffers) {
  plan::Plan plan = makeSamplePlan();
  plan.functions[0].steps.back().params[1] =
      plan::Param::buffer(1, plan::SizeExpr::constant(32));
  ASSERT_EQ(create(plan, 100), SPARSECONV_OK) << sparseconv_last_error();
  ASSERT_EQ(runHost(makeInput(40)), SPARSECONV_OK) << sparseconv_last_error();
  int64_t sizes[2] = {};
  uint64_t bytes = 0;
  void *data = nullptr;
  ASSERT_EQ(sparseconv_instance_output(instance, 0, sizes, &bytes, &data),
            SPARSECONV_OK);
  EXPECT_EQ(fake().launches.back().pointer<char>(1),
            static_cast<char *>(data) + 32);
  int64_t all[2] = {};
  ASSERT_EQ(sparseconv_instance_output_sizes(instance, all, 2), SPARSECONV_OK);
  EXPECT_EQ(all[0], sizes[0]);
  EXPECT_EQ(all[1], sizes[1]);
}

TEST_F(Run, Describes) {
  ASSERT_EQ(create(makeSamplePlan(), 100), SPARSECONV_OK);
  EXPECT_EQ(sparseconv_program_num_functions(program), 1);
  EXPECT_STREQ(sparseconv_program_function_name(program, 0), "main");
  EXPECT_EQ(sparseconv_program_function_name(program, 1), nullptr);
  int64_t inputs = 0, outputs = 0;
  ASSERT_EQ(sparseconv_program_num_values(program, "main", &inputs, &outputs),
            SPARSECONV_OK);
  EXPECT_EQ(inputs, 1);
  EXPECT_EQ(outputs, 1);
  sparseconv_value_info info;
  ASSERT_EQ(sparseconv_program_input(program, "main", 0, &info), SPARSECONV_OK);
  EXPECT_STREQ(info.name, "x");
  EXPECT_EQ(info.type, SPARSECONV_F32);
  ASSERT_EQ(info.rank, 2);
  EXPECT_EQ(info.sizes[0], SPARSECONV_DYNAMIC);
  EXPECT_EQ(info.sizes[1], 4);
  EXPECT_EQ(sparseconv_program_output(program, "main", 1, &info),
            SPARSECONV_INVALID_ARGUMENT);
  EXPECT_STREQ(sparseconv_last_error(), "function 'main' has no output 1");
  EXPECT_EQ(sparseconv_program_num_values(program, "other", nullptr, nullptr),
            SPARSECONV_INVALID_ARGUMENT);
  EXPECT_STREQ(sparseconv_last_error(),
               "the program has no function 'other', only 'main'");
  int64_t sizes[2];
  uint64_t bytes;
  ASSERT_EQ(sparseconv_instance_output_capacity(instance, 0, sizes, &bytes),
            SPARSECONV_OK);
  EXPECT_EQ(sizes[0], 100);
  EXPECT_EQ(bytes, 1600u);
  sparseconv_instance_info about;
  ASSERT_EQ(sparseconv_instance_describe(instance, &about), SPARSECONV_OK);
  EXPECT_EQ(about.arena_bytes, 512u + 2 * 1792);
  EXPECT_EQ(about.scratch_bytes, 3u * 1792);
  EXPECT_EQ(about.num_steps, 5);
}

TEST_F(Run, EnqueuesWithoutWaiting) {
  ASSERT_EQ(create(makeSamplePlan(), 100), SPARSECONV_OK);
  std::vector<float> x = makeInput(50);
  float *device = allocate(200), *y = allocate(400);
  std::memcpy(device, x.data(), 800);
  CUstream stream = makeStream();
  fake().calls.clear();
  fake().work.clear();
  ASSERT_EQ(run(stream, device, 50, y, 100), SPARSECONV_OK)
      << sparseconv_last_error();
  EXPECT_EQ(fake().calls,
            (std::vector<std::string>{
                "cuCtxPushCurrent", "cuStreamIsCapturing", "cuStreamGetId",
                "cuMemcpyHtoDAsync", "cuLaunchKernelEx", "cuMemsetD32Async",
                "cuLaunchKernel", "cuMemcpyDtoDAsync", "cuLaunchKernel",
                "cuMemcpyDtoHAsync", "cuEventRecord", "cuCtxPopCurrent"}));
  EXPECT_EQ(fake().work,
            (std::vector<std::string>{"HtoD 80", "launch add", "memset 400x4",
                                      "launch keep", "DtoD 1600", "launch move",
                                      "DtoH 80"}));
  EXPECT_TRUE(fake().launches.empty());
  EXPECT_EQ(sparseconv_instance_results(instance, 0), SPARSECONV_NOT_READY);
  EXPECT_EQ(sparseconv_instance_output(instance, 0, nullptr, nullptr, nullptr),
            SPARSECONV_INVALID_ARGUMENT);
  fake().drain(); // the caller synchronises
  ASSERT_EQ(sparseconv_instance_results(instance, 0), SPARSECONV_OK);
  void *data = nullptr;
  uint64_t bytes = 0;
  ASSERT_EQ(sparseconv_instance_output(instance, 0, nullptr, &bytes, &data),
            SPARSECONV_OK);
  EXPECT_EQ(data, y);
  std::vector<float> expected = computeSample(x);
  EXPECT_EQ(std::vector<float>(y, y + bytes / 4), expected);
}

TEST_F(Run, ManyRunsInFlightKeepTheirSizes) {
  ASSERT_EQ(create(makeSamplePlan(), 100), SPARSECONV_OK);
  CUstream streams[] = {makeStream(), makeStream()};
  std::vector<float *> outputs;
  std::vector<std::vector<float>> inputs;
  for (size_t i = 0; i != 20; ++i) {
    inputs.push_back(makeInput(3 * i, i));
    float *device = allocate(12 * i + 1);
    std::copy(inputs.back().begin(), inputs.back().end(), device);
    outputs.push_back(allocate(400));
    ASSERT_EQ(run(streams[i % 2], device, 3 * i, outputs.back(), 100),
              SPARSECONV_OK)
        << sparseconv_last_error();
  }
  EXPECT_TRUE(fake().launches.empty());
  ASSERT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_OK);
  for (size_t i = 0; i != 20; ++i) {
    std::vector<float> expected = computeSample(inputs[i]);
    EXPECT_EQ(std::vector<float>(outputs[i], outputs[i] + expected.size()),
              expected);
  }
  // Their pinned memory is taken again.
  size_t pinned = 0;
  for (const std::string &call : fake().calls)
    pinned += call == "cuMemHostAlloc";
  EXPECT_EQ(pinned, 20u);
  ASSERT_EQ(runHost(makeInput(5)), SPARSECONV_OK);
  for (const std::string &call : fake().calls)
    pinned -= call == "cuMemHostAlloc";
  EXPECT_EQ(pinned, 0u);
}

/// A run uses the memory of the one before it. On its stream it comes behind
/// that anyway; a stream that has the handle of an earlier one is another one.
TEST_F(Run, WaitsForTheRunBeforeOnAnotherStream) {
  auto countWaits = [&](CUstream first, CUstream second, uint64_t secondId) {
    destroy();
    EXPECT_EQ(create(makeSamplePlan(), 100), SPARSECONV_OK);
    float *x = upload(makeInput(5)), *y = allocate(400);
    fake().streamIds[first] = 1;
    EXPECT_EQ(run(first, x, 5, y, 100), SPARSECONV_OK);
    fake().streamIds[second] = secondId;
    fake().calls.clear();
    EXPECT_EQ(run(second, x, 5, y, 100), SPARSECONV_OK);
    int64_t waits = std::count(fake().calls.begin(), fake().calls.end(),
                               "cuStreamWaitEvent");
    EXPECT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_OK);
    return waits;
  };
  CUstream stream = makeStream(), other = makeStream();
  EXPECT_EQ(countWaits(stream, stream, 1), 0);
  EXPECT_EQ(countWaits(stream, other, 2), 1);
  EXPECT_EQ(countWaits(stream, stream, 2), 1);
  // It tells no stream from others.
  replaceDriver(&FakeDriver::getOldTable());
  EXPECT_EQ(countWaits(stream, stream, 1), 1);
}

TEST_F(Run, FewStepsStayInTheCallersStream) {
  plan::Plan plan = makeSamplePlan(2);
  plan.functions[0].steps.resize(3);
  plan.functions[0].buffers.resize(5);
  plan.functions[0].buffers[4].lastStep = 2;
  ASSERT_EQ(create(plan, 100), SPARSECONV_OK) << sparseconv_last_error();
  fake().calls.clear();
  ASSERT_EQ(runHost(makeInput(50)), SPARSECONV_OK) << sparseconv_last_error();
  auto count = [&](const char *name) {
    return std::count(fake().calls.begin(), fake().calls.end(), name);
  };
  // That of the end.
  EXPECT_EQ(count("cuEventRecord"), 1);
  EXPECT_EQ(count("cuStreamWaitEvent"), 0);
}

TEST_F(Run, Branches) {
  ASSERT_EQ(create(makeSamplePlan(2), 100), SPARSECONV_OK);
  fake().calls.clear();
  std::vector<float> x = makeInput(50);
  ASSERT_EQ(runHost(x), SPARSECONV_OK) << sparseconv_last_error();
  EXPECT_EQ(readOutput(), computeSample(x));
  auto count = [&](const char *name) {
    return std::count(fake().calls.begin(), fake().calls.end(), name);
  };
  // Fork, step 1 and the end; the fork and step 2 wait.
  EXPECT_EQ(count("cuEventRecord"), 3);
  EXPECT_EQ(count("cuStreamWaitEvent"), 2);
}

TEST_F(Run, Poison) {
  for (uint32_t streams : {1, 2}) {
    ASSERT_EQ(create(makeSamplePlan(streams), 10, SPARSECONV_POISON),
              SPARSECONV_OK);
    std::vector<float> x = makeInput(3);
    ASSERT_EQ(runHost(x), SPARSECONV_OK) << sparseconv_last_error();
    EXPECT_EQ(readOutput(), computeSample(x));
    const FakeLaunch &add = *(fake().launches.end() - 3);
    for (int i = 12; i != 40; ++i)
      EXPECT_TRUE(std::isnan(add.pointer<float>(0)[i])) << i;
    const FakeLaunch &move = fake().launches.back();
    for (size_t i = computeSample(x).size(); i != 40; ++i)
      EXPECT_TRUE(std::isnan(move.pointer<float>(1)[i])) << i;
    destroy();
  }
}

TEST_F(Run, ProgramErrors) {
  ASSERT_EQ(create(makeSamplePlan(), 10), SPARSECONV_OK);
  std::vector<float> x = makeInput(3);
  x[4] = 13;
  EXPECT_EQ(runHost(x), SPARSECONV_PROGRAM_ERROR);
  EXPECT_STREQ(sparseconv_last_error(),
               "net.mlir:3:8: sparseconv.pack: point 1: coordinate 13 on axis "
               "0 is outside 0 .. 12");
  EXPECT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_PROGRAM_ERROR);
  EXPECT_EQ(sparseconv_instance_output(instance, 0, nullptr, nullptr, nullptr),
            SPARSECONV_INVALID_ARGUMENT);
  x[4] = 12;
  ASSERT_EQ(runHost(x), SPARSECONV_OK) << sparseconv_last_error();
  EXPECT_EQ(readOutput(), computeSample(x));
}

// A caller that knows the sizes of results need not ask for them after each
// run.
TEST_F(Run, ReportsWhatNobodyAskedFor) {
  ASSERT_EQ(create(makeSamplePlan(), 10), SPARSECONV_OK);
  const char *expected = "an earlier run of function 'main': net.mlir:3:8: "
                         "sparseconv.pack: point 1: coordinate 13 on axis 0 is "
                         "outside 0 .. 12";
  EXPECT_EQ(sparseconv_instance_check(instance, 0), SPARSECONV_OK);
  CUstream stream = makeStream();
  float *y = allocate(40), *good = upload(makeInput(3));
  float *bad = upload(makeInput(3));
  bad[4] = 13;
  auto enqueue = [&](std::vector<float *> inputs) {
    for (float *input : inputs)
      ASSERT_EQ(run(stream, input, 3, y, 10), SPARSECONV_OK)
          << sparseconv_last_error();
  };
  // Whether the runs behind it are enqueued before it is done, or after.
  for (bool isEager : {false, true}) {
    enqueue({good, bad});
    if (isEager)
      fake().drain();
    enqueue({good, good, good});
    if (!isEager)
      EXPECT_EQ(sparseconv_instance_check(instance, 0), SPARSECONV_NOT_READY);
    EXPECT_EQ(sparseconv_instance_check(instance, 1), SPARSECONV_PROGRAM_ERROR);
    EXPECT_STREQ(sparseconv_last_error(), expected);
    EXPECT_EQ(sparseconv_instance_check(instance, 1), SPARSECONV_OK);
    EXPECT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_OK);
  }
  // The last one, and one that was asked for.
  enqueue({bad});
  EXPECT_EQ(sparseconv_instance_check(instance, 1), SPARSECONV_PROGRAM_ERROR);
  EXPECT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_PROGRAM_ERROR);
  enqueue({bad});
  EXPECT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_PROGRAM_ERROR);
  enqueue({good});
  EXPECT_EQ(sparseconv_instance_check(instance, 1), SPARSECONV_OK);
  EXPECT_EQ(sparseconv_instance_check(nullptr, 1), SPARSECONV_INVALID_ARGUMENT);
}

// Where sizes differ from run to run each has memory of its own, which later
// runs take over once it is done.
TEST_F(Run, ReportsRunsOfOtherSizes) {
  ASSERT_EQ(create(makeSamplePlan(), 10), SPARSECONV_OK);
  CUstream stream = makeStream();
  float *y = allocate(40), *x = upload(makeInput(3));
  float *bad = upload(makeInput(3));
  bad[4] = 13;
  ASSERT_EQ(run(stream, bad, 3, y, 10), SPARSECONV_OK);
  fake().drain();
  for (int64_t i = 0; i != 10; ++i)
    ASSERT_EQ(run(stream, x, 1 + i % 3, y, 10), SPARSECONV_OK);
  EXPECT_EQ(sparseconv_instance_check(instance, 1), SPARSECONV_PROGRAM_ERROR);
  EXPECT_EQ(sparseconv_instance_check(instance, 1), SPARSECONV_OK);
}

TEST_F(Run, BadTensors) {
  ASSERT_EQ(create(makeSamplePlan(), 10), SPARSECONV_OK);
  EXPECT_EQ(sparseconv_instance_results(instance, 1),
            SPARSECONV_INVALID_ARGUMENT);
  EXPECT_STREQ(sparseconv_last_error(), "function 'main' has not run");
  alignas(16) float x[44];
  int64_t sizes[] = {10, 4};
  auto expect = [&](sparseconv_tensor input, int64_t count, int code,
                    const char *text) {
    EXPECT_EQ(
        sparseconv_instance_run(instance, nullptr, &input, count, nullptr, 0),
        code);
    EXPECT_STREQ(sparseconv_last_error(), text);
  };
  sparseconv_tensor good = makeTensor(x, sizes, 160), bad = good;
  expect(good, 2, SPARSECONV_INVALID_ARGUMENT,
         "function 'main' has 1 inputs, not 2");
  bad.type = SPARSECONV_F16;
  expect(bad, 1, SPARSECONV_INVALID_ARGUMENT,
         "function 'main': input 'x' is f32, the tensor is f16");
  bad = good;
  bad.rank = 1;
  expect(bad, 1, SPARSECONV_INVALID_ARGUMENT,
         "function 'main': input 'x' has rank 2, the tensor has rank 1");
  bad = good;
  bad.bytes = 159;
  expect(bad, 1, SPARSECONV_INVALID_ARGUMENT,
         "function 'main': input 'x' needs 160 bytes, the tensor has 159");
  bad = good;
  bad.data = nullptr;
  expect(bad, 1, SPARSECONV_INVALID_ARGUMENT,
         "function 'main': input 'x' has no data");
  bad = good;
  bad.data = x + 1;
  expect(bad, 1, SPARSECONV_INVALID_ARGUMENT,
         "function 'main': input 'x' is not aligned to 16 bytes");
  sizes[0] = 11;
  expect(
      good, 1, SPARSECONV_OVER_CAPACITY,
      "function 'main': input 'x': dimension 0 is 11, more than its capacity "
      "of 10");
  sizes[0] = -1;
  expect(good, 1, SPARSECONV_INVALID_ARGUMENT,
         "function 'main': input 'x': dimension 0 is -1");
  sizes[0] = 10;
  sizes[1] = 5;
  expect(good, 1, SPARSECONV_INVALID_ARGUMENT,
         "function 'main': input 'x': dimension 1 is 4, that of the tensor 5");
  sizes[1] = 4;
  sparseconv_tensor output = {x, SPARSECONV_F32, 0, nullptr, 159};
  EXPECT_EQ(sparseconv_instance_run(instance, nullptr, &good, 1, &output, 1),
            SPARSECONV_INVALID_ARGUMENT);
  EXPECT_STREQ(sparseconv_last_error(),
               "function 'main': output 'y' needs 160 bytes, the tensor has "
               "159");
  // None of this broke anything.
  std::vector<float> values = makeInput(10);
  ASSERT_EQ(runHost(values), SPARSECONV_OK);
  EXPECT_EQ(readOutput(), computeSample(values));
  EXPECT_EQ(sparseconv_instance_read_output(instance, 0, x, 1),
            SPARSECONV_INVALID_ARGUMENT);
}

TEST_F(Run, ObjectsOutliveWhatTheyWereMadeFrom) {
  ASSERT_EQ(create(makeSamplePlan(), 10), SPARSECONV_OK);
  sparseconv_context_destroy(context);
  context = nullptr;
  sparseconv_program_destroy(program);
  program = nullptr;
  std::vector<float> x = makeInput(7);
  ASSERT_EQ(runHost(x), SPARSECONV_OK);
  EXPECT_EQ(readOutput(), computeSample(x));
}

TEST_F(Run, ConstantsByReference) {
  EXPECT_EQ(create(makeSamplePlan(1, false), 10), SPARSECONV_INVALID_ARGUMENT);
  EXPECT_STREQ(sparseconv_last_error(),
               "constant 'w' is by reference: bind its data first");
  float other[4] = {};
  auto bind = [&](const char *name, const void *bytes, uint64_t size) {
    return sparseconv_program_bind_constant(program, name, bytes, size);
  };
  EXPECT_EQ(bind("v", other, 16), SPARSECONV_INVALID_ARGUMENT);
  EXPECT_EQ(bind("w", other, 15), SPARSECONV_INVALID_ARGUMENT);
  EXPECT_EQ(bind("w", other, 16), SPARSECONV_INVALID_ARGUMENT);
  EXPECT_STREQ(sparseconv_last_error(),
               "the data of constant 'w' is not what the program was compiled "
               "with");
  ASSERT_EQ(bind("w", sampleWeights, 16), SPARSECONV_OK);
  int64_t capacity = 10;
  ASSERT_EQ(
      sparseconv_instance_create(program, "main", &capacity, 1, 0, &instance),
      SPARSECONV_OK);
  std::vector<float> x = makeInput(7);
  ASSERT_EQ(runHost(x), SPARSECONV_OK);
  EXPECT_EQ(readOutput(), computeSample(x));
}

TEST_F(Run, Threads) {
  ASSERT_EQ(create(makeSamplePlan(), 40), SPARSECONV_OK);
  auto work = [&](unsigned seed) {
    sparseconv_instance *own = nullptr;
    int64_t capacity = 40;
    ASSERT_EQ(
        sparseconv_instance_create(program, "main", &capacity, 1, 0, &own),
        SPARSECONV_OK);
    for (size_t rows = 0; rows != 40; ++rows) {
      std::vector<float> x = makeInput(rows, seed + rows);
      int64_t sizes[] = {int64_t(rows), 4};
      sparseconv_tensor input = makeTensor(x.data(), sizes, rows * 16);
      ASSERT_EQ(sparseconv_instance_run_host(own, &input, 1), SPARSECONV_OK);
      std::vector<float> expected = computeSample(x), y(expected.size());
      ASSERT_EQ(sparseconv_instance_read_output(own, 0, y.data(), y.size() * 4),
                SPARSECONV_OK);
      EXPECT_EQ(y, expected);
      // Failures of one thread are no business of the other.
      std::string name = "f" + std::to_string(seed);
      sparseconv_program_num_values(program, name.c_str(), nullptr, nullptr);
      EXPECT_EQ(sparseconv_last_error(),
                "the program has no function '" + name + "', only 'main'");
    }
    sparseconv_instance_destroy(own);
  };
  std::thread a(work, 100), b(work, 200);
  a.join();
  b.join();
}
