//===- ResultErrorTest.cpp - tests of how a tuner compares results --------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResultError.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir::sparseconv;
using ::sparseconv::ElementKind;
using ::sparseconv::HostTensor;

static HostTensor make(std::vector<double> values,
                       ElementKind kind = ElementKind::F32) {
  HostTensor tensor(kind, {static_cast<int64_t>(values.size())});
  for (size_t i = 0; i < values.size(); ++i)
    tensor.setDouble(static_cast<int64_t>(i), values[i]);
  return tensor;
}

TEST(ResultError, IsRelativeToTheLargestMagnitude) {
  EXPECT_EQ(getError(make({1, -8, 2}), make({1, -8, 2})), 0);
  EXPECT_EQ(getError(make({1, -8, 4}), make({1, -8, 2})), 0.25);
  EXPECT_EQ(getError(make({1, 2}), make({1, 0.5})), 1.5);
  EXPECT_EQ(getError(make({}), make({})), 0);
}

TEST(ResultError, WhatIsNotANumberHasToAgree) {
  EXPECT_EQ(getError(make({NAN, HUGE_VAL, 1}), make({NAN, HUGE_VAL, 1})), 0);
  EXPECT_EQ(getError(make({NAN, 1}), make({1, 1})), HUGE_VAL);
  EXPECT_EQ(getError(make({1, 1}), make({HUGE_VAL, 1})), HUGE_VAL);
  EXPECT_EQ(getError(make({1, 0}), make({0, 0})), HUGE_VAL);
}

TEST(ResultError, ShapesAndIntegersHaveToBeEqual) {
  EXPECT_EQ(getError(make({1}), make({1, 2})), HUGE_VAL);
  EXPECT_EQ(getError(make({1}), make({1}, ElementKind::F64)), HUGE_VAL);
  EXPECT_EQ(getError(make({1, 100}, ElementKind::I32),
                     make({2, 100}, ElementKind::I32)),
            HUGE_VAL);
}
