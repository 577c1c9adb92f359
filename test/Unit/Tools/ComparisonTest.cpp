//===- ComparisonTest.cpp - when a result agrees with the reference -------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace sparseconv;
using mlir::sparseconv::BoundedResult;

static HostTensor make(ElementKind kind, llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<double> values) {
  HostTensor tensor(kind, shape);
  for (size_t i = 0; i < values.size(); ++i)
    tensor.setDouble(i, values[i]);
  return tensor;
}

namespace {
struct Outcome {
  bool ok;
  std::string text;
};
} // namespace

static Outcome compare(const HostTensor &found, const HostTensor &expected,
                       std::optional<HostTensor> bound = std::nullopt,
                       bool allowsTf32 = false) {
  Outcome outcome;
  llvm::raw_string_ostream os(outcome.text);
  BoundedResult reference{expected, std::move(bound), /*roundedTo=*/{}};
  outcome.ok = mlir::sparseconv::compareWithReference("y", found, reference,
                                                      allowsTf32, os);
  return outcome;
}

static bool contains(const Outcome &outcome, llvm::StringRef text) {
  return llvm::StringRef(outcome.text).contains(text);
}

TEST(Comparison, EqualValuesAgree) {
  HostTensor tensor = make(ElementKind::F32, {2, 2}, {0, -1, 2, 1e30});
  Outcome outcome = compare(tensor, tensor);
  EXPECT_TRUE(outcome.ok);
  EXPECT_TRUE(contains(outcome, "check 'y': ok")) << outcome.text;
}

TEST(Comparison, OneWrongElementFailsAndIsNamed) {
  HostTensor expected = make(ElementKind::F32, {2, 3}, {1, 2, 3, 4, 5, 6});
  HostTensor found = make(ElementKind::F32, {2, 3}, {1, 2, 3, 4, 5.5, 6});
  Outcome outcome = compare(found, expected);
  EXPECT_FALSE(outcome.ok);
  EXPECT_TRUE(contains(outcome, "check 'y': FAILED: largest error 0.5 at "
                                "[1, 1] (5.5, reference 5)"))
      << outcome.text;
}

TEST(Comparison, TheBoundOfEachElementCounts) {
  HostTensor expected = make(ElementKind::F64, {3}, {100, 1, 0});
  HostTensor bound = make(ElementKind::F64, {3}, {1, 0.01, 0});
  HostTensor within = make(ElementKind::F32, {3}, {100.75, 1, 0});
  EXPECT_TRUE(compare(within, expected, bound).ok);
  // A smaller error than that, but beyond its element's bound.
  HostTensor beyond = make(ElementKind::F32, {3}, {100.5, 1.02, 0});
  Outcome outcome = compare(beyond, expected, bound);
  EXPECT_FALSE(outcome.ok);
  EXPECT_TRUE(contains(outcome, " at [1] ")) << outcome.text;
  EXPECT_TRUE(contains(outcome, "bound: 0.01 for that element"))
      << outcome.text;
  // No error at all is allowed where the bound is 0.
  HostTensor dust = make(ElementKind::F32, {3}, {100, 1, 1e-30});
  EXPECT_FALSE(compare(dust, expected, bound).ok);
}

TEST(Comparison, RelativeErrorDependsOnTheElementType) {
  for (auto [kind, allowed, refused] :
       {std::tuple(ElementKind::F32, 3.3e-6, 3.7e-6),
        std::tuple(ElementKind::F16, 2e-3, 3e-3),
        std::tuple(ElementKind::BF16, 1.6e-2, 2.3e-2)}) {
    HostTensor expected = make(ElementKind::F64, {1, 1}, {1});
    EXPECT_TRUE(compare(make(kind, {1, 1}, {1 + allowed}), expected).ok);
    EXPECT_FALSE(compare(make(kind, {1, 1}, {1 + refused}), expected).ok);
  }
}

TEST(Comparison, IntegersAreEqualOrWrong) {
  HostTensor expected = make(ElementKind::I32, {2}, {1000000, 7});
  EXPECT_TRUE(compare(expected, expected).ok);
  Outcome outcome =
      compare(make(ElementKind::I32, {2}, {1000001, 7}), expected);
  EXPECT_FALSE(outcome.ok);
  EXPECT_TRUE(contains(outcome, "must be equal")) << outcome.text;
}

TEST(Comparison, ShapesAreCompared) {
  HostTensor found(ElementKind::F32, {3, 2}),
      expected(ElementKind::F32, {2, 3});
  Outcome outcome = compare(found, expected);
  EXPECT_FALSE(outcome.ok);
  EXPECT_TRUE(contains(outcome, "shape tensor<3x2xf32>, but the reference has "
                                "tensor<2x3xf32>"))
      << outcome.text;
}

TEST(Comparison, NothingAgreesWithNothing) {
  HostTensor none(ElementKind::F32, {0, 4});
  EXPECT_TRUE(compare(none, none).ok);
  EXPECT_FALSE(compare(none, HostTensor(ElementKind::F32, {1, 4})).ok);
}

TEST(Comparison, ZerosOfTheReferenceHideNothing) {
  HostTensor zeros(ElementKind::F32, {4});
  EXPECT_TRUE(compare(zeros, zeros).ok);
  EXPECT_FALSE(compare(make(ElementKind::F32, {4}, {0, 0, 1, 0}), zeros).ok);
}

TEST(Comparison, NonFiniteValuesAgreeWithThemselvesOnly) {
  double inf = INFINITY, nan = NAN;
  HostTensor special = make(ElementKind::F32, {4}, {nan, inf, -inf, 1});
  EXPECT_TRUE(compare(special, special).ok);
  for (const auto &values : {std::vector<double>{1, inf, -inf, 1},
                             {nan, 1, -inf, 1},
                             {nan, inf, inf, 1},
                             {nan, inf, -inf, nan},
                             {nan, inf, -inf, inf},
                             {inf, inf, -inf, 1},
                             {nan, nan, -inf, 1}}) {
    HostTensor found = make(ElementKind::F32, {4}, values);
    EXPECT_FALSE(compare(found, special).ok);
    HostTensor bound = make(ElementKind::F64, {4}, {1, 1, 1, 1});
    EXPECT_FALSE(compare(found, special, bound).ok);
  }
}

// The bound of a reference that is not finite is not finite, either.
TEST(Comparison, NoBoundExcusesAFiniteValue) {
  for (double special : {double(NAN), double(INFINITY)}) {
    HostTensor expected = make(ElementKind::F64, {2}, {special, 1});
    HostTensor bound = make(ElementKind::F64, {2}, {special, 1});
    HostTensor same = make(ElementKind::F32, {2}, {special, 1});
    EXPECT_TRUE(compare(same, expected, bound).ok);
    HostTensor found = make(ElementKind::F32, {2}, {3, 1});
    EXPECT_FALSE(compare(found, expected, bound).ok);
  }
}

TEST(Comparison, NumbersBeyondTheElementTypeAreInfinities) {
  HostTensor expected = make(ElementKind::F64, {2}, {70000, -1e6});
  HostTensor bound = make(ElementKind::F64, {2}, {1, 1});
  double inf = INFINITY;
  HostTensor right = make(ElementKind::F16, {2}, {inf, -inf});
  EXPECT_TRUE(compare(right, expected, bound).ok);
  EXPECT_FALSE(
      compare(make(ElementKind::F16, {2}, {inf, inf}), expected, bound).ok);
  // f32 holds these numbers.
  EXPECT_FALSE(
      compare(make(ElementKind::F32, {2}, {inf, -inf}), expected, bound).ok);
}

TEST(Comparison, Tf32IsHeldAgainstTheErrorOfF16) {
  HostTensor expected = make(ElementKind::F32, {2}, {1, 2});
  HostTensor found = make(ElementKind::F32, {2}, {1.001, 2});
  EXPECT_FALSE(compare(found, expected).ok);
  EXPECT_TRUE(compare(found, expected, std::nullopt, /*allowsTf32=*/true).ok);
  HostTensor far = make(ElementKind::F32, {2}, {1.01, 2});
  EXPECT_FALSE(compare(far, expected, std::nullopt, /*allowsTf32=*/true).ok);
  HostTensor half = make(ElementKind::BF16, {2}, {1, 2.0625});
  EXPECT_FALSE(compare(half, expected, std::nullopt, /*allowsTf32=*/true).ok);
}

TEST(Comparison, BitsAreComparedAsTheyAre) {
  mlir::sparseconv::Signature signature;
  signature.results.push_back(
      {"y", mlir::Type(), ElementKind::F32, {mlir::ShapedType::kDynamic}});
  auto compareTo = [&](HostTensor other) {
    std::string text;
    llvm::raw_string_ostream os(text);
    HostTensor zeros = make(ElementKind::F32, {2}, {0, 0});
    bool ok = compareBits("on 1 threads", signature, zeros, other, os);
    EXPECT_EQ(text, ok ? "bits of 'y' on 1 threads: ok\n"
                       : "bits of 'y' on 1 threads: FAILED: they are others\n");
    return ok;
  };
  EXPECT_TRUE(compareTo(make(ElementKind::F32, {2}, {0, 0})));
  EXPECT_FALSE(compareTo(make(ElementKind::F32, {2}, {0, -0.0})));
  EXPECT_FALSE(compareTo(make(ElementKind::F32, {2, 1}, {0, 0})));
}
