//===- Points.h - points and keys by brute force ----------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the tests of indexing kernels compare with: a packing computed here, not
// by the dialect's attribute, and random points.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TEST_UNIT_KERNELS_POINTS_H
#define SPARSECONV_TEST_UNIT_KERNELS_POINTS_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mlir::sparseconv::test {

/// Batch index, then coordinates.
using Point = std::vector<int64_t>;

/// A packing of keys of `width` bits.
struct Space {
  unsigned width;
  int64_t batch;
  std::vector<int64_t> bits, guard;

  unsigned getDim() const { return bits.size(); }
  int64_t getMin(unsigned axis) const {
    return guard[axis] - (int64_t(1) << (bits[axis] - 1));
  }
  int64_t getMax(unsigned axis) const {
    return (int64_t(1) << (bits[axis] - 1)) - 1 - guard[axis];
  }
  uint64_t pack(const Point &point) const;
  /// As IR: the attribute, and a set type.
  std::string getPacking() const;
  std::string getSet(const std::vector<int64_t> &stride) const;
  std::string getKeyType() const { return "i" + std::to_string(width); }
};

/// A space of `dim` axes for keys of `width` bits: 2 bits of batch, the rest
/// spread over the axes, a guard of 8.
Space makeSpace(unsigned width, unsigned dim);

/// `n` random points: coordinates -extent .. extent times `stride`, batch
/// indices 0 and 2 (item 1 is empty). Many occur twice where `extent` is small.
std::vector<Point> makePoints(int64_t n, const std::vector<int64_t> &stride,
                              int64_t extent, unsigned seed);

/// Sorted, without duplicates.
std::vector<Point> makeSet(std::vector<Point> points);

/// Replaces each name by its text, everywhere: {{"KEY", "i64"}, ...}.
std::string
substitute(std::string text,
           llvm::ArrayRef<std::pair<std::string, std::string>> names);

/// "a, b, c"
std::string join(llvm::ArrayRef<int64_t> numbers);

template <typename Key>
std::vector<Key> packAll(const Space &space, const std::vector<Point> &points) {
  std::vector<Key> keys;
  for (const Point &point : points)
    keys.push_back(static_cast<Key>(space.pack(point)));
  return keys;
}

} // namespace mlir::sparseconv::test

#endif // SPARSECONV_TEST_UNIT_KERNELS_POINTS_H
