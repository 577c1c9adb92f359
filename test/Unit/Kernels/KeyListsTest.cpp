//===- KeyListsTest.cpp - sort, unique, select, intersect -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include "Points.h"
#include <numeric>
#include <omp.h>
#include <random>

using namespace mlir::sparseconv::test;
using ::sparseconv::StatusCode;
using ::sparseconv::StatusRecord;

static const char *const kLists = R"(
func.func @sort(%keys: memref<?xKEY>, %sorted: memref<?xKEY>,
                %permutation: memref<?xi32>) {
  sparseconv.kernel.sort ins(%keys : memref<?xKEY>)
      outs(%sorted, %permutation : memref<?xKEY>, memref<?xi32>)
      {fields = array<i64: BITS>}
  return
}
func.func @sort_slice(%keys: memref<?xKEY>, %sorted: memref<?xKEY>,
                      %permutation: memref<?xi32>, %at: index, %n: index) {
  %0 = memref.subview %keys[%at][%n][1]
      : memref<?xKEY> to memref<?xKEY, strided<[1], offset: ?>>
  %1 = memref.subview %sorted[%at][%n][1]
      : memref<?xKEY> to memref<?xKEY, strided<[1], offset: ?>>
  %2 = memref.subview %permutation[%at][%n][1]
      : memref<?xi32> to memref<?xi32, strided<[1], offset: ?>>
  sparseconv.kernel.sort ins(%0 : memref<?xKEY, strided<[1], offset: ?>>)
      outs(%1, %2 : memref<?xKEY, strided<[1], offset: ?>>,
                    memref<?xi32, strided<[1], offset: ?>>)
      {fields = array<i64: BITS>}
  return
}
func.func @unique(%sorted: memref<?xKEY>, %permutation: memref<?xi32>,
                  %status: memref<8xi64>, %keys: memref<?xKEY>,
                  %order: memref<?xi32>, %row_of: memref<?xi32>,
                  %count: memref<1xindex>) {
  sparseconv.kernel.unique
      ins(%sorted, %permutation, %status
          : memref<?xKEY>, memref<?xi32>, memref<8xi64>)
      outs(%keys, %order, %row_of, %count
           : memref<?xKEY>, memref<?xi32>, memref<?xi32>, memref<1xindex>)
      {capacity = CAPACITY : i64, op_id = 3 : i64}
  return
}
func.func @select(%keys: memref<?xKEY>, %mask: memref<?xi1>,
                  %status: memref<8xi64>, %kept: memref<?xKEY>,
                  %rows: memref<?xi32>, %count: memref<1xindex>) {
  sparseconv.kernel.select
      ins(%keys, %mask, %status : memref<?xKEY>, memref<?xi1>, memref<8xi64>)
      outs(%kept, %rows, %count
           : memref<?xKEY>, memref<?xi32>, memref<1xindex>) {op_id = 3 : i64}
  return
}
func.func @intersect(%lhs: memref<?xKEY>, %rhs: memref<?xKEY>,
                     %keys: memref<?xKEY>, %lhs_rows: memref<?xi32>,
                     %rhs_rows: memref<?xi32>, %count: memref<1xindex>) {
  sparseconv.kernel.intersect
      ins(%lhs, %rhs : memref<?xKEY>, memref<?xKEY>)
      outs(%keys, %lhs_rows, %rhs_rows, %count
           : memref<?xKEY>, memref<?xi32>, memref<?xi32>, memref<1xindex>)
  return
})";

template <typename Key>
static Kernel compileLists(int64_t capacity = 2147483646,
                           Threads threads = Threads::Sequential) {
  std::string width = std::to_string(8 * sizeof(Key));
  return Kernel(substitute(kLists, {{"KEY", "i" + width},
                                    {"BITS", width},
                                    {"CAPACITY", std::to_string(capacity)}}),
                threads);
}

static constexpr int64_t kSizes[] = {0, 1, 31, 129, 4095, 4096, 4097, 9001};

/// Keys with the top bit at times, each about `repeats` times.
template <typename Key>
static std::vector<Key> makeKeys(int64_t n, int64_t repeats, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<Key> values(n / repeats + 1), keys(n);
  for (Key &value : values)
    value = static_cast<Key>(random());
  for (Key &key : keys)
    key = values[random() % values.size()];
  return keys;
}

template <typename Key>
static std::vector<Key> makeDistinct(std::vector<Key> keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

//===----------------------------------------------------------------------===//
// sort, unique
//===----------------------------------------------------------------------===//

/// Sorts keys and drops duplicates, as pack does.
template <typename Key>
static void checkUnique(Kernel &kernel, const std::vector<Key> &values) {
  int64_t n = values.size();
  auto keys = Array<Key>::of(values);
  Array<Key> sorted({n}), distinct({n});
  Array<int32_t> permutation({n}), order({n}), rowOf({n});
  Array<int64_t> count({1});
  StatusArray status;
  kernel.run("sort", keys, sorted, permutation);
  kernel.run("unique", sorted, permutation, status, distinct, order, rowOf,
             count);

  std::vector<Key> expected = makeDistinct(values);
  ASSERT_EQ(status.get().code, 0);
  ASSERT_EQ(count[0], static_cast<int64_t>(expected.size())) << n << " keys";
  EXPECT_EQ(distinct.toVector(count[0]), expected) << n << " keys";
  std::vector<int32_t> expectedOrder(expected.size(), -1), expectedRowOf;
  for (int64_t i = 0; i < n; ++i) {
    auto row = std::lower_bound(expected.begin(), expected.end(), values[i]) -
               expected.begin();
    expectedRowOf.push_back(static_cast<int32_t>(row));
    if (expectedOrder[row] < 0)
      expectedOrder[row] = static_cast<int32_t>(i);
  }
  EXPECT_EQ(order.toVector(count[0]), expectedOrder) << n << " keys";
  EXPECT_EQ(rowOf.toVector(), expectedRowOf) << n << " keys";
}

template <typename Key> static void checkUniques() {
  Kernel kernel = compileLists<Key>();
  for (int64_t n : kSizes) {
    for (int64_t repeats : {1, 3, 5000})
      checkUnique(kernel, makeKeys<Key>(n, repeats, n));
    std::vector<Key> ascending(n);
    std::iota(ascending.begin(), ascending.end(), Key(0));
    checkUnique(kernel, ascending);
  }
}

TEST(UniqueTest, KeepsEachKeyOnce) {
  checkUniques<uint64_t>();
  checkUniques<uint32_t>();
}

TEST(UniqueTest, ReportsMoreThanTheCapacity) {
  Kernel kernel = compileLists<uint64_t>(/*capacity=*/5000);
  for (int64_t distinct : {5000, 5001, 9001}) {
    std::vector<uint64_t> values(distinct);
    std::iota(values.begin(), values.end(), uint64_t(7));
    values.insert(values.end(), 100, values.back());
    int64_t n = values.size();
    auto sorted = Array<uint64_t>::of(values);
    Array<uint64_t> keys({5000});
    Array<int32_t> permutation({n}), order({5000}), rowOf({n});
    std::iota(permutation.begin(), permutation.end(), 0);
    Array<int64_t> count({1});
    StatusArray status;
    kernel.run("unique", sorted, permutation, status, keys, order, rowOf,
               count);
    StatusRecord record = status.get();
    if (distinct <= 5000) {
      EXPECT_EQ(record.code, 0);
      EXPECT_EQ(count[0], 5000);
      EXPECT_EQ(keys[4999], values[4999]);
      continue;
    }
    EXPECT_EQ(record.getCode(), StatusCode::OverCapacity);
    EXPECT_EQ(record.opId, 3);
    EXPECT_EQ(record.value, distinct);
    EXPECT_EQ(record.upper, 5000);
    EXPECT_EQ(count[0], 0);
  }
}

TEST(SortTest, TakesSlices) {
  Kernel kernel = compileLists<uint32_t>();
  auto keys = Array<uint32_t>::of({9, 1, 8, 7, 6, 0});
  Array<uint32_t> sorted({6});
  Array<int32_t> permutation({6});
  sorted.fill(42);
  permutation.fill(42);
  kernel.run("sort_slice", keys, sorted, permutation, int64_t(1), int64_t(4));
  EXPECT_EQ(sorted.toVector(), (std::vector<uint32_t>{42, 1, 6, 7, 8, 42}));
  EXPECT_EQ(permutation.toVector(), (std::vector<int32_t>{42, 0, 3, 2, 1, 42}));
}

//===----------------------------------------------------------------------===//
// select, intersect
//===----------------------------------------------------------------------===//

template <typename Key> static void checkSelect(unsigned seed) {
  Kernel kernel = compileLists<Key>();
  std::mt19937 random(seed);
  for (int64_t n : kSizes)
    for (unsigned every : {1u, 3u, 6000u}) {
      auto keys = Array<Key>::of(makeKeys<Key>(n, 1, seed));
      Array<uint8_t> mask({n});
      std::vector<Key> expected;
      std::vector<int32_t> expectedRows;
      for (int64_t i = 0; i < n; ++i) {
        mask[i] = random() % every == 0;
        if (!mask[i])
          continue;
        expected.push_back(keys[i]);
        expectedRows.push_back(static_cast<int32_t>(i));
      }
      Array<Key> kept({n});
      Array<int32_t> rows({n});
      Array<int64_t> count({1});
      StatusArray status;
      kernel.run("select", keys, mask, status, kept, rows, count);
      EXPECT_EQ(status.get().code, 0);
      ASSERT_EQ(count[0], static_cast<int64_t>(expected.size()));
      EXPECT_EQ(kept.toVector(count[0]), expected);
      EXPECT_EQ(rows.toVector(count[0]), expectedRows);
    }
}

TEST(SelectTest, KeepsTheRowsOfTheMask) {
  checkSelect<uint64_t>(1);
  checkSelect<uint32_t>(2);
}

TEST(SelectTest, ReportsAMaskOfAnotherLength) {
  Kernel kernel = compileLists<uint64_t>();
  Array<uint64_t> keys({5}), kept({5});
  Array<int32_t> rows({5});
  for (int64_t length : {0, 4, 6}) {
    Array<uint8_t> mask({length});
    mask.fill(1);
    Array<int64_t> count({1});
    StatusArray status;
    kernel.run("select", keys, mask, status, kept, rows, count);
    StatusRecord record = status.get();
    EXPECT_EQ(record.getCode(), StatusCode::RowCountMismatch);
    EXPECT_EQ(record.opId, 3);
    EXPECT_EQ(record.axis, 1);
    EXPECT_EQ(record.value, length);
    EXPECT_EQ(record.lower, 5);
    EXPECT_EQ(record.extra, 2);
    EXPECT_EQ(count[0], 0);
  }
}

template <typename Key>
static void checkIntersect(Kernel &kernel, const std::vector<Key> &left,
                           const std::vector<Key> &right) {
  std::vector<Key> expected;
  std::vector<int32_t> expectedLeft, expectedRight;
  for (size_t i = 0; i < left.size(); ++i) {
    auto it = std::lower_bound(right.begin(), right.end(), left[i]);
    if (it == right.end() || *it != left[i])
      continue;
    expected.push_back(left[i]);
    expectedLeft.push_back(static_cast<int32_t>(i));
    expectedRight.push_back(static_cast<int32_t>(it - right.begin()));
  }
  int64_t bound = std::min(left.size(), right.size());
  auto lhs = Array<Key>::of(left), rhs = Array<Key>::of(right);
  Array<Key> keys({bound});
  Array<int32_t> lhsRows({bound}), rhsRows({bound});
  Array<int64_t> count({1});
  kernel.run("intersect", lhs, rhs, keys, lhsRows, rhsRows, count);
  ASSERT_EQ(count[0], static_cast<int64_t>(expected.size()));
  EXPECT_EQ(keys.toVector(count[0]), expected);
  EXPECT_EQ(lhsRows.toVector(count[0]), expectedLeft);
  EXPECT_EQ(rhsRows.toVector(count[0]), expectedRight);
}

template <typename Key> static void checkIntersects() {
  Kernel kernel = compileLists<Key>();
  for (int64_t n : kSizes) {
    std::vector<Key> all = makeDistinct(makeKeys<Key>(n, 1, n));
    std::mt19937 random(n);
    for (unsigned every : {2u, 700u}) {
      std::vector<Key> left, right;
      for (Key key : all) {
        if (random() % 3 != 0)
          left.push_back(key);
        if (random() % every == 0)
          right.push_back(key);
      }
      checkIntersect(kernel, left, right);
      checkIntersect(kernel, right, left);
      checkIntersect(kernel, left, left);
      checkIntersect(kernel, left, {});
      checkIntersect(kernel, {}, right);
    }
  }
}

TEST(IntersectTest, KeepsTheKeysOfBoth) {
  checkIntersects<uint64_t>();
  checkIntersects<uint32_t>();
}

TEST(KeyListsTest, HaveTheSameBitsForAnyNumberOfThreads) {
  Kernel kernel = compileLists<uint64_t>(2147483646, Threads::OpenMP);
  int before = omp_get_max_threads();
  for (int threads : {1, 2, 5}) {
    omp_set_num_threads(threads);
    checkUnique(kernel, makeKeys<uint64_t>(50001, 2, 1));
    auto keys = makeDistinct(makeKeys<uint64_t>(50001, 2, 2));
    std::vector<uint64_t> some;
    for (size_t i = 0; i < keys.size(); i += 3)
      some.push_back(keys[i]);
    checkIntersect(kernel, keys, some);
  }
  omp_set_num_threads(before);
}
