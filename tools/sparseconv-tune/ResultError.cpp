//===- ResultError.cpp - how far two results are apart --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResultError.h"
#include <algorithm>
#include <cmath>

using namespace mlir::sparseconv;
using ::sparseconv::HostTensor;

double mlir::sparseconv::getError(const HostTensor &found,
                                  const HostTensor &expected) {
  if (found.getShape() != expected.getShape() ||
      found.getKind() != expected.getKind())
    return HUGE_VAL;
  bool isFloat = ::sparseconv::isFloat(found.getKind());
  double largest = 0, magnitude = 0;
  for (int64_t i = 0, e = found.getNumElements(); i < e; ++i) {
    double value = found.getDouble(i), truth = expected.getDouble(i);
    if (value == truth || (std::isnan(value) && std::isnan(truth))) {
      if (std::isfinite(truth))
        magnitude = std::max(magnitude, std::abs(truth));
      continue;
    }
    if (!isFloat || !std::isfinite(value) || !std::isfinite(truth))
      return HUGE_VAL;
    magnitude = std::max(magnitude, std::abs(truth));
    largest = std::max(largest, std::abs(value - truth));
  }
  return largest > 0 ? largest / magnitude : 0;
}
