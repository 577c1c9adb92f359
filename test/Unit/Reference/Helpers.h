//===- Helpers.h - running IR text on the reference -------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TEST_UNIT_REFERENCE_HELPERS_H
#define SPARSECONV_TEST_UNIT_REFERENCE_HELPERS_H

#include "sparseconv/Reference/Reference.h"
#include "gtest/gtest.h"
#include <map>
#include <random>
#include <string>

namespace sparseconv::test {

using Shape = std::vector<int64_t>;
using Point = std::vector<int64_t>;

/// A tensor with these elements.
HostTensor makeTensor(ElementKind kind, const Shape &shape,
                      const std::vector<double> &elements);
inline HostTensor makeF32(const Shape &shape,
                          const std::vector<double> &elements) {
  return makeTensor(ElementKind::F32, shape, elements);
}
inline HostTensor makeI32(const Shape &shape,
                          const std::vector<double> &elements) {
  return makeTensor(ElementKind::I32, shape, elements);
}
/// A tensor of rank 0.
HostTensor makeIndex(int64_t value);
/// Points (batch, x, y, ...) as an i32 tensor of `columns` columns.
HostTensor makePoints(const std::vector<Point> &points, int64_t columns);
/// Normally distributed elements, rounded to f32.
HostTensor makeRandom(std::mt19937 &random, const Shape &shape);
/// `count` points in a small box around the origin, duplicates among them.
std::vector<Point> makeRandomPoints(std::mt19937 &random, int64_t count,
                                    int64_t dim, int64_t batches,
                                    int64_t extent, int64_t stride = 1);

std::vector<double> getElements(const HostTensor &tensor);

/// Text of the type of a set: "!sparseconv.coords<2, stride = [1, 1], ...>".
std::string getSetType(int64_t dim, const std::vector<int64_t> &stride);
/// "1, 2, 3"
std::string join(const std::vector<int64_t> &numbers);
/// `text` with each `${name}` replaced.
std::string fill(std::string text,
                 const std::map<std::string, std::string> &values);

/// Runs function @f of the module `text`. A failure, also of parsing, fails the
/// test and gives no results.
std::vector<HostTensor> run(const std::string &text,
                            const std::vector<HostTensor> &args,
                            bool exact = false);
std::vector<mlir::sparseconv::BoundedResult>
runWithBounds(const std::string &text, const std::vector<HostTensor> &args);
/// The message of the error that the run ends with, or "no error".
std::string runToError(const std::string &text,
                       const std::vector<HostTensor> &args);

/// Expects these elements, bit for bit (any NaN is equal to any other).
void expectElements(const HostTensor &tensor,
                    const std::vector<double> &elements);
/// Expects two lists whose largest difference is below `tolerance`.
void expectNear(const std::vector<double> &found,
                const std::vector<double> &expected, double tolerance);
double dot(const std::vector<double> &a, const std::vector<double> &b);

} // namespace sparseconv::test

#endif // SPARSECONV_TEST_UNIT_REFERENCE_HELPERS_H
