//===- TimeCallsTest.cpp - calls that are timed ---------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimeCalls.h"
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

using namespace mlir::sparseconv;
using Clock = std::chrono::steady_clock;

/// A call that takes at least 2 ms, and when each began and ended.
struct SlowCall {
  std::vector<Clock::time_point> begins, ends;

  llvm::Error operator()() {
    begins.push_back(Clock::now());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ends.push_back(Clock::now());
    return llvm::Error::success();
  }
};

TEST(TimeCalls, RestsAfterEachCallAndDoesNotCountThat) {
  SlowCall call;
  auto seconds = timeCalls({/*warmups=*/1, /*repeats=*/3, /*rest=*/5}, call);
  ASSERT_TRUE(bool(seconds));
  ASSERT_EQ(call.begins.size(), 4u);
  for (size_t i = 0; i + 1 < call.begins.size(); ++i)
    EXPECT_GE(call.begins[i + 1] - call.ends[i],
              5 * (call.ends[i] - call.begins[i]));
  // Each time is of a call: between the ends of two there is more.
  ASSERT_EQ(seconds->size(), 3u);
  for (size_t i = 0; i < seconds->size(); ++i) {
    EXPECT_GE((*seconds)[i], 2e-3);
    std::chrono::duration<double> between = call.ends[i + 1] - call.ends[i];
    EXPECT_LT((*seconds)[i], between.count());
  }
}

TEST(TimeCalls, EndsWithTheFirstError) {
  int calls = 0;
  auto seconds =
      timeCalls({/*warmups=*/2, /*repeats=*/2}, [&]() -> llvm::Error {
        if (++calls == 2)
          return llvm::createStringError("no memory");
        return llvm::Error::success();
      });
  ASSERT_FALSE(bool(seconds));
  EXPECT_EQ(llvm::toString(seconds.takeError()), "no memory");
  EXPECT_EQ(calls, 2);
}
