//===- LinalgTest.cpp - structured operations -----------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"
#include <cmath>

using namespace sparseconv;
using namespace sparseconv::test;

TEST(Linalg, NamedElementwise) {
  std::string text = R"(
    func.func @f(%a: tensor<?x2xf32>, %b: tensor<?x2xf32>)
        -> (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>) {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %a, %c0 : tensor<?x2xf32>
      %e = tensor.empty(%n) : tensor<?x2xf32>
      %sum = linalg.add ins(%a, %b : tensor<?x2xf32>, tensor<?x2xf32>)
          outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
      %max = linalg.elementwise kind=#linalg.elementwise_kind<max_signed>
          ins(%a, %b : tensor<?x2xf32>, tensor<?x2xf32>)
          outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
      %map = linalg.map ins(%a, %b : tensor<?x2xf32>, tensor<?x2xf32>)
          outs(%e : tensor<?x2xf32>) (%x: f32, %y: f32, %z: f32) {
            %0 = arith.subf %x, %y : f32
            %1 = math.exp %0 : f32
            linalg.yield %1 : f32
          }
      return %sum, %max, %map : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>
    })";
  auto results =
      run(text, {makeF32({2, 2}, {1, 2, 3, 4}), makeF32({2, 2}, {1, 0, 5, 1})});
  ASSERT_EQ(results.size(), 3u);
  expectElements(results[0], {2, 2, 8, 5});
  expectElements(results[1], {1, 2, 5, 4});
  for (int64_t i = 0; i < 4; ++i)
    EXPECT_EQ(
        results[2].getDouble(i),
        static_cast<float>(std::exp(std::vector<double>{0, 2, -2, 3}[i])));
}

TEST(Linalg, MatmulReduceBroadcastTranspose) {
  std::string text = R"(
    func.func @f(%a: tensor<?x3xf32>, %b: tensor<3x2xf32>)
        -> (tensor<?x2xf32>, tensor<3xf32>, tensor<3x?xf32>, tensor<?x3xf32>) {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %n = tensor.dim %a, %c0 : tensor<?x3xf32>
      %e = tensor.empty(%n) : tensor<?x2xf32>
      %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
      %product = linalg.matmul ins(%a, %b : tensor<?x3xf32>, tensor<3x2xf32>)
          outs(%init : tensor<?x2xf32>) -> tensor<?x2xf32>
      %ones = arith.constant dense<1.0> : tensor<3xf32>
      %sums = linalg.reduce { arith.addf } ins(%a : tensor<?x3xf32>)
          outs(%ones : tensor<3xf32>) dimensions = [0]
      %et = tensor.empty(%n) : tensor<3x?xf32>
      %t = linalg.transpose ins(%a : tensor<?x3xf32>) outs(%et : tensor<3x?xf32>)
          permutation = [1, 0]
      %eb = tensor.empty(%n) : tensor<?x3xf32>
      %wide = linalg.broadcast ins(%sums : tensor<3xf32>) outs(%eb : tensor<?x3xf32>)
          dimensions = [0]
      return %product, %sums, %t, %wide
          : tensor<?x2xf32>, tensor<3xf32>, tensor<3x?xf32>, tensor<?x3xf32>
    })";
  auto results = run(text, {makeF32({2, 3}, {1, 2, 3, 4, 5, 6}),
                            makeF32({3, 2}, {1, 10, 2, 20, 3, 30})});
  ASSERT_EQ(results.size(), 4u);
  expectElements(results[0], {14, 140, 32, 320});
  expectElements(results[1], {6, 8, 10});
  expectElements(results[2], {1, 4, 2, 5, 3, 6});
  expectElements(results[3], {6, 8, 10, 6, 8, 10});
  auto empty =
      run(text, {makeF32({0, 3}, {}), makeF32({3, 2}, {1, 10, 2, 20, 3, 30})});
  ASSERT_EQ(empty.size(), 4u);
  expectElements(empty[1], {1, 1, 1});
}

/// A batch norm and a rectifier: rows by channels, and vectors of channels.
TEST(Linalg, GenericWithBroadcastsRoundsOnce) {
  std::string text = R"(
    #rows = affine_map<(r, c) -> (r, c)>
    #channels = affine_map<(r, c) -> (c)>
    func.func @f(%x: tensor<?x2xf16>, %scale: tensor<2xf16>, %shift: tensor<2xf16>)
        -> tensor<?x2xf16> {
      %zero = arith.constant 0.0 : f16
      %y = linalg.generic {indexing_maps = [#channels, #channels, #rows],
                           iterator_types = ["parallel", "parallel"]}
          ins(%scale, %shift : tensor<2xf16>, tensor<2xf16>) outs(%x : tensor<?x2xf16>) {
        ^bb0(%s: f16, %t: f16, %in: f16):
          %0 = arith.mulf %in, %s : f16
          %1 = arith.addf %0, %t : f16
          %2 = arith.maximumf %1, %zero : f16
          linalg.yield %2 : f16
      } -> tensor<?x2xf16>
      return %y : tensor<?x2xf16>
    })";
  auto make = [](const Shape &shape, const std::vector<double> &elements) {
    return makeTensor(ElementKind::F16, shape, elements);
  };
  auto results = run(text, {make({2, 2}, {2048, 3, 1, -5}), make({2}, {1, 2}),
                            make({2}, {1, 0.5})});
  ASSERT_EQ(results.size(), 1u);
  expectElements(results[0], {2048, 6.5, 2, 0});
  // No f16 is near 1025 * 1025 + 1.
  auto exact = run(
      text, {make({1, 2}, {1025, 1}), make({2}, {1025, 1}), make({2}, {1, 1})},
      /*exact=*/true);
  ASSERT_EQ(exact.size(), 1u);
  expectElements(exact[0], {1025.0 * 1025 + 1, 2});
}

/// More points than one run of a tape takes, with the loop counters in use.
TEST(Linalg, IndicesOverManyBlocks) {
  std::string text = R"(
    #rows = affine_map<(r, c) -> (r, c)>
    func.func @f(%x: tensor<?x7xi64>) -> (tensor<?x7xi64>, tensor<7xi64>) {
      %y = linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel", "parallel"]}
          outs(%x : tensor<?x7xi64>) {
        ^bb0(%out: i64):
          %r = linalg.index 0 : index
          %c = linalg.index 1 : index
          %c7 = arith.constant 7 : index
          %0 = arith.muli %r, %c7 : index
          %1 = arith.addi %0, %c : index
          %2 = arith.index_cast %1 : index to i64
          linalg.yield %2 : i64
      } -> tensor<?x7xi64>
      %zero = arith.constant dense<0> : tensor<7xi64>
      %z = linalg.generic {indexing_maps = [#rows, affine_map<(r, c) -> (c)>],
                           iterator_types = ["reduction", "parallel"]}
          ins(%y : tensor<?x7xi64>) outs(%zero : tensor<7xi64>) {
        ^bb0(%in: i64, %out: i64):
          %r = linalg.index 0 : index
          %odd = arith.constant 1 : index
          %0 = arith.andi %r, %odd : index
          %1 = arith.index_cast %0 : index to i64
          %2 = arith.muli %1, %in : i64
          %3 = arith.addi %2, %out : i64
          linalg.yield %3 : i64
      } -> tensor<7xi64>
      return %y, %z : tensor<?x7xi64>, tensor<7xi64>
    })";
  constexpr int64_t rows = 1500;
  auto results = run(text, {HostTensor(ElementKind::I64, {rows, 7})});
  ASSERT_EQ(results.size(), 2u);
  std::vector<double> y, z(7);
  for (int64_t i = 0; i < rows * 7; ++i) {
    y.push_back(i);
    z[i % 7] += i / 7 % 2 * i;
  }
  expectElements(results[0], y);
  expectElements(results[1], z);
}

/// An argmax: two results that a reduction carries together.
TEST(Linalg, TwoResults) {
  std::string text = R"(
    func.func @f(%x: tensor<?x3xf32>, %m: tensor<?xf32>, %a: tensor<?xi32>)
        -> (tensor<?xf32>, tensor<?xi32>) {
      %y:2 = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>,
                                              affine_map<(r, c) -> (r)>,
                                              affine_map<(r, c) -> (r)>],
                             iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<?x3xf32>) outs(%m, %a : tensor<?xf32>, tensor<?xi32>) {
        ^bb0(%in: f32, %best: f32, %where: i32):
          %c = linalg.index 1 : index
          %c32 = arith.index_cast %c : index to i32
          %more = arith.cmpf ogt, %in, %best : f32
          %0 = arith.select %more, %in, %best : f32
          %1 = arith.select %more, %c32, %where : i32
          linalg.yield %0, %1 : f32, i32
      } -> (tensor<?xf32>, tensor<?xi32>)
      return %y#0, %y#1 : tensor<?xf32>, tensor<?xi32>
    })";
  auto results =
      run(text, {makeF32({3, 3}, {1, 5, 5, -1, -2, -3, 0, 1, 2}),
                 makeF32({3}, {-9, -9, -9}), makeI32({3}, {7, 7, 7})});
  ASSERT_EQ(results.size(), 2u);
  expectElements(results[0], {5, -1, 2});
  expectElements(results[1], {1, 0, 2});
}

/// Results that swap places in each step of a reduction.
TEST(Linalg, YieldsInAnotherOrder) {
  std::string text = R"(
    func.func @f(%x: tensor<?xf32>, %a: tensor<f32>, %b: tensor<f32>)
        -> (tensor<f32>, tensor<f32>) {
      %y:2 = linalg.generic {indexing_maps = [affine_map<(r) -> (r)>,
                                              affine_map<(r) -> ()>, affine_map<(r) -> ()>],
                             iterator_types = ["reduction"]}
          ins(%x : tensor<?xf32>) outs(%a, %b : tensor<f32>, tensor<f32>) {
        ^bb0(%in: f32, %p: f32, %q: f32):
          linalg.yield %q, %p : f32, f32
      } -> (tensor<f32>, tensor<f32>)
      return %y#0, %y#1 : tensor<f32>, tensor<f32>
    })";
  auto results =
      run(text, {makeF32({3}, {0, 0, 0}), makeF32({}, {1}), makeF32({}, {2})});
  ASSERT_EQ(results.size(), 2u);
  expectElements(results[0], {2});
  expectElements(results[1], {1});
}

TEST(Linalg, SizesThatDisagreeAreAnError) {
  std::string text = R"(
    func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
      %sum = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>)
          outs(%a : tensor<?xf32>) -> tensor<?xf32>
      return %sum : tensor<?xf32>
    })";
  EXPECT_EQ(runToError(text, {makeF32({2}, {1, 2}), makeF32({3}, {1, 2, 3})}),
            "test.mlir:3:14: linalg.add: operand 1 has size 3 on axis 0, "
            "expected 2");
}
