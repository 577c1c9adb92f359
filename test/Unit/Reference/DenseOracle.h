//===- DenseOracle.h - sparse convolution on dense grids --------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A second statement of what output sets, convolutions and pools are, by loops
// over all cells of a grid. It shares no code with the reference.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TEST_UNIT_REFERENCE_DENSEORACLE_H
#define SPARSECONV_TEST_UNIT_REFERENCE_DENSEORACLE_H

#include "Helpers.h"

namespace sparseconv::test {

/// How the out set comes from the in set.
enum class OutSet { Same, Floor, Cover, Expand, Upsample };

struct ConvCase {
  std::string name;
  std::vector<int64_t> size;     ///< of the box, by axis
  std::vector<int64_t> dilation; ///< by axis
  std::vector<int64_t> by;       ///< ratio of the strides
  OutSet outSet = OutSet::Same;
  bool corner = false;
  bool transposed = false;
  int64_t baseStride = 1; ///< of the finer set
  int64_t groups = 1;
  int64_t inChannels = 3;
  int64_t outChannels = 4;
  int64_t points = 60;

  /// The same case on other sets and tensors.
  ConvCase onStride(int64_t stride) const;
  ConvCase withChannels(int64_t groups, int64_t in, int64_t out) const;
  ConvCase withPoints(int64_t number) const;

  int64_t getDim() const { return size.size(); }
  std::vector<int64_t> getInStride() const;
  std::vector<int64_t> getOutStride() const;
  int64_t getVolume() const;
  /// "box<corner 3, corner 2, dilation = [1, 2]>"
  std::string getBoxText() const;
  /// The operation that makes %out from %in, and the types !in, !out, !map.
  std::string getOutSetText() const;
  std::string getTypesText() const;
};

/// How GoogleTest prints a case.
void PrintTo(const ConvCase &test, std::ostream *os);

/// What a grid says about a case on these points.
struct DenseResult {
  std::vector<Point> inSites, outSites;
  /// neighbours[r * volume + k]: row of the in set or -1.
  std::vector<int64_t> neighbours;
};
DenseResult solveOnGrid(const ConvCase &test, const std::vector<Point> &points);

/// y[r] = sum over k of x[neighbours(r, k)] . w[k], by groups.
std::vector<double> convolve(const ConvCase &test, const DenseResult &dense,
                             const std::vector<double> &x,
                             const std::vector<double> &w);

std::vector<ConvCase> makeConvCases();

} // namespace sparseconv::test

#endif // SPARSECONV_TEST_UNIT_REFERENCE_DENSEORACLE_H
