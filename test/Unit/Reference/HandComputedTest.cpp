//===- HandComputedTest.cpp - cases with numbers worked out by hand -------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The small convolutions follow the cases of MinkowskiEngine's tests, with the
// offsets in our order (last axis fastest).
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

using namespace sparseconv;
using namespace sparseconv::test;

static const char convText[] = R"(
  func.func @f(%points: tensor<?x${columns}xi32>, %feats: tensor<?x2xf32>,
               %w: tensor<${volume}x2x2xf32>) -> (tensor<?x2xf32>, tensor<?x${columns}xi32>) {
    %in, %order, %row_of = sparseconv.pack %points : tensor<?x${columns}xi32> -> ${fine}
    %x = sparseconv.gather %feats, %order : tensor<?x2xf32>, tensor<?xi32> -> tensor<?x2xf32>
    %out = sparseconv.downsample %in by [${by}] : ${fine} -> ${coarse}
    %map = sparseconv.kernel_map %in to %out offsets(box<${box}>)
        : !sparseconv.kernel_map<${volume}, ${fine} to ${coarse}>
    %y = sparseconv.conv %x, %w, %map : tensor<?x2xf32>, tensor<${volume}x2x2xf32>,
        !sparseconv.kernel_map<${volume}, ${fine} to ${coarse}> -> tensor<?x2xf32>
    %sites = sparseconv.unpack %out : ${coarse} -> tensor<?x${columns}xi32>
    return %y, %sites : tensor<?x2xf32>, tensor<?x${columns}xi32>
  })";

/// Features of the three points of all these cases.
static const std::vector<double> features = {0, 1, 1, 0, 1, 1};

static std::string getConvText(int64_t dim, int64_t stride, int64_t size) {
  std::vector<int64_t> strides(dim, stride), ones(dim, 1);
  std::string box;
  for (int64_t i = 0; i < dim; ++i)
    box += (i ? ", " : "") + std::to_string(size);
  return fill(convText,
              {{"columns", std::to_string(dim + 1)},
               {"volume", std::to_string(dim == 1 ? size : size * size)},
               {"fine", getSetType(dim, ones)},
               {"coarse", getSetType(dim, strides)},
               {"by", join(strides)},
               {"box", box}});
}

TEST(HandComputed, ConvolutionOnALine) {
  HostTensor points = makePoints({{0, 0}, {0, 1}, {0, 2}}, 2);
  HostTensor x = makeF32({3, 2}, features);
  HostTensor w = makeF32({2, 2, 2}, {1, 2, 2, 1, 0, 1, 1, 0});
  auto strided = run(getConvText(1, 2, 2), {points, x, w});
  ASSERT_EQ(strided.size(), 2u);
  expectElements(strided[0], {2, 2, 3, 3});
  expectElements(strided[1], {0, 0, 0, 2});
  auto plain = run(getConvText(1, 1, 2), {points, x, w});
  ASSERT_EQ(plain.size(), 2u);
  expectElements(plain[0], {2, 2, 2, 3, 3, 3});
  expectElements(plain[1], {0, 0, 0, 1, 0, 2});
}

TEST(HandComputed, ConvolutionOnAPlane) {
  HostTensor points = makePoints({{0, 0, 0}, {0, 1, 1}, {0, 2, 1}}, 3);
  HostTensor x = makeF32({3, 2}, features);
  HostTensor w = makeF32({4, 2, 2}, {1, 2, 2, 1, 0, 1, 1, 0, //
                                     0, 1, 1, 1, 1, 1, 1, 0});
  auto results = run(getConvText(2, 2, 2), {points, x, w});
  ASSERT_EQ(results.size(), 2u);
  // (2, 1) is offset (0, 1) of (2, 0): the second slice, last axis fastest.
  expectElements(results[0], {3, 2, 1, 1});
  expectElements(results[1], {0, 0, 0, 0, 2, 0});
}
