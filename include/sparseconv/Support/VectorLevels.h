//===- VectorLevels.h - vectors of x86-64 processors ------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The levels of vector instructions that code for CPUs is compiled for. Needs
// no LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_SUPPORT_VECTORLEVELS_H
#define SPARSECONV_SUPPORT_VECTORLEVELS_H

#include <string_view>

namespace sparseconv {

/// From the widest on.
inline constexpr std::string_view kVectorLevels[] = {"avx512", "avx2", "sse2"};

inline bool isVectorLevel(std::string_view name) {
  for (std::string_view level : kVectorLevels)
    if (level == name)
      return true;
  return false;
}

/// Whether the processor that this runs on has a level.
inline bool hasVectorLevel(std::string_view name) {
  if (name == "avx512")
    return __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd");
  if (name == "avx2")
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c");
  return name == "sse2";
}

} // namespace sparseconv

#endif // SPARSECONV_SUPPORT_VECTORLEVELS_H
