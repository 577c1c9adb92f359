//===- GroupPairsTest.cpp - group_pairs -----------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include "Points.h"
#include <random>

using namespace mlir::sparseconv::test;

static const char *const kFunction = R"(
func.func @group(%table: memref<?x6xi32>, %status: memref<8xi64>,
                 %rows: memref<?xi32>, %places: memref<?x6xi32>,
                 %segments: memref<?x7xi64>, %count: memref<1xindex>) {
  sparseconv.kernel.group_pairs
      ins(%table, %status : memref<?x6xi32>, memref<8xi64>)
      outs(%rows, %places, %segments, %count
           : memref<?xi32>, memref<?x6xi32>, memref<?x7xi64>, memref<1xindex>)
      {epsilon = EPSILON : i64, op_id = 1 : i64, row_block = 64 : i64,
       s = BATCHED : i64}
  return
})";
static constexpr int64_t kOffsets = 6, kBlock = 64;

/// Where the places of each offset begin and end, and how many there are.
struct Places {
  int64_t begins[kOffsets], ends[kOffsets], count;
};

/// A table of `rows` rows in which the first, or with `last` the last, sizes[k]
/// rows have offset k.
static Array<int32_t> makeTable(int64_t rows, llvm::ArrayRef<int64_t> sizes,
                                bool last) {
  std::mt19937 random(1);
  Array<int32_t> table({rows, kOffsets});
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t k = 0; k < kOffsets; ++k) {
      bool isPair = (last ? rows - 1 - row : row) < sizes[k];
      table(row, k) = isPair ? static_cast<int32_t>(random() % 1000) : -1;
    }
  return table;
}

static void expectPlaces(const Array<int32_t> &table, int64_t epsilon,
                         int64_t s, const Places &expected) {
  int64_t rows = table.getShape()[0];
  int64_t blocks = (rows + kBlock - 1) / kBlock * kOffsets;
  Array<int32_t> input({rows, kOffsets}, table.toVector());
  Array<int32_t> inRows({blocks * kBlock}), places({rows, kOffsets});
  Array<int64_t> segments({blocks, kOffsets + 1}), count({1});
  StatusArray status;
  Kernel kernel(substitute(kFunction, {{"EPSILON", std::to_string(epsilon)},
                                       {"BATCHED", std::to_string(s)}}),
                Threads::OpenMP);
  kernel.run("group", input, status, inRows, places, segments, count);
  EXPECT_EQ(status.get().getCode(), ::sparseconv::StatusCode::None);
  ASSERT_EQ(count[0], expected.count);

  std::vector<int32_t> rowOf(expected.count, -1);
  for (int64_t k = 0; k < kOffsets; ++k) {
    int64_t next = expected.begins[k];
    for (int64_t row = 0; row < rows; ++row) {
      bool isPair = table(row, k) >= 0;
      EXPECT_EQ(places(row, k), isPair ? next : -1);
      if (isPair)
        rowOf[next++] = table(row, k);
    }
  }
  EXPECT_EQ(inRows.toVector(expected.count), rowOf);
  for (int64_t block = 0; block < expected.count / kBlock; ++block) {
    int64_t first = block * kBlock, next = first;
    for (int64_t k = 0; k < kOffsets; ++k) {
      EXPECT_EQ(segments(block, k), next);
      if (expected.begins[k] <= first)
        next += std::clamp<int64_t>(expected.ends[k] - first, 0, kBlock);
    }
    EXPECT_EQ(segments(block, kOffsets), next);
  }
}

static constexpr int64_t kSizes[kOffsets] = {300, 280, 100, 90, 100, 0};
static constexpr int64_t kLarge = int64_t(1) << 40;

static void expectOf300(int64_t epsilon, int64_t s, const Places &expected) {
  for (bool last : {false, true})
    expectPlaces(makeTable(300, kSizes, last), epsilon, s, expected);
}

TEST(GroupPairsTest, PadsNothingBelowNoSize) {
  expectOf300(
      /*epsilon=*/50, /*s=*/0,
      {{0, 320, 640, 896, 768, 1024}, {300, 600, 740, 986, 868, 1024}, 1024});
}

TEST(GroupPairsTest, JoinsEqualSizes) {
  expectOf300(
      /*epsilon=*/0, kLarge,
      {{0, 320, 640, 896, 768, 1024}, {300, 600, 740, 986, 868, 1024}, 1024});
}

TEST(GroupPairsTest, JoinsSizesWithinEpsilon) {
  // 280 is 6.7 per cent less than 300, and 90 is 10 per cent less than 100.
  expectOf300(
      /*epsilon=*/10, kLarge,
      {{0, 320, 640, 896, 768, 1024}, {300, 620, 740, 996, 868, 1024}, 1024});
  expectOf300(
      /*epsilon=*/9, kLarge,
      {{0, 320, 640, 896, 768, 1024}, {300, 620, 740, 986, 868, 1024}, 1024});
}

TEST(GroupPairsTest, PadsGroupsBelowS) {
  Places small = {
      {0, 320, 640, 896, 768, 1024}, {300, 600, 740, 996, 868, 1024}, 1024};
  Places all = small;
  all.ends[1] = 620;
  expectOf300(/*epsilon=*/10, /*s=*/300, small);
  expectOf300(/*epsilon=*/10, /*s=*/301, all);
}

TEST(GroupPairsTest, MakesOneDenseBatch) {
  expectOf300(/*epsilon=*/100, kLarge,
              {{0, 320, 640, 1280, 960, 1600},
               {300, 620, 940, 1580, 1260, 1900},
               1920});
}

TEST(GroupPairsTest, TakesTablesWithoutPairs) {
  int64_t none[kOffsets] = {};
  for (int64_t rows : {0, 1, 129})
    expectPlaces(makeTable(rows, none, /*last=*/false), /*epsilon=*/100, kLarge,
                 {{}, {}, 0});
}

TEST(GroupPairsTest, TakesManyRows) {
  // Row blocks of the loops that number pairs are smaller.
  expectPlaces(makeTable(9001, {9001, 5000, 1, 0, 64, 8999}, /*last=*/true),
               /*epsilon=*/1, /*s=*/kLarge,
               {{0, 18048, 23168, 23232, 23104, 9024},
                {9001, 23048, 23169, 23232, 23168, 18025},
                23232});
}
