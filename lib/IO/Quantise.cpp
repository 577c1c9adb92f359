//===- Quantise.cpp - points to voxel coordinates -------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/IO/Quantise.h"
#include "sparseconv/Support/Memory.h"
#include "sparseconv/Support/Shorten.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <cstring>

using namespace llvm;
using namespace sparseconv;

template <typename... Ts>
static Error makeError(const char *format, Ts &&...values) {
  return createStringError(inconvertibleErrorCode(),
                           formatv(format, std::forward<Ts>(values)...).str());
}

static Error checkOptions(const QuantiseOptions &options) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    char name = "xyz"[axis];
    if (!(options.voxelSize[axis] > 0) ||
        !std::isfinite(options.voxelSize[axis]))
      return makeError("expected a voxel size above 0 along {0}, found {1}",
                       name, options.voxelSize[axis]);
    if (!std::isfinite(options.origin[axis]))
      return makeError("expected a finite origin along {0}, found {1}", name,
                       options.origin[axis]);
    if (!(options.rangeMin[axis] <= options.rangeMax[axis]))
      return makeError("expected a range along {0} with min <= max, found {1} "
                       "and {2}",
                       name, options.rangeMin[axis], options.rangeMax[axis]);
  }
  if (options.batch < 0)
    return makeError("expected a batch index of at least 0, found {0}",
                     options.batch);
  return Error::success();
}

/// The selected columns: 0, 1, 2 are x, y, z; 3 + i is feature i of the scan.
static Expected<SmallVector<int64_t>>
selectColumns(const Scan &scan, const QuantiseOptions &options) {
  SmallVector<std::string> names = {"x", "y", "z"};
  names.append(scan.featureNames.begin(), scan.featureNames.end());
  SmallVector<int64_t> columns;
  if (options.featureColumns.empty())
    append_range(columns, seq<int64_t>(0, names.size()));
  for (const std::string &name : options.featureColumns) {
    auto *found = find(names, name);
    if (found == names.end())
      return makeError("the scan has no feature column '{0}'; it has {1}", name,
                       joinShort(names, ", "));
    columns.push_back(found - names.begin());
  }
  if (options.numFeatures && *options.numFeatures > columns.size())
    return makeError("expected at least {0} feature columns, the scan has {1}",
                     *options.numFeatures, joinShort(names, ", "));
  if (options.numFeatures)
    columns.resize(*options.numFeatures);
  return columns;
}

/// Indices of the points inside the range.
static std::vector<int64_t> selectPoints(const Scan &scan,
                                         const QuantiseOptions &options) {
  std::vector<int64_t> kept;
  kept.reserve(scan.getNumPoints());
  for (int64_t i = 0, e = scan.getNumPoints(); i < e; ++i)
    if (all_of(seq(0, 3), [&](int axis) {
          double p = scan.points.getDouble(i * 3 + axis);
          return p >= options.rangeMin[axis] && p < options.rangeMax[axis];
        }))
      kept.push_back(i);
  return kept;
}

Expected<Voxels> sparseconv::quantise(const Scan &scan,
                                      const QuantiseOptions &options) {
  if (Error error = checkOptions(options))
    return error;
  Expected<SmallVector<int64_t>> columns = selectColumns(scan, options);
  if (!columns)
    return columns.takeError();
  // The numbers of points, and what voxels are.
  int64_t width = columns->size(), scanWidth = scan.featureNames.size();
  int64_t bytes = sizeof(int64_t) + 4 * sizeof(int32_t) + width * sizeof(float);
  if (Error error = checkMemory(scan.getNumPoints() * bytes))
    return std::move(error);
  std::vector<int64_t> kept = selectPoints(scan, options);
  int64_t rows = kept.size();
  Voxels voxels;
  voxels.numDropped = scan.getNumPoints() - rows;
  voxels.points = HostTensor(ElementKind::I32, {rows, 4});
  voxels.features = HostTensor(ElementKind::F32, {rows, width});
  for (int64_t column : *columns)
    voxels.featureNames.push_back(column < 3 ? std::string(1, "xyz"[column])
                                             : scan.featureNames[column - 3]);

  MutableArrayRef<int32_t> points = voxels.points.as<int32_t>();
  MutableArrayRef<float> features = voxels.features.as<float>();
  ArrayRef<float> scanFeatures = scan.features.as<float>();
  for (int64_t row = 0; row < rows; ++row) {
    int64_t from = kept[row];
    points[row * 4] = options.batch;
    for (unsigned axis = 0; axis < 3; ++axis) {
      double p = scan.points.getDouble(from * 3 + axis);
      double cell =
          std::floor((p - options.origin[axis]) / options.voxelSize[axis]);
      if (!(cell >= INT32_MIN && cell <= INT32_MAX))
        return makeError("point {0}: the coordinate {1} along {2} ({3} m at "
                         "{4} m per voxel) does not fit i32",
                         from, cell, "xyz"[axis], llvm::format("%.9g", p),
                         llvm::format("%.9g", double(options.voxelSize[axis])));
      points[row * 4 + 1 + axis] = static_cast<int32_t>(cell);
    }
    for (int64_t i = 0; i < width; ++i) {
      int64_t column = (*columns)[i];
      features[row * width + i] =
          column < 3
              ? static_cast<float>(scan.points.getDouble(from * 3 + column))
              : scanFeatures[from * scanWidth + column - 3];
    }
  }
  return voxels;
}

/// Appends the rows of each tensor; all have one width.
static HostTensor concatenate(ElementKind kind, int64_t width,
                              ArrayRef<const HostTensor *> parts) {
  int64_t rows = 0;
  for (const HostTensor *part : parts)
    rows += part->getDim(0);
  HostTensor result(kind, {rows, width});
  char *to = result.getData();
  for (const HostTensor *part : parts) {
    if (part->getNumBytes() != 0)
      std::memcpy(to, part->getData(), part->getNumBytes());
    to += part->getNumBytes();
  }
  return result;
}

Expected<Voxels> sparseconv::quantise(ArrayRef<Scan> scans,
                                      const QuantiseOptions &options) {
  std::vector<Voxels> items;
  SmallVector<const HostTensor *> points, features;
  Voxels result;
  for (auto [index, scan] : enumerate(scans)) {
    if (index > static_cast<uint64_t>(INT32_MAX - options.batch))
      return makeError("the batch index of scan {0} does not fit i32", index);
    QuantiseOptions itemOptions = options;
    itemOptions.batch = options.batch + static_cast<int32_t>(index);
    Expected<Voxels> item = quantise(scan, itemOptions);
    if (!item)
      return createStringError(inconvertibleErrorCode(),
                               "scan " + Twine(index) + ": " +
                                   toString(item.takeError()));
    if (index > 0 && item->featureNames != items.front().featureNames)
      return makeError("scan {0} has the feature columns {1}, scan 0 has {2}",
                       index, joinShort(item->featureNames, ", "),
                       joinShort(items.front().featureNames, ", "));
    result.numDropped += item->numDropped;
    items.push_back(std::move(*item));
  }
  if (!items.empty())
    result.featureNames = items.front().featureNames;
  for (const Voxels &item : items) {
    points.push_back(&item.points);
    features.push_back(&item.features);
  }
  result.points = concatenate(ElementKind::I32, 4, points);
  result.features =
      concatenate(ElementKind::F32, result.featureNames.size(), features);
  return result;
}
