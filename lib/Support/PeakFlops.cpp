//===- PeakFlops.cpp - the arithmetic peak of this machine ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Support/PeakFlops.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

/// Chains of dependent multiply-adds: more than latency times throughput of any
/// processor, and few enough for 16 registers with the two factors.
static constexpr int chains = 12;

typedef float Floats4 __attribute__((vector_size(16)));
typedef float Floats8 __attribute__((vector_size(32)));
typedef float Floats16 __attribute__((vector_size(64)));

/// `steps` steps of all chains; `sink` keeps them from being left out. The
/// targets of the callers make a multiply and an add one instruction.
template <typename Vector>
[[gnu::always_inline]] static inline void runChains(int64_t steps,
                                                    float &sink) {
  Vector factor = Vector{} + (0.999f + sink), term = Vector{} + (1e-3f + sink);
  // Equal chains could become one.
  Vector sums[chains];
  for (int chain = 0; chain < chains; ++chain)
    sums[chain] = Vector{} + static_cast<float>(chain);
  for (int64_t step = 0; step < steps; ++step)
#pragma GCC unroll 16
    for (int chain = 0; chain < chains; ++chain)
      sums[chain] = sums[chain] * factor + term;
  Vector total = sums[0];
  for (int chain = 1; chain < chains; ++chain)
    total += sums[chain];
  sink = total[0] * 1e-30f;
}

namespace {
struct Kernel {
  void (*run)(int64_t steps, float &sink);
  int lanes;
};
} // namespace

static void runBaseline(int64_t steps, float &sink) {
  runChains<Floats4>(steps, sink);
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] static void runAvx2(int64_t steps, float &sink) {
  runChains<Floats8>(steps, sink);
}
[[gnu::target("avx512f,fma")]] static void runAvx512(int64_t steps,
                                                     float &sink) {
  runChains<Floats16>(steps, sink);
}
#endif

static Kernel getKernel() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return {runAvx512, 16};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {runAvx2, 8};
#endif
  return {runBaseline, 4};
}

double sparseconv::measurePeakFlops(unsigned threads, double seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr int64_t steps = 100000;
  Kernel kernel = getKernel();
  threads = std::max(threads, 1u);
  std::atomic<unsigned> waiting{threads};
  std::vector<double> rates(threads);
  auto work = [&](unsigned thread) {
    float sink = 0;
    kernel.run(steps, sink);
    // All threads count while all threads run.
    waiting.fetch_sub(1);
    while (waiting.load() != 0)
      std::this_thread::yield();
    Clock::time_point begin = Clock::now();
    double elapsed = 0;
    int64_t runs = 0;
    while (elapsed < seconds) {
      kernel.run(steps, sink);
      ++runs;
      elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
    }
    double operations = 2.0 * chains * kernel.lanes * steps * runs;
    // `sink` is zero but for rounding; adding it makes it needed.
    rates[thread] = operations / elapsed + sink;
  };
  std::vector<std::thread> others;
  for (unsigned thread = 1; thread < threads; ++thread)
    others.emplace_back(work, thread);
  work(0);
  for (std::thread &other : others)
    other.join();
  double sum = 0;
  for (double rate : rates)
    sum += rate;
  return sum;
}
