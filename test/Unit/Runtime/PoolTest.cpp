//===- PoolTest.cpp - memory of compiled CPU code -------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Runtime/CpuRuntime.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

static constexpr size_t kMega = size_t(1) << 20;

static bool isAligned(void *pointer, size_t alignment) {
  return reinterpret_cast<uintptr_t>(pointer) % alignment == 0;
}

TEST(PoolTest, AlignsAndHoldsWhatWasAskedFor) {
  for (size_t size : {size_t(0), size_t(1), size_t(63), size_t(64),
                      size_t(4097), size_t(32767), size_t(32768), size_t(32769),
                      size_t(100003), kMega, 5 * kMega + 1})
    for (size_t alignment :
         {size_t(1), size_t(16), size_t(64), size_t(256), size_t(4096)}) {
      void *memory = _mlir_memref_to_llvm_aligned_alloc(alignment, size);
      ASSERT_NE(memory, nullptr);
      EXPECT_TRUE(isAligned(memory, std::max(alignment, size_t(64))));
      std::memset(memory, 1, size);
      _mlir_memref_to_llvm_free(memory);
      memory = _mlir_memref_to_llvm_alloc(size);
      EXPECT_TRUE(isAligned(memory, 64));
      std::memset(memory, 1, size);
      _mlir_memref_to_llvm_free(memory);
    }
  _mlir_memref_to_llvm_free(nullptr);
}

TEST(PoolTest, KeepsLargeBlocksBySize) {
  sparseconv_cpu_pool_trim();
  EXPECT_EQ(sparseconv_cpu_pool_cached_bytes(), 0u);
  uint64_t live = sparseconv_cpu_pool_live_bytes();
  void *first = _mlir_memref_to_llvm_alloc(3 * kMega);
  EXPECT_GE(sparseconv_cpu_pool_live_bytes(), live + 3 * kMega);
  EXPECT_LE(sparseconv_cpu_pool_live_bytes(), live + 4 * kMega);
  _mlir_memref_to_llvm_free(first);
  EXPECT_GE(sparseconv_cpu_pool_cached_bytes(), 3 * kMega);
  EXPECT_EQ(sparseconv_cpu_pool_live_bytes(), live);
  // A little smaller: the same class.
  void *second = _mlir_memref_to_llvm_alloc(3 * kMega - 1000);
  EXPECT_EQ(first, second);
  EXPECT_EQ(sparseconv_cpu_pool_cached_bytes(), 0u);
  // Larger: another one.
  void *third = _mlir_memref_to_llvm_alloc(4 * kMega);
  EXPECT_NE(second, third);
  _mlir_memref_to_llvm_free(second);
  _mlir_memref_to_llvm_free(third);
  sparseconv_cpu_pool_trim();
  EXPECT_EQ(sparseconv_cpu_pool_cached_bytes(), 0u);
}

TEST(PoolTest, PoisonsNewAndUsedMemory) {
  sparseconv_cpu_pool_set_poison(true);
  for (size_t size : {size_t(4), size_t(100), size_t(200000)})
    for (int round = 0; round < 2; ++round) {
      auto *memory = static_cast<float *>(_mlir_memref_to_llvm_alloc(size));
      for (size_t i = 0; i < size / 4; ++i)
        ASSERT_TRUE(std::isnan(memory[i]));
      uint16_t half;
      std::memcpy(&half, memory, 2);
      EXPECT_EQ(half, 0x7FED);
      std::memset(static_cast<void *>(memory), 0, size);
      _mlir_memref_to_llvm_free(memory);
    }
  sparseconv_cpu_pool_set_poison(false);
}

TEST(PoolTest, ServesManyThreads) {
  std::vector<std::thread> threads;
  for (unsigned id = 0; id < 4; ++id)
    threads.emplace_back([id] {
      std::mt19937 random(id);
      std::vector<std::pair<unsigned char *, size_t>> blocks;
      for (int step = 0; step < 2000; ++step) {
        size_t size = size_t(1) << (random() % 18);
        auto *block =
            static_cast<unsigned char *>(_mlir_memref_to_llvm_alloc(size));
        block[0] = block[size - 1] = static_cast<unsigned char>(id);
        blocks.emplace_back(block, size);
        if (blocks.size() > 20) {
          auto [old, oldSize] = blocks[random() % 20];
          EXPECT_EQ(old[0], id);
          EXPECT_EQ(old[oldSize - 1], id);
          std::swap(
              *std::find(blocks.begin(), blocks.end(), std::pair(old, oldSize)),
              blocks.back());
          _mlir_memref_to_llvm_free(old);
          blocks.pop_back();
        }
      }
      for (auto [block, size] : blocks)
        _mlir_memref_to_llvm_free(block);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(PoolDeathTest, SaysThatMemoryIsOut) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(_mlir_memref_to_llvm_alloc(size_t(1) << 60),
              testing::ExitedWithCode(1),
              "sparseconv: out of memory: cannot allocate 1152921504606846976 "
              "bytes");
  // A size whose computation wrapped below zero.
  EXPECT_EXIT(_mlir_memref_to_llvm_alloc(static_cast<size_t>(-8)),
              testing::ExitedWithCode(1), "out of memory");
}

/// Allocates, keeps one block, and asks for more than there is.
static void runOutOfMemory(void **arguments) {
  for (size_t size : {size_t(100), kMega, 7 * kMega})
    *arguments = _mlir_memref_to_llvm_alloc(size);
  _mlir_memref_to_llvm_free(_mlir_memref_to_llvm_alloc(2 * kMega));
  _mlir_memref_to_llvm_alloc(size_t(1) << 60);
  FAIL() << "the call went on without memory";
}

TEST(PoolTest, LeavesACallThatHasNoMemory) {
  uint64_t live = sparseconv_cpu_pool_live_bytes();
  void *kept = nullptr;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(sparseconv_cpu_call(runOutOfMemory, &kept), uint64_t(1) << 60);
    EXPECT_EQ(sparseconv_cpu_pool_live_bytes(), live);
  }
  // A call within a call: the outer one goes on.
  auto nested = [](void **arguments) {
    void *own = _mlir_memref_to_llvm_alloc(3 * kMega);
    void *inner = nullptr;
    EXPECT_NE(sparseconv_cpu_call(runOutOfMemory, &inner), 0u);
    _mlir_memref_to_llvm_free(own);
    *arguments = _mlir_memref_to_llvm_alloc(kMega);
  };
  EXPECT_EQ(sparseconv_cpu_call(nested, &kept), 0u);
  // What a call that ended well has not freed are its results.
  EXPECT_GE(sparseconv_cpu_pool_live_bytes(), live + kMega);
  _mlir_memref_to_llvm_free(kept);
  EXPECT_EQ(sparseconv_cpu_pool_live_bytes(), live);
}

TEST(PoolTest, LeavesACallThatFails) {
  uint64_t live = sparseconv_cpu_pool_live_bytes();
  void *kept = nullptr;
  auto fail = [](void **arguments) {
    *arguments = _mlir_memref_to_llvm_alloc(kMega);
    sparseconv_cpu_leave();
    FAIL() << "the call went on";
  };
  // There is memory: what is wrong is in the status record.
  EXPECT_EQ(sparseconv_cpu_call(fail, &kept), 0u);
  EXPECT_NE(kept, nullptr);
  EXPECT_EQ(sparseconv_cpu_pool_live_bytes(), live);
}

// A parallel loop of the caller's is none of the call's.
TEST(PoolTest, LeavesACallOfEachThread) {
  auto fail = [](void **) { sparseconv_cpu_leave(); };
  int left = 0;
#pragma omp parallel for num_threads(3) reduction(+ : left)
  for (int i = 0; i < 6; ++i) {
    sparseconv_cpu_call(fail, nullptr);
    ++left;
  }
  EXPECT_EQ(left, 6);
}

TEST(PoolDeathTest, HasACallToLeave) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(sparseconv_cpu_leave(), testing::ExitedWithCode(1),
              "sparseconv: a compiled function failed outside of a call");
}
