//===- LoggedRuntime.cpp - what gpu-to-llvm calls, without a GPU ----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says on the standard output what host code asks a GPU for, and does nothing
// of it but give zeroed memory. Where the program ends it says what is left.
//
//===----------------------------------------------------------------------===//

#include "llvm/Support/Compiler.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>

/// Names of kernels, by the handles that stand for them.
using Handle = const char *;

/// Ends of shared memory, by where it begins.
static std::map<char *, char *> buffers;
static int64_t streams;

static bool isShared(char *address) {
  auto next = buffers.upper_bound(address);
  return next != buffers.begin() && address < std::prev(next)->second;
}

// NOLINTBEGIN(readability-identifier-naming): upstream's names.
#define EXPORTED extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT

EXPORTED const void *mgpuModuleLoadJIT(const char *ptx, int level) {
  std::printf("load PTX, level %d\n", level);
  return ptx;
}

EXPORTED void mgpuModuleUnload(const void *) {
  std::printf("unload: %zu buffers and %lld streams are left\n", buffers.size(),
              static_cast<long long>(streams));
}

EXPORTED Handle mgpuModuleGetFunction(const void *, const char *name) {
  return name;
}

EXPORTED void mgpuLaunchKernel(Handle kernel, intptr_t gridX, intptr_t gridY,
                               intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                               intptr_t blockZ, int32_t sharedBytes, void *,
                               void **params, void **, size_t count) {
  std::printf("launch %s: %ld x %ld x %ld blocks of %ld x %ld x %ld, %d bytes",
              kernel, static_cast<long>(gridX), static_cast<long>(gridY),
              static_cast<long>(gridZ), static_cast<long>(blockX),
              static_cast<long>(blockY), static_cast<long>(blockZ),
              sharedBytes);
  size_t shared = 0, none = 0;
  for (size_t i = 0; i < count; ++i) {
    char *address = *static_cast<char **>(params[i]);
    shared += isShared(address);
    none += address == nullptr;
  }
  if (shared + none == count)
    std::printf(", memory is shared\n");
  else
    std::printf(", memory is not shared\n");
}

EXPORTED void *mgpuStreamCreate() {
  ++streams;
  return &streams;
}
EXPORTED void mgpuStreamDestroy(void *) { --streams; }
EXPORTED void mgpuStreamSynchronize(void *) {}

EXPORTED void *mgpuMemAlloc(uint64_t bytes, void *, bool isHostShared) {
  if (bytes == 0)
    return nullptr;
  char *buffer = static_cast<char *>(std::calloc(bytes, 1));
  if (isHostShared)
    buffers[buffer] = buffer + bytes;
  return buffer;
}

EXPORTED void mgpuMemFree(void *buffer, void *) {
  buffers.erase(static_cast<char *>(buffer));
  std::free(buffer);
}
// NOLINTEND(readability-identifier-naming)
