//===- RoundingTest.cpp - rounding to the element types -------------------===//
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

/// What a store to a tensor of `kind` and a load give.
static double storeAndLoad(ElementKind kind, double value) {
  HostTensor tensor(kind, {1});
  tensor.setDouble(0, value);
  return tensor.getDouble(0);
}

TEST(Rounding, AgreesWithStores) {
  for (ElementKind kind : {ElementKind::F16, ElementKind::BF16}) {
    // Every finite number of the type, the ties between neighbours, and the
    // doubles on either side of each tie.
    HostTensor tensor(kind, {2});
    for (unsigned bits = 0; bits < 0xffff; ++bits) {
      tensor.as<uint16_t>()[0] = bits;
      tensor.as<uint16_t>()[1] = bits + 1;
      double value = tensor.getDouble(0), next = tensor.getDouble(1);
      if (!std::isfinite(value))
        continue;
      ASSERT_EQ(roundTo(kind, value), value);
      ASSERT_EQ(std::signbit(roundTo(kind, value)), std::signbit(value));
      if (!std::isfinite(next))
        next = value * (1 + (kind == ElementKind::F16 ? 0x1p-10 : 0x1p-7));
      double tie = value + (next - value) / 2;
      for (double probe : {std::nextafter(tie, value), tie,
                           std::nextafter(tie, next), value + (next - tie) / 3})
        ASSERT_EQ(roundTo(kind, probe), storeAndLoad(kind, probe)) << probe;
    }
    double infinity = std::numeric_limits<double>::infinity();
    for (double probe : {infinity, -infinity, 1e300, -1e300, 1e-300, -1e-300}) {
      EXPECT_EQ(roundTo(kind, probe), storeAndLoad(kind, probe)) << probe;
      EXPECT_EQ(std::signbit(roundTo(kind, probe)), std::signbit(probe));
    }
    EXPECT_TRUE(std::isnan(roundTo(kind, std::nan(""))));
  }
}

TEST(Rounding, NarrowScalarsRoundWhereTheyAreComputed) {
  const std::string text = R"(
    func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : tensor<?xf32>
      %empty = tensor.empty(%n) : tensor<?xf32>
      %y = linalg.generic {
          indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
          iterator_types = ["parallel"]}
          ins(%x : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
      ^bb0(%a: f32, %b: f32):
        ${body}
        linalg.yield %r : f32
      } -> tensor<?xf32>
      return %y : tensor<?xf32>
    })";
  // 1 + 2^-12 is 1 as an f16.
  HostTensor x = makeF32({2}, {1 + 0x1p-12, 3});
  auto runBody = [&](const char *body, bool exact) {
    return getElements(run(fill(text, {{"body", body}}), {x}, exact)[0]);
  };
  const char *round = R"(
        %h = arith.truncf %a : f32 to f16
        %r = arith.extf %h : f16 to f32)";
  EXPECT_EQ(runBody(round, false), (std::vector<double>{1, 3}));
  EXPECT_EQ(runBody(round, true), (std::vector<double>{1 + 0x1p-12, 3}));
  const char *square = R"(
        %h = arith.truncf %a : f32 to f16
        %c = arith.constant 1.000977e+00 : f16
        %s = arith.mulf %h, %c : f16
        %t = arith.mulf %s, %c : f16
        %r = arith.extf %t : f16 to f32)";
  // Twice times 1 + 2^-10. Of 1 that is 1 + 2^-9 and a little. Of 3 the first
  // product, 3 + 3 * 2^-10, lies between two numbers of f16, of which 3 + 2^-8
  // is even; without rounding in between, the result were 3 + 3 * 2^-9.
  EXPECT_EQ(runBody(square, false),
            (std::vector<double>{1 + 0x1p-9, 3 + 0x1p-7}));
  // f64 to f32.
  const char *wide = R"(
        %d = arith.extf %a : f32 to f64
        %c = arith.constant 1.0e-9 : f64
        %s = arith.addf %d, %c : f64
        %f = arith.truncf %s : f64 to f32
        %e = arith.extf %f : f32 to f64
        %z = arith.subf %e, %d : f64
        %r = arith.truncf %z : f64 to f32)";
  EXPECT_EQ(runBody(wide, false), (std::vector<double>{0, 0}));
}
