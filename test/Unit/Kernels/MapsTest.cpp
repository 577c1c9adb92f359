//===- MapsTest.cpp - search, invert_table, pair_lists --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include "Points.h"
#include <map>
#include <omp.h>
#include <random>

using namespace mlir::sparseconv::test;

using Offsets = std::vector<std::vector<int64_t>>;

/// A box of offsets from `low` to `high` on every axis, times `scale`.
static Offsets makeBox(unsigned dim, int64_t low, int64_t high,
                       int64_t scale = 1) {
  Offsets offsets{{}};
  for (unsigned axis = 0; axis < dim; ++axis) {
    Offsets next;
    for (const auto &offset : offsets)
      for (int64_t value = low; value <= high; ++value) {
        next.push_back(offset);
        next.back().push_back(value * scale);
      }
    offsets = next;
  }
  return offsets;
}

/// Neighbour tables and all that is made of them.
static const char *const kMaps = R"(
func.func @search(%in: memref<?xKEY>, %out: memref<?xKEY>,
                  %table: memref<?xVOLUMExi32>) {
  sparseconv.kernel.search
      ins(%in, %out : memref<?xKEY>, memref<?xKEY>)
      outs(%table : memref<?xVOLUMExi32>)
      {displacements = array<i64: DISPLACEMENTS>, packing = PACKING,
       search = #sparseconv.search<zdelta>}
  return
}
func.func @invert(%table: memref<?xVOLUMExi32>,
                  %inverse: memref<?xVOLUMExi32>) {
  sparseconv.kernel.invert_table
      ins(%table : memref<?xVOLUMExi32>) outs(%inverse : memref<?xVOLUMExi32>)
  return
}
func.func @pairs(%table: memref<?xVOLUMExi32>, %in_rows: memref<?xi32>,
                 %out_rows: memref<?xi32>, %segments: memref<?x?xi64>) {
  sparseconv.kernel.pair_lists
      ins(%table : memref<?xVOLUMExi32>)
      outs(%in_rows, %out_rows, %segments
           : memref<?xi32>, memref<?xi32>, memref<?x?xi64>) {row_block = 64 : i64}
  return
})";
static constexpr int64_t kBlock = 64;

static Kernel compileMaps(const Space &space, const Offsets &offsets,
                          Threads threads = Threads::Sequential) {
  std::vector<int64_t> flat;
  for (const auto &offset : offsets)
    flat.insert(flat.end(), offset.begin(), offset.end());
  return Kernel(substitute(kMaps, {{"KEY", space.getKeyType()},
                                   {"VOLUME", std::to_string(offsets.size())},
                                   {"DISPLACEMENTS", join(flat)},
                                   {"PACKING", space.getPacking()}}),
                threads);
}

static std::vector<int32_t> findNeighbours(const std::vector<Point> &in,
                                           const std::vector<Point> &out,
                                           const Offsets &offsets) {
  std::map<Point, int32_t> rows;
  for (const Point &point : in)
    rows.emplace(point, static_cast<int32_t>(rows.size()));
  std::vector<int32_t> table;
  for (const Point &center : out)
    for (const auto &offset : offsets) {
      Point point = center;
      for (size_t axis = 0; axis < offset.size(); ++axis)
        point[axis + 1] += offset[axis];
      auto it = rows.find(point);
      table.push_back(it == rows.end() ? -1 : it->second);
    }
  return table;
}

template <typename Key>
static void checkSearch(Kernel &kernel, const Space &space,
                        const std::vector<Point> &in,
                        const std::vector<Point> &out, const Offsets &offsets) {
  auto inKeys = Array<Key>::of(packAll<Key>(space, in));
  auto outKeys = Array<Key>::of(packAll<Key>(space, out));
  Array<int32_t> table(
      {static_cast<int64_t>(out.size()), static_cast<int64_t>(offsets.size())});
  kernel.run("search", inKeys, outKeys, table);
  EXPECT_EQ(table.toVector(), findNeighbours(in, out, offsets))
      << in.size() << " to " << out.size() << " rows, " << offsets.size()
      << " offsets of " << space.getDim() << " axes";
}

/// Searches of sets of many sizes, on one another and on themselves.
template <typename Key>
static void checkSearches(unsigned dim, const Offsets &offsets,
                          int64_t inStride = 1, int64_t outStride = 1) {
  Space space = makeSpace(8 * sizeof(Key), dim);
  Kernel kernel = compileMaps(space, offsets);
  int64_t extents[] = {2000, 40, 12, 5};
  unsigned seed = 1;
  for (int64_t n : {0, 1, 31, 129, 4999}) {
    auto extent =
        std::min<int64_t>(extents[dim - 1], (space.getMax(dim - 1) /
                                             std::max(inStride, outStride)));
    auto in = makeSet(
        makePoints(n, std::vector<int64_t>(dim, inStride), extent, seed++));
    auto out = makeSet(makePoints(
        n / 2 + 3, std::vector<int64_t>(dim, outStride), extent, seed++));
    checkSearch<Key>(kernel, space, in, out, offsets);
    checkSearch<Key>(kernel, space, out, in, offsets);
    checkSearch<Key>(kernel, space, in, in, offsets);
  }
}

TEST(SearchTest, FindsNeighboursInEveryDimension) {
  for (unsigned dim : {1, 2, 3, 4}) {
    checkSearches<uint64_t>(dim, makeBox(dim, -1, 1));
    checkSearches<uint32_t>(dim, makeBox(dim, -1, 1));
  }
}

TEST(SearchTest, TakesBoxesOfBothConventions) {
  checkSearches<uint64_t>(3, makeBox(3, 0, 1));
  checkSearches<uint64_t>(3, makeBox(3, -2, 2));
  checkSearches<uint32_t>(2, makeBox(2, 0, 3));
  // (1, 3, 1): each column has one offset.
  checkSearches<uint64_t>(3, {{0, -1, 0}, {0, 0, 0}, {0, 1, 0}});
}

TEST(SearchTest, TakesTheOneOffsetOfZero) {
  checkSearches<uint64_t>(3, {{0, 0, 0}});
  checkSearches<uint32_t>(1, {{0}});
}

TEST(SearchTest, TakesDilationAndStrides) {
  checkSearches<uint64_t>(3, makeBox(3, -1, 1, 2));
  checkSearches<uint64_t>(3, makeBox(3, -1, 1, 3), 3, 3);
  checkSearches<uint64_t>(3, makeBox(3, 0, 1), 1, 2);
  checkSearches<uint64_t>(3, makeBox(3, -1, 0), 2, 1);
  checkSearches<uint32_t>(2, makeBox(2, -1, 1, 2), 2, 4);
}

TEST(SearchTest, TakesListsInAnyOrder) {
  Offsets list{{0, 0, 1}, {0, 0, -3}, {5, -2, 0}, {0, 0, 0},
               {0, 1, 7}, {0, 0, 6},  {-8, 8, -8}};
  checkSearches<uint64_t>(3, list);
  checkSearches<uint32_t>(3, list);
  // The same one twice, which no network has, is found twice.
  checkSearches<uint64_t>(2, {{0, 1}, {0, 0}, {0, 1}});
}

TEST(SearchTest, CrossesLongGaps) {
  Space space = makeSpace(64, 3);
  Offsets offsets = makeBox(3, -1, 1);
  Kernel kernel = compileMaps(space, offsets);
  std::vector<Point> in = makeSet(makePoints(30000, {1, 1, 1}, 30, 5)), out;
  for (size_t i = 0; i < in.size(); i += 97)
    out.push_back(in[i]);
  checkSearch<uint64_t>(kernel, space, in, out, offsets);
}

/// Corners of the packing, displaced by their guards. Where the fields fill the
/// key, one query is the all-ones key.
static void checkCorners(const Space &space) {
  Offsets offsets = makeBox(3, -1, 1, 8);
  Kernel kernel = compileMaps(space, offsets);
  std::vector<Point> corners;
  for (int64_t batch : {0, 1, 3})
    for (unsigned corner = 0; corner < 8; ++corner) {
      Point point{batch};
      for (unsigned axis = 0; axis < 3; ++axis)
        point.push_back(corner >> axis & 1 ? space.getMax(axis)
                                           : space.getMin(axis));
      corners.push_back(point);
    }
  auto set = makeSet(corners);
  checkSearch<uint32_t>(kernel, space, set, set, offsets);
}

TEST(SearchTest, ReachesTheEndsOfThePacking) {
  checkCorners(makeSpace(32, 3));
  checkCorners({32, 2, {10, 10, 10}, {8, 8, 8}});
}

/// A random table with few neighbours: each input at most once per offset.
static std::vector<int32_t> makeTable(int64_t rows, int64_t inRows,
                                      int64_t volume, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int32_t> table(rows * volume, -1);
  for (int64_t k = 0; k < volume; ++k) {
    std::vector<int32_t> inputs(std::max(rows, inRows), -1);
    for (int64_t i = 0; i < inRows; ++i)
      inputs[i] = random() % 4 == 0 ? static_cast<int32_t>(i) : -1;
    std::shuffle(inputs.begin(), inputs.end(), random);
    for (int64_t r = 0; r < rows; ++r)
      table[r * volume + k] = inputs[r];
  }
  return table;
}

TEST(InvertTableTest, SwapsTheSides) {
  constexpr int64_t kVolume = 7;
  Kernel kernel = compileMaps(makeSpace(64, 3), Offsets(kVolume, {0, 0, 0}));
  for (auto [rows, inRows] : {std::pair<int64_t, int64_t>{0, 0},
                              {1, 1},
                              {0, 31},
                              {31, 0},
                              {31, 129},
                              {4999, 3000},
                              {129, 9000}}) {
    std::vector<int32_t> entries = makeTable(rows, inRows, kVolume, rows);
    std::vector<int32_t> expected(inRows * kVolume, -1);
    for (int64_t i = 0; i < rows * kVolume; ++i)
      if (entries[i] >= 0)
        expected[entries[i] * kVolume + i % kVolume] =
            static_cast<int32_t>(i / kVolume);
    Array<int32_t> table({rows, kVolume}, entries), inverse({inRows, kVolume});
    kernel.run("invert", table, inverse);
    EXPECT_EQ(inverse.toVector(), expected) << rows << " and " << inRows;
  }
}

namespace {
struct Pairs {
  std::vector<int32_t> inRows, outRows;
  std::vector<int64_t> segments;
};
} // namespace

static Pairs listPairs(const std::vector<int32_t> &table, int64_t volume) {
  Pairs pairs;
  int64_t rows = table.size() / volume;
  for (int64_t begin = 0; begin < rows; begin += kBlock) {
    for (int64_t k = 0; k < volume; ++k) {
      pairs.segments.push_back(pairs.inRows.size());
      for (int64_t r = begin; r < std::min(begin + kBlock, rows); ++r)
        if (int32_t in = table[r * volume + k]; in >= 0) {
          pairs.inRows.push_back(in);
          pairs.outRows.push_back(static_cast<int32_t>(r));
        }
    }
    pairs.segments.push_back(pairs.inRows.size());
  }
  return pairs;
}

static void checkPairs(Kernel &kernel, int64_t rows, int64_t volume,
                       const std::vector<int32_t> &entries) {
  Array<int32_t> table({rows, volume}, entries);
  Array<int32_t> inRows({rows * volume}), outRows({rows * volume});
  Array<int64_t> segments({(rows + kBlock - 1) / kBlock, volume + 1});
  kernel.run("pairs", table, inRows, outRows, segments);
  Pairs expected = listPairs(entries, volume);
  int64_t count = expected.inRows.size();
  EXPECT_EQ(segments.toVector(), expected.segments) << rows << " rows";
  EXPECT_EQ(inRows.toVector(count), expected.inRows) << rows << " rows";
  EXPECT_EQ(outRows.toVector(count), expected.outRows) << rows << " rows";
}

TEST(PairListsTest, OrdersPairsByBlockAndOffset) {
  constexpr int64_t kVolume = 7;
  Kernel kernel = compileMaps(makeSpace(64, 3), Offsets(kVolume, {0, 0, 0}));
  for (int64_t rows : {0, 1, 31, 63, 64, 65, 129, 4999}) {
    checkPairs(kernel, rows, kVolume, makeTable(rows, rows, kVolume, rows));
    checkPairs(kernel, rows, kVolume, std::vector<int32_t>(rows * kVolume, -1));
    checkPairs(kernel, rows, kVolume, std::vector<int32_t>(rows * kVolume, 5));
  }
}

TEST(MapsTest, HaveTheSameBitsForAnyNumberOfThreads) {
  Space space = makeSpace(64, 3);
  Offsets offsets = makeBox(3, -1, 1);
  Kernel kernel = compileMaps(space, offsets, Threads::OpenMP);
  auto points = makeSet(makePoints(20000, {1, 1, 1}, 15, 2));
  auto keys = Array<uint64_t>::of(packAll<uint64_t>(space, points));
  int64_t rows = points.size();
  std::vector<int32_t> expected = findNeighbours(points, points, offsets);
  int before = omp_get_max_threads();
  for (int threads : {1, 2, 5}) {
    omp_set_num_threads(threads);
    Array<int32_t> table({rows, 27}), inverse({rows, 27});
    kernel.run("search", keys, keys, table);
    EXPECT_EQ(table.toVector(), expected);
    checkPairs(kernel, rows, 27, expected);
    kernel.run("invert", table, inverse);
    // A map of a set to itself by a symmetric box: offset k and 26 - k swap.
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t k = 0; k < 27; ++k)
        ASSERT_EQ(inverse(r, k), table(r, 26 - k));
  }
  omp_set_num_threads(before);
}
