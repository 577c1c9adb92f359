//===- Cuda.cpp - chips of NVIDIA's GPUs ----------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers are those of the CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability".
//
//===----------------------------------------------------------------------===//

#include "Backends.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// What all chips since Ampere have.
static constexpr TargetInfo makeAmpere(const char *name,
                                       int64_t multiprocessors, int64_t warps,
                                       int64_t sharedKilobytes) {
  constexpr int64_t kilobyte = 1024;
  TargetInfo info;
  info.chip = name;
  info.isGpu = true;
  info.lanes = 32;
  info.multiprocessors = multiprocessors;
  info.warpsPerMultiprocessor = warps;
  info.sharedReserved = kilobyte;
  info.sharedPerMultiprocessor = sharedKilobytes * kilobyte;
  info.sharedPerBlock = info.sharedPerMultiprocessor - info.sharedReserved;
  info.registersPerThread = 255;
  info.registersPerMultiprocessor = 65536;
  info.hasMma = true;
  info.hasAtomics = true;
  info.hasAsyncCopy = true;
  return info;
}

/// Hopper, with the instructions that later chips do not have.
static constexpr TargetInfo makeHopper(const char *name,
                                       int64_t multiprocessors) {
  TargetInfo info = makeAmpere(name, multiprocessors, 64, 228);
  info.hasWgmma = true;
  info.hasBulkCopy = true;
  return info;
}

static constexpr TargetInfo chips[] = {
    makeAmpere("sm_80", 108, 64, 164),
    makeAmpere("sm_86", 84, 48, 100),
    makeAmpere("sm_89", 142, 48, 100),
    makeHopper("sm_90a", 132),
};

/// Each runs what the last chip before it runs that has no instructions of its
/// own.
static constexpr std::pair<StringRef, StringRef> relatives[] = {
    {"sm_87", "sm_86"},  {"sm_88", "sm_86"},   {"sm_90", "sm_89"},
    {"sm_100", "sm_89"}, {"sm_100a", "sm_89"}, {"sm_100f", "sm_89"},
    {"sm_101", "sm_89"}, {"sm_101a", "sm_89"}, {"sm_101f", "sm_89"},
    {"sm_103", "sm_89"}, {"sm_103a", "sm_89"}, {"sm_103f", "sm_89"},
    {"sm_110", "sm_89"}, {"sm_110a", "sm_89"}, {"sm_110f", "sm_89"},
    {"sm_120", "sm_89"}, {"sm_120a", "sm_89"}, {"sm_120f", "sm_89"},
    {"sm_121", "sm_89"}, {"sm_121a", "sm_89"}, {"sm_121f", "sm_89"},
};

const TargetBackend mlir::sparseconv::cudaBackend = {
    "cuda", /*defaultChip=*/"sm_90a", chips, relatives};
