//===- TimeCalls.cpp - times a call several times -------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimeCalls.h"
#include <chrono>

using namespace mlir::sparseconv;

llvm::Expected<std::vector<double>>
mlir::sparseconv::timeCalls(const Timing &timing,
                            llvm::function_ref<llvm::Error()> call) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds;
  Clock::time_point restEnd;
  const uint64_t calls = uint64_t(timing.warmups) + timing.repeats;
  for (uint64_t i = 0; i < calls; ++i) {
    // Not asleep: a core that has to wake up first takes longer for a call.
    while (Clock::now() < restEnd) {
    }
    Clock::time_point begin = Clock::now();
    if (llvm::Error error = call())
      return std::move(error);
    Clock::duration taken = Clock::now() - begin;
    restEnd = begin + (1 + timing.rest) * taken;
    if (i >= timing.warmups)
      seconds.push_back(std::chrono::duration<double>(taken).count());
  }
  return seconds;
}
