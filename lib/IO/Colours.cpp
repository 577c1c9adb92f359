//===- Colours.cpp - colours of values and classes ------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Colours are chosen in OKLCH (lightness, chroma, hue), where equal steps look
// equal.
//
//===----------------------------------------------------------------------===//

#include "sparseconv/IO/Picture.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>
#include <tuple>

using namespace llvm;
using namespace sparseconv;

static constexpr double pi = 3.14159265358979323846;
static constexpr uint32_t grey = 0x707070;

static uint32_t toByte(double linear) {
  double encoded = linear <= 0.0031308
                       ? 12.92 * linear
                       : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
  return static_cast<uint32_t>(
      std::lround(std::clamp(encoded, 0.0, 1.0) * 255));
}

/// Linear sRGB of an OKLCH colour, with the published matrices of OKLab.
static std::array<double, 3> toLinear(double lightness, double chroma,
                                      double degrees) {
  double a = chroma * std::cos(degrees * pi / 180),
         b = chroma * std::sin(degrees * pi / 180);
  auto cube = [](double x) { return x * x * x; };
  double l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b),
         m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b),
         s = cube(lightness - 0.0894841775 * a - 1.2914855480 * b);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

/// The sRGB colour of that lightness and hue whose chroma is at most `chroma`
/// and no more than a screen can show.
static uint32_t fromLch(double lightness, double chroma, double degrees) {
  std::array<double, 3> linear;
  do {
    linear = toLinear(lightness, chroma, degrees);
    chroma -= 0.002;
  } while (chroma > 0 && any_of(linear, [](double channel) {
             return channel < 0 || channel > 1;
           }));
  return toByte(linear[0]) << 16 | toByte(linear[1]) << 8 | toByte(linear[2]);
}

static constexpr unsigned scaleSteps = 1023;

static std::array<uint32_t, scaleSteps + 1> makeScale() {
  std::array<uint32_t, scaleSteps + 1> scale;
  for (auto [index, rgb] : enumerate(scale)) {
    double t = double(index) / scaleSteps;
    // Hue turns from violet (300) to yellow (100) while lightness grows.
    rgb = fromLch(0.46 + 0.46 * t, 0.16, 300 - 200 * t);
  }
  return scale;
}

uint32_t sparseconv::getScaleColour(double t) {
  static const std::array<uint32_t, scaleSteps + 1> scale = makeScale();
  if (std::isnan(t))
    return grey;
  return scale[std::lround(std::clamp(t, 0.0, 1.0) * scaleSteps)];
}

uint32_t sparseconv::getClassColour(unsigned index) {
  // The golden angle spreads hues; lightness alternates between three levels.
  static constexpr double levels[] = {0.76, 0.62, 0.86};
  return fromLch(levels[index % 3], 0.15, 250 + 137.508 * (index % 4096));
}

static Error checkMatrix(const HostTensor &features, int64_t minColumns) {
  if (features.getRank() == 2 && features.getDim(1) >= minColumns)
    return Error::success();
  return createStringError(
      inconvertibleErrorCode(),
      formatv("expected a matrix of at least {0} columns to colour voxels by, "
              "found {1}",
              minColumns, features.getTypeString())
          .str());
}

Expected<Colouring> sparseconv::colourByColumn(const HostTensor &features,
                                               int64_t column, StringRef name) {
  if (column < 0)
    return createStringError(inconvertibleErrorCode(),
                             "expected a column of at least 0, found " +
                                 Twine(column));
  if (Error error = checkMatrix(features, column + 1))
    return error;
  int64_t rows = features.getDim(0), width = features.getDim(1);
  std::vector<double> values(rows), sorted;
  for (int64_t row = 0; row < rows; ++row) {
    values[row] = features.getDouble(row * width + column);
    if (std::isfinite(values[row]))
      sorted.push_back(values[row]);
  }
  llvm::sort(sorted);

  Colouring result;
  result.legend.hasScale = true;
  result.legend.scaleName = name.str();
  if (!sorted.empty()) {
    size_t cut = sorted.size() / 50;
    result.legend.low = sorted[cut];
    result.legend.high = sorted[sorted.size() - 1 - cut];
  }
  double low = result.legend.low, high = result.legend.high;
  for (double value : values)
    result.rgb.push_back(getScaleColour(high > low
                                            ? (value - low) / (high - low)
                                        : std::isnan(value) ? value
                                                            : 0.5));
  return result;
}

Expected<Colouring>
sparseconv::colourByArgMax(const HostTensor &features,
                           ArrayRef<std::string> classNames) {
  if (Error error = checkMatrix(features, 1))
    return error;
  int64_t rows = features.getDim(0), width = features.getDim(1);
  Colouring result;
  std::vector<int64_t> counts(width);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t best = 0;
    for (int64_t i = 1; i < width; ++i)
      if (features.getDouble(row * width + i) >
          features.getDouble(row * width + best))
        best = i;
    ++counts[best];
    result.rgb.push_back(getClassColour(best));
  }

  // The legend lists the classes that occur, the most frequent first.
  std::vector<int64_t> order;
  for (int64_t i = 0; i < width; ++i)
    if (counts[i] > 0)
      order.push_back(i);
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return std::tie(counts[b], a) < std::tie(counts[a], b);
  });
  for (int64_t i : order) {
    std::string name = i < static_cast<int64_t>(classNames.size())
                           ? classNames[i]
                           : "class " + std::to_string(i);
    result.legend.entries.push_back({getClassColour(i), name});
  }
  return result;
}
