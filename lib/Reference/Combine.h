//===- Combine.h - rows combined by sum, average or maximum -----*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_REFERENCE_COMBINE_H
#define SPARSECONV_LIB_REFERENCE_COMBINE_H

#include "Interpreter.h"

namespace mlir::sparseconv::reference {

/// The order of `max`: a NaN is above every number, and equal to other NaNs.
bool isGreater(double a, double b);

/// A tensor [rows, channels] whose elements each combine some terms; 0 where
/// there is none. Keeps what a bound needs beside it.
class Combination {
public:
  /// Zeros, or an error where there is no memory for them.
  static llvm::Expected<Combination> create(Operation *op, int64_t rows,
                                            int64_t channels);

  /// Adds `value` to element (row, channel), or takes the maximum; of equal
  /// values the first stays.
  void combine(PoolKind kind, int64_t row, int64_t channel, double value);
  /// Divides the elements of a row.
  void divide(int64_t row, double divisor);
  /// Sets `result`. Each term counts as `productsPerTerm` products of its
  /// bound.
  llvm::Error store(Value result, PoolKind kind, Frame &frame,
                    double productsPerTerm = 1);

private:
  Combination(int64_t rows, int64_t channels)
      : rows(rows), channels(channels), elements(rows * channels),
        magnitudes(rows * channels), terms(rows * channels) {}

  int64_t rows, channels;
  Elements elements, magnitudes, terms;
};

} // namespace mlir::sparseconv::reference

#endif // SPARSECONV_LIB_REFERENCE_COMBINE_H
