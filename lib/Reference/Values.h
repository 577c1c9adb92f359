//===- Values.h - the values that the reference computes with ---*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_REFERENCE_VALUES_H
#define SPARSECONV_LIB_REFERENCE_VALUES_H

#include "sparseconv/Dialect/SparseConv/IR/SparseConvTypes.h"
#include "sparseconv/Support/HostTensor.h"
#include <array>
#include <memory>
#include <variant>
#include <vector>

namespace mlir::sparseconv::reference {

using ::sparseconv::ElementKind;
using ::sparseconv::HostTensor;

/// Elements of a tensor; never changed once they are a value.
using Elements = std::vector<double>;
using ElementsRef = std::shared_ptr<const Elements>;

/// A tensor: integers too are held as doubles (exact below 2^53).
struct DenseValue {
  ElementKind kind = ElementKind::F32;
  SmallVector<int64_t, 4> shape;
  ElementsRef data;
  /// With bounds asked for: the elements before rounding, and the error that a
  /// target may make in each.
  ElementsRef unrounded;
  ElementsRef bound;
  /// The coarsest type that the elements were rounded to on their way, if any.
  /// A target may rightly have other bits then, so what is computed from them
  /// has no bound per element.
  std::optional<ElementKind> roundedTo;

  int64_t getNumElements() const { return data->size(); }
  int64_t getRows() const { return shape[0]; }
  double operator[](int64_t index) const { return (*data)[index]; }
  const double *begin() const { return data->data(); }
};

/// Batch, then the coordinates; axes beyond the dimension are 0. The order of
/// arrays is the order of packed keys.
using Point = std::array<int64_t, 5>;

/// Distinct coordinates in ascending order.
struct CoordinateSet {
  CoordsType type;
  std::vector<Point> points;

  unsigned getDim() const { return type.getDim(); }
  int64_t size() const { return points.size(); }
  /// The row of a coordinate, or -1.
  int64_t find(const Point &point) const;
};
using CoordinateSetRef = std::shared_ptr<const CoordinateSet>;

/// `table[r * volume + k]`: the input row that output row r meets by offset k,
/// or -1.
struct KernelMap {
  int64_t inRows = 0;
  int64_t outRows = 0;
  int64_t volume = 0;
  std::vector<int32_t> table;

  int64_t find(int64_t row, int64_t offset) const {
    return table[row * volume + offset];
  }
  /// The same pairs with the sides swapped.
  KernelMap transpose() const;
};
using KernelMapRef = std::shared_ptr<const KernelMap>;

/// Integers, indices and booleans are int64_t, floating-point scalars double.
using ReferenceValue =
    std::variant<int64_t, double, DenseValue, CoordinateSetRef, KernelMapRef>;

} // namespace mlir::sparseconv::reference

#endif // SPARSECONV_LIB_REFERENCE_VALUES_H
