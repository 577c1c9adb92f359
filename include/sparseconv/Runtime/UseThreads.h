//===- UseThreads.h - how many threads a call takes -------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_RUNTIME_USETHREADS_H
#define SPARSECONV_RUNTIME_USETHREADS_H

#include <omp.h>

namespace sparseconv::cpu {

/// How many threads, of up to `count`, the system gives the calling thread: a
/// number of processes or memory may be used up. OpenMP ends the process where
/// it does not get those that it asks for.
int findThreads(int count);

/// While it lives, parallel loops of compiled code that this thread begins take
/// `count` threads, or fewer where the system does not give them; 0 stands for
/// one for each processor. What the caller had said of loops of its own comes
/// back then.
class UseThreads {
public:
  explicit UseThreads(int count) : before(omp_get_max_threads()) {
    omp_set_num_threads(findThreads(count ? count : omp_get_num_procs()));
  }
  ~UseThreads() { omp_set_num_threads(before); }
  UseThreads(const UseThreads &) = delete;
  UseThreads &operator=(const UseThreads &) = delete;

private:
  int before;
};

} // namespace sparseconv::cpu

#endif // SPARSECONV_RUNTIME_USETHREADS_H
