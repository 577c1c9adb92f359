//===- RuntimeTest.h - objects of the runtime in tests ----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TEST_UNIT_RUNTIME_CUDA_RUNTIMETEST_H
#define SPARSECONV_TEST_UNIT_RUNTIME_CUDA_RUNTIMETEST_H

#include "SamplePlan.h"
#include "sparseconv/Runtime/CudaRuntime.h"
#include <gtest/gtest.h>

namespace sparseconv::cuda {

/// A fresh fake driver in place of the driver; afterwards nothing lives and
/// nothing was misused.
class RuntimeTest : public ::testing::Test {
protected:
  void SetUp() override {
    addSampleKernels(FakeDriver::reset());
    replaceDriver(&FakeDriver::getTable());
  }
  void TearDown() override {
    destroy();
    EXPECT_EQ(fake().getLive(), "");
    EXPECT_EQ(fake().misuse, std::vector<std::string>());
    replaceDriver(nullptr);
  }

  static FakeDriver &fake() { return FakeDriver::get(); }

  void destroy() {
    sparseconv_instance_destroy(instance);
    sparseconv_program_destroy(program);
    sparseconv_context_destroy(context);
    instance = nullptr;
    program = nullptr;
    context = nullptr;
  }

  /// Everything up to an instance, with one capacity for all inputs; returns
  /// the first failure.
  int create(const plan::Plan &plan, int64_t capacity, uint32_t flags = 0) {
    std::string file = plan::serialise(plan);
    if (int code = sparseconv_context_create(0, &context))
      return code;
    if (int code = sparseconv_program_load(context, file.data(), file.size(),
                                           &program))
      return code;
    std::vector<int64_t> capacities;
    for (const plan::Value &input : plan.functions[0].inputs)
      for (const plan::Dim &dim : input.dims)
        if (dim.size == plan::kDynamic)
          capacities.push_back(capacity);
    return sparseconv_instance_create(program, "main", capacities.data(),
                                      int64_t(capacities.size()), flags,
                                      &instance);
  }

  static sparseconv_tensor makeTensor(void *data, const int64_t *sizes,
                                      uint64_t bytes) {
    return {data, SPARSECONV_F32, 2, sizes, bytes};
  }

  /// A run on host memory.
  int runHost(const std::vector<float> &x) {
    int64_t sizes[] = {int64_t(x.size()) / 4, 4};
    sparseconv_tensor input =
        makeTensor(const_cast<float *>(x.data()), sizes, x.size() * 4);
    return sparseconv_instance_run_host(instance, &input, 1);
  }

  /// The output of the last run, which has to have results.
  std::vector<float> readOutput() {
    int64_t sizes[2] = {-1, -1};
    uint64_t bytes = 0;
    EXPECT_EQ(sparseconv_instance_output(instance, 0, sizes, &bytes, nullptr),
              SPARSECONV_OK)
        << sparseconv_last_error();
    EXPECT_EQ(sizes[1], 4);
    EXPECT_EQ(bytes, uint64_t(sizes[0]) * 16);
    std::vector<float> y(bytes / 4);
    EXPECT_EQ(sparseconv_instance_read_output(instance, 0, y.data(), bytes),
              SPARSECONV_OK)
        << sparseconv_last_error();
    return y;
  }

  /// Rows of which about half are kept.
  static std::vector<float> makeInput(size_t rows, unsigned seed = 1) {
    std::vector<float> x(rows * 4);
    for (float &value : x) {
      seed = seed * 1664525 + 1013904223;
      value = float(int(seed >> 24) - 128);
      if (value == 13)
        value = 14;
    }
    return x;
  }

  sparseconv_context *context = nullptr;
  sparseconv_program *program = nullptr;
  sparseconv_instance *instance = nullptr;
};

} // namespace sparseconv::cuda

#endif // SPARSECONV_TEST_UNIT_RUNTIME_CUDA_RUNTIMETEST_H
