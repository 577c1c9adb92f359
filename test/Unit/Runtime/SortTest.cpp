//===- SortTest.cpp - radix sort of keys ----------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Runtime/CpuRuntime.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <omp.h>
#include <random>
#include <vector>

static void sortKeys(const uint64_t *keys, uint64_t *sorted,
                     int32_t *permutation, int64_t n, int64_t bits) {
  sparseconv_cpu_sort_u64(keys, sorted, permutation, n, bits);
}
static void sortKeys(const uint32_t *keys, uint32_t *sorted,
                     int32_t *permutation, int64_t n, int64_t bits) {
  sparseconv_cpu_sort_u32(keys, sorted, permutation, n, bits);
}

/// Sorts `keys` on 1, 2 and 5 threads and compares with std::sort of pairs
/// (key, position).
template <typename Key>
static void check(const std::vector<Key> &keys, int64_t bits) {
  auto n = static_cast<int64_t>(keys.size());
  Key used = bits == 8 * sizeof(Key) ? ~Key(0) : (Key(1) << bits) - 1;
  std::vector<int32_t> expected(n);
  std::iota(expected.begin(), expected.end(), 0);
  std::sort(expected.begin(), expected.end(), [&](int a, int b) {
    return std::pair(keys[a] & used, a) < std::pair(keys[b] & used, b);
  });
  int before = omp_get_max_threads();
  for (int threads : {1, 2, 5}) {
    omp_set_num_threads(threads);
    std::vector<Key> sorted(n);
    std::vector<int32_t> permutation(n, -1);
    sortKeys(keys.data(), sorted.data(), permutation.data(), n, bits);
    EXPECT_EQ(permutation, expected)
        << n << " keys of " << bits << " bits on " << threads << " threads";
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(sorted[i], keys[expected[i]]) << "position " << i;
  }
  omp_set_num_threads(before);
}

template <typename Key>
static std::vector<Key> makeKeys(int64_t n, int64_t bits, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<Key> keys(n);
  for (Key &key : keys)
    key = static_cast<Key>(random() >> (64 - bits));
  return keys;
}

TEST(SortTest, SortsWideKeys) {
  for (int64_t n : {0, 1, 2, 31, 129, 4999, 40000, 100003})
    for (int64_t bits : {1, 7, 11, 12, 33, 50, 64})
      check(makeKeys<uint64_t>(n, bits, 7 * n + bits), bits);
}

TEST(SortTest, SortsNarrowKeys) {
  for (int64_t n : {0, 1, 31, 4999, 40000})
    for (int64_t bits : {1, 11, 23, 32})
      check(makeKeys<uint32_t>(n, bits, 7 * n + bits), bits);
}

TEST(SortTest, ComparesAsUnsignedNumbers) {
  check<uint64_t>({~uint64_t(0), 0, uint64_t(1) << 63, 5, 5}, 64);
  check<uint32_t>({~uint32_t(0), 0, uint32_t(1) << 31, 5, 5}, 32);
}

TEST(SortTest, KeepsSortedKeys) {
  std::vector<uint64_t> keys = makeKeys<uint64_t>(50000, 40, 1);
  std::sort(keys.begin(), keys.end());
  check(keys, 40);
  // One pair out of order, where two blocks meet and elsewhere.
  for (size_t at : {size_t(25000), size_t(3), size_t(49999)}) {
    std::vector<uint64_t> nearly = keys;
    std::swap(nearly[at - 1], nearly[at]);
    check(nearly, 40);
  }
}

TEST(SortTest, SkipsBitsThatDoNotVary) {
  std::vector<uint64_t> keys = makeKeys<uint64_t>(40000, 64, 3);
  for (uint64_t &key : keys)
    key = (key & 0xF00000000FF0) | 0xABC0000000000001;
  check(keys, 64);
  std::vector<uint64_t> equal(40000, 42);
  check(equal, 64);
}

TEST(SortTest, IgnoresBitsOutOfUse) {
  check(makeKeys<uint64_t>(30000, 64, 9), 20);
  check(makeKeys<uint32_t>(30000, 32, 9), 20);
}

TEST(SortTest, StaysOnOneThreadInsideAParallelRegion) {
  std::vector<uint64_t> keys = makeKeys<uint64_t>(40000, 64, 11);
  std::vector<uint64_t> sorted[2] = {keys, keys};
  std::vector<int32_t> permutation[2];
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 2; ++i) {
    permutation[i].resize(keys.size());
    sparseconv_cpu_sort_u64(keys.data(), sorted[i].data(),
                            permutation[i].data(), keys.size(), 64);
  }
  EXPECT_TRUE(std::is_sorted(sorted[0].begin(), sorted[0].end()));
  EXPECT_EQ(sorted[0], sorted[1]);
  EXPECT_EQ(permutation[0], permutation[1]);
}
