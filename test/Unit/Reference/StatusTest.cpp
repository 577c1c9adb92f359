//===- StatusTest.cpp - run-time errors and their messages ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"
#include <limits>

using namespace sparseconv;
using namespace sparseconv::test;

/// The message behind the location ("test.mlir:5:10: ").
static std::string getMessage(const std::string &error) {
  size_t name = error.find(": ");
  EXPECT_EQ(error.compare(0, 10, "test.mlir:"), 0) << error;
  return name == std::string::npos ? error : error.substr(name + 2);
}

/// The error of packing `points` on a plane of stride (1, 2).
static std::string pack(const std::vector<Point> &points) {
  std::string text =
      "!set = !sparseconv.coords<2, stride = [1, 2], #sparseconv.packing<i32, "
      "batch = 3, bits = [8, 6], guard = [10, 2]>>"
      R"(
    func.func @f(%points: tensor<?x3xi32>) -> tensor<?xi32> {
      %c, %order, %row_of = sparseconv.pack %points : tensor<?x3xi32> -> !set
      return %order : tensor<?xi32>
    })";
  std::string error = runToError(text, {makePoints(points, 3)});
  return error == "no error" ? error : getMessage(error);
}

TEST(Status, PackNamesAxisValueAndBounds) {
  EXPECT_EQ(pack({{0, -118, -30}, {7, 117, 28}}), "no error");
  EXPECT_EQ(pack({{0, 0, 0}, {0, 118, 0}}),
            "sparseconv.pack: point 1: coordinate 118 on axis 0 is outside "
            "-118 .. 117");
  EXPECT_EQ(pack({{0, 0, 0}, {0, 0, -32}}),
            "sparseconv.pack: point 1: coordinate -32 on axis 1 is outside "
            "-30 .. 29");
  EXPECT_EQ(pack({{8, 0, 0}}),
            "sparseconv.pack: point 0: batch index 8 is outside 0 .. 7");
  EXPECT_EQ(pack({{-1, 0, 0}}),
            "sparseconv.pack: point 0: batch index -1 is outside 0 .. 7");
  EXPECT_EQ(pack({{0, 0, 3}}), "sparseconv.pack: point 0: coordinate 3 on axis "
                               "1 is not a multiple of the stride 2");
}

TEST(Status, TheLowestRowThenTheLowestAxisIsReported) {
  EXPECT_EQ(pack({{0, 0, 0}, {0, 0, 1}, {9, 0, 0}}),
            "sparseconv.pack: point 1: coordinate 1 on axis 1 is not a "
            "multiple of the stride 2");
  EXPECT_EQ(pack({{9, 999, 1}}),
            "sparseconv.pack: point 0: batch index 9 is outside 0 .. 7");
  // Beyond the range and no multiple: the range counts first.
  EXPECT_EQ(pack({{0, 999, 1001}}),
            "sparseconv.pack: point 0: coordinate 999 on axis 0 is outside "
            "-118 .. 117");
  EXPECT_EQ(pack({{0, 0, 1001}}),
            "sparseconv.pack: point 0: coordinate 1001 on axis 1 is outside "
            "-30 .. 29");
}

/// The error of `op`, which makes %out from %in on a line of 6 bits.
static std::string makeSet(const std::string &op,
                           const std::vector<Point> &points, int64_t ratio) {
  std::string packing = "#sparseconv.packing<i32, batch = 3, bits = [6], guard "
                        "= [4]>>\n";
  std::string text = "!in = !sparseconv.coords<1, stride = [1], " + packing +
                     "!out = !sparseconv.coords<1, stride = [" +
                     std::to_string(ratio) + "], " + packing + R"(
    func.func @f(%points: tensor<?x2xi32>) -> index {
      %in, %order, %row_of = sparseconv.pack %points : tensor<?x2xi32> -> !in
      %out = )" + op +
                     R"(
      %n = sparseconv.size %out : !out
      return %n : index
    })";
  std::string error = runToError(text, {makePoints(points, 2)});
  return error == "no error" ? error : getMessage(error);
}

TEST(Status, NewSetsBeyondThePacking) {
  // -28 .. 27 is what the axis holds.
  std::string expand = "sparseconv.expand %in offsets(box<3>) : !in";
  EXPECT_EQ(makeSet(expand, {{0, -27}, {0, 26}}, 1), "no error");
  EXPECT_EQ(makeSet(expand, {{0, 0}, {0, 27}}, 1),
            "sparseconv.expand: row 1: coordinate 28 on axis 0 is outside "
            "-28 .. 27");
  EXPECT_EQ(makeSet("sparseconv.expand %in offsets(box<3>) clip(<[0] to [9]>) "
                    ": !in",
                    {{0, 0}, {0, 27}}, 1),
            "no error");
  std::string floor = "sparseconv.downsample %in by [3] : !in -> !out";
  EXPECT_EQ(makeSet(floor, {{0, -27}, {0, 27}}, 3), "no error");
  EXPECT_EQ(makeSet(floor, {{0, -28}, {0, 27}}, 3),
            "sparseconv.downsample: row 0: coordinate -30 on axis 0 is outside "
            "-28 .. 27");
}

TEST(Status, Capacity) {
  std::string cover = "sparseconv.downsample %in by [2] cover offsets(box<3>) "
                      "capacity(2) : !in -> !out";
  EXPECT_EQ(makeSet(cover, {{0, 1}}, 2), "no error");
  EXPECT_EQ(makeSet(cover, {{0, 1}, {0, 5}}, 2),
            "sparseconv.downsample: the result has 4 rows, more than its "
            "capacity of 2");
}

/// The error of `ops` on a set of two rows and tensors of some rows.
static std::string runOnSet(const std::string &ops,
                            const std::vector<HostTensor> &args) {
  std::string text = "!set = " + getSetType(1, {1}) + R"(
    !map = !sparseconv.kernel_map<1, !set to !set>
    func.func @f(%x: tensor<?x1xf32>, %z: tensor<?x1xf32>, %rows: tensor<?xi32>,
                 %p: tensor<?x2xf32>, %n: index) {
      %points = arith.constant dense<[[0, 0], [3, 1]]> : tensor<2x2xi32>
      %some = tensor.cast %points : tensor<2x2xi32> to tensor<?x2xi32>
      %none = tensor.extract_slice %some[0, 0] [0, 2] [1, 1]
          : tensor<?x2xi32> to tensor<0x2xi32>
      %no = tensor.cast %none : tensor<0x2xi32> to tensor<?x2xi32>
      %w = arith.constant dense<1.0> : tensor<1x1x1xf32>
      %c, %o, %r = sparseconv.pack %some : tensor<?x2xi32> -> !set
      %e, %o2, %r2 = sparseconv.pack %no : tensor<?x2xi32> -> !set
      %map = sparseconv.kernel_map %c to %c offsets(box<1>) : !map
      %half = sparseconv.kernel_map %c to %e offsets(box<1>) : !map
      )" + ops + R"(
      return
    })";
  std::string error = runToError(text, args);
  return error == "no error" ? error : getMessage(error);
}

static std::vector<HostTensor> makeArgs(int64_t xRows, int64_t zRows,
                                        const std::vector<double> &rows = {},
                                        const std::vector<double> &points = {},
                                        int64_t n = 0) {
  return {HostTensor(ElementKind::F32, {xRows, 1}),
          HostTensor(ElementKind::F32, {zRows, 1}),
          makeI32({static_cast<int64_t>(rows.size())}, rows),
          makeF32({static_cast<int64_t>(points.size()) / 2, 2}, points),
          makeIndex(n)};
}

TEST(Status, RowCounts) {
  const char *conv = "%y = sparseconv.conv %x, %w, %half : tensor<?x1xf32>, "
                     "tensor<1x1x1xf32>, !map -> tensor<?x1xf32>";
  EXPECT_EQ(runOnSet(conv, makeArgs(2, 0)), "no error");
  EXPECT_EQ(runOnSet(conv, makeArgs(5, 0)),
            "sparseconv.conv: 'x' has 5 rows, but the in set of the map has 2");
  const char *epilogue =
      "%y = sparseconv.conv %x, %w, %half epilogue(%z : tensor<?x1xf32>) {\n"
      "^bb0(%acc: f32, %s: f32):\n sparseconv.yield %s : f32\n}"
      " : tensor<?x1xf32>, tensor<1x1x1xf32>, !map -> tensor<?x1xf32>";
  EXPECT_EQ(runOnSet(epilogue, makeArgs(2, 0)), "no error");
  EXPECT_EQ(
      runOnSet(epilogue, makeArgs(2, 1)),
      "sparseconv.conv: epilogue operand 0 has 1 rows, but the out set of the "
      "map has 0");
  const char *inputGrad =
      "%y = sparseconv.input_grad %x, %w, %half : tensor<?x1xf32>, "
      "tensor<1x1x1xf32>, !map -> tensor<?x1xf32>";
  EXPECT_EQ(runOnSet(inputGrad, makeArgs(0, 0)), "no error");
  EXPECT_EQ(runOnSet(inputGrad, makeArgs(2, 0)),
            "sparseconv.input_grad: 'dy' has 2 rows, but the out set of the "
            "map has 0");
  const char *weightGrad =
      "%y = sparseconv.weight_grad %x, %z, %half : tensor<?x1xf32>, "
      "tensor<?x1xf32>, !map -> tensor<1x1x1xf32>";
  EXPECT_EQ(runOnSet(weightGrad, makeArgs(2, 0)), "no error");
  EXPECT_EQ(runOnSet(weightGrad, makeArgs(0, 0)),
            "sparseconv.weight_grad: 'x' has 0 rows, but the in set of the map "
            "has 2");
  EXPECT_EQ(runOnSet(weightGrad, makeArgs(2, 2)),
            "sparseconv.weight_grad: 'dy' has 2 rows, but the out set of the "
            "map has 0");
  EXPECT_EQ(runOnSet("%y = sparseconv.pool sum %x, %half : tensor<?x1xf32>, "
                     "!map -> tensor<?x1xf32>",
                     makeArgs(3, 0)),
            "sparseconv.pool: 'x' has 3 rows, but the in set of the map has 2");
  EXPECT_EQ(runOnSet("%y = sparseconv.pool_grad max %x, %half of %z : "
                     "tensor<?x1xf32>, !map, tensor<?x1xf32> -> "
                     "tensor<?x1xf32>",
                     makeArgs(0, 3)),
            "sparseconv.pool_grad: 'x' has 3 rows, but the in set of the map "
            "has 2");
  EXPECT_EQ(runOnSet("%y = sparseconv.unpool %x, %half : tensor<?x1xf32>, "
                     "!map -> tensor<?x1xf32>",
                     makeArgs(2, 0)),
            "sparseconv.unpool: 'x' has 2 rows, but the out set of the map has "
            "0");
  EXPECT_EQ(runOnSet("%y = sparseconv.global_pool sum %x, %c : "
                     "tensor<?x1xf32>, !set -> tensor<4x1xf32>",
                     makeArgs(1, 0)),
            "sparseconv.global_pool: 'x' has 1 rows, but the coordinate set "
            "has 2");
  EXPECT_EQ(runOnSet("%y = sparseconv.devoxelise nearest %x, %p, %c : "
                     "tensor<?x1xf32>, tensor<?x2xf32>, !set -> "
                     "tensor<?x1xf32>",
                     makeArgs(3, 0)),
            "sparseconv.devoxelise: 'x' has 3 rows, but the coordinate set has "
            "2");
  EXPECT_EQ(runOnSet("%y = sparseconv.to_dense %x, %c origin [0] : "
                     "tensor<?x1xf32>, !set -> tensor<4x2x1xf32>",
                     makeArgs(3, 0)),
            "sparseconv.to_dense: 'x' has 3 rows, but the coordinate set has "
            "2");
  EXPECT_EQ(runOnSet("%m = arith.constant dense<true> : tensor<3xi1>\n"
                     "%k, %l = sparseconv.prune %c, %m : !set, tensor<3xi1>",
                     makeArgs(0, 0)),
            "sparseconv.prune: 'mask' has 3 rows, but the coordinate set has "
            "2");
}

TEST(Status, RowIndices) {
  const char *gather = "%y = sparseconv.gather %x, %rows : tensor<?x1xf32>, "
                       "tensor<?xi32> -> tensor<?x1xf32>";
  EXPECT_EQ(runOnSet(gather, makeArgs(2, 0, {1, -1, 0})), "no error");
  EXPECT_EQ(runOnSet(gather, makeArgs(2, 0, {1, 2, -2})),
            "sparseconv.gather: position 1: row index 2 is outside -1 .. 1");
  const char *scatter =
      "%y = sparseconv.scatter %x, %rows into %n : tensor<?x1xf32>, "
      "tensor<?xi32> -> tensor<?x1xf32>";
  EXPECT_EQ(runOnSet(scatter, makeArgs(2, 0, {4, -1}, {}, 5)), "no error");
  EXPECT_EQ(runOnSet(scatter, makeArgs(2, 0, {-2, 5}, {}, 5)),
            "sparseconv.scatter: position 0: row index -2 is outside -1 .. 4");
  EXPECT_EQ(runOnSet(scatter, makeArgs(2, 0, {0}, {}, 5)),
            "sparseconv.scatter: 'rows' has 1 rows, but 'x' has 2");
  EXPECT_EQ(runOnSet(scatter, makeArgs(2, 0, {0, 0}, {}, -3)),
            "sparseconv.scatter: size -3 is outside 0 .. 2147483646");
}

TEST(Status, PointsGridsAndBatches) {
  double inf = std::numeric_limits<double>::infinity();
  const char *voxelise =
      "%y = sparseconv.voxelise nearest sum %x, %p, %c : tensor<?x1xf32>, "
      "tensor<?x2xf32>, !set -> tensor<?x1xf32>";
  EXPECT_EQ(runOnSet(voxelise, makeArgs(1, 0, {}, {0, 0})), "no error");
  EXPECT_EQ(runOnSet(voxelise, makeArgs(2, 0, {}, {0, 0, 0, inf})),
            "sparseconv.voxelise: point 1: the coordinate on axis 0 is not "
            "finite");
  EXPECT_EQ(runOnSet(voxelise, makeArgs(1, 0, {}, {std::nan(""), inf})),
            "sparseconv.voxelise: point 0: the batch index is not finite");
  EXPECT_EQ(runOnSet(voxelise, makeArgs(3, 0, {}, {0, 0})),
            "sparseconv.voxelise: 'points' has 1 rows, but 'x' has 3");
  EXPECT_EQ(runOnSet("%y = sparseconv.to_dense %x, %c origin [0] : "
                     "tensor<?x1xf32>, !set -> tensor<4x1x1xf32>",
                     makeArgs(2, 0)),
            "sparseconv.to_dense: row 1: coordinate 1 on axis 0 is outside 0 "
            ".. 0");
  EXPECT_EQ(runOnSet("%d = arith.constant dense<0.0> : tensor<3x2x1xf32>\n"
                     "%y = sparseconv.from_dense %d, %c origin [0] : "
                     "tensor<3x2x1xf32>, !set -> tensor<?x1xf32>",
                     makeArgs(0, 0)),
            "sparseconv.from_dense: row 1: batch index 3 is outside 0 .. 2");
  EXPECT_EQ(runOnSet("%y = sparseconv.global_pool avg %x, %c : "
                     "tensor<?x1xf32>, !set -> tensor<3x1xf32>",
                     makeArgs(2, 0)),
            "sparseconv.global_pool: row 1: batch index 3 is not below the "
            "number of items, 3");
  EXPECT_EQ(runOnSet("%y = sparseconv.global_pool avg %x, %c batch(%n) : "
                     "tensor<?x1xf32>, !set -> tensor<?x1xf32>",
                     makeArgs(2, 0, {}, {}, -1)),
            "sparseconv.global_pool: size -1 is outside 0 .. 2147483646");
}

TEST(Status, FirstOperationInProgramOrder) {
  EXPECT_EQ(runOnSet("%y = sparseconv.gather %x, %rows : tensor<?x1xf32>, "
                     "tensor<?xi32> -> tensor<?x1xf32>\n"
                     "%z2 = sparseconv.conv %x, %w, %map : tensor<?x1xf32>, "
                     "tensor<1x1x1xf32>, !map -> tensor<?x1xf32>",
                     makeArgs(1, 0, {9})),
            "sparseconv.gather: position 0: row index 9 is outside -1 .. 0");
}

TEST(Status, MessagesWithoutAnOperation) {
  StatusRecord record;
  EXPECT_EQ(formatStatus(record, "", ""), "no error");
  record.code = static_cast<int64_t>(StatusCode::TooManyRows);
  record.value = kMaxRows + 1;
  record.upper = kMaxRows;
  EXPECT_EQ(formatStatus(record, "sparseconv.pack", "net.mlir:3:8"),
            "net.mlir:3:8: sparseconv.pack: 2147483647 points are more than "
            "2147483646");
  record.code = 999;
  EXPECT_EQ(formatStatus(record, "sparseconv.pack"),
            "sparseconv.pack: unknown status code 999");
}
