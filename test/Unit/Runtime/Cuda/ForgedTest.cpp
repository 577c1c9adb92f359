//===- ForgedTest.cpp - plans that somebody has changed -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any byte of a plan may be another, with a checksum that fits. Such a plan is
// refused, or runs within the memory that is its own.
//
//===----------------------------------------------------------------------===//

#include "GrowingPlan.h"
#include "RuntimeTest.h"
#include <algorithm>

using namespace sparseconv;
using namespace sparseconv::cuda;

namespace {
class Forged : public RuntimeTest {
protected:
  /// All that one does with a plan from anywhere; returns the last code.
  int use(const std::string &file) {
    if (int code = sparseconv_program_load(context, file.data(), file.size(),
                                           &program))
      return code;
    int code = SPARSECONV_OK;
    for (int64_t i = 0; i != sparseconv_program_num_functions(program); ++i)
      code = useFunction(sparseconv_program_function_name(program, i));
    sparseconv_program_destroy(std::exchange(program, nullptr));
    return code;
  }

  int useFunction(const char *name) {
    int64_t numInputs = 0, numOutputs = 0;
    EXPECT_EQ(
        sparseconv_program_num_values(program, name, &numInputs, &numOutputs),
        SPARSECONV_OK);
    std::vector<std::vector<int64_t>> sizes(numInputs);
    std::vector<int64_t> capacities;
    std::vector<sparseconv_tensor> inputs;
    for (int64_t i = 0; i != numInputs; ++i) {
      sparseconv_value_info info = {};
      EXPECT_EQ(sparseconv_program_input(program, name, i, &info),
                SPARSECONV_OK);
      for (int32_t d = 0; d != info.rank; ++d) {
        bool isDynamic = info.sizes[d] == SPARSECONV_DYNAMIC;
        sizes[i].push_back(isDynamic ? 3 : info.sizes[d]);
        if (isDynamic)
          capacities.push_back(10);
      }
      // Whatever it has of elements: no size that fits goes beyond the data.
      inputs.push_back(
          {data.data(), info.type, info.rank, sizes[i].data(), data.size()});
    }
    if (int code = sparseconv_instance_create(program, name, capacities.data(),
                                              capacities.size(), 0, &instance))
      return code;
    int code = SPARSECONV_OK;
    for (int run = 0; run != 4 && code == SPARSECONV_OK; ++run)
      code = sparseconv_instance_run_host(instance, inputs.data(), numInputs);
    for (int64_t i = 0; i != numOutputs && code == SPARSECONV_OK; ++i) {
      uint64_t bytes = 0;
      EXPECT_EQ(
          sparseconv_instance_output(instance, i, nullptr, &bytes, nullptr),
          SPARSECONV_OK);
      std::vector<char> host(bytes);
      code = sparseconv_instance_read_output(instance, i, host.data(), bytes);
    }
    sparseconv_instance_destroy(std::exchange(instance, nullptr));
    return code;
  }

  /// Every byte of the plan behind its header, with several values.
  void useChanged(const plan::Plan &plan) {
    for (auto &[name, kernel] : fake().kernels)
      kernel.body = [](const FakeLaunch &) {};
    fake().memory = 1 << 20;
    ASSERT_EQ(sparseconv_context_create(0, &context), SPARSECONV_OK);
    const std::string file = plan::serialise(plan);
    ASSERT_EQ(use(file), SPARSECONV_OK) << sparseconv_last_error();
    size_t numRefused = 0, numRun = 0;
    for (size_t i = 40; i != file.size(); ++i)
      for (int value : {0x00, 0x01, 0x02, 0x7F, 0xFF}) {
        std::string changed = file;
        changed[i] = char(value);
        uint64_t hash = plan::hashBytes(std::string_view(changed).substr(40));
        for (int b = 0; b != 8; ++b)
          changed[24 + b] = char(hash >> (8 * b));
        (use(changed) == SPARSECONV_OK ? numRun : numRefused) += 1;
        ASSERT_EQ(fake().misuse, std::vector<std::string>()) << i << value;
      }
    EXPECT_GT(numRefused, 500u);
    EXPECT_GT(numRun, 500u);
  }

  std::vector<char> data = std::vector<char>(1 << 20);
};
} // namespace

TEST_F(Forged, Steps) { useChanged(makeSamplePlan(2)); }
TEST_F(Forged, Launches) { useChanged(makeLaunchPlan(2)); }
TEST_F(Forged, EqualRows) { useChanged(makePairPlan()); }
TEST_F(Forged, GrowingSets) {
  addGrowingKernels(fake());
  useChanged(makeGrowingPlan());
}
