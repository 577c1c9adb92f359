//===- PoolTest.cpp - pooling kernels against float64 ---------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowHelpers.h"
#include <cmath>
#include <limits>
#include <numeric>

using namespace sparseconv;
using namespace sparseconv::test;

namespace {
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kVolume = 8;
const char *const kKinds[] = {"max", "avg", "sum"};

std::string getAttributes(llvm::StringRef kind, bool countsVolume = false) {
  return "kind = #sparseconv<pool_kind " + kind.str() +
         ">, count_kind = #sparseconv<count_kind " +
         (countsVolume ? "volume" : "present") + ">";
}

/// A neighbour table: for each offset a random partial matching of in rows and
/// out rows. Every seventh out row has no neighbour.
HostTensor makeTable(std::mt19937 &random, int64_t outRows, int64_t inRows) {
  HostTensor table(ElementKind::I32, {outRows, kVolume});
  std::vector<int32_t> order(inRows);
  std::iota(order.begin(), order.end(), 0);
  for (int64_t k = 0; k < kVolume; ++k) {
    std::shuffle(order.begin(), order.end(), random);
    for (int64_t r = 0; r < outRows; ++r) {
      bool isAbsent = r >= inRows || r % 7 == 6 || random() % 5 < 2;
      table.as<int32_t>()[r * kVolume + k] = isAbsent ? -1 : order[r];
    }
  }
  return table;
}

HostTensor invert(const HostTensor &table, int64_t inRows) {
  HostTensor inverse(ElementKind::I32, {inRows, kVolume});
  llvm::fill(inverse.as<int32_t>(), -1);
  for (int64_t r = 0; r < table.getDim(0); ++r)
    for (int64_t k = 0; k < kVolume; ++k)
      if (int32_t i = table.as<int32_t>()[r * kVolume + k]; i >= 0)
        inverse.as<int32_t>()[i * kVolume + k] = r;
  return inverse;
}

int64_t countPresent(const HostTensor &table, int64_t row) {
  return llvm::count_if(table.as<int32_t>().slice(row * kVolume, kVolume),
                        [](int32_t entry) { return entry >= 0; });
}

void testPool(const HostTensor &x, const HostTensor &table,
              llvm::StringRef kind, bool countsVolume) {
  int64_t rows = table.getDim(0), channels = x.getDim(1);
  KernelResult result = runKernel({"pool",
                                   getAttributes(kind, countsVolume),
                                   {x, table},
                                   {HostTensor(x.getKind(), {rows, channels})},
                                   /*hasStatus=*/false});
  std::vector<Sum> sums(rows * channels);
  std::vector<double> largest(rows * channels);
  for (int64_t r = 0; r < rows; ++r) {
    int64_t present = countPresent(table, r);
    for (int64_t c = 0; c < channels; ++c) {
      Sum &sum = sums[r * channels + c];
      double &best = largest[r * channels + c];
      for (int64_t k = 0; k < kVolume; ++k) {
        int32_t i = table.as<int32_t>()[r * kVolume + k];
        if (i < 0)
          continue;
        double term = x.getDouble(i * channels + c);
        if (sum.terms == 0 || isGreater(term, best))
          best = term;
        sum.add(term);
      }
      if (kind == "avg" && present > 0)
        sum.divide(countsVolume ? kVolume : present);
    }
  }
  if (kind == "max")
    expectValues(result.outs[0], largest);
  else
    expectSums(result.outs[0], sums);
}

TEST(PoolKernel, MatchesFloat64) {
  std::mt19937 random(1);
  for (auto [element, channels] : kElementsAndChannels)
    for (int64_t rows : kRowCounts) {
      int64_t inRows = rows + rows / 3;
      HostTensor x = makeNormal(random, element, {inRows, channels});
      HostTensor table = makeTable(random, rows, inRows);
      for (const char *kind : kKinds)
        testPool(x, table, kind, /*countsVolume=*/false);
      testPool(x, table, "avg", /*countsVolume=*/true);
    }
}

TEST(PoolKernel, ChannelsOfNoStaticNumber) {
  std::mt19937 random(7);
  HostTensor x = makeNormal(random, ElementKind::F16, {300, 37});
  HostTensor table = makeTable(random, 300, 300);
  KernelCall call{"pool",
                  getAttributes("max"),
                  {x, table},
                  {HostTensor(ElementKind::F16, {300, 37})},
                  /*hasStatus=*/false};
  Tensors expected = runKernel(call).outs;
  call.dynamicChannels = true;
  Tensors found = runKernel(call).outs;
  EXPECT_EQ(found[0].as<uint16_t>(), expected[0].as<uint16_t>());
}

TEST(PoolKernel, MaximumKeepsTheFirstOfEqualsAndNaN) {
  int64_t channels = 17;
  const double rows[] = {0.0, -0.0, 1.0, kNaN, -kInfinity, kInfinity};
  HostTensor x(ElementKind::F32, {6, channels});
  for (int64_t i = 0; i < 6 * channels; ++i)
    x.setDouble(i, rows[i / channels]);
  std::vector<int64_t> entries;
  auto addRow = [&](std::vector<int64_t> row) {
    row.resize(kVolume, -1);
    entries.insert(entries.end(), row.begin(), row.end());
  };
  addRow({0, 1});
  addRow({1, 0});
  addRow({-1, 3, 5});
  addRow({5, 3, 2});
  addRow({-1, -1, 4});
  addRow({});
  HostTensor y(ElementKind::F32, {6, channels});
  KernelResult result = runKernel({"pool",
                                   getAttributes("max"),
                                   {x, makeI32({6, kVolume}, entries)},
                                   {y},
                                   /*hasStatus=*/false});
  const double expected[] = {0.0, -0.0, kNaN, kNaN, -kInfinity, 0.0};
  for (int64_t i = 0; i < 6 * channels; ++i) {
    double value = result.outs[0].getDouble(i), wanted = expected[i / channels];
    EXPECT_EQ(std::isnan(value), std::isnan(wanted));
    if (!std::isnan(wanted)) {
      EXPECT_EQ(value, wanted);
      EXPECT_EQ(std::signbit(value), std::signbit(wanted)) << i / channels;
    }
  }
}

void testPoolGrad(const HostTensor &dy, const HostTensor &table,
                  const HostTensor &x, llvm::StringRef kind,
                  bool countsVolume) {
  int64_t channels = dy.getDim(1), inRows = x.getDim(0);
  KernelResult result =
      runKernel({"pool_grad",
                 getAttributes(kind, countsVolume),
                 {dy, table, invert(table, inRows), kind == "max" ? x : dy},
                 {HostTensor(dy.getKind(), {inRows, channels})},
                 /*hasStatus=*/false});
  std::vector<Sum> sums(inRows * channels);
  for (int64_t r = 0; r < table.getDim(0); ++r) {
    double divisor = kind != "avg"  ? 1.0
                     : countsVolume ? double(kVolume)
                                    : double(countPresent(table, r));
    for (int64_t c = 0; c < channels; ++c) {
      int64_t winner = -1;
      double gradient = dy.getDouble(r * channels + c);
      for (int64_t k = 0; k < kVolume; ++k) {
        int64_t i = table.as<int32_t>()[r * kVolume + k];
        if (i < 0)
          continue;
        if (kind != "max")
          sums[i * channels + c].add(gradient / divisor);
        else if (winner < 0 || isGreater(x.getDouble(i * channels + c),
                                         x.getDouble(winner * channels + c)))
          winner = i;
      }
      if (winner >= 0)
        sums[winner * channels + c].add(gradient);
    }
  }
  expectSums(result.outs[0], sums);
}

TEST(PoolGradKernel, MatchesFloat64) {
  std::mt19937 random(2);
  for (auto [element, channels] : kElementsAndChannels)
    for (int64_t rows : kRowCounts) {
      int64_t inRows = rows + rows / 3;
      HostTensor dy = makeNormal(random, element, {rows, channels});
      HostTensor table = makeTable(random, rows, inRows);
      // Whole numbers, so that many are equal, and some NaN.
      HostTensor x = makeNormal(random, element, {inRows, channels});
      for (int64_t i = 0; i < x.getNumElements(); ++i)
        x.setDouble(i, random() % 16 == 0 ? kNaN : std::round(x.getDouble(i)));
      for (const char *kind : kKinds)
        testPoolGrad(dy, table, x, kind, /*countsVolume=*/false);
      testPoolGrad(dy, table, x, "avg", /*countsVolume=*/true);
    }
}

// The winner may be the lowest number that there is.
TEST(PoolGradKernel, MaximumOfMinusInfinity) {
  HostTensor dy = makeF32({1, 1}, {3}), x = makeF32({2, 1}, {0, 0});
  llvm::fill(x.as<float>(), -INFINITY);
  HostTensor table = makeI32({1, kVolume}, {-1, 1, 0, -1, -1, -1, -1, -1});
  KernelResult result = runKernel({"pool_grad",
                                   getAttributes("max"),
                                   {dy, table, invert(table, 2), x},
                                   {HostTensor(ElementKind::F32, {2, 1})},
                                   /*hasStatus=*/false});
  expectValues(result.outs[0], {0, 3});
}

//===----------------------------------------------------------------------===//
// Pooling of batch items
//===----------------------------------------------------------------------===//

const TestSet kBatched{64, 8, {16, 16, 16}, {1, 1, 1}};
const TestSet kNarrow{32, 6, {9, 9, 8}, {1, 1, 1}};
const TestSet kUnbatched{64, 0, {22, 22, 20}, {1, 1, 1}};

using Points = std::vector<std::vector<int64_t>>;

KernelCall getGlobalPool(const TestSet &set, const HostTensor &x,
                         const Points &points, llvm::StringRef kind,
                         int64_t items) {
  return {"global_pool",
          "kind = #sparseconv<pool_kind " + kind.str() +
              ">, packing = " + set.getPacking() + ", op_id = 5 : i64",
          {x, set.getKeys(points)},
          {HostTensor(x.getKind(), {items, x.getDim(1)})}};
}

/// Rows beyond the items are left out, as the kernels do.
void testGlobalPool(const TestSet &set, const HostTensor &x,
                    const Points &points, llvm::StringRef kind, int64_t items) {
  int64_t channels = x.getDim(1);
  KernelResult result = runKernel(getGlobalPool(set, x, points, kind, items));
  std::vector<Sum> sums(items * channels);
  std::vector<double> largest(items * channels);
  int64_t outside = -1;
  for (auto [row, point] : llvm::enumerate(points)) {
    if (point[0] >= items) {
      outside = outside < 0 ? int64_t(row) : outside;
      continue;
    }
    for (int64_t c = 0; c < channels; ++c) {
      Sum &sum = sums[point[0] * channels + c];
      double &best = largest[point[0] * channels + c];
      double term = x.getDouble(row * channels + c);
      if (sum.terms == 0 || isGreater(term, best))
        best = term;
      sum.add(term);
    }
  }
  if (kind == "avg")
    for (Sum &sum : sums)
      if (sum.terms > 0)
        sum.divide(sum.terms);
  if (kind == "max")
    expectValues(result.outs[0], largest);
  else
    expectSums(result.outs[0], sums);
  if (outside < 0)
    return expectNoError(result.status);
  EXPECT_EQ(result.status.getCode(), StatusCode::BatchOutOfRange);
  EXPECT_EQ(result.status.opId, 5);
  EXPECT_EQ(result.status.row, outside);
  EXPECT_EQ(result.status.value, points[outside][0]);
  EXPECT_EQ(result.status.upper, items);
}

void testGlobalPoolGrad(const TestSet &set, const HostTensor &dy,
                        const Points &points, const HostTensor &x,
                        llvm::StringRef kind) {
  int64_t items = dy.getDim(0), channels = dy.getDim(1);
  KernelCall call = getGlobalPool(set, x, points, kind, items);
  call.mnemonic += "_grad";
  call.ins = {dy, call.ins[1], x};
  call.outs = {HostTensor(dy.getKind(), x.getShape())};
  KernelResult result = runKernel(call);
  std::vector<int64_t> counts(items);
  std::vector<int64_t> winners(items * channels, -1);
  bool isOutside = false;
  for (auto [row, point] : llvm::enumerate(points)) {
    if (point[0] >= items) {
      isOutside = true;
      continue;
    }
    ++counts[point[0]];
    for (int64_t c = 0; c < channels; ++c) {
      int64_t &winner = winners[point[0] * channels + c];
      if (winner < 0 || isGreater(x.getDouble(row * channels + c),
                                  x.getDouble(winner * channels + c)))
        winner = row;
    }
  }
  std::vector<Sum> sums(x.getNumElements());
  for (auto [row, point] : llvm::enumerate(points))
    for (int64_t c = 0; c < channels && point[0] < items; ++c) {
      double gradient = dy.getDouble(point[0] * channels + c);
      if (kind == "avg")
        gradient /= counts[point[0]];
      if (kind != "max" ||
          winners[point[0] * channels + c] == static_cast<int64_t>(row))
        sums[row * channels + c].add(gradient);
    }
  expectSums(result.outs[0], sums);
  EXPECT_EQ(result.status.getCode(),
            isOutside ? StatusCode::BatchOutOfRange : StatusCode::None);
}

TEST(GlobalPoolKernel, MatchesFloat64) {
  std::mt19937 random(3);
  for (auto [element, channels] : kElementsAndChannels)
    for (int64_t count : kRowCounts) {
      // Item 2 and the last two are empty.
      Points points = kBatched.makePoints(random, count, 5, 40);
      llvm::erase_if(points, [](auto &point) { return point[0] == 2; });
      int64_t rows = points.size();
      HostTensor x = makeNormal(random, element, {rows, channels});
      HostTensor dy = makeNormal(random, element, {7, channels});
      for (const char *kind : kKinds) {
        testGlobalPool(kBatched, x, points, kind, 7);
        testGlobalPoolGrad(kBatched, dy, points, x, kind);
      }
    }
}

TEST(GlobalPoolKernel, FieldsOfOtherWidths) {
  std::mt19937 random(4);
  for (const TestSet &set : {kNarrow, kUnbatched}) {
    int64_t batches = set.batchBits ? 64 : 1;
    Points points = set.makePoints(random, 500, batches, 20);
    HostTensor x =
        makeNormal(random, ElementKind::F32, {int64_t(points.size()), 16});
    for (int64_t items :
         {int64_t(0), int64_t(1), batches / 2, batches, batches + 3}) {
      HostTensor dy = makeNormal(random, ElementKind::F32, {items, 16});
      for (const char *kind : kKinds) {
        testGlobalPool(set, x, points, kind, items);
        testGlobalPoolGrad(set, dy, points, x, kind);
      }
    }
  }
}

TEST(GlobalPoolKernel, ChannelsOfNoStaticNumber) {
  std::mt19937 random(8);
  Points points = kBatched.makePoints(random, 400, 3, 20);
  int64_t rows = points.size();
  HostTensor x = makeNormal(random, ElementKind::F32, {rows, 37});
  KernelCall call = getGlobalPool(kBatched, x, points, "avg", 3);
  Tensors expected = runKernel(call).outs;
  call.dynamicChannels = true;
  Tensors found = runKernel(call).outs;
  EXPECT_EQ(found[0].as<float>(), expected[0].as<float>());
}

TEST(GlobalPoolKernel, MaximumOfNaN) {
  Points points = {{0, 0, 0, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}, {1, 0, 0, 1}};
  HostTensor x = makeF32({4, 1}, {1, 2, -INFINITY, -INFINITY});
  x.setDouble(0, kNaN);
  testGlobalPool(kBatched, x, points, "max", 2);
  testGlobalPoolGrad(kBatched, makeF32({2, 1}, {3, 4}), points, x, "max");
}

TEST(GlobalPoolKernel, KeepsTheErrorOfAnEarlierOperation) {
  HostTensor x = makeF32({1, 1}, {1});
  KernelCall call = getGlobalPool(kBatched, x, {{9, 0, 0, 0}}, "sum", 2);
  call.status.code = static_cast<int64_t>(StatusCode::OverCapacity);
  call.status.opId = 4;
  EXPECT_EQ(runKernel(call).status.getCode(), StatusCode::OverCapacity);
  call.status.opId = 6;
  EXPECT_EQ(runKernel(call).status.getCode(), StatusCode::BatchOutOfRange);
}
} // namespace
