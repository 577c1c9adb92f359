//===- SamplePlan.h - a small plan and what it computes ---------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TEST_UNIT_RUNTIME_CUDA_SAMPLEPLAN_H
#define SPARSECONV_TEST_UNIT_RUNTIME_CUDA_SAMPLEPLAN_H

#include "FakeDriver.h"
#include "sparseconv/Runtime/Plan.h"

namespace sparseconv {

/// Function "main": of the rows of x[?x4] plus w[4] those whose first value is
/// not negative, as y[?x4]; a row whose first value is 13 is an error. With
/// `streams` 2 a branch of its own fills part of the scratch memory. The
/// weights are inside the file, or by reference.
plan::Plan makeSamplePlan(uint32_t streams = 1, bool weightsInFile = true);

/// The same with nothing but launches, which is what compilers write.
plan::Plan makeLaunchPlan(uint32_t streams);

/// The first with another input z[?x2], which needs as many rows as x.
plan::Plan makePairPlan();

/// The weights of the plan.
extern const float sampleWeights[4];

/// Makes the plans' kernels known to the fake driver.
void addSampleKernels(cuda::FakeDriver &driver);

/// What the plan computes.
std::vector<float> computeSample(const std::vector<float> &x);

} // namespace sparseconv

#endif // SPARSECONV_TEST_UNIT_RUNTIME_CUDA_SAMPLEPLAN_H
