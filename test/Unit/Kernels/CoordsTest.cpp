//===- CoordsTest.cpp - encode, decode, floor, spread ---------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include "Points.h"
#include <limits>
#include <omp.h>
#include <optional>

using namespace mlir::sparseconv::test;
using ::sparseconv::StatusCode;
using ::sparseconv::StatusRecord;

static constexpr int64_t kSizes[] = {0, 1, 31, 129, 4999};

static const char *const kCoords = R"(
func.func @encode(%points: memref<?xCOLUMNSxi32>, %status: memref<8xi64>,
                  %keys: memref<?xKEY>, %count: memref<1xindex>) {
  sparseconv.kernel.encode
      ins(%points, %status : memref<?xCOLUMNSxi32>, memref<8xi64>)
      outs(%keys, %count : memref<?xKEY>, memref<1xindex>)
      {set = SET, op_id = 4 : i64}
  return
}
func.func @encode_many(%points: memref<?xCOLUMNSxi32>, %n: index,
                       %status: memref<8xi64>, %keys: memref<?xKEY>,
                       %count: memref<1xindex>) {
  %many = memref.reinterpret_cast %points to offset: [0], sizes: [%n, COLUMNS],
      strides: [COLUMNS, 1]
      : memref<?xCOLUMNSxi32> to memref<?xCOLUMNSxi32, strided<[COLUMNS, 1]>>
  sparseconv.kernel.encode
      ins(%many, %status
          : memref<?xCOLUMNSxi32, strided<[COLUMNS, 1]>>, memref<8xi64>)
      outs(%keys, %count : memref<?xKEY>, memref<1xindex>)
      {set = SET, op_id = 4 : i64}
  return
}
func.func @decode(%keys: memref<?xKEY>, %points: memref<?xCOLUMNSxi32>) {
  sparseconv.kernel.decode ins(%keys : memref<?xKEY>)
      outs(%points : memref<?xCOLUMNSxi32>) {set = SET}
  return
}
func.func @floor_keys(%keys: memref<?xKEY>, %status: memref<8xi64>,
                 %floored: memref<?xKEY>, %count: memref<1xindex>) {
  sparseconv.kernel.floor ins(%keys, %status : memref<?xKEY>, memref<8xi64>)
      outs(%floored, %count : memref<?xKEY>, memref<1xindex>)
      {set = SET, op_id = 4 : i64}
  return
}
func.func @spread(%keys: memref<?xKEY>, %status: memref<8xi64>,
                  %candidates: memref<?xKEY>, %count: memref<1xindex>) {
  sparseconv.kernel.spread ins(%keys, %status : memref<?xKEY>, memref<8xi64>)
      outs(%candidates, %count : memref<?xKEY>, memref<1xindex>)
      {set = SET, op_id = 4 : i64, displacements = array<i64: DISPLACEMENTS>
       CLIP}
  return
})";

namespace {
struct Region {
  std::vector<int64_t> lower, upper;
};
} // namespace

static Kernel
compileCoords(const Space &space, const std::vector<int64_t> &stride,
              const std::vector<std::vector<int64_t>> &displacements,
              const std::optional<Region> &clip = std::nullopt,
              Threads threads = Threads::Sequential) {
  std::vector<int64_t> flat;
  for (const auto &displacement : displacements)
    flat.insert(flat.end(), displacement.begin(), displacement.end());
  std::string region;
  if (clip)
    region = ", clip = #sparseconv.region<[" + join(clip->lower) + "] to [" +
             join(clip->upper) + "]>";
  return Kernel(
      substitute(kCoords, {{"COLUMNS", std::to_string(space.getDim() + 1)},
                           {"KEY", space.getKeyType()},
                           {"SET", space.getSet(stride)},
                           {"DISPLACEMENTS", join(flat)},
                           {"CLIP", region}}),
      threads);
}

static Kernel compileCoords(const Space &space,
                            const std::vector<int64_t> &stride) {
  return compileCoords(space, stride, {std::vector<int64_t>(space.getDim())});
}

static Array<int32_t> toArray(const std::vector<Point> &points, unsigned dim) {
  Array<int32_t> array({static_cast<int64_t>(points.size()), dim + 1});
  int32_t *at = array.begin();
  for (const Point &point : points)
    at = std::copy(point.begin(), point.end(), at);
  return array;
}

/// What `function` ("floor_keys" or "spread") makes of the points; an error is
/// returned in `record`.
template <typename Key>
static std::vector<Key> runOnKeys(Kernel &kernel, const char *function,
                                  const Space &space,
                                  const std::vector<Point> &points,
                                  int64_t bound, StatusRecord &record) {
  auto keys = Array<Key>::of(packAll<Key>(space, points));
  Array<Key> result({bound});
  Array<int64_t> count({1});
  StatusArray status;
  kernel.run(function, keys, status, result, count);
  record = status.get();
  if (count[0] < 0 || count[0] > bound) {
    ADD_FAILURE() << "a count of " << count[0] << ", at most " << bound;
    return {};
  }
  return result.toVector(count[0]);
}

static StatusRecord makeRecord(StatusCode code, int64_t row, int64_t axis,
                               int64_t value, int64_t lower, int64_t upper) {
  return {static_cast<int64_t>(code), 4, row, axis, value, lower, upper, 0};
}

static void expectEqual(const StatusRecord &record,
                        const StatusRecord &expected) {
  EXPECT_EQ(std::vector<int64_t>(&record.code, &record.code + 8),
            std::vector<int64_t>(&expected.code, &expected.code + 8));
}

//===----------------------------------------------------------------------===//
// encode, decode
//===----------------------------------------------------------------------===//

template <typename Key>
static void checkEncode(const Space &space,
                        const std::vector<int64_t> &stride) {
  unsigned dim = space.getDim();
  Kernel kernel = compileCoords(space, stride);
  for (int64_t n : kSizes) {
    std::vector<Point> points = makePoints(n, stride, 20, n);
    // The corners of the packing, where they are multiples.
    if (n > 2 && stride == std::vector<int64_t>(dim, 1))
      for (unsigned axis = 0; axis < dim; ++axis) {
        points[0][axis + 1] = space.getMin(axis);
        points[n - 1][axis + 1] = space.getMax(axis);
        points[n - 1][0] = 3;
      }
    Array<int32_t> array = toArray(points, dim), back({n, dim + 1});
    Array<Key> keys({n});
    Array<int64_t> count({1});
    StatusArray status;
    kernel.run("encode", array, status, keys, count);
    EXPECT_EQ(status.get().code, 0);
    EXPECT_EQ(count[0], n);
    EXPECT_EQ(keys.toVector(), packAll<Key>(space, points));
    kernel.run("decode", keys, back);
    EXPECT_EQ(back.toVector(), array.toVector());
  }
}

TEST(EncodeTest, PacksAndUnpacksInEveryDimension) {
  for (unsigned dim : {1, 2, 3, 4}) {
    checkEncode<uint64_t>(makeSpace(64, dim), std::vector<int64_t>(dim, 1));
    checkEncode<uint32_t>(makeSpace(32, dim), std::vector<int64_t>(dim, 1));
  }
}

TEST(EncodeTest, TakesStrides) {
  checkEncode<uint64_t>(makeSpace(64, 3), {1, 2, 3});
  checkEncode<uint32_t>(makeSpace(32, 2), {3, 1});
}

TEST(EncodeTest, TakesPackingsThatFillTheKey) {
  checkEncode<uint64_t>({64, 8, {20, 20, 16}, {32, 32, 32}}, {1, 1, 1});
  checkEncode<uint32_t>({32, 2, {10, 10, 10}, {1, 2, 3}}, {1, 1, 1});
}

TEST(EncodeTest, TakesPackingsWithoutABatch) {
  Space space{64, 0, {32, 32}, {1, 1}};
  Kernel kernel = compileCoords(space, {1, 1});
  std::vector<Point> points{{0, -5, 7}, {0, 2147483646, -2147483647}};
  Array<int32_t> array = toArray(points, 2), back({2, 3});
  Array<uint64_t> keys({2});
  Array<int64_t> count({1});
  StatusArray status;
  kernel.run("encode", array, status, keys, count);
  EXPECT_EQ(count[0], 2);
  EXPECT_EQ(keys.toVector(), packAll<uint64_t>(space, points));
  kernel.run("decode", keys, back);
  EXPECT_EQ(back.toVector(), array.toVector());
  array[0] = 1;
  kernel.run("encode", array, status, keys, count);
  expectEqual(status.get(), makeRecord(StatusCode::OutOfRange, 0, -1, 1, 0, 0));
}

/// Encodes with `points` and expects `expected`.
static void expectFailure(Kernel &kernel, const Space &space,
                          const std::vector<Point> &points,
                          const StatusRecord &expected) {
  Array<int32_t> array = toArray(points, space.getDim());
  Array<uint64_t> keys({static_cast<int64_t>(points.size())});
  Array<int64_t> count({1});
  StatusArray status;
  kernel.run("encode", array, status, keys, count);
  EXPECT_EQ(count[0], 0);
  expectEqual(status.get(), expected);
}

TEST(EncodeTest, ReportsTheLowestRowThenTheLowestAxis) {
  Space space = makeSpace(64, 3);
  for (Threads threads : {Threads::Sequential, Threads::OpenMP}) {
    Kernel kernel =
        compileCoords(space, {1, 2, 3}, {{0, 0, 0}}, std::nullopt, threads);
    std::vector<Point> good = makePoints(9000, {1, 2, 3}, 20, 1);
    constexpr StatusCode kRange = StatusCode::OutOfRange;
    constexpr StatusCode kStride = StatusCode::NotMultipleOfStride;
    int64_t low = space.getMin(0), high = space.getMax(0);
    int64_t low2 = space.getMin(2), high2 = space.getMax(2);

    std::vector<Point> points = good;
    points[8999][3] = high2 + 1;
    expectFailure(kernel, space, points,
                  makeRecord(kRange, 8999, 2, high2 + 1, low2, high2));
    points[5000][2] = 7;
    expectFailure(kernel, space, points, makeRecord(kStride, 5000, 1, 7, 2, 0));
    points[4097][1] = low - 1;
    points[4097][2] = -1;
    expectFailure(kernel, space, points,
                  makeRecord(kRange, 4097, 0, low - 1, low, high));
    points[17][3] = -1;
    points[17][2] = -3;
    expectFailure(kernel, space, points, makeRecord(kStride, 17, 1, -3, 2, 0));
    points[17][0] = 4;
    expectFailure(kernel, space, points, makeRecord(kRange, 17, -1, 4, 0, 3));
    points[0][0] = -1;
    expectFailure(kernel, space, points, makeRecord(kRange, 0, -1, -1, 0, 3));
    points[0][0] = std::numeric_limits<int32_t>::min();
    expectFailure(kernel, space, points,
                  makeRecord(kRange, 0, -1, points[0][0], 0, 3));
    // On one axis the range comes before the stride.
    points = good;
    points[3][3] = std::numeric_limits<int32_t>::max();
    expectFailure(kernel, space, points,
                  makeRecord(kRange, 3, 2, points[3][3], low2, high2));
  }
}

TEST(EncodeTest, KeepsTheReportOfAnEarlierOperation) {
  Space space = makeSpace(64, 1);
  Kernel kernel = compileCoords(space, {1});
  Array<int32_t> points({1, 2}, {9, 0});
  Array<uint64_t> keys({1});
  Array<int64_t> count({1});
  for (int64_t earlier : {3, 4, 5}) {
    StatusArray status;
    status[0] = 4;
    status[1] = earlier;
    status[2] = 77;
    kernel.run("encode", points, status, keys, count);
    EXPECT_EQ(count[0], 0);
    EXPECT_EQ(status[2], earlier < 5 ? 77 : 0) << earlier;
  }
}

TEST(EncodeTest, ReportsTooManyPoints) {
  Space space = makeSpace(64, 3);
  Kernel kernel = compileCoords(space, {1, 1, 1});
  Array<int32_t> points({1, 4});
  Array<uint64_t> keys({1});
  Array<int64_t> count({1});
  StatusArray status;
  int64_t n = (int64_t(1) << 31) - 1;
  kernel.run("encode_many", points, n, status, keys, count);
  EXPECT_EQ(count[0], 0);
  expectEqual(status.get(),
              makeRecord(StatusCode::TooManyRows, 0, 0, n, 0, n - 1));
}

//===----------------------------------------------------------------------===//
// floor
//===----------------------------------------------------------------------===//

static int64_t floorTo(int64_t value, int64_t stride) {
  int64_t rest = ((value % stride) + stride) % stride;
  return value - rest;
}

template <typename Key>
static void checkFloor(const Space &space, const std::vector<int64_t> &stride) {
  Kernel kernel = compileCoords(space, stride);
  for (int64_t n : kSizes) {
    auto points =
        makePoints(n, std::vector<int64_t>(space.getDim(), 1), 50, n + 1);
    std::vector<Point> expected = points;
    for (Point &point : expected)
      for (unsigned axis = 0; axis < space.getDim(); ++axis)
        point[axis + 1] = floorTo(point[axis + 1], stride[axis]);
    StatusRecord record;
    EXPECT_EQ(runOnKeys<Key>(kernel, "floor_keys", space, points, n, record),
              packAll<Key>(space, expected));
    EXPECT_EQ(record.code, 0);
  }
}

TEST(FloorTest, FloorsToAnyStride) {
  checkFloor<uint64_t>(makeSpace(64, 1), {2});
  checkFloor<uint64_t>(makeSpace(64, 3), {1, 1, 1});
  checkFloor<uint64_t>(makeSpace(64, 3), {2, 4, 8});
  checkFloor<uint64_t>(makeSpace(64, 3), {3, 2, 5});
  checkFloor<uint64_t>(makeSpace(64, 4), {1, 2, 3, 4});
  checkFloor<uint32_t>(makeSpace(32, 2), {2, 2});
  checkFloor<uint32_t>(makeSpace(32, 3), {3, 1, 6});
}

TEST(FloorTest, ReportsResultsBelowThePacking) {
  Space space = makeSpace(64, 3); // guard 8
  for (auto stride : {std::vector<int64_t>{1, 16, 3}, {3, 16, 16}, {2, 3, 5}}) {
    Kernel kernel = compileCoords(space, stride);
    std::vector<Point> points = makePoints(5000, {1, 1, 1}, 20, 3);
    for (unsigned axis = 3; axis-- > 0;) {
      points[4100][axis + 1] = space.getMin(axis);
      points[200 + axis][axis + 1] = space.getMin(axis) + 1;
    }
    std::optional<StatusRecord> expected;
    for (int64_t row = 0; row < 5000 && !expected; ++row)
      for (unsigned axis = 0; axis < 3 && !expected; ++axis) {
        int64_t value = floorTo(points[row][axis + 1], stride[axis]);
        if (value < space.getMin(axis))
          expected = makeRecord(StatusCode::OutOfRange, row, axis, value,
                                space.getMin(axis), space.getMax(axis));
      }
    ASSERT_TRUE(expected);
    StatusRecord record;
    EXPECT_TRUE(
        runOnKeys<uint64_t>(kernel, "floor_keys", space, points, 5000, record)
            .empty());
    expectEqual(record, *expected);
  }
}

//===----------------------------------------------------------------------===//
// spread
//===----------------------------------------------------------------------===//

namespace {
struct Spread {
  Space space;
  std::vector<int64_t> stride;
  std::vector<std::vector<int64_t>> displacements;
  std::optional<Region> clip;

  bool isKept(const Point &point) const {
    for (unsigned axis = 0; axis < space.getDim(); ++axis) {
      int64_t value = point[axis + 1];
      if (value % stride[axis] != 0)
        return false;
      if (clip && (value < clip->lower[axis] || value >= clip->upper[axis]))
        return false;
    }
    return true;
  }

  /// The candidates, or the error.
  std::vector<Point> list(const std::vector<Point> &points,
                          StatusRecord &record) const {
    std::vector<Point> candidates;
    record = {};
    for (size_t row = 0; row < points.size(); ++row)
      for (const auto &displacement : displacements) {
        Point point = points[row];
        for (unsigned axis = 0; axis < space.getDim(); ++axis)
          point[axis + 1] += displacement[axis];
        if (!isKept(point))
          continue;
        for (unsigned axis = 0; axis < space.getDim(); ++axis)
          if (int64_t value = point[axis + 1];
              value < space.getMin(axis) || value > space.getMax(axis)) {
            record = makeRecord(StatusCode::OutOfRange, row, axis, value,
                                space.getMin(axis), space.getMax(axis));
            return {};
          }
        candidates.push_back(point);
      }
    return candidates;
  }

  template <typename Key>
  void check(Kernel &kernel, const std::vector<Point> &points,
             bool fails = false) const {
    StatusRecord expectedRecord, record;
    std::vector<Point> expected = list(points, expectedRecord);
    EXPECT_EQ(expectedRecord.code != 0, fails);
    int64_t bound = points.size() * displacements.size();
    EXPECT_EQ(runOnKeys<Key>(kernel, "spread", space, points, bound, record),
              packAll<Key>(space, expected));
    expectEqual(record, expectedRecord);
  }

  template <typename Key> void checkSizes() const {
    Kernel kernel = compileCoords(space, stride, displacements, clip);
    for (int64_t n : kSizes)
      check<Key>(kernel,
                 makePoints(n, std::vector<int64_t>(space.getDim(), 1), 9, n));
  }
};
} // namespace

static const std::vector<std::vector<int64_t>> kList{
    {0, 0, 1}, {-1, 2, 0}, {0, 0, 0}, {3, 0, -2}, {-8, 8, 8}};

TEST(SpreadTest, AddsEveryDisplacement) {
  Spread{makeSpace(64, 3), {1, 1, 1}, kList, {}}.checkSizes<uint64_t>();
  Spread{makeSpace(32, 3), {1, 1, 1}, kList, {}}.checkSizes<uint32_t>();
  Spread{makeSpace(64, 1), {1}, {{-1}, {1}}, {}}.checkSizes<uint64_t>();
  Spread{makeSpace(64, 4), {1, 1, 1, 1}, {{1, -1, 0, 2}, {0, 0, 0, -1}}, {}}
      .checkSizes<uint64_t>();
}

TEST(SpreadTest, KeepsMultiplesInsideTheClip) {
  Spread{makeSpace(64, 3), {2, 1, 3}, kList, {}}.checkSizes<uint64_t>();
  Spread{makeSpace(64, 3), {4, 2, 2}, kList, {}}.checkSizes<uint64_t>();
  Region clip{{-4, 0, -9}, {5, 9, 1}};
  Spread{makeSpace(64, 3), {1, 1, 1}, kList, clip}.checkSizes<uint64_t>();
  Spread{makeSpace(32, 3), {2, 3, 1}, kList, clip}.checkSizes<uint32_t>();
  Region nothing{{3, 3, 3}, {3, 3, 3}};
  Spread{makeSpace(64, 3), {1, 1, 1}, kList, nothing}.checkSizes<uint64_t>();
}

TEST(SpreadTest, ReportsCandidatesBeyondThePacking) {
  Space space = makeSpace(64, 3);
  std::vector<Point> points = makePoints(9000, {1, 1, 1}, 9, 1);
  // By displacement 0 on axis 2, and 4 on axis 0 (of rows in several blocks).
  points[8000][3] = space.getMax(2);
  points[4500][1] = space.getMin(0) + 2;
  points[4500][3] = space.getMax(2) - 5;
  for (Threads threads : {Threads::Sequential, Threads::OpenMP}) {
    Spread spread{space, {1, 1, 1}, kList, {}};
    Kernel kernel = compileCoords(space, spread.stride, kList, {}, threads);
    spread.check<uint64_t>(kernel, points, /*fails=*/true);
    std::vector<Point> later = points;
    later[4500] = later[0];
    spread.check<uint64_t>(kernel, later, /*fails=*/true);
    // Two axes of one displacement, then two displacements of one row.
    later[20] = {0, space.getMin(0), 0, space.getMax(2) - 3};
    spread.check<uint64_t>(kernel, later, /*fails=*/true);
    later[10] = {0, space.getMin(0), space.getMax(1), space.getMax(2)};
    spread.check<uint64_t>(kernel, later, /*fails=*/true);
  }
}

TEST(SpreadTest, DropsCandidatesBeyondTheClipBeforeTheyCanFail) {
  Space space = makeSpace(64, 3);
  Region clip{{-20, -20, -20}, {20, 20, 20}};
  std::vector<Point> points = makePoints(100, {1, 1, 1}, 9, 1);
  points[50][3] = space.getMax(2);
  Spread spread{space, {1, 1, 1}, kList, clip};
  Kernel kernel = compileCoords(space, spread.stride, kList, clip);
  spread.check<uint64_t>(kernel, points);
}

TEST(SpreadTest, HasTheSameBitsForAnyNumberOfThreads) {
  Spread spread{makeSpace(64, 3), {2, 1, 1}, kList, {}};
  Kernel kernel =
      compileCoords(spread.space, spread.stride, kList, {}, Threads::OpenMP);
  int before = omp_get_max_threads();
  for (int threads : {1, 2, 5}) {
    omp_set_num_threads(threads);
    spread.check<uint64_t>(kernel, makePoints(30000, {1, 1, 1}, 50, 4));
  }
  omp_set_num_threads(before);
}
