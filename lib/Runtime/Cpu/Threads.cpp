//===- Threads.cpp - how many threads the system gives --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Runtime/UseThreads.h"
#include <memory>
#include <mutex>
#include <new>
#include <pthread.h>

using namespace sparseconv;

/// Address space for each thread: a stack of its own, and what the C library
/// reserves where a thread allocates for the first time (up to twice 64 MiB).
static constexpr size_t kBytesPerThread = size_t(144) << 20;

/// Waits until all threads of an attempt are there.
static void *waitForOthers(void *start) {
  std::lock_guard<std::mutex> lock(*static_cast<std::mutex *>(start));
  return nullptr;
}

int cpu::findThreads(int count) {
  static thread_local int found = 1;
  if (count <= found)
    return count;
  std::unique_ptr<pthread_t[]> threads(new (std::nothrow) pthread_t[count]);
  if (!threads)
    return found;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kBytesPerThread);
  std::mutex start;
  int started = 0;
  {
    std::lock_guard<std::mutex> lock(start);
    while (
        started + 1 < count &&
        !pthread_create(&threads[started], &attributes, waitForOthers, &start))
      ++started;
  }
  for (int i = 0; i < started; ++i)
    pthread_join(threads[i], nullptr);
  pthread_attr_destroy(&attributes);
  found = started + 1;
  return found;
}
