//===- RowsTest.cpp - rows by index, dense grids and points ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"
#include <cmath>
#include <limits>

using namespace sparseconv;
using namespace sparseconv::test;

static constexpr double nan_ = std::numeric_limits<double>::quiet_NaN();

TEST(Rows, GatherAndScatter) {
  std::string text = R"(
    func.func @f(%x: tensor<?x2xf32>, %rows: tensor<?xi32>, %dy: tensor<?x2xf32>)
        -> (tensor<?x2xf32>, tensor<?x2xf32>) {
      %y = sparseconv.gather %x, %rows
          : tensor<?x2xf32>, tensor<?xi32> -> tensor<?x2xf32>
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : tensor<?x2xf32>
      %dx = sparseconv.scatter %dy, %rows into %n
          : tensor<?x2xf32>, tensor<?xi32> -> tensor<?x2xf32>
      return %y, %dx : tensor<?x2xf32>, tensor<?x2xf32>
    })";
  HostTensor x = makeF32({3, 2}, {1, 2, 3, 4, 5, 6});
  HostTensor rows = makeI32({4}, {2, -1, 0, 2});
  HostTensor dy = makeF32({4, 2}, {1, 10, 2, 20, 3, 30, 4, 40});
  auto results = run(text, {x, rows, dy});
  ASSERT_EQ(results.size(), 2u);
  expectElements(results[0], {5, 6, 0, 0, 1, 2, 5, 6});
  expectElements(results[1], {3, 30, 0, 0, 5, 50});
  EXPECT_EQ(dot(getElements(results[0]), getElements(dy)),
            dot(getElements(results[1]), getElements(x)));
  auto empty = run(text, {makeF32({0, 2}, {}), makeI32({2}, {-1, -1}),
                          makeF32({2, 2}, {1, 2, 3, 4})});
  ASSERT_EQ(empty.size(), 2u);
  expectElements(empty[0], {0, 0, 0, 0});
  expectElements(empty[1], {});
}

/// The sum of 4096 + 1 + 1 + 1 + 1 in f16 steps would stay at 4096.
TEST(Rows, ScatterRoundsOnce) {
  std::string text = R"(
    func.func @f(%x: tensor<?x1xf16>, %rows: tensor<?xi32>) -> tensor<?x1xf16> {
      %n = arith.constant 1 : index
      %y = sparseconv.scatter %x, %rows into %n
          : tensor<?x1xf16>, tensor<?xi32> -> tensor<?x1xf16>
      return %y : tensor<?x1xf16>
    })";
  auto results =
      run(text, {makeTensor(ElementKind::F16, {5, 1}, {4096, 1, 1, 1, 1}),
                 makeI32({5}, {0, 0, 0, 0, 0})});
  ASSERT_EQ(results.size(), 1u);
  expectElements(results[0], {4100});
}

TEST(Rows, DenseGrids) {
  std::string text = "!set = " + getSetType(2, {1, 2}) + R"(
    func.func @f(%points: tensor<?x3xi32>, %x: tensor<?x2xf32>, %d: tensor<2x3x2x2xf32>)
        -> (tensor<2x3x2x2xf32>, tensor<?x2xf32>) {
      %c, %order, %row_of = sparseconv.pack %points : tensor<?x3xi32> -> !set
      %dense = sparseconv.to_dense %x, %c origin [-1, 2]
          : tensor<?x2xf32>, !set -> tensor<2x3x2x2xf32>
      %back = sparseconv.from_dense %d, %c origin [-1, 2]
          : tensor<2x3x2x2xf32>, !set -> tensor<?x2xf32>
      return %dense, %back : tensor<2x3x2x2xf32>, tensor<?x2xf32>
    })";
  HostTensor points = makePoints({{0, -1, 4}, {0, 1, 2}, {1, 0, 2}}, 3);
  HostTensor x = makeF32({3, 2}, {1, 2, 3, 4, 5, 6});
  std::vector<double> grid(24);
  for (size_t i = 0; i < grid.size(); ++i)
    grid[i] = i;
  HostTensor d = makeF32({2, 3, 2, 2}, grid);
  auto results = run(text, {points, x, d});
  ASSERT_EQ(results.size(), 2u);
  std::vector<double> expected(24);
  expected[2] = 1, expected[3] = 2;   // (0, -1, 4) is cell (0, 0, 1)
  expected[8] = 3, expected[9] = 4;   // (0, 1, 2) is cell (0, 2, 0)
  expected[16] = 5, expected[17] = 6; // (1, 0, 2) is cell (1, 1, 0)
  expectElements(results[0], expected);
  expectElements(results[1], {2, 3, 8, 9, 16, 17});
  EXPECT_EQ(dot(getElements(results[0]), grid),
            dot(getElements(results[1]), getElements(x)));
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

static const char pointsText[] = R"(
  func.func @f(%sites: tensor<?x${columns}xi32>, %p: tensor<?x${columns}xf32>,
               %x: tensor<?x2xf32>, %v: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
    %c, %order, %row_of = sparseconv.pack %sites : tensor<?x${columns}xi32> -> !set
    %y = sparseconv.voxelise ${how} ${kind} %x, %p, %c
        : tensor<?x2xf32>, tensor<?x${columns}xf32>, !set -> tensor<?x2xf32>
    %z = sparseconv.devoxelise ${how} %v, %p, %c
        : tensor<?x2xf32>, tensor<?x${columns}xf32>, !set -> tensor<?x2xf32>
    return %y, %z : tensor<?x2xf32>, tensor<?x2xf32>
  })";

static std::string getPointsText(const std::vector<int64_t> &stride,
                                 const std::string &how,
                                 const std::string &kind) {
  int64_t dim = stride.size();
  return "!set = " + getSetType(dim, stride) +
         fill(pointsText, {{"columns", std::to_string(dim + 1)},
                           {"how", how},
                           {"kind", kind}});
}

TEST(Points, NearestIsTheCellThatHoldsThePoint) {
  HostTensor sites = makePoints({{0, -2}, {0, 0}, {1, 0}}, 2);
  // Of item 0: the last point of cell -2, the first of cell 0, beyond the set,
  // then of item 1, of no item, and of a batch index that is not a number of
  // one.
  HostTensor points =
      makeF32({6, 2}, {0, -0.125, 0, 0, 0, 2, 1, 1.875, 7, 0, 0.5, 0});
  HostTensor x =
      makeF32({6, 2}, {1, -1, 2, -2, 4, -4, 8, -8, 16, -16, 32, -32});
  HostTensor v = makeF32({3, 2}, {1, 2, 3, 4, 5, 6});
  auto results =
      run(getPointsText({2}, "nearest", "sum"), {sites, points, x, v});
  ASSERT_EQ(results.size(), 2u);
  expectElements(results[0], {1, -1, 2, -2, 8, -8});
  expectElements(results[1], {1, 2, 3, 4, 0, 0, 5, 6, 0, 0, 0, 0});
}

TEST(Points, NearestKinds) {
  HostTensor sites = makePoints({{0, 0}, {0, 5}}, 2);
  HostTensor points = makeF32({3, 2}, {0, 0.5, 0, 0.25, 0, 0});
  HostTensor x = makeF32({3, 2}, {3, -3, 7, nan_, -1, 5});
  HostTensor v = makeF32({2, 2}, {0, 0, 0, 0});
  auto average =
      run(getPointsText({1}, "nearest", "avg"), {sites, points, x, v});
  ASSERT_EQ(average.size(), 2u);
  expectElements(average[0], {3, nan_, 0, 0});
  auto maximum =
      run(getPointsText({1}, "nearest", "max"), {sites, points, x, v});
  ASSERT_EQ(maximum.size(), 2u);
  expectElements(maximum[0], {7, nan_, 0, 0});
}

TEST(Points, TrilinearWeights) {
  // Cells of size 2 x 4; the point (0.5, 1) has fractions (1/4, 1/4).
  HostTensor sites = makePoints({{0, 0, 0}, {0, 0, 4}, {0, 2, 0}}, 3);
  HostTensor points = makeF32({2, 3}, {0, 0.5, 1, 0, 0, 0});
  HostTensor x = makeF32({2, 2}, {16, 32, 1, 2});
  HostTensor v = makeF32({3, 2}, {16, 0, 160, 16, 1600, nan_});
  auto results =
      run(getPointsText({2, 4}, "trilinear", "sum"), {sites, points, x, v});
  ASSERT_EQ(results.size(), 2u);
  expectElements(results[0], {9 + 1, 18 + 2, 3, 6, 3, 6});
  // The second point lies on a voxel: the others have weight 0 and count as
  // absent, also where they hold NaN.
  expectElements(results[1], {9 + 30 + 300, nan_, 16, 0});
  auto average =
      run(getPointsText({2, 4}, "trilinear", "avg"), {sites, points, x, v});
  ASSERT_EQ(average.size(), 2u);
  expectElements(average[0], {static_cast<float>(10 / 1.5625),
                              static_cast<float>(20 / 1.5625), 16, 32, 16, 32});
}

TEST(Points, WeightsAreSinglePrecision) {
  float p = 1000.1f, q = p / 3.0f, t = q - std::floor(q);
  HostTensor sites = makePoints({{0, 999}, {0, 1002}}, 2);
  auto results = run(getPointsText({3}, "trilinear", "sum"),
                     {sites, makeF32({1, 2}, {0, p}), makeF32({1, 2}, {1, 1}),
                      makeF32({2, 2}, {1, 0, 0, 1})},
                     /*exact=*/true);
  ASSERT_EQ(results.size(), 2u);
  expectElements(results[1], {1.0f - t, t});
}

TEST(Points, VoxeliseIsTheAdjointOfDevoxelise) {
  std::mt19937 random(5);
  for (std::string how : {"nearest", "trilinear"})
    for (int64_t dim = 1; dim <= 4; ++dim) {
      std::vector<int64_t> stride = {2, 1, 3, 2};
      stride.resize(dim);
      std::vector<Point> sites = makeRandomPoints(random, 80, dim, 2, 2);
      std::uniform_real_distribution<double> real(-9, 9);
      std::vector<double> points;
      for (Point &site : sites) {
        points.push_back(site[0]);
        for (int64_t axis = 0; axis < dim; ++axis) {
          site[axis + 1] *= stride[axis];
          points.push_back(real(random));
        }
      }
      std::vector<Point> distinct = sites;
      llvm::sort(distinct);
      distinct.erase(std::unique(distinct.begin(), distinct.end()),
                     distinct.end());
      HostTensor x = makeRandom(random, {80, 2});
      HostTensor v =
          makeRandom(random, {static_cast<int64_t>(distinct.size()), 2});
      auto results = run(
          getPointsText(stride, how, "sum"),
          {makePoints(sites, dim + 1), makeF32({80, dim + 1}, points), x, v},
          /*exact=*/true);
      ASSERT_EQ(results.size(), 2u);
      double forward = dot(getElements(results[0]), getElements(v));
      EXPECT_NEAR(forward, dot(getElements(results[1]), getElements(x)), 1e-11);
      EXPECT_NE(forward, 0);
    }
}

TEST(Points, FarAwayPointsReachNothing) {
  HostTensor sites = makePoints({{0, 0}}, 2);
  HostTensor points = makeF32({4, 2}, {0, 3e38, 0, -3e38, 3e38, 0, -1, 0});
  auto results = run(getPointsText({1}, "trilinear", "sum"),
                     {sites, points, makeF32({4, 2}, {1, 1, 1, 1, 1, 1, 1, 1}),
                      makeF32({1, 2}, {5, 5})});
  ASSERT_EQ(results.size(), 2u);
  expectElements(results[0], {0, 0});
  expectElements(results[1], {0, 0, 0, 0, 0, 0, 0, 0});
}
