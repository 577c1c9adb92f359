//===- CountingPlan.h - a plan whose sizes are counted ----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TEST_UNIT_RUNTIME_CUDA_COUNTINGPLAN_H
#define SPARSECONV_TEST_UNIT_RUNTIME_CUDA_COUNTINGPLAN_H

#include "FakeDriver.h"
#include "sparseconv/Runtime/Plan.h"

namespace sparseconv {

/// Function "main": of twice the rows of x[?x4] those whose first value is not
/// negative, as y[?x4]; a row whose first value is 13 is an error. Which rows
/// these are is counted first: the steps of a program come as
///
///   0 "twice"   doubled of x, on stream 1
///   1 "mark"    flags of x, which counts
///   2 "select"  rows and their number of flags, which counts
///   3 "take"    taken of doubled and rows
///   4 "pass"    y of taken
plan::Plan makeCountingPlan();

/// Makes the plan's kernels known to the fake driver.
void addCountingKernels(cuda::FakeDriver &driver);

/// What the plan computes.
std::vector<float> computeCounting(const std::vector<float> &x);

} // namespace sparseconv

#endif // SPARSECONV_TEST_UNIT_RUNTIME_CUDA_COUNTINGPLAN_H
