//===- ConvTest.cpp - convolution against dense grids ---------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DenseOracle.h"
#include <cmath>

using namespace sparseconv;
using namespace sparseconv::test;

/// Rows that are passed for dy; its first rows are taken.
static constexpr int64_t kSpareRows = 8000;

static const char convText[] = R"(
func.func @f(%points: tensor<?x${columns}xi32>, %x: tensor<?x${cin}xf32>, %w: ${w},
             %spare: tensor<?x${cout}xf32>)
    -> (tensor<?x${cout}xf32>, tensor<?x${columns}xi32>, tensor<?x${volume}xi32>,
        tensor<?x${cin}xf32>, ${w}, tensor<?x${cout}xf32>, tensor<?x${cout}xf32>) {
  %in, %order, %row_of = sparseconv.pack %points : tensor<?x${columns}xi32> -> !in
  ${outset}
  %map = sparseconv.kernel_map %in to %out offsets(${box}) ${transposed} : !map
  %y = sparseconv.conv %x, %w, %map : tensor<?x${cin}xf32>, ${w}, !map -> tensor<?x${cout}xf32>
  %sites = sparseconv.unpack %out : !out -> tensor<?x${columns}xi32>
  %table = sparseconv.neighbour_table %map : !map -> tensor<?x${volume}xi32>
  %n = sparseconv.map_size out %map : !map
  %dy = tensor.extract_slice %spare[0, 0] [%n, ${cout}] [1, 1]
      : tensor<?x${cout}xf32> to tensor<?x${cout}xf32>
  %dx = sparseconv.input_grad %dy, %w, %map
      : tensor<?x${cout}xf32>, ${w}, !map -> tensor<?x${cin}xf32>
  %dw = sparseconv.weight_grad %x, %dy, %map ${groups}
      : tensor<?x${cin}xf32>, tensor<?x${cout}xf32>, !map -> ${w}
  %back = sparseconv.transpose_map %map : !map -> !back
  %there = sparseconv.transpose_map %back : !back -> !map
  %again = sparseconv.conv %x, %w, %there : tensor<?x${cin}xf32>, ${w}, !map -> tensor<?x${cout}xf32>
  return %y, %sites, %table, %dx, %dw, %dy, %again
      : tensor<?x${cout}xf32>, tensor<?x${columns}xi32>, tensor<?x${volume}xi32>,
        tensor<?x${cin}xf32>, ${w}, tensor<?x${cout}xf32>, tensor<?x${cout}xf32>
})";

static Shape getWeightShape(const ConvCase &test) {
  Shape shape = {test.getVolume()};
  if (test.groups > 1)
    shape.push_back(test.groups);
  shape.push_back(test.inChannels / test.groups);
  shape.push_back(test.outChannels / test.groups);
  return shape;
}

static std::string getText(const ConvCase &test) {
  std::string w =
      HostTensor(ElementKind::F32, getWeightShape(test)).getTypeString();
  return test.getTypesText() + "!back = !sparseconv.kernel_map<" +
         std::to_string(test.getVolume()) + ", !out to !in>\n" +
         fill(
             convText,
             {{"columns", std::to_string(test.getDim() + 1)},
              {"cin", std::to_string(test.inChannels)},
              {"cout", std::to_string(test.outChannels)},
              {"volume", std::to_string(test.getVolume())},
              {"w", w},
              {"outset", test.getOutSetText()},
              {"box", test.getBoxText()},
              {"transposed", test.transposed ? "transposed" : ""},
              {"groups", test.groups == 1
                             ? ""
                             : "groups(" + std::to_string(test.groups) + ")"}});
}

class Conv : public testing::TestWithParam<ConvCase> {};

TEST_P(Conv, AgreesWithDenseGrid) {
  const ConvCase &test = GetParam();
  std::mt19937 random(7);
  std::vector<Point> points =
      makeRandomPoints(random, test.points, test.getDim(), 3, 3);
  std::vector<int64_t> inStride = test.getInStride();
  for (Point &point : points)
    for (size_t axis = 0; axis < inStride.size(); ++axis)
      point[axis + 1] *= inStride[axis];
  DenseResult dense = solveOnGrid(test, points);
  int64_t inRows = dense.inSites.size();
  HostTensor x = makeRandom(random, {inRows, test.inChannels});
  HostTensor w = makeRandom(random, getWeightShape(test));
  HostTensor spare = makeRandom(random, {kSpareRows, test.outChannels});
  auto results =
      run(getText(test), {makePoints(points, test.getDim() + 1), x, w, spare},
          /*exact=*/true);
  ASSERT_EQ(results.size(), 7u);

  std::vector<double> sites;
  for (const Point &site : dense.outSites)
    sites.insert(sites.end(), site.begin(), site.end());
  expectElements(results[1], sites);
  expectElements(results[2],
                 {dense.neighbours.begin(), dense.neighbours.end()});

  std::vector<double> y = convolve(test, dense, getElements(x), getElements(w));
  ASSERT_EQ(results[0].getKind(), ElementKind::F64);
  expectNear(getElements(results[0]), y, 1e-11);
  EXPECT_EQ(getElements(results[6]), getElements(results[0]));

  // <conv(x), dy> = <x, input_grad(dy)> = <w, weight_grad(x, dy)>
  double forward = dot(y, getElements(results[5]));
  double tolerance = 1e-12 * (1 + std::abs(forward) + y.size());
  EXPECT_NEAR(dot(getElements(x), getElements(results[3])), forward, tolerance);
  EXPECT_NEAR(dot(getElements(w), getElements(results[4])), forward, tolerance);
  if (test.points > 1)
    EXPECT_NE(forward, 0);
}

INSTANTIATE_TEST_SUITE_P(Cases, Conv, testing::ValuesIn(makeConvCases()),
                         [](const testing::TestParamInfo<ConvCase> &info) {
                           return info.param.name;
                         });

//===----------------------------------------------------------------------===//
// Lists of offsets, rounding, epilogues
//===----------------------------------------------------------------------===//

/// A convolution over one offset by an identity is a shift.
TEST(ConvList, ShiftsByItsOffset) {
  std::string text = "!set = " + getSetType(2, {1, 1}) + R"(
    !map = !sparseconv.kernel_map<2, !set to !set>
    func.func @f(%points: tensor<?x3xi32>, %x: tensor<?x1xf32>, %w: tensor<2x1x1xf32>)
        -> tensor<?x1xf32> {
      %c, %order, %row_of = sparseconv.pack %points : tensor<?x3xi32> -> !set
      %map = sparseconv.kernel_map %c to %c offsets(list<[1, -2], [0, 0]>) : !map
      %y = sparseconv.conv %x, %w, %map
          : tensor<?x1xf32>, tensor<2x1x1xf32>, !map -> tensor<?x1xf32>
      return %y : tensor<?x1xf32>
    })";
  HostTensor points = makePoints({{0, 0, 0}, {0, 1, -2}, {1, 1, -2}}, 3);
  auto results = run(
      text, {points, makeF32({3, 1}, {1, 2, 4}), makeF32({2, 1, 1}, {100, 1})});
  ASSERT_EQ(results.size(), 1u);
  expectElements(results[0], {201, 2, 4});
}

static const char roundingText[] = R"(
  !map = !sparseconv.kernel_map<1, !set to !set>
  func.func @f(%x: tensor<?x2x${t}>, %w: tensor<1x2x1x${t}>, %b: tensor<1x${t}>, %s: tensor<?x1x${t}>)
      -> (tensor<?x1x${t}>, tensor<?x1x${t}>) {
    %points = arith.constant dense<0> : tensor<1x2xi32>
    %p = tensor.cast %points : tensor<1x2xi32> to tensor<?x2xi32>
    %c, %order, %row_of = sparseconv.pack %p : tensor<?x2xi32> -> !set
    %map = sparseconv.kernel_map %c to %c offsets(box<1>) : !map
    %y = sparseconv.conv %x, %w, %map
        : tensor<?x2x${t}>, tensor<1x2x1x${t}>, !map -> tensor<?x1x${t}>
    %z = sparseconv.conv %x, %w, %map epilogue(%b, %s : tensor<1x${t}>, tensor<?x1x${t}>) {
    ^bb0(%acc: f32, %bias: ${t}, %skip: ${t}):
      %narrow = arith.truncf %acc : f32 to ${t}
      %bias32 = arith.extf %bias : ${t} to f32
      %skip32 = arith.extf %skip : ${t} to f32
      %wide = arith.extf %narrow : ${t} to f32
      %0 = arith.subf %wide, %bias32 : f32
      %1 = arith.mulf %0, %skip32 : f32
      sparseconv.yield %1 : f32
    } : tensor<?x2x${t}>, tensor<1x2x1x${t}>, !map -> tensor<?x1x${t}>
    return %y, %z : tensor<?x1x${t}>, tensor<?x1x${t}>
  })";

TEST(ConvRounding, HappensAtTheStoreAndWhereTheEpilogueSays) {
  std::string text =
      "!set = " + getSetType(1, {1}) + fill(roundingText, {{"t", "f16"}});
  auto make = [](const Shape &shape, const std::vector<double> &elements) {
    return makeTensor(ElementKind::F16, shape, elements);
  };
  // 2048 + 1 is no f16: ties go to 2048; 2048 + 3 goes to 2052.
  std::vector<HostTensor> args = {make({1, 2}, {2048, 1}),
                                  make({1, 2, 1}, {1, 1}), make({1}, {2048}),
                                  make({1, 1}, {3})};
  auto results = run(text, args);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].getKind(), ElementKind::F16);
  expectElements(results[0], {2048});
  // A truncf in the epilogue rounds 2049 to 2048: (2048 - 2048) * 3.
  expectElements(results[1], {0});
  auto exact = run(text, args, /*exact=*/true);
  ASSERT_EQ(exact.size(), 2u);
  EXPECT_EQ(exact[0].getKind(), ElementKind::F64);
  expectElements(exact[0], {2049});
}

TEST(ConvRounding, IsThatOfTheElementType) {
  for (ElementKind kind : {ElementKind::F16, ElementKind::BF16}) {
    std::string text = "!set = " + getSetType(1, {1}) +
                       fill(roundingText, {{"t", getName(kind).str()}});
    double a = roundTo(kind, 1.0 / 3), b = roundTo(kind, 0.7);
    auto results =
        run(text, {makeTensor(kind, {1, 2}, {a, b}),
                   makeTensor(kind, {1, 2, 1}, {a, b}),
                   makeTensor(kind, {1}, {0}), makeTensor(kind, {1, 1}, {1})});
    ASSERT_EQ(results.size(), 2u);
    expectElements(results[0], {roundTo(kind, a * a + b * b)});
  }
}

TEST(ConvBounds, FollowTheFormula) {
  std::string text = "!set = " + getSetType(1, {1}) + R"(
    !map = !sparseconv.kernel_map<3, !set to !set>
    func.func @f(%x: tensor<?x2xf16>, %w: tensor<3x2x1xf16>)
        -> (tensor<?x1xf16>, tensor<?x2xf16>) {
      %points = arith.constant dense<[[0, 0], [0, 1]]> : tensor<2x2xi32>
      %p = tensor.cast %points : tensor<2x2xi32> to tensor<?x2xi32>
      %c, %order, %row_of = sparseconv.pack %p : tensor<?x2xi32> -> !set
      %map = sparseconv.kernel_map %c to %c offsets(box<3>) : !map
      %y = sparseconv.conv %x, %w, %map
          : tensor<?x2xf16>, tensor<3x2x1xf16>, !map -> tensor<?x1xf16>
      return %y, %x : tensor<?x1xf16>, tensor<?x2xf16>
    })";
  auto results = runWithBounds(
      text, {makeTensor(ElementKind::F16, {2, 2}, {2048, 1, -2, 3}),
             makeTensor(ElementKind::F16, {3, 2, 1}, {0, 0, 1, 1, 4, 5})});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_FALSE(results[1].bound);
  ASSERT_TRUE(results[0].bound);
  // Row 0 meets offsets 0 and 1 (four products), row 1 offsets -1 and 0.
  expectElements(results[0].value, {2048 + 1 - 8 + 15, -2 + 3});
  double half = 0x1p-25;
  expectElements(*results[0].bound,
                 {0x1p-11 * 2056 + 6 * 0x1p-24 * (2048 + 1 + 8 + 15) + half,
                  0x1p-11 * 1 + 6 * 0x1p-24 * (2 + 3) + half});
}

/// Where tf32 is allowed, both factors of each product may be rounded to 11
/// significant bits.
TEST(ConvBounds, WidenForTf32) {
  std::string text = "!set = " + getSetType(1, {1}) + R"(
    !map = !sparseconv.kernel_map<1, !set to !set>
    func.func @f(%x: tensor<?x1xf32>, %w: tensor<1x1x1xf32>, %p: tensor<?x2xi32>)
        -> (tensor<?x1xf32>, tensor<?x1xf32>, tensor<1x1x1xf32>) {
      %c, %order, %row_of = sparseconv.pack %p : tensor<?x2xi32> -> !set
      %map = sparseconv.kernel_map %c to %c offsets(box<1>) : !map
      %y = sparseconv.conv %x, %w, %map tf32 = allowed
          : tensor<?x1xf32>, tensor<1x1x1xf32>, !map -> tensor<?x1xf32>
      %dx = sparseconv.input_grad %x, %w, %map tf32 = allowed
          : tensor<?x1xf32>, tensor<1x1x1xf32>, !map -> tensor<?x1xf32>
      %dw = sparseconv.weight_grad %x, %x, %map tf32 = allowed
          : tensor<?x1xf32>, tensor<?x1xf32>, !map -> tensor<1x1x1xf32>
      return %y, %dx, %dw
          : tensor<?x1xf32>, tensor<?x1xf32>, tensor<1x1x1xf32>
    })";
  auto results =
      runWithBounds(text, {makeF32({1, 1}, {-2}), makeF32({1, 1, 1}, {3}),
                           makePoints({{0, 0}}, 2)});
  ASSERT_EQ(results.size(), 3u);
  double rounding = (1 + 0x1p-11) * (1 + 0x1p-11) - 1;
  for (auto [result, size] : llvm::zip(results, std::vector{6.0, 6.0, 4.0})) {
    ASSERT_TRUE(result.bound);
    expectElements(*result.bound, {0x1p-24 * size +
                                   (3 * 0x1p-24 + rounding) * size + 0x1p-150});
  }
}

/// A sum over what was rounded before has no bound of its own; one over rows
/// that were only moved has.
TEST(ConvBounds, NeedExactOperands) {
  std::string text = "!set = " + getSetType(1, {1}) + R"(
    !map = !sparseconv.kernel_map<1, !set to !set>
    func.func @f(%x: tensor<?x1xf32>, %w: tensor<1x1x1xf32>, %p: tensor<?x2xi32>)
        -> (tensor<?x1xf32>, tensor<?x1xf32>) {
      %c, %order, %row_of = sparseconv.pack %p : tensor<?x2xi32> -> !set
      %map = sparseconv.kernel_map %c to %c offsets(box<1>) : !map
      %moved = sparseconv.gather %x, %order
          : tensor<?x1xf32>, tensor<?xi32> -> tensor<?x1xf32>
      %y = sparseconv.conv %moved, %w, %map
          : tensor<?x1xf32>, tensor<1x1x1xf32>, !map -> tensor<?x1xf32>
      %z = sparseconv.conv %y, %w, %map
          : tensor<?x1xf32>, tensor<1x1x1xf32>, !map -> tensor<?x1xf32>
      return %y, %z : tensor<?x1xf32>, tensor<?x1xf32>
    })";
  auto results =
      runWithBounds(text, {makeF32({2, 1}, {1, 2}), makeF32({1, 1, 1}, {3}),
                           makePoints({{0, 0}, {0, 1}}, 2)});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_TRUE(results[0].bound);
  EXPECT_FALSE(results[1].bound);
}

/// The single operations whose results come with a bound, each with the number
/// of products and the sum of their magnitudes of its only element.
TEST(ConvBounds, CoverSumsOfOtherOperations) {
  struct Case {
    std::string op;
    double value, products, magnitude;
  };
  // x = [[-2], [3]] on the neighbours 0 and 1.
  std::vector<Case> cases = {
      {"%y = sparseconv.weight_grad %x, %x, %one : tensor<?x1xf32>, "
       "tensor<?x1xf32>, !one -> tensor<1x1x1xf32>",
       13, 2, 13},
      {"%y = sparseconv.scatter %x, %zeros into %c1 : tensor<?x1xf32>, "
       "tensor<?xi32> -> tensor<?x1xf32>",
       1, 2, 5},
      {"%y = sparseconv.global_pool avg %x, %c : tensor<?x1xf32>, !set -> "
       "tensor<1x1xf32>",
       0.5, 2, 2.5},
      {"%y = sparseconv.global_pool max %x, %c : tensor<?x1xf32>, !set -> "
       "tensor<1x1xf32>",
       3, 2, 0},
  };
  for (const Case &test : cases) {
    std::string type = test.op.substr(test.op.rfind("-> ") + 3);
    std::string text = "!set = " + getSetType(1, {1}) + R"(
      !one = !sparseconv.kernel_map<1, !set to !set>
      func.func @f(%x: tensor<?x1xf32>, %p: tensor<?x2xi32>, %zeros: tensor<?xi32>) -> )" +
                       type + R"( {
        %c1 = arith.constant 1 : index
        %c, %order, %row_of = sparseconv.pack %p : tensor<?x2xi32> -> !set
        %one = sparseconv.kernel_map %c to %c offsets(box<1>) : !one
        )" + test.op +
                       "\nreturn %y : " + type + "\n}";
    auto results = runWithBounds(text, {makeF32({2, 1}, {-2, 3}),
                                        makePoints({{0, 0}, {0, 1}}, 2),
                                        makeI32({2}, {0, 0})});
    ASSERT_EQ(results.size(), 1u);
    ASSERT_TRUE(results[0].bound) << test.op;
    expectElements(results[0].value, {test.value});
    expectElements(*results[0].bound,
                   {0x1p-24 * std::abs(test.value) +
                    (test.products + 2) * 0x1p-24 * test.magnitude + 0x1p-150});
  }
}
