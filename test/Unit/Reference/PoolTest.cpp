//===- PoolTest.cpp - pooling against dense grids -------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DenseOracle.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace sparseconv;
using namespace sparseconv::test;

static constexpr double nan_ = std::numeric_limits<double>::quiet_NaN();

static const char poolText[] = R"(
func.func @f(%points: tensor<?x${columns}xi32>, %x: tensor<?x3xf32>, %spare: tensor<?x3xf32>)
    -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) {
  %in, %order, %row_of = sparseconv.pack %points : tensor<?x${columns}xi32> -> !in
  ${outset}
  %map = sparseconv.kernel_map %in to %out offsets(${box}) ${transposed} : !map
  %y = sparseconv.pool ${kind} %x, %map ${count} : tensor<?x3xf32>, !map -> tensor<?x3xf32>
  %n = sparseconv.size %out : !out
  %dy = tensor.extract_slice %spare[0, 0] [%n, 3] [1, 1] : tensor<?x3xf32> to tensor<?x3xf32>
  %dx = sparseconv.pool_grad ${kind} %dy, %map ${of} ${count}
      : tensor<?x3xf32>, !map ${xtype} -> tensor<?x3xf32>
  %u = sparseconv.unpool %dy, %map : tensor<?x3xf32>, !map -> tensor<?x3xf32>
  return %y, %dx, %dy, %u : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>
})";

static std::string getText(const ConvCase &test, const std::string &kind,
                           const std::string &count = "") {
  bool isMax = kind == "max";
  return test.getTypesText() +
         fill(poolText, {{"columns", std::to_string(test.getDim() + 1)},
                         {"outset", test.getOutSetText()},
                         {"box", test.getBoxText()},
                         {"transposed", test.transposed ? "transposed" : ""},
                         {"kind", kind},
                         {"count", count},
                         {"of", isMax ? "of %x" : ""},
                         {"xtype", isMax ? ", tensor<?x3xf32>" : ""}});
}

class Pool : public testing::TestWithParam<ConvCase> {
protected:
  void SetUp() override {
    std::mt19937 random(11);
    const ConvCase &test = GetParam();
    points = makeRandomPoints(random, test.points, test.getDim(), 3, 3);
    std::vector<int64_t> inStride = test.getInStride();
    for (Point &point : points)
      for (size_t axis = 0; axis < inStride.size(); ++axis)
        point[axis + 1] *= inStride[axis];
    dense = solveOnGrid(test, points);
    x = makeRandom(random, {static_cast<int64_t>(dense.inSites.size()), 3});
    spare = makeRandom(random, {8000, 3});
  }
  std::vector<HostTensor> runPool(const std::string &kind,
                                  const std::string &count = "") {
    return run(getText(GetParam(), kind, count),
               {makePoints(points, GetParam().getDim() + 1), x, spare},
               /*exact=*/true);
  }
  /// The elements of channel c that output row r combines, by offset.
  std::vector<double> getTerms(size_t r, int64_t c) const {
    std::vector<double> terms;
    int64_t volume = GetParam().getVolume();
    for (int64_t k = 0; k < volume; ++k)
      if (int64_t row = dense.neighbours[r * volume + k]; row >= 0)
        terms.push_back(x.getDouble(row * 3 + c));
    return terms;
  }
  /// Applies `combine` to the terms of every element.
  template <typename Fn> std::vector<double> forEach(Fn combine) const {
    std::vector<double> y;
    for (size_t r = 0; r < dense.outSites.size(); ++r)
      for (int64_t c = 0; c < 3; ++c) {
        std::vector<double> terms = getTerms(r, c);
        y.push_back(terms.empty() ? 0 : combine(terms));
      }
    return y;
  }

  std::vector<Point> points;
  DenseResult dense;
  HostTensor x, spare;
};

static double sum(const std::vector<double> &terms) {
  double total = 0;
  for (double term : terms)
    total += term;
  return total;
}

TEST_P(Pool, Sum) {
  auto results = runPool("sum");
  ASSERT_EQ(results.size(), 4u);
  std::vector<double> y = forEach(sum);
  expectNear(getElements(results[0]), y, 1e-12);
  double forward = dot(y, getElements(results[2]));
  EXPECT_NEAR(dot(getElements(x), getElements(results[1])), forward, 1e-9);
  EXPECT_NEAR(dot(getElements(x), getElements(results[3])), forward, 1e-9);
}

TEST_P(Pool, Average) {
  auto results = runPool("avg");
  ASSERT_EQ(results.size(), 4u);
  std::vector<double> y = forEach([](const std::vector<double> &terms) {
    return sum(terms) / terms.size();
  });
  expectNear(getElements(results[0]), y, 1e-12);
  EXPECT_NEAR(dot(getElements(x), getElements(results[1])),
              dot(y, getElements(results[2])), 1e-9);
}

TEST_P(Pool, AverageOverTheVolume) {
  auto results = runPool("avg", "count(volume)");
  ASSERT_EQ(results.size(), 4u);
  std::vector<double> y = forEach([](const std::vector<double> &terms) {
    return sum(terms) / GetParam().getVolume();
  });
  expectNear(getElements(results[0]), y, 1e-12);
  EXPECT_NEAR(dot(getElements(x), getElements(results[1])),
              dot(y, getElements(results[2])), 1e-9);
}

TEST_P(Pool, Maximum) {
  auto results = runPool("max");
  ASSERT_EQ(results.size(), 4u);
  std::vector<double> y = forEach([](const std::vector<double> &terms) {
    return *std::max_element(terms.begin(), terms.end());
  });
  expectElements(results[0], y);
  // The maximum is linear in x as long as no winner changes.
  EXPECT_NEAR(dot(getElements(x), getElements(results[1])),
              dot(y, getElements(results[2])), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Cases, Pool, testing::ValuesIn(makeConvCases()),
                         [](const testing::TestParamInfo<ConvCase> &info) {
                           return info.param.name;
                         });

//===----------------------------------------------------------------------===//
// Ties and NaN
//===----------------------------------------------------------------------===//

static const char maxText[] = R"(
  !map = !sparseconv.kernel_map<3, !set to !set>
  func.func @f(%x: tensor<?x1xf32>, %dy: tensor<?x1xf32>) -> (tensor<?x1xf32>, tensor<?x1xf32>) {
    %points = arith.constant dense<[[0, 0], [0, 1], [0, 2]]> : tensor<3x2xi32>
    %p = tensor.cast %points : tensor<3x2xi32> to tensor<?x2xi32>
    %c, %order, %row_of = sparseconv.pack %p : tensor<?x2xi32> -> !set
    %map = sparseconv.kernel_map %c to %c offsets(box<3>) : !map
    %y = sparseconv.pool max %x, %map : tensor<?x1xf32>, !map -> tensor<?x1xf32>
    %dx = sparseconv.pool_grad max %dy, %map of %x
        : tensor<?x1xf32>, !map, tensor<?x1xf32> -> tensor<?x1xf32>
    return %y, %dx : tensor<?x1xf32>, tensor<?x1xf32>
  })";

static std::string getMaxText() {
  return "!set = " + getSetType(1, {1}) + maxText;
}

TEST(PoolMax, TiesGoToTheLowestOffset) {
  auto results = run(getMaxText(), {makeF32({3, 1}, {5, 5, 5}),
                                    makeF32({3, 1}, {1, 10, 100})});
  ASSERT_EQ(results.size(), 2u);
  expectElements(results[0], {5, 5, 5});
  // Row 0 has no row below it and keeps its own.
  expectElements(results[1], {11, 100, 0});
}

TEST(PoolMax, PropagatesNaN) {
  auto results = run(getMaxText(), {makeF32({3, 1}, {1, 2, nan_}),
                                    makeF32({3, 1}, {1, 10, 100})});
  ASSERT_EQ(results.size(), 2u);
  expectElements(results[0], {2, nan_, nan_});
  expectElements(results[1], {0, 1, 110});
}

TEST(PoolMax, FirstNaNTakesTheGradient) {
  auto results = run(getMaxText(), {makeF32({3, 1}, {nan_, nan_, -1}),
                                    makeF32({3, 1}, {1, 10, 100})});
  ASSERT_EQ(results.size(), 2u);
  expectElements(results[0], {nan_, nan_, nan_});
  expectElements(results[1], {11, 100, 0});
}

TEST(PoolMax, NegativeNumbersBeatNothing) {
  auto results = run(getMaxText(), {makeF32({3, 1}, {-1, -2, -3}),
                                    makeF32({3, 1}, {0, 0, 0})});
  ASSERT_EQ(results.size(), 2u);
  expectElements(results[0], {-1, -1, -2});
}

//===----------------------------------------------------------------------===//
// Global pooling
//===----------------------------------------------------------------------===//

static const char globalText[] = R"(
  func.func @f(%points: tensor<?x2xi32>, %x: tensor<?x2xf32>, %dy: tensor<4x2xf32>, %b: index)
      -> (tensor<4x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>) {
    %c, %order, %row_of = sparseconv.pack %points : tensor<?x2xi32> -> !set
    %y = sparseconv.global_pool ${kind} %x, %c : tensor<?x2xf32>, !set -> tensor<4x2xf32>
    %z = sparseconv.global_pool ${kind} %x, %c batch(%b) : tensor<?x2xf32>, !set -> tensor<?x2xf32>
    %dx = sparseconv.global_pool_grad ${kind} %dy, %c ${of}
        : tensor<4x2xf32>, !set ${xtype} -> tensor<?x2xf32>
    return %y, %z, %dx : tensor<4x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>
  })";

static std::vector<HostTensor> runGlobal(const std::string &kind,
                                         const std::vector<double> &x) {
  bool isMax = kind == "max";
  std::string text =
      "!set = " + getSetType(1, {1}) +
      fill(globalText, {{"kind", kind},
                        {"of", isMax ? "of %x" : ""},
                        {"xtype", isMax ? ", tensor<?x2xf32>" : ""}});
  // Item 1 is empty.
  return run(text,
             {makePoints({{0, -3}, {0, 7}, {0, 9}, {2, 1}}, 2),
              makeF32({4, 2}, x),
              makeF32({4, 2}, {3, 6, 10, 20, 100, 200, 1, 1}), makeIndex(3)});
}

TEST(GlobalPool, EmptyItemsGiveZero) {
  std::vector<double> x = {1, -1, 2, -2, 6, -6, 8, -8};
  auto sums = runGlobal("sum", x);
  ASSERT_EQ(sums.size(), 3u);
  expectElements(sums[0], {9, -9, 0, 0, 8, -8, 0, 0});
  expectElements(sums[1], {9, -9, 0, 0, 8, -8});
  expectElements(sums[2], {3, 6, 3, 6, 3, 6, 100, 200});
  auto averages = runGlobal("avg", x);
  ASSERT_EQ(averages.size(), 3u);
  expectElements(averages[0], {3, -3, 0, 0, 8, -8, 0, 0});
  expectElements(averages[2], {1, 2, 1, 2, 1, 2, 100, 200});
  auto maxima = runGlobal("max", x);
  ASSERT_EQ(maxima.size(), 3u);
  expectElements(maxima[0], {6, -1, 0, 0, 8, -8, 0, 0});
  expectElements(maxima[2], {0, 6, 0, 0, 3, 0, 100, 200});
}

TEST(GlobalPool, MaximumTiesAndNaN) {
  auto maxima = runGlobal("max", {4, nan_, 4, 1, 0, nan_, nan_, 0});
  ASSERT_EQ(maxima.size(), 3u);
  expectElements(maxima[0], {4, nan_, 0, 0, nan_, 0, 0, 0});
  expectElements(maxima[2], {3, 6, 0, 0, 0, 0, 100, 200});
}
