//===- Trace.cpp - when kernels began and ended ---------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Runtime/CpuRuntime.h"
#include <chrono>
#include <vector>

// A profile is of one call on one thread; kernels use others inside.
static thread_local std::vector<sparseconv_cpu_trace_event> events;

static double getSeconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void sparseconv_cpu_trace_begin(int64_t kernel) {
  events.push_back({kernel, getSeconds(), -1});
}

void sparseconv_cpu_trace_end(int64_t kernel) {
  double end = getSeconds();
  for (auto event = events.rbegin(); event != events.rend(); ++event) {
    if (event->kernel != kernel || event->end >= 0)
      continue;
    event->end = end;
    return;
  }
}

int64_t sparseconv_cpu_trace_take(sparseconv_cpu_trace_event *taken,
                                  int64_t room) {
  int64_t count = static_cast<int64_t>(events.size());
  for (int64_t i = 0; i < count && i < room; ++i)
    taken[i] = events[i];
  if (room >= count)
    events.clear();
  return count;
}
