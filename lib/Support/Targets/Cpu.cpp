//===- Cpu.cpp - levels of x86-64 processors ------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backends.h"

using namespace mlir::sparseconv;

/// A level of vector instructions.
static constexpr TargetInfo makeLevel(const char *name, int64_t bits,
                                      int64_t registers) {
  TargetInfo info;
  info.chip = name;
  info.vectorBits = bits;
  info.vectorRegisters = registers;
  info.hasAtomics = true;
  return info;
}

static constexpr TargetInfo levels[] = {
    makeLevel("sse2", 128, 16),
    makeLevel("avx2", 256, 16),
    makeLevel("avx512", 512, 32),
};

const TargetBackend mlir::sparseconv::cpuBackend = {
    "cpu", /*defaultChip=*/"avx2", levels, /*relatives=*/{}};
