//===- EqualRowsTest.cpp - inputs that need as many rows ------------------===//
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
class EqualRows : public RuntimeTest {
protected:
  int createPair(uint32_t flags = 0) {
    std::string file = plan::serialise(makePairPlan());
    if (int code = sparseconv_context_create(0, &context))
      return code;
    if (int code = sparseconv_program_load(context, file.data(), file.size(),
                                           &program))
      return code;
    const int64_t capacities[] = {10, 10};
    return sparseconv_instance_create(program, "main", capacities, 2, flags,
                                      &instance);
  }

  /// Inputs of so many rows.
  const sparseconv_tensor *makeInputs(int64_t rowsOfX, int64_t rowsOfZ) {
    sizes[0][0] = rowsOfX;
    sizes[1][0] = rowsOfZ;
    inputs[0] = makeTensor(x, sizes[0], rowsOfX * 16);
    inputs[1] = makeTensor(z, sizes[1], rowsOfZ * 8);
    return inputs;
  }

  /// What every way to run refuses, before it has enqueued anything.
  void expectRefused(int code) {
    EXPECT_EQ(code, SPARSECONV_INVALID_ARGUMENT);
    EXPECT_STREQ(sparseconv_last_error(), "'z' has 9 rows, but 'x' has 10: "
                                          "both need the same number");
  }

  alignas(16) float x[40] = {}, z[20] = {};
  int64_t sizes[2][2] = {{0, 4}, {0, 2}};
  sparseconv_tensor inputs[2];
};
} // namespace

TEST_F(EqualRows, AreCheckedBeforeAnythingRuns) {
  ASSERT_EQ(createPair(), SPARSECONV_OK) << sparseconv_last_error();
  fake().work.clear();
  expectRefused(sparseconv_instance_run_host(instance, makeInputs(10, 9), 2));
  expectRefused(sparseconv_instance_run(instance, nullptr, makeInputs(10, 9), 2,
                                        nullptr, 0));
  std::vector<double> times(8);
  expectRefused(sparseconv_instance_profile(instance, makeInputs(10, 9), 2,
                                            times.data()));
  EXPECT_EQ(fake().work, std::vector<std::string>());

  ASSERT_EQ(sparseconv_instance_run_host(instance, makeInputs(10, 10), 2),
            SPARSECONV_OK)
      << sparseconv_last_error();
  EXPECT_EQ(readOutput(), computeSample(std::vector<float>(40)));
  ASSERT_EQ(sparseconv_instance_capture(instance, nullptr, 0, nullptr, 0),
            SPARSECONV_OK);
  expectRefused(
      sparseconv_instance_replay(instance, nullptr, makeInputs(10, 9), 2));
}

TEST_F(EqualRows, WithExactSizes) {
  ASSERT_EQ(createPair(SPARSECONV_EXACT), SPARSECONV_OK);
  expectRefused(sparseconv_instance_run_host(instance, makeInputs(10, 9), 2));
}
