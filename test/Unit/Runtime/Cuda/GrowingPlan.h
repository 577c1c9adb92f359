//===- GrowingPlan.h - a plan whose sets grow -------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TEST_UNIT_RUNTIME_CUDA_GROWINGPLAN_H
#define SPARSECONV_TEST_UNIT_RUNTIME_CUDA_GROWINGPLAN_H

#include "FakeDriver.h"
#include "sparseconv/Runtime/Plan.h"

namespace sparseconv {

/// Function "main": of each row of x[?x4] as many copies as its first value
/// says, and of those the same again, as y[?x4]. Both sets may have 10 times
/// the rows of the one before; their capacities start with 8.
plan::Plan makeGrowingPlan();

/// Makes the plan's kernel known to the fake driver.
void addGrowingKernels(cuda::FakeDriver &driver);

/// `rows` rows, of each of which the plan's steps make `copies` copies.
std::vector<float> makeGrowingRows(size_t rows, float copies);

/// What the plan computes.
std::vector<float> computeGrowing(const std::vector<float> &x);

} // namespace sparseconv

#endif // SPARSECONV_TEST_UNIT_RUNTIME_CUDA_GROWINGPLAN_H
