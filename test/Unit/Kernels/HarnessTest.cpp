//===- HarnessTest.cpp - the harness of the kernel tests ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include <gtest/gtest-spi.h>

using namespace mlir::sparseconv::test;

static const char *const kDouble = R"(
func.func @double(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %columns = memref.dim %x, %c1 : memref<?x?xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.for %j = %c0 to %columns step %c1 {
      %0 = memref.load %x[%i, %j] : memref<?x?xf32>
      %1 = arith.addf %0, %0 : f32
      memref.store %1, %y[%i, %j] : memref<?x?xf32>
    }
  }
  return
})";

TEST(HarnessTest, PassesArraysAndScalars) {
  for (Threads threads : {Threads::Sequential, Threads::OpenMP}) {
    Kernel kernel(kDouble, threads);
    Array<float> x({2, 3}, {1, 2, 3, 4, 5, 6}), y({2, 3});
    kernel.run("double", x, y, int64_t(2));
    EXPECT_EQ(y.toVector(), (std::vector<float>{2, 4, 6, 8, 10, 12}));
  }
}

TEST(HarnessTest, NoticesWritesAroundAnArray) {
  Kernel kernel(kDouble);
  Array<float> x({2, 16}), y({1, 16});
  x.fill(1);
  EXPECT_NONFATAL_FAILURE(kernel.run("double", x, y, int64_t(2)),
                          "wrote around");
}

TEST(HarnessTest, ReportsWhatDoesNotCompile) {
  EXPECT_NONFATAL_FAILURE(Kernel kernel("module {"), "does not parse");
}
