//===- MemoryTest.cpp - memory for callers without an allocator -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

using namespace sparseconv;
using namespace sparseconv::cuda;

namespace {
class Memory : public RuntimeTest {
protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    ASSERT_EQ(sparseconv_context_create(0, &context), SPARSECONV_OK);
  }
};
} // namespace

TEST_F(Memory, CopiesThereAndBack) {
  void *data = nullptr;
  ASSERT_EQ(sparseconv_memory_allocate(context, nullptr, 16, &data),
            SPARSECONV_OK);
  float there[] = {1, 2, 3, 4}, back[4] = {};
  ASSERT_EQ(sparseconv_memory_upload(context, nullptr, data, there, 16),
            SPARSECONV_OK);
  ASSERT_EQ(sparseconv_memory_download(context, nullptr, back, data, 16),
            SPARSECONV_OK);
  for (int i = 0; i != 4; ++i)
    EXPECT_EQ(back[i], there[i]);
  EXPECT_EQ(sparseconv_memory_free(context, nullptr, data), SPARSECONV_OK);
  EXPECT_EQ(sparseconv_memory_free(context, nullptr, nullptr), SPARSECONV_OK);
  EXPECT_EQ(sparseconv_memory_upload(context, nullptr, nullptr, nullptr, 0),
            SPARSECONV_OK);
}

TEST_F(Memory, OrdersStreams) {
  CUstream first = nullptr, second = nullptr;
  FakeDriver::getTable().cuStreamCreate(&first, 1);
  FakeDriver::getTable().cuStreamCreate(&second, 1);
  fake().calls.clear();
  EXPECT_EQ(sparseconv_stream_wait(context, first, second), SPARSECONV_OK);
  std::vector<std::string> expected = {"cuCtxPushCurrent", "cuEventCreate",
                                       "cuEventRecord",    "cuStreamWaitEvent",
                                       "cuEventDestroy",   "cuCtxPopCurrent"};
  EXPECT_EQ(fake().calls, expected);
  EXPECT_EQ(sparseconv_stream_wait(context, first, first), SPARSECONV_OK);
  for (const char *name :
       {"cuEventCreate", "cuEventRecord", "cuStreamWaitEvent"}) {
    fake().failName = name;
    EXPECT_EQ(sparseconv_stream_wait(context, first, second),
              SPARSECONV_CUDA_ERROR);
  }
  FakeDriver::getTable().cuStreamDestroy(first);
  FakeDriver::getTable().cuStreamDestroy(second);
}

TEST_F(Memory, ReportsErrors) {
  void *data = nullptr;
  EXPECT_EQ(sparseconv_memory_allocate(nullptr, nullptr, 16, &data),
            SPARSECONV_INVALID_ARGUMENT);
  EXPECT_EQ(sparseconv_memory_allocate(context, nullptr, 16, nullptr),
            SPARSECONV_INVALID_ARGUMENT);
  EXPECT_EQ(
      sparseconv_memory_allocate(context, nullptr, uint64_t(1) << 40, &data),
      SPARSECONV_OUT_OF_MEMORY);
  EXPECT_EQ(data, nullptr);
  float host[4] = {};
  EXPECT_EQ(sparseconv_memory_upload(context, nullptr, nullptr, host, 16),
            SPARSECONV_INVALID_ARGUMENT);
  ASSERT_EQ(sparseconv_memory_allocate(context, nullptr, 16, &data),
            SPARSECONV_OK);
  for (const char *name : {"cuMemcpyHtoDAsync", "cuStreamSynchronize"}) {
    fake().failName = name;
    EXPECT_EQ(sparseconv_memory_upload(context, nullptr, data, host, 16),
              SPARSECONV_CUDA_ERROR);
  }
  fake().failName = "cuMemcpyDtoHAsync";
  EXPECT_EQ(sparseconv_memory_download(context, nullptr, host, data, 16),
            SPARSECONV_CUDA_ERROR);
  fake().failName = "cuMemFreeAsync";
  EXPECT_EQ(sparseconv_memory_free(context, nullptr, data),
            SPARSECONV_CUDA_ERROR);
  EXPECT_EQ(sparseconv_memory_free(context, nullptr, data), SPARSECONV_OK);
}
