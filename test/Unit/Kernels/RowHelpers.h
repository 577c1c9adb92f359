//===- RowHelpers.h - running one kernel on rows ----------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TEST_UNIT_KERNELS_ROWHELPERS_H
#define SPARSECONV_TEST_UNIT_KERNELS_ROWHELPERS_H

#include "sparseconv/Support/HostTensor.h"
#include "sparseconv/Support/Status.h"
#include "gtest/gtest.h"
#include <random>
#include <string>

namespace sparseconv::test {

using Tensors = std::vector<HostTensor>;

/// Shapes of the tests: channels, rows, element types.
inline constexpr int64_t kRowCounts[] = {0, 1, 31, 129, 4999};
inline constexpr std::pair<ElementKind, int64_t> kElementsAndChannels[] = {
    {ElementKind::F32, 1},   {ElementKind::F32, 3},  {ElementKind::F32, 16},
    {ElementKind::F32, 33},  {ElementKind::F32, 64}, {ElementKind::F32, 256},
    {ElementKind::F16, 16},  {ElementKind::F16, 33}, {ElementKind::BF16, 3},
    {ElementKind::BF16, 64},
};

/// What a kernel left behind.
struct KernelResult {
  Tensors outs;
  StatusRecord status;
};

struct KernelCall {
  std::string mnemonic; ///< "pool"
  std::string attributes;
  Tensors ins, outs;
  bool hasStatus = true;        ///< the record is the last input
  bool overwrites = true;       ///< the kernel writes its whole destination
  StatusRecord status = {};     ///< what the record holds before
  bool dynamicChannels = false; ///< matrices have two dynamic sizes
};

/// Runs sparseconv.kernel.<mnemonic>, rows dynamic, on one thread and on three
/// with other bits in the destinations, and expects the same bits of both.
KernelResult runKernel(const KernelCall &call);

/// Normally distributed elements.
HostTensor makeNormal(std::mt19937 &random, ElementKind kind,
                      llvm::ArrayRef<int64_t> shape);
HostTensor makeI32(llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<int64_t> elements);
HostTensor makeF32(llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<float> elements);

/// A sum in float64, with what bounds the error of one in f32: the magnitudes
/// of its terms and their number.
struct Sum {
  double value = 0, magnitude = 0, terms = 0;
  void add(double term) {
    value += term;
    magnitude += std::abs(term);
    ++terms;
  }
  void divide(double divisor) {
    value /= divisor;
    magnitude /= divisor;
  }
};

/// The order of `max`: NaN above all numbers, the first of equals stays.
bool isGreater(double a, double b);

/// |y - y64| <= u_out |y64| + (P + 2) u_acc sum|terms| for every element.
void expectSums(const HostTensor &found, llvm::ArrayRef<Sum> expected);
/// Equal values; any NaN equals any other.
void expectValues(const HostTensor &found, llvm::ArrayRef<double> expected);
void expectNoError(const StatusRecord &status);

/// A packing and its keys, sorted and distinct.
struct TestSet {
  int64_t keyWidth, batchBits;
  std::vector<int64_t> bits, stride;

  static constexpr int64_t kGuard = 4;
  int64_t getDim() const { return bits.size(); }
  std::string getPacking() const;
  std::string getType() const;
  uint64_t pack(llvm::ArrayRef<int64_t> point) const;
  bool holds(llvm::ArrayRef<int64_t> point) const;
  HostTensor getKeys(llvm::ArrayRef<std::vector<int64_t>> points) const;
  /// About `count` points of batches 0 .. batches - 1 in a small box, sorted.
  std::vector<std::vector<int64_t>> makePoints(std::mt19937 &random,
                                               int64_t count, int64_t batches,
                                               int64_t extent) const;
};

} // namespace sparseconv::test

#endif // SPARSECONV_TEST_UNIT_KERNELS_ROWHELPERS_H
