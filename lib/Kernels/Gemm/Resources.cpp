//===- Resources.cpp - what a multiprocessor has room for -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Resources.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::sparseconv;
using llvm::formatv;

std::string mlir::sparseconv::verifyRegisters(int64_t warps, int64_t blocks,
                                              int64_t registers,
                                              const TargetInfo &target) {
  constexpr int64_t most = 32;
  if (warps < 1 || warps > most || blocks < 1 ||
      blocks > target.warpsPerMultiprocessor / warps)
    return formatv("expected 1 to {0} warps in a block and at most {1} on a "
                   "multiprocessor, found {2} in each of {3} blocks",
                   most, target.warpsPerMultiprocessor, warps, blocks);
  int64_t threads = warps * target.lanes * blocks;
  int64_t limit =
      std::min<int64_t>(target.registersPerMultiprocessor / threads / 8 * 8,
                        target.registersPerThread);
  if (registers > limit)
    return formatv("a thread needs more than {0} registers, {1} warps in each "
                   "of {2} blocks leave {3}",
                   registers, warps, blocks, limit);
  return "";
}

std::string mlir::sparseconv::verifySharedMemory(int64_t blocks, int64_t bytes,
                                                 const TargetInfo &target) {
  if (bytes > target.sharedPerBlock ||
      blocks * (bytes + target.sharedReserved) > target.sharedPerMultiprocessor)
    return formatv("{0} blocks of {1} bytes of shared memory do not fit {2}",
                   blocks, bytes, target.chip);
  return "";
}
