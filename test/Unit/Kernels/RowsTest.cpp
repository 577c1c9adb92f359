//===- RowsTest.cpp - kernels that move rows against float64 --------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowHelpers.h"
#include <cmath>
#include <map>

using namespace sparseconv;
using namespace sparseconv::test;

namespace {
using Points = std::vector<std::vector<int64_t>>;

std::string getOpId(int64_t id) {
  return "op_id = " + std::to_string(id) + " : i64";
}

/// Random rows -1 .. rows - 1.
HostTensor makeRows(std::mt19937 &random, llvm::ArrayRef<int64_t> shape,
                    int64_t rows) {
  HostTensor tensor(ElementKind::I32, shape);
  for (int32_t &row : tensor.as<int32_t>())
    row = rows == 0 || random() % 5 == 0 ? -1 : int32_t(random() % rows);
  return tensor;
}

HostTensor makeWeights(std::mt19937 &random, llvm::ArrayRef<int64_t> shape) {
  HostTensor tensor(ElementKind::F32, shape);
  std::uniform_real_distribution<float> uniform(0.01f, 1.0f);
  for (float &weight : tensor.as<float>())
    weight = uniform(random);
  return tensor;
}

void expectRowError(const StatusRecord &status, int64_t row, int64_t value,
                    int64_t rows) {
  EXPECT_EQ(status.getCode(), StatusCode::RowIndexOutOfRange);
  EXPECT_EQ(status.row, row);
  EXPECT_EQ(status.value, value);
  EXPECT_EQ(status.lower, -1);
  EXPECT_EQ(status.upper, rows - 1);
}

//===----------------------------------------------------------------------===//
// gather_rows
//===----------------------------------------------------------------------===//

KernelCall getGather(const HostTensor &x, const HostTensor &rows) {
  return {"gather_rows",
          getOpId(3),
          {x, rows},
          {HostTensor(x.getKind(), {rows.getDim(0), x.getDim(1)})}};
}

std::vector<double> gather(const HostTensor &x, const HostTensor &rows) {
  std::vector<double> y;
  int64_t channels = x.getDim(1);
  for (int32_t row : rows.as<int32_t>())
    for (int64_t c = 0; c < channels; ++c)
      y.push_back(
          row >= 0 && row < x.getDim(0) ? x.getDouble(row * channels + c) : 0);
  return y;
}

TEST(GatherRowsKernel, CopiesRows) {
  std::mt19937 random(1);
  for (auto [element, channels] : kElementsAndChannels)
    for (int64_t count : kRowCounts)
      for (int64_t xRows : {int64_t(0), count / 2 + 1}) {
        HostTensor x = makeNormal(random, element, {xRows, channels});
        HostTensor rows = makeRows(random, {count}, xRows);
        KernelResult result = runKernel(getGather(x, rows));
        expectValues(result.outs[0], gather(x, rows));
        expectNoError(result.status);
      }
}

TEST(GatherRowsKernel, ReportsTheLowestPosition) {
  std::mt19937 random(2);
  HostTensor x = makeNormal(random, ElementKind::F32, {100, 5});
  HostTensor rows = makeRows(random, {2000}, 100);
  for (auto [position, row] : {std::pair<int64_t, int64_t>{1999, -2},
                               {1400, INT32_MIN},
                               {1300, INT32_MAX},
                               {700, 100}}) {
    rows.as<int32_t>()[position] = row;
    KernelResult result = runKernel(getGather(x, rows));
    expectValues(result.outs[0], gather(x, rows));
    expectRowError(result.status, position, row, 100);
    EXPECT_EQ(result.status.opId, 3);
  }
}

//===----------------------------------------------------------------------===//
// weighted_gather, scatter_rows
//===----------------------------------------------------------------------===//

TEST(WeightedGatherKernel, MatchesFloat64) {
  std::mt19937 random(3);
  for (auto [element, channels] : kElementsAndChannels)
    for (int64_t count : kRowCounts)
      for (int64_t entries : {1, 8}) {
        int64_t xRows = count / 2;
        HostTensor x = makeNormal(random, element, {xRows, channels});
        HostTensor rows = makeRows(random, {count, entries}, xRows);
        HostTensor weights = makeWeights(random, {count, entries});
        KernelResult result =
            runKernel({"weighted_gather",
                       "",
                       {x, rows, weights},
                       {HostTensor(element, {count, channels})},
                       /*hasStatus=*/false});
        std::vector<Sum> sums(count * channels);
        for (int64_t i = 0; i < count * entries; ++i)
          if (int32_t row = rows.as<int32_t>()[i]; row >= 0)
            for (int64_t c = 0; c < channels; ++c)
              sums[i / entries * channels + c].add(
                  weights.getDouble(i) * x.getDouble(row * channels + c));
        expectSums(result.outs[0], sums);
      }
}

KernelCall getScatter(const HostTensor &x, const HostTensor &rows,
                      const HostTensor &weights, llvm::StringRef kind,
                      int64_t yRows) {
  return {"scatter_rows",
          "kind = #sparseconv<pool_kind " + kind.str() + ">, " + getOpId(3),
          {x, rows, weights},
          {HostTensor(x.getKind(), {yRows, x.getDim(1)})}};
}

/// Indices that are not rows are left out, as the kernel does.
KernelResult testScatter(const HostTensor &x, const HostTensor &rows,
                         const HostTensor &weights, llvm::StringRef kind,
                         int64_t yRows) {
  KernelResult result = runKernel(getScatter(x, rows, weights, kind, yRows));
  int64_t channels = x.getDim(1), entries = rows.getDim(1);
  std::vector<Sum> sums(yRows * channels);
  std::vector<double> largest(yRows * channels), divisors(yRows);
  for (int64_t i = 0; i < rows.getNumElements(); ++i) {
    int64_t row = rows.as<int32_t>()[i];
    if (row < 0 || row >= yRows)
      continue;
    divisors[row] += weights.getDouble(i);
    for (int64_t c = 0; c < channels; ++c) {
      double term = x.getDouble(i / entries * channels + c);
      Sum &sum = sums[row * channels + c];
      double &best = largest[row * channels + c];
      if (sum.terms == 0 || isGreater(term, best))
        best = term;
      sum.add(weights.getDouble(i) * term);
    }
  }
  if (kind == "avg")
    for (auto [i, sum] : llvm::enumerate(sums)) {
      if (sum.terms > 0)
        sum.divide(divisors[i / channels]);
      // The divisor is a sum of as many terms.
      sum.terms *= 2;
    }
  if (kind == "max")
    expectValues(result.outs[0], largest);
  else
    expectSums(result.outs[0], sums);
  return result;
}

TEST(ScatterRowsKernel, MatchesFloat64) {
  std::mt19937 random(4);
  for (auto [element, channels] : kElementsAndChannels)
    for (int64_t count : kRowCounts)
      for (int64_t entries : {1, 8})
        for (int64_t yRows : {int64_t(0), int64_t(1), count / 3 + 2}) {
          HostTensor x = makeNormal(random, element, {count, channels});
          HostTensor rows = makeRows(random, {count, entries}, yRows);
          HostTensor weights = makeWeights(random, {count, entries});
          for (const char *kind : {"max", "avg", "sum"})
            expectNoError(testScatter(x, rows, weights, kind, yRows).status);
        }
}

// With weights of 1, sums are those of plain additions in the order of points.
TEST(ScatterRowsKernel, WeightsOfOneAreExact) {
  std::mt19937 random(5);
  HostTensor x = makeNormal(random, ElementKind::F32, {1000, 7});
  HostTensor rows = makeRows(random, {1000, 1}, 40);
  HostTensor weights(ElementKind::F32, {1000, 1});
  llvm::fill(weights.as<float>(), 1.0f);
  KernelResult result = runKernel(getScatter(x, rows, weights, "sum", 40));
  std::vector<float> sums(40 * 7);
  for (int64_t i = 0; i < 1000; ++i)
    for (int64_t c = 0, row = rows.as<int32_t>()[i]; row >= 0 && c < 7; ++c)
      sums[row * 7 + c] += x.as<float>()[i * 7 + c];
  EXPECT_EQ(result.outs[0].as<float>(), llvm::ArrayRef<float>(sums));
}

TEST(ScatterRowsKernel, MaximumOfNaNAndMinusInfinity) {
  HostTensor x = makeF32({4, 1}, {1, NAN, 2, -INFINITY});
  HostTensor weights = makeF32({4, 1}, {1, 1, 1, 1});
  KernelResult result = runKernel(
      getScatter(x, makeI32({4, 1}, {0, 0, 0, 2}), weights, "max", 3));
  expectValues(result.outs[0], {NAN, 0, -INFINITY});
}

TEST(ScatterRowsKernel, ReportsTheLowestPosition) {
  std::mt19937 random(6);
  HostTensor x = makeNormal(random, ElementKind::F32, {1000, 3});
  HostTensor rows = makeRows(random, {1000, 2}, 50);
  HostTensor weights = makeWeights(random, {1000, 2});
  for (auto [position, row] :
       {std::pair<int64_t, int64_t>{1999, -2}, {1401, INT32_MIN}, {700, 50}}) {
    rows.as<int32_t>()[position] = row;
    KernelResult result = testScatter(x, rows, weights, "sum", 50);
    expectRowError(result.status, position, row, 50);
  }
}

//===----------------------------------------------------------------------===//
// interpolate
//===----------------------------------------------------------------------===//

KernelCall getInterpolate(const TestSet &set, const Points &voxels,
                          const HostTensor &points, bool isNearest) {
  int64_t entries = isNearest ? 1 : int64_t(1) << set.getDim();
  llvm::SmallVector<int64_t> shape = {points.getDim(0), entries};
  return {"interpolate",
          std::string("interpolation = #sparseconv<interpolation ") +
              (isNearest ? "nearest" : "trilinear") +
              ">, set = " + set.getType() + ", " + getOpId(3),
          {points, set.getKeys(voxels)},
          {HostTensor(ElementKind::I32, shape),
           HostTensor(ElementKind::F32, shape)}};
}

/// The arithmetic of the operation in f32, bit for bit.
KernelResult testInterpolate(const TestSet &set, const Points &voxels,
                             const HostTensor &points, bool isNearest) {
  KernelResult result =
      runKernel(getInterpolate(set, voxels, points, isNearest));
  std::map<std::vector<int64_t>, int64_t> rowOf;
  for (auto [row, voxel] : llvm::enumerate(voxels))
    rowOf[voxel] = row;
  int64_t dim = set.getDim(), entries = result.outs[0].getDim(1);
  for (int64_t p = 0; p < points.getDim(0); ++p) {
    llvm::ArrayRef<float> point =
        points.as<float>().slice(p * (dim + 1), dim + 1);
    bool finite = llvm::all_of(point, [](float c) { return std::isfinite(c); });
    for (int64_t j = 0; j < entries; ++j) {
      float weight = 1;
      std::vector<double> voxel{point[0]};
      for (int64_t axis = 0; axis < dim; ++axis) {
        float stride = set.stride[axis], q = point[axis + 1] / stride;
        float base = std::floor(q), t = q - base;
        bool isUpper = !isNearest && (j >> (dim - 1 - axis) & 1);
        if (!isNearest)
          weight *= isUpper ? t : 1 - t;
        voxel.push_back((double(base) + isUpper) * set.stride[axis]);
      }
      bool isNear = llvm::all_of(voxel, [](double c) {
        return c == std::floor(c) && std::abs(c) < 1e12;
      });
      int64_t expected = -1;
      if (finite && isNear && weight != 0)
        if (auto found = rowOf.find({voxel.begin(), voxel.end()});
            found != rowOf.end())
          expected = found->second;
      int64_t i = p * entries + j;
      EXPECT_EQ(result.outs[0].as<int32_t>()[i], expected)
          << "point " << p << " corner " << j;
      EXPECT_EQ(result.outs[1].as<float>()[i], finite ? weight : 0)
          << "point " << p << " corner " << j;
    }
  }
  return result;
}

/// Points in and around a box of voxels, many on the grid.
HostTensor makeRealPoints(std::mt19937 &random, const TestSet &set,
                          int64_t count, int64_t batches, double extent) {
  HostTensor points(ElementKind::F32, {count, set.getDim() + 1});
  std::uniform_real_distribution<float> uniform(-extent / 2, extent / 2);
  for (int64_t i = 0; i < points.getNumElements(); ++i) {
    int64_t axis = i % (set.getDim() + 1) - 1;
    float &c = points.as<float>()[i];
    c = axis < 0 ? random() % batches : uniform(random) * set.stride[axis];
    if (axis >= 0 && random() % 4 == 0)
      c = std::round(c);
  }
  return points;
}

const TestSet kSets[] = {{64, 8, {16, 16, 16}, {1, 1, 1}},
                         {64, 8, {16, 14, 12}, {2, 3, 4}},
                         {32, 4, {10, 9, 9}, {1, 2, 1}},
                         {32, 0, {16, 16}, {1, 8}},
                         {64, 4, {15, 15, 15, 15}, {1, 1, 1, 2}},
                         {32, 2, {12}, {3}},
                         // Fields that end close to the voxels.
                         {32, 1, {5, 5, 4}, {1, 1, 1}}};

TEST(InterpolateKernel, MatchesTheArithmetic) {
  std::mt19937 random(7);
  for (const TestSet &set : kSets)
    for (bool isNearest : {false, true})
      for (int64_t count : {0, 1, 777}) {
        int64_t batches = std::min<int64_t>(3, 1 << set.batchBits);
        Points voxels = set.makePoints(random, count, batches, 8);
        HostTensor points = makeRealPoints(random, set, count, batches + 1, 24);
        expectNoError(testInterpolate(set, voxels, points, isNearest).status);
      }
}

TEST(InterpolateKernel, BeyondThePacking) {
  std::mt19937 random(8);
  const TestSet &set = kSets[0];
  Points voxels = set.makePoints(random, 300, 3, 6);
  voxels.push_back({255, 32763, -32764, 0});
  HostTensor points = makeRealPoints(random, set, 400, 3, 6);
  const float extremes[] = {1e30f,     -1e30f,   3e38f,    2147483648.f,
                            -32768.5f, 32767.5f, 65536.0f, 1e-40f};
  for (int64_t i = 0; i < 400; ++i)
    points.as<float>()[i * 4 + 1 + i % 3] = extremes[i % 8];
  const float batches[] = {0.5f, -1, 256, 1e30f, -0.0f, 4294967296.0f, -1e30f};
  for (int64_t i = 0; i < 100; ++i)
    points.as<float>()[i * 4] = batches[i % 7];
  const float last[] = {255, 32763.5f, -32763.5f, -0.25f};
  llvm::copy(last, points.as<float>().end() - 4);
  for (bool isNearest : {false, true})
    expectNoError(testInterpolate(set, voxels, points, isNearest).status);
}

TEST(InterpolateKernel, ReportsTheLowestPointAndAxis) {
  std::mt19937 random(9);
  const TestSet &set = kSets[1];
  Points voxels = set.makePoints(random, 300, 2, 6);
  HostTensor points = makeRealPoints(random, set, 2000, 2, 8);
  struct Fault {
    int64_t point, axis;
    float value;
  };
  for (const Fault &fault : {Fault{1999, 2, INFINITY},
                             {1500, 1, NAN},
                             {1300, 2, NAN},
                             {1300, 0, -INFINITY},
                             {1300, -1, NAN}}) {
    points.as<float>()[fault.point * 4 + fault.axis + 1] = fault.value;
    for (bool isNearest : {false, true}) {
      StatusRecord status =
          testInterpolate(set, voxels, points, isNearest).status;
      EXPECT_EQ(status.getCode(), StatusCode::NonFinitePoint);
      EXPECT_EQ(status.opId, 3);
      EXPECT_EQ(status.row, fault.point);
      EXPECT_EQ(status.axis, fault.axis);
    }
  }
}

//===----------------------------------------------------------------------===//
// to_dense, from_dense
//===----------------------------------------------------------------------===//

std::string getGridAttributes(const TestSet &set,
                              const std::vector<int64_t> &origin) {
  std::string text = "origin = array<i64";
  for (auto [axis, start] : llvm::enumerate(origin))
    text += (axis ? ", " : ": ") + std::to_string(start);
  return text + ">, set = " + set.getType() + ", " + getOpId(3);
}

/// The position in a grid of a point's first channel, or -1.
int64_t findCell(const TestSet &set, const std::vector<int64_t> &origin,
                 llvm::ArrayRef<int64_t> grid, llvm::ArrayRef<int64_t> point) {
  int64_t position = 0;
  for (size_t i = 0; i < point.size(); ++i) {
    int64_t distance = i ? point[i] - origin[i - 1] : point[i];
    int64_t step = i ? set.stride[i - 1] : 1;
    if (distance < 0 || distance / step >= grid[i])
      return -1;
    position = position * grid[i] + distance / step;
  }
  return position * grid.back();
}

/// Both directions; returns the records, which are equal.
StatusRecord testDense(const TestSet &set, const Points &points,
                       const std::vector<int64_t> &origin,
                       llvm::ArrayRef<int64_t> grid, ElementKind element) {
  std::mt19937 random(10);
  int64_t rows = points.size(), channels = grid.back();
  HostTensor x = makeNormal(random, element, {rows, channels});
  HostTensor dense = makeNormal(random, element, grid);
  KernelCall call{"to_dense",
                  getGridAttributes(set, origin),
                  {x, set.getKeys(points)},
                  {HostTensor(element, grid)},
                  /*hasStatus=*/true,
                  /*overwrites=*/false};
  KernelResult to = runKernel(call);
  KernelResult from = runKernel({"from_dense",
                                 call.attributes,
                                 {dense, call.ins[1]},
                                 {HostTensor(element, {rows, channels})}});
  std::vector<double> toDense(dense.getNumElements()), fromDense;
  for (auto [row, point] : llvm::enumerate(points)) {
    int64_t cell = findCell(set, origin, grid, point);
    for (int64_t c = 0; c < channels; ++c) {
      fromDense.push_back(cell < 0 ? 0 : dense.getDouble(cell + c));
      if (cell >= 0)
        toDense[cell + c] = x.getDouble(row * channels + c);
    }
  }
  expectValues(to.outs[0], toDense);
  expectValues(from.outs[0], fromDense);
  EXPECT_EQ(std::memcmp(&to.status, &from.status, sizeof(StatusRecord)), 0);
  return to.status;
}

TEST(DenseKernels, MoveRows) {
  std::mt19937 random(11);
  for (int64_t count : {0, 1, 600}) {
    TestSet set = {64, 8, {16, 14, 12}, {2, 3, 4}};
    Points points = set.makePoints(random, count, 3, 8);
    expectNoError(testDense(set, points, {-8, -12, -16}, {3, 8, 8, 8, 5},
                            ElementKind::F32));
    expectNoError(testDense(set, points, {-10, -12, -24}, {4, 9, 8, 10, 16},
                            ElementKind::BF16));
    set = {32, 0, {16, 16}, {1, 8}};
    points = set.makePoints(random, count, 1, 10);
    expectNoError(
        testDense(set, points, {-5, -40}, {1, 10, 10, 33}, ElementKind::F16));
    set = {32, 3, {10}, {1}};
    points = set.makePoints(random, count, 8, 100);
    expectNoError(testDense(set, points, {-50}, {8, 100, 1}, ElementKind::F32));
    set = {64, 3, {10, 10, 10, 10}, {1, 1, 1, 1}};
    points = set.makePoints(random, count, 2, 4);
    expectNoError(testDense(set, points, {-2, -2, -2, -2}, {2, 4, 4, 4, 4, 3},
                            ElementKind::F32));
  }
}

TEST(DenseKernels, ReportTheLowestRowAndAxis) {
  std::mt19937 random(12);
  const TestSet set = {64, 8, {16, 16, 16}, {2, 2, 2}};
  Points points;
  for (int64_t b = 0; b < 3; ++b)
    for (int64_t i = 0; i < 1000; ++i)
      points.push_back({b, i / 100 * 2, i / 10 % 10 * 2, i % 10 * 2});
  struct Case {
    std::vector<int64_t> origin, grid;
    int64_t row, axis, value, lower, upper;
  };
  const Case cases[] = {
      {{0, 0, 0}, {2, 10, 10, 10, 3}, 2000, -1, 2, 0, 1},
      {{0, 0, 0}, {3, 9, 10, 10, 3}, 900, 0, 18, 0, 16},
      {{0, 0, 0}, {3, 10, 8, 9, 3}, 9, 2, 18, 0, 16},
      {{0, 2, 2}, {3, 10, 9, 9, 3}, 0, 1, 0, 2, 18},
      {{-4, 0, 0}, {3, 11, 10, 10, 3}, 900, 0, 18, -4, 16},
      {{0, 0, 0}, {0, 10, 10, 10, 3}, 0, -1, 0, 0, -1},
  };
  for (const Case &test : cases) {
    StatusRecord status =
        testDense(set, points, test.origin, test.grid, ElementKind::F32);
    EXPECT_EQ(status.getCode(), StatusCode::OutOfRange);
    EXPECT_EQ(status.opId, 3);
    EXPECT_EQ(status.row, test.row);
    EXPECT_EQ(status.axis, test.axis);
    EXPECT_EQ(status.value, test.value);
    EXPECT_EQ(status.lower, test.lower);
    EXPECT_EQ(status.upper, test.upper);
  }
}
} // namespace
