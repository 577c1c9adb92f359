//===- NumThreads.h - how many threads may be asked for ---------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_SUPPORT_NUMTHREADS_H
#define SPARSECONV_SUPPORT_NUMTHREADS_H

namespace sparseconv {

/// OpenMP ends the process where the system does not give it its threads.
inline constexpr int kMaxThreads = 4096;

} // namespace sparseconv

#endif // SPARSECONV_SUPPORT_NUMTHREADS_H
