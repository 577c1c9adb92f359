//===- Points.cpp - points and keys by brute force ------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Points.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <random>

using namespace mlir::sparseconv::test;

uint64_t Space::pack(const Point &point) const {
  uint64_t key = 0, scale = 1;
  for (unsigned axis = getDim(); axis-- > 0;) {
    uint64_t range = uint64_t(1) << bits[axis];
    key += scale * static_cast<uint64_t>(point[axis + 1] +
                                         static_cast<int64_t>(range / 2));
    scale *= range;
  }
  return key + scale * static_cast<uint64_t>(point[0]);
}

std::string Space::getPacking() const {
  return "#sparseconv.packing<" + getKeyType() +
         ", batch = " + std::to_string(batch) + ", bits = [" + join(bits) +
         "], guard = [" + join(guard) + "]>";
}

std::string Space::getSet(const std::vector<int64_t> &stride) const {
  return "!sparseconv.coords<" + std::to_string(getDim()) + ", stride = [" +
         join(stride) + "], " + getPacking() + ">";
}

Space mlir::sparseconv::test::makeSpace(unsigned width, unsigned dim) {
  Space space{width, 2, {}, std::vector<int64_t>(dim, 8)};
  int64_t bits = std::min<int64_t>((width - 2) / dim, 24);
  // Fields of different sizes.
  for (unsigned axis = 0; axis < dim; ++axis)
    space.bits.push_back(axis + 1 == dim && dim > 1 ? bits - 1 : bits);
  return space;
}

std::vector<Point>
mlir::sparseconv::test::makePoints(int64_t n,
                                   const std::vector<int64_t> &stride,
                                   int64_t extent, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int64_t> coordinate(-extent, extent);
  std::vector<Point> points(n);
  for (Point &point : points) {
    point.push_back(random() % 2 * 2);
    for (int64_t step : stride)
      point.push_back(coordinate(random) * step);
  }
  return points;
}

std::vector<Point> mlir::sparseconv::test::makeSet(std::vector<Point> points) {
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

std::string mlir::sparseconv::test::substitute(
    std::string text,
    llvm::ArrayRef<std::pair<std::string, std::string>> names) {
  for (const auto &[name, value] : names)
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos;
         at += value.size())
      text.replace(at, name.size(), value);
  return text;
}

std::string mlir::sparseconv::test::join(llvm::ArrayRef<int64_t> numbers) {
  return llvm::join(
      llvm::map_range(numbers,
                      [](int64_t number) { return std::to_string(number); }),
      ", ");
}
