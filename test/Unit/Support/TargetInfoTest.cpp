//===- TargetInfoTest.cpp - targets by their names ------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Support/TargetInfo.h"
#include "gtest/gtest.h"

using namespace mlir::sparseconv;

TEST(Target, OutlivesTheTextThatNamesIt) {
  std::string text = "cuda:sm_87";
  llvm::Expected<Target> target = parseTarget(text);
  ASSERT_TRUE(static_cast<bool>(target));
  text.assign(text.size(), 'x');
  EXPECT_EQ(target->str(), "cuda:sm_87");
  EXPECT_TRUE(target->isRelative());
}
