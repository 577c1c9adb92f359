//===- UpstreamTest.cpp - operations of the upstream dialects -------------===//
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

//===----------------------------------------------------------------------===//
// tensor
//===----------------------------------------------------------------------===//

TEST(Tensor, SlicesAndShapes) {
  std::string text = R"(
    func.func @f(%x: tensor<?x4xf32>, %i: index)
        -> (tensor<?x2xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<?x8xf32>,
            tensor<?x2x2xf32>, tensor<?xf32>, tensor<2xindex>, tensor<?x4xf32>, index) {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : tensor<?x4xf32>
      %slice = tensor.extract_slice %x[0, 1] [%n, 2] [1, 2]
          : tensor<?x4xf32> to tensor<?x2xf32>
      %row = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1]
          : tensor<?x4xf32> to tensor<4xf32>
      %put = tensor.insert_slice %row into %x[0, 0] [1, 4] [1, 1]
          : tensor<4xf32> into tensor<?x4xf32>
      %pair = tensor.concat dim(1) %x, %put
          : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x8xf32>
      %cube = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 2, 2]
          : tensor<?x4xf32> into tensor<?x2x2xf32>
      %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
      %list = tensor.from_elements %n, %i : tensor<2xindex>
      %e = tensor.extract %x[%i, %c0] : tensor<?x4xf32>
      %s = tensor.splat %e[%n] : tensor<?x4xf32>
      %t = tensor.insert %e into %s[%c0, %i] : tensor<?x4xf32>
      %rank = tensor.rank %x : tensor<?x4xf32>
      return %slice, %row, %put, %pair, %cube, %flat, %list, %t, %rank
          : tensor<?x2xf32>, tensor<4xf32>, tensor<?x4xf32>, tensor<?x8xf32>,
            tensor<?x2x2xf32>, tensor<?xf32>, tensor<2xindex>, tensor<?x4xf32>, index
    })";
  auto results =
      run(text, {makeF32({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), makeIndex(1)});
  ASSERT_EQ(results.size(), 9u);
  expectElements(results[0], {2, 4, 6, 8});
  expectElements(results[1], {5, 6, 7, 8});
  expectElements(results[2], {5, 6, 7, 8, 5, 6, 7, 8});
  expectElements(results[3], {1, 2, 3, 4, 5, 6, 7, 8, 5, 6, 7, 8, 5, 6, 7, 8});
  EXPECT_EQ(results[4].getShape(), llvm::ArrayRef<int64_t>({2, 2, 2}));
  expectElements(results[5], {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(results[5].getShape(), llvm::ArrayRef<int64_t>({8}));
  EXPECT_EQ(results[6].getKind(), ElementKind::I64);
  expectElements(results[6], {2, 1});
  expectElements(results[7], {5, 5, 5, 5, 5, 5, 5, 5});
  expectElements(results[8], {2});
  EXPECT_EQ(runToError(text, {makeF32({1, 4}, {1, 2, 3, 4}), makeIndex(1)}),
            "test.mlir:9:14: tensor.extract_slice: index 1 on axis 0 is "
            "outside a size of 1");
}

TEST(Tensor, ConstantsOfEveryKind) {
  std::string text = R"(
    func.func @f() -> (tensor<2xf32>, tensor<3xf16>, tensor<2xi32>, tensor<3xi1>,
                       tensor<2xi64>, f32, i1, i8, tensor<2x0xf32>) {
      %a = arith.constant dense<[0.1, -2.0]> : tensor<2xf32>
      %b = arith.constant dense<1.5> : tensor<3xf16>
      %c = arith.constant dense<[-7, 2147483647]> : tensor<2xi32>
      %d = arith.constant dense<[true, false, true]> : tensor<3xi1>
      %e = arith.constant dense<-1> : tensor<2xi64>
      %f = arith.constant 0.1 : f32
      %g = arith.constant true
      %h = arith.constant -128 : i8
      %i = arith.constant dense<> : tensor<2x0xf32>
      return %a, %b, %c, %d, %e, %f, %g, %h, %i
          : tensor<2xf32>, tensor<3xf16>, tensor<2xi32>, tensor<3xi1>,
            tensor<2xi64>, f32, i1, i8, tensor<2x0xf32>
    })";
  auto results = run(text, {});
  ASSERT_EQ(results.size(), 9u);
  expectElements(results[0], {0.1f, -2});
  expectElements(results[1], {1.5, 1.5, 1.5});
  expectElements(results[2], {-7, 2147483647});
  expectElements(results[3], {1, 0, 1});
  expectElements(results[4], {-1, -1});
  expectElements(results[5], {0.1f});
  expectElements(results[6], {1});
  expectElements(results[7], {-128});
  expectElements(results[8], {});
}

TEST(Tensor, ConstantsBesideTheModule) {
  std::string text = R"(
    func.func @f() -> tensor<3xi32> {
      %a = arith.constant dense_resource<blob> : tensor<3xi32>
      return %a : tensor<3xi32>
    }
    {-# dialect_resources: { builtin: {
      blob: "0x0400000001000000FEFFFFFF00010000" } } #-})";
  auto results = run(text, {});
  ASSERT_EQ(results.size(), 1u);
  expectElements(results[0], {1, -2, 256});
}

TEST(Tensor, SizesBeyondMemoryAreAnError) {
  std::string text = R"(
    func.func @f(%n: index) -> tensor<?x?xf32> {
      %e = tensor.empty(%n, %n) : tensor<?x?xf32>
      return %e : tensor<?x?xf32>
    })";
  EXPECT_EQ(runToError(text, {makeIndex(int64_t(1) << 40)}),
            "test.mlir:3:12: tensor.empty: a tensor of more than 4294967296 "
            "elements is too large for the reference");
  EXPECT_EQ(runToError(text, {makeIndex(-4)}),
            "test.mlir:3:12: tensor.empty: size -4 is outside 0 .. "
            "9223372036854775807");
}

/// Elements that nothing has written show up as NaN.
TEST(Tensor, EmptyIsUndefined) {
  std::string text = R"(
    func.func @f() -> tensor<2xf32> {
      %e = tensor.empty() : tensor<2xf32>
      return %e : tensor<2xf32>
    })";
  auto results = run(text, {});
  ASSERT_EQ(results.size(), 1u);
  expectElements(results[0], {nan_, nan_});
}

//===----------------------------------------------------------------------===//
// arith, math, scf, func
//===----------------------------------------------------------------------===//

/// One integer operation on i8 operands.
static double runInteger(const std::string &op, int64_t a, int64_t b) {
  std::string text = "func.func @f(%a: i8, %b: i8) -> i8 { %0 = arith." + op +
                     " %a, %b : i8\n return %0 : i8 }";
  auto results = run(text, {makeTensor(ElementKind::I8, {}, {double(a)}),
                            makeTensor(ElementKind::I8, {}, {double(b)})});
  return results.empty() ? 999 : results[0].getDouble(0);
}

TEST(Arith, IntegersWrapAtTheirWidth) {
  EXPECT_EQ(runInteger("addi", 127, 1), -128);
  EXPECT_EQ(runInteger("subi", -128, 1), 127);
  EXPECT_EQ(runInteger("muli", 64, 3), -64);
  EXPECT_EQ(runInteger("divsi", -7, 2), -3);
  EXPECT_EQ(runInteger("divsi", -128, -1), -128);
  EXPECT_EQ(runInteger("floordivsi", -7, 2), -4);
  EXPECT_EQ(runInteger("floordivsi", 7, -2), -4);
  EXPECT_EQ(runInteger("floordivsi", 7, 2), 3);
  EXPECT_EQ(runInteger("ceildivsi", -7, 2), -3);
  EXPECT_EQ(runInteger("ceildivsi", 7, 2), 4);
  EXPECT_EQ(runInteger("ceildivsi", -7, -2), 4);
  EXPECT_EQ(runInteger("remsi", -7, 3), -1);
  EXPECT_EQ(runInteger("divui", -1, 2), 127);
  EXPECT_EQ(runInteger("remui", -1, 16), 15);
  EXPECT_EQ(runInteger("ceildivui", -1, 2), -128);
  EXPECT_EQ(runInteger("maxsi", -1, 1), 1);
  EXPECT_EQ(runInteger("maxui", -1, 1), -1);
  EXPECT_EQ(runInteger("minui", -1, 1), 1);
  EXPECT_EQ(runInteger("shli", 3, 6), -64);
  EXPECT_EQ(runInteger("shrsi", -128, 7), -1);
  EXPECT_EQ(runInteger("shrui", -128, 7), 1);
  EXPECT_EQ(runInteger("xori", 5, -1), -6);
  EXPECT_EQ(runToError("func.func @f(%a: i8) -> i8 { %c = arith.constant 0 : "
                       "i8\n %0 = arith.divsi %a, %c : i8\n return %0 : i8 }",
                       {makeTensor(ElementKind::I8, {}, {1})}),
            "test.mlir:2:7: arith.divsi: integer division by zero");
}

TEST(Arith, ComparisonsAndCasts) {
  std::string text = R"(
    func.func @f(%a: i8, %b: i8, %x: f32, %y: f32)
        -> (i1, i1, i1, i1, i32, i32, f32, f32, i8, i8, i1) {
      %0 = arith.cmpi slt, %a, %b : i8
      %1 = arith.cmpi ult, %a, %b : i8
      %2 = arith.cmpf olt, %x, %y : f32
      %3 = arith.cmpf une, %x, %y : f32
      %4 = arith.extsi %a : i8 to i32
      %5 = arith.extui %a : i8 to i32
      %6 = arith.sitofp %a : i8 to f32
      %7 = arith.uitofp %a : i8 to f32
      %8 = arith.fptosi %y : f32 to i8
      %9 = arith.trunci %5 : i32 to i8
      %10 = arith.cmpi sgt, %0, %1 : i1
      return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10
          : i1, i1, i1, i1, i32, i32, f32, f32, i8, i8, i1
    })";
  auto results = run(text, {makeTensor(ElementKind::I8, {}, {-2}),
                            makeTensor(ElementKind::I8, {}, {5}),
                            makeF32({}, {nan_}), makeF32({}, {-3.75})});
  ASSERT_EQ(results.size(), 11u);
  std::vector<double> found;
  for (const HostTensor &result : results)
    found.push_back(result.getDouble(0));
  // The last one compares -1 with 0: as signed numbers true is -1.
  EXPECT_EQ(found,
            (std::vector<double>{1, 0, 0, 1, -2, 254, -2, 254, -3, -2, 0}));
}

TEST(Arith, ElementwiseOnTensors) {
  std::string text = R"(
    func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: i1)
        -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf16>, tensor<?xf32>) {
      %less = arith.cmpf olt, %a, %b : tensor<?xf32>
      %min = arith.select %less, %a, %b : tensor<?xi1>, tensor<?xf32>
      %top = arith.maximumf %a, %b : tensor<?xf32>
      %half = arith.truncf %a : tensor<?xf32> to tensor<?xf16>
      %one = arith.select %c, %a, %b : tensor<?xf32>
      return %min, %top, %half, %one
          : tensor<?xf32>, tensor<?xf32>, tensor<?xf16>, tensor<?xf32>
    })";
  auto results = run(text, {makeF32({4}, {2049, 0, nan_, -0.0}),
                            makeF32({4}, {1, 3, 4, 0}),
                            makeTensor(ElementKind::I1, {}, {0})});
  ASSERT_EQ(results.size(), 4u);
  expectElements(results[0], {1, 0, 4, 0});
  expectElements(results[1], {2049, 3, nan_, 0});
  EXPECT_FALSE(std::signbit(results[1].getDouble(3)));
  expectElements(results[2], {2048, 0, nan_, 0});
  expectElements(results[3], {1, 3, 4, 0});
}

TEST(Math, Functions) {
  std::string text = "func.func @f(%x: tensor<1xf64>) -> (";
  std::vector<std::pair<std::string, double>> cases = {
      {"math.absf", 0.3},
      {"math.sqrt", std::sqrt(0.3)},
      {"math.rsqrt", 1 / std::sqrt(0.3)},
      {"math.exp", std::exp(0.3)},
      {"math.log1p", std::log1p(0.3)},
      {"math.tanh", std::tanh(0.3)},
      {"math.erf", std::erf(0.3)},
      {"math.ceil", 1},
      {"math.floor", 0},
      {"math.roundeven", 0},
      {"math.sin", std::sin(0.3)},
      {"arith.negf", -0.3}};
  std::string types, body, names;
  for (size_t i = 0; i < cases.size(); ++i) {
    types += (i ? ", " : "") + std::string("tensor<1xf64>");
    names += (i ? ", %" : "%") + std::to_string(i);
    body += "%" + std::to_string(i) + " = " + cases[i].first +
            " %x : tensor<1xf64>\n";
  }
  text += types + ") {\n" + body + "return " + names + " : " + types + "\n}";
  auto results = run(text, {makeTensor(ElementKind::F64, {1}, {0.3})});
  ASSERT_EQ(results.size(), cases.size());
  for (size_t i = 0; i < cases.size(); ++i)
    EXPECT_EQ(results[i].getDouble(0), cases[i].second) << cases[i].first;
}

TEST(ControlFlow, SetsAndMapsCrossLoopsAndCalls) {
  std::string text = "!set = " + getSetType(1, {1}) + R"(
    func.func private @grow(%c: !set, %n: index) -> (!set, index) {
      %g = sparseconv.expand %c offsets(box<3>) : !set
      %one = arith.constant 1 : index
      %m = arith.addi %n, %one : index
      return %g, %m : !set, index
    }
    func.func @f(%p: tensor<?x2xi32>, %steps: index, %wide: i1)
        -> (tensor<?x2xi32>, index, index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c, %order, %row_of = sparseconv.pack %p : tensor<?x2xi32> -> !set
      %g:2 = scf.for %i = %c0 to %steps step %c1 iter_args(%s = %c, %n = %c0) -> (!set, index) {
        %r:2 = func.call @grow(%s, %n) : (!set, index) -> (!set, index)
        scf.yield %r#0, %r#1 : !set, index
      }
      %h = scf.if %wide -> !set {
        scf.yield %g#0 : !set
      } else {
        scf.yield %c : !set
      }
      %w = scf.while (%k = %c1) : (index) -> index {
        %size = sparseconv.size %h : !set
        %less = arith.cmpi ult, %k, %size : index
        scf.condition(%less) %k : index
      } do {
      ^bb0(%k: index):
        %double = arith.addi %k, %k : index
        scf.yield %double : index
      }
      %sites = sparseconv.unpack %h : !set -> tensor<?x2xi32>
      return %sites, %g#1, %w : tensor<?x2xi32>, index, index
    })";
  HostTensor points = makePoints({{0, 4}}, 2);
  auto wide =
      run(text, {points, makeIndex(2), makeTensor(ElementKind::I1, {}, {1})});
  ASSERT_EQ(wide.size(), 3u);
  expectElements(wide[0], {0, 2, 0, 3, 0, 4, 0, 5, 0, 6});
  expectElements(wide[1], {2});
  expectElements(wide[2], {8});
  auto none =
      run(text, {points, makeIndex(0), makeTensor(ElementKind::I1, {}, {0})});
  ASSERT_EQ(none.size(), 3u);
  expectElements(none[0], {0, 4});
  expectElements(none[2], {1});
}

//===----------------------------------------------------------------------===//
// Errors of the interpreter
//===----------------------------------------------------------------------===//

TEST(Interpreter, UnknownOperationsAreNamed) {
  EXPECT_EQ(runToError("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                       "  %0 = tensor.bitcast %x : tensor<4xf32> to "
                       "tensor<4xf32>\n return %0 : tensor<4xf32> }",
                       {makeF32({4}, {1, 2, 3, 4})}),
            "test.mlir:2:8: tensor.bitcast: the reference does not know this "
            "operation");
}

TEST(Interpreter, ArgumentsThatDoNotFit) {
  std::string text = "func.func @f(%x: tensor<?x4xf32>) { return }";
  EXPECT_EQ(runToError(text, {}), "function 'f' takes 1 arguments, found 0");
  EXPECT_EQ(runToError(text, {HostTensor(ElementKind::F16, {2, 4})}),
            "argument 0: expected tensor<?x4xf32>, found tensor<2x4xf16>");
  EXPECT_EQ(runToError(text, {HostTensor(ElementKind::F32, {2, 3})}),
            "argument 0: expected tensor<?x4xf32>, found tensor<2x3xf32>");
  EXPECT_EQ(runToError(text, {HostTensor(ElementKind::F32, {8})}),
            "argument 0: expected tensor<?x4xf32>, found tensor<8xf32>");
  EXPECT_EQ(runToError("func.func @g() { return }", {}),
            "no function 'f' in the module");
}

TEST(Interpreter, EndlessRecursionEnds) {
  std::string error =
      runToError("func.func @f() {\n  call @f() : () -> ()\n  return }", {});
  EXPECT_EQ(error, "test.mlir:2:3: func.call: calls are nested too deeply");
}
