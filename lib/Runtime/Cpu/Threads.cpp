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
  std::mutex start;
  int started = 0;
  {
    std::lock_guard<std::mutex> lock(start);
    while (started + 1 < count &&
           !pthread_create(&threads[started], nullptr, waitForOthers, &start))
      ++started;
  }
  for (int i = 0; i < started; ++i)
    pthread_join(threads[i], nullptr);
  found = started + 1;
  return found;
}
