//===- DenseOracle.cpp - sparse convolution on dense grids ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DenseOracle.h"
#include <algorithm>

using namespace sparseconv;
using namespace sparseconv::test;

void test::PrintTo(const ConvCase &test, std::ostream *os) { *os << test.name; }

static std::vector<int64_t> scale(std::vector<int64_t> values, int64_t factor) {
  for (int64_t &value : values)
    value *= factor;
  return values;
}

ConvCase ConvCase::onStride(int64_t stride) const {
  ConvCase test = *this;
  test.baseStride = stride;
  return test;
}

ConvCase ConvCase::withChannels(int64_t groups, int64_t in, int64_t out) const {
  ConvCase test = *this;
  test.groups = groups;
  test.inChannels = in;
  test.outChannels = out;
  return test;
}

ConvCase ConvCase::withPoints(int64_t number) const {
  ConvCase test = *this;
  test.points = number;
  return test;
}

std::vector<int64_t> ConvCase::getInStride() const {
  return scale(transposed ? by : std::vector<int64_t>(getDim(), 1), baseStride);
}

std::vector<int64_t> ConvCase::getOutStride() const {
  return scale(transposed ? std::vector<int64_t>(getDim(), 1) : by, baseStride);
}

int64_t ConvCase::getVolume() const {
  int64_t volume = 1;
  for (int64_t k : size)
    volume *= k;
  return volume;
}

std::string ConvCase::getBoxText() const {
  std::string text;
  for (int64_t k : size)
    text += (corner ? "corner " : "") + std::to_string(k) + ", ";
  return "box<" + text + "dilation = [" + join(dilation) + "]>";
}

std::string ConvCase::getTypesText() const {
  return "!in = " + getSetType(getDim(), getInStride()) +
         "\n!out = " + getSetType(getDim(), getOutStride()) +
         "\n!map = !sparseconv.kernel_map<" + std::to_string(getVolume()) +
         ", !in to !out>\n";
}

std::string ConvCase::getOutSetText() const {
  std::string ratio = "[" + join(by) + "]", box = getBoxText();
  switch (outSet) {
  case OutSet::Same:
    return "%out, %o, %p = sparseconv.pack %points : tensor<?x" +
           std::to_string(getDim() + 1) + "xi32> -> !out";
  case OutSet::Floor:
    return "%out = sparseconv.downsample %in by " + ratio + " : !in -> !out";
  case OutSet::Cover:
    return "%out = sparseconv.downsample %in by " + ratio + " cover offsets(" +
           box + ") : !in -> !out";
  case OutSet::Expand:
    return "%out = sparseconv.expand %in offsets(" + box + ")" +
           (transposed ? " transposed" : "") + " : !in";
  case OutSet::Upsample:
    return "%out = sparseconv.upsample %in by " + ratio + " offsets(" + box +
           ") : !in -> !out";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Grid
//===----------------------------------------------------------------------===//

namespace {
/// A cube of cells around the origin for each batch item.
struct Grid {
  int64_t dim, reach, batches = 3;
  std::vector<int64_t> rows;

  Grid(int64_t dim, int64_t reach) : dim(dim), reach(reach) {
    int64_t cells = batches;
    for (int64_t i = 0; i < dim; ++i)
      cells *= 2 * reach + 1;
    rows.assign(cells, -1);
  }
  /// Flat position, or -1 outside.
  int64_t find(const Point &point) const {
    int64_t position = point[0];
    for (int64_t i = 1; i <= dim; ++i) {
      if (point[i] < -reach || point[i] > reach)
        return -1;
      position = position * (2 * reach + 1) + point[i] + reach;
    }
    return position;
  }
  Point getPoint(int64_t position) const {
    Point point(dim + 1);
    for (int64_t i = dim; i > 0; --i) {
      point[i] = position % (2 * reach + 1) - reach;
      position /= 2 * reach + 1;
    }
    point[0] = position;
    return point;
  }
};
} // namespace

/// All offsets, last axis fastest.
static std::vector<std::vector<int64_t>> listOffsets(const ConvCase &test) {
  std::vector<std::vector<int64_t>> offsets = {{}};
  for (int64_t axis = 0; axis < test.getDim(); ++axis) {
    std::vector<std::vector<int64_t>> longer;
    int64_t first = test.corner ? 0 : -((test.size[axis] - 1) / 2);
    for (const auto &prefix : offsets)
      for (int64_t i = 0; i < test.size[axis]; ++i) {
        longer.push_back(prefix);
        longer.back().push_back((first + i) * test.dilation[axis]);
      }
    offsets = longer;
  }
  return offsets;
}

/// The cell of the in set that `out` meets by `offset`.
static Point meet(const ConvCase &test, const Point &out,
                  const std::vector<int64_t> &offset) {
  Point in = out;
  for (int64_t axis = 0; axis < test.getDim(); ++axis)
    in[axis + 1] += (test.transposed ? -1 : 1) * test.baseStride * offset[axis];
  return in;
}

static bool isOnGrid(const Point &point, const std::vector<int64_t> &stride) {
  for (size_t axis = 0; axis < stride.size(); ++axis)
    if (point[axis + 1] % stride[axis] != 0)
      return false;
  return true;
}

DenseResult test::solveOnGrid(const ConvCase &test,
                              const std::vector<Point> &points) {
  int64_t reach = 0;
  for (const Point &point : points)
    for (size_t i = 1; i < point.size(); ++i)
      reach = std::max(reach, std::abs(point[i]));
  for (int64_t axis = 0; axis < test.getDim(); ++axis)
    reach = std::max(reach, reach + test.baseStride * test.size[axis] *
                                        test.dilation[axis] / 2);
  Grid grid(test.getDim(), reach + 2 * test.baseStride);

  DenseResult result;
  result.inSites = points;
  std::sort(result.inSites.begin(), result.inSites.end());
  result.inSites.erase(
      std::unique(result.inSites.begin(), result.inSites.end()),
      result.inSites.end());
  for (size_t row = 0; row < result.inSites.size(); ++row)
    grid.rows[grid.find(result.inSites[row])] = row;

  std::vector<std::vector<int64_t>> offsets = listOffsets(test);
  std::vector<int64_t> outStride = test.getOutStride();
  for (size_t position = 0; position < grid.rows.size(); ++position) {
    Point out = grid.getPoint(position);
    if (!isOnGrid(out, outStride))
      continue;
    std::vector<int64_t> neighbours;
    bool hasPartner = false;
    for (const auto &offset : offsets) {
      int64_t cell = grid.find(meet(test, out, offset));
      neighbours.push_back(cell < 0 ? -1 : grid.rows[cell]);
      hasPartner |= neighbours.back() >= 0;
    }
    bool isOut = hasPartner;
    if (test.outSet == OutSet::Same)
      isOut = grid.rows[position] >= 0;
    if (test.outSet == OutSet::Floor)
      // Some cell of the in set lies in out .. out + stride - 1.
      isOut = llvm::any_of(result.inSites, [&](const Point &site) {
        bool inside = site[0] == out[0];
        for (size_t axis = 0; axis < outStride.size(); ++axis)
          inside &= site[axis + 1] >= out[axis + 1] &&
                    site[axis + 1] < out[axis + 1] + outStride[axis];
        return inside;
      });
    if (!isOut)
      continue;
    result.outSites.push_back(out);
    result.neighbours.insert(result.neighbours.end(), neighbours.begin(),
                             neighbours.end());
  }
  return result;
}

std::vector<double> test::convolve(const ConvCase &test,
                                   const DenseResult &dense,
                                   const std::vector<double> &x,
                                   const std::vector<double> &w) {
  int64_t volume = test.getVolume(), groups = test.groups;
  int64_t in = test.inChannels / groups, out = test.outChannels / groups;
  std::vector<double> y(dense.outSites.size() * test.outChannels);
  for (size_t r = 0; r < dense.outSites.size(); ++r)
    for (int64_t co = 0; co < test.outChannels; ++co)
      for (int64_t k = 0; k < volume; ++k)
        for (int64_t ci = 0; ci < in; ++ci) {
          int64_t row = dense.neighbours[r * volume + k], g = co / out;
          if (row >= 0)
            y[r * test.outChannels + co] +=
                x[row * test.inChannels + g * in + ci] *
                w[((k * groups + g) * in + ci) * out + co % out];
        }
  return y;
}

std::vector<ConvCase> test::makeConvCases() {
  using O = OutSet;
  using Case = ConvCase;
  return {
      {"Line", {3}, {1}, {1}},
      {"LineEven", {2}, {1}, {1}},
      {"LineLong", {5}, {2}, {1}},
      {"LineStride3", {4}, {1}, {3}, O::Floor},
      {"PlaneSubmanifold", {3, 3}, {1, 1}, {1, 1}},
      {"PlaneDilated", {3, 3}, {2, 1}, {1, 1}},
      {"PlaneCorner", {2, 3}, {1, 1}, {1, 1}, O::Same, true},
      {"PlaneFloor", {3, 3}, {1, 1}, {2, 2}, O::Floor},
      {"PlaneFloorUneven", {3, 2}, {1, 1}, {3, 1}, O::Floor},
      {"PlaneCover", {3, 3}, {1, 1}, {2, 2}, O::Cover},
      {"PlaneCoverCorner", {2, 2}, {1, 1}, {2, 2}, O::Cover, true},
      {"PlaneCoverGaps", {2, 2}, {1, 1}, {3, 3}, O::Cover},
      {"PlaneCoverOverlap", {5, 4}, {1, 1}, {2, 3}, O::Cover},
      {"PlaneExpand", {3, 3}, {1, 1}, {1, 1}, O::Expand},
      {"PlaneExpandCorner", {2, 2}, {1, 1}, {1, 1}, O::Expand, true},
      {"PlaneExpandBack", {2, 3}, {1, 2}, {1, 1}, O::Expand, true, true},
      {"PlaneUp", {2, 2}, {1, 1}, {2, 2}, O::Upsample, true, true},
      {"PlaneUpOverlap", {3, 3}, {1, 1}, {2, 2}, O::Upsample, false, true},
      {"PlaneUpGaps", {2, 1}, {1, 1}, {3, 2}, O::Upsample, false, true},
      {"PlaneTransposedSame", {2, 3}, {1, 1}, {1, 1}, O::Same, false, true},
      Case{"PlaneBaseStride", {3, 3}, {1, 1}, {2, 2}, O::Cover}.onStride(2),
      Case{
          "PlaneBaseStrideUp", {3, 3}, {1, 1}, {2, 2}, O::Upsample, false, true}
          .onStride(3),
      Case{"SpaceSubmanifold", {3, 3, 3}, {1, 1, 1}, {1, 1, 1}}
          .withChannels(1, 4, 6)
          .withPoints(150),
      {"SpaceFloor", {3, 3, 3}, {1, 1, 1}, {2, 2, 2}, O::Floor},
      {"SpaceAnisotropic", {1, 3, 1}, {1, 1, 1}, {1, 1, 1}},
      {"SpacePointwise", {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
      Case{"SpaceEven", {2, 2, 2}, {1, 1, 1}, {2, 2, 2}, O::Floor}.withChannels(
          1, 1, 1),
      Case{"SpaceGroups", {3, 3, 3}, {1, 1, 1}, {1, 1, 1}}.withChannels(2, 4,
                                                                        6),
      Case{"SpaceDepthwise", {3, 3, 3}, {1, 1, 1}, {1, 1, 1}}.withChannels(5, 5,
                                                                           5),
      {"SpaceTime", {3, 1, 2, 3}, {1, 1, 1, 1}, {1, 2, 2, 1}, O::Floor},
      {"SpaceTimeUp",
       {1, 2, 2, 1},
       {1, 1, 1, 1},
       {1, 2, 2, 1},
       O::Upsample,
       true,
       true},
      Case{"Empty", {3, 3}, {1, 1}, {2, 2}, O::Floor}.withPoints(0),
      Case{"EmptyUp", {2, 2}, {1, 1}, {2, 2}, O::Upsample, true, true}
          .withPoints(0),
      Case{"OnePoint", {3, 3, 3}, {1, 1, 1}, {2, 2, 2}, O::Cover}.withPoints(1),
  };
}
