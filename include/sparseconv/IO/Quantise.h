//===- Quantise.h - points to voxel coordinates -----------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From metres to coordinates: the step between a scan and a network's input.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_IO_QUANTISE_H
#define SPARSECONV_IO_QUANTISE_H

#include "sparseconv/IO/Scan.h"
#include <array>
#include <limits>

namespace sparseconv {

struct QuantiseOptions {
  /// Edge of a voxel per axis, metres.
  std::array<double, 3> voxelSize = {0.05, 0.05, 0.05};
  /// Where coordinate 0 begins, metres.
  std::array<double, 3> origin = {0, 0, 0};
  /// Points with min <= p < max on every axis are kept.
  std::array<double, 3> rangeMin = {-std::numeric_limits<double>::infinity(),
                                    -std::numeric_limits<double>::infinity(),
                                    -std::numeric_limits<double>::infinity()};
  std::array<double, 3> rangeMax = {std::numeric_limits<double>::infinity(),
                                    std::numeric_limits<double>::infinity(),
                                    std::numeric_limits<double>::infinity()};
  /// Column 0 of every point, at least 0.
  int32_t batch = 0;
  /// The feature columns by name, from "x", "y", "z" (metres) and the scan's
  /// own names. Empty: x, y, z, then all of the scan's own, in its order.
  std::vector<std::string> featureColumns;
  /// Keeps only the first columns of that list when set; an error when there
  /// are fewer.
  std::optional<unsigned> numFeatures;
};

/// The operands of a network's `pack` and `gather`.
struct Voxels {
  /// [N, 4] i32: batch, x, y, z. One row a kept point, in scan order, so
  /// several points of one voxel give equal rows.
  HostTensor points;
  /// [N, C] f32.
  HostTensor features;
  /// The C names of the feature columns.
  std::vector<std::string> featureNames;
  /// Points outside the range.
  int64_t numDropped = 0;
};

/// Coordinates are floor((p - origin) / voxelSize), computed in double. A
/// coordinate that does not fit i32 is an error that names point and axis.
llvm::Expected<Voxels> quantise(const Scan &scan,
                                const QuantiseOptions &options = {});

/// Several scans as the items of one batch: item i gets batch index
/// `options.batch` + i. The scans have the same selected columns.
llvm::Expected<Voxels> quantise(llvm::ArrayRef<Scan> scans,
                                const QuantiseOptions &options = {});

} // namespace sparseconv

#endif // SPARSECONV_IO_QUANTISE_H
