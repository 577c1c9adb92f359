//===- Combine.cpp - rows combined by sum, average or maximum -------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combine.h"
#include <cmath>

using namespace mlir;
using namespace mlir::sparseconv;
using namespace mlir::sparseconv::reference;

bool reference::isGreater(double a, double b) {
  return std::isnan(a) ? !std::isnan(b) : a > b;
}

llvm::Expected<Combination> Combination::create(Operation *op, int64_t rows,
                                                int64_t channels) {
  // The fourth is what a bound keeps of the elements before they are rounded.
  if (llvm::Error error = checkElementCount(op, {rows, channels}, /*arrays=*/4))
    return std::move(error);
  return Combination(rows, channels);
}

void Combination::combine(PoolKind kind, int64_t row, int64_t channel,
                          double value) {
  int64_t i = row * channels + channel;
  if (kind != PoolKind::Max) {
    elements[i] += value;
    magnitudes[i] += std::abs(value);
  } else if (terms[i] == 0 || isGreater(value, elements[i])) {
    elements[i] = value;
  }
  ++terms[i];
}

void Combination::divide(int64_t row, double divisor) {
  for (int64_t i = row * channels; i < (row + 1) * channels; ++i) {
    elements[i] /= divisor;
    magnitudes[i] /= divisor;
  }
}

llvm::Error Combination::store(Value result, PoolKind kind, Frame &frame,
                               double productsPerTerm) {
  if (!frame.wantsBounds())
    return frame.setDense(result, {rows, channels}, std::move(elements));
  for (double &count : terms)
    count *= productsPerTerm;
  // A maximum has no sum, so that its magnitudes are 0.
  return frame.setSum(result, {rows, channels}, std::move(elements),
                      std::move(magnitudes), std::move(terms));
}
