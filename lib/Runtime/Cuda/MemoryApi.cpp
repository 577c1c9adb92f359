//===- MemoryApi.cpp - the C interface to device memory -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Api.h"

using namespace sparseconv;
using namespace sparseconv::cuda;
using std::to_string;

static CUstream toStream(sparseconv_stream stream) {
  return static_cast<CUstream>(stream);
}

static CUdeviceptr toAddress(const void *data) {
  return reinterpret_cast<uintptr_t>(data);
}

int sparseconv_memory_allocate(sparseconv_context *context,
                               sparseconv_stream stream, uint64_t bytes,
                               void **data) {
  if (data)
    *data = nullptr;
  return within(context, [&](Context &context) -> Error {
    if (!data)
      return isNull("data");
    CUdeviceptr pointer = 0;
    Error error = context.allocate(bytes, "memory", pointer, toStream(stream));
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address to a caller.
    *data = reinterpret_cast<void *>(static_cast<uintptr_t>(pointer));
    return error;
  });
}

int sparseconv_memory_free(sparseconv_context *context,
                           sparseconv_stream stream, void *data) {
  return within(context, [&](Context &context) {
    if (!data)
      return Error::success();
    return context.check(
        context.driver.cuMemFreeAsync(toAddress(data), toStream(stream)),
        "freeing memory");
  });
}

/// Enqueues a copy between `data` and `host` and waits for it; the host's
/// memory is its caller's again in any case.
template <typename Enqueue>
static int copyAndWait(sparseconv_context *context, sparseconv_stream stream,
                       const void *data, const void *host, uint64_t bytes,
                       Enqueue enqueue) {
  return within(context, [&](Context &context) -> Error {
    if (!bytes)
      return Error::success();
    if (!data || !host)
      return isNull("data or host");
    CUstream own = toStream(stream);
    CUresult result = enqueue(context.driver, own);
    if (result == CUDA_SUCCESS)
      result = context.driver.cuStreamSynchronize(own);
    if (result != CUDA_SUCCESS)
      context.driver.cuCtxSynchronize();
    return context.check(result, "copying " + to_string(bytes) + " bytes");
  });
}

int sparseconv_memory_upload(sparseconv_context *context,
                             sparseconv_stream stream, void *data,
                             const void *host, uint64_t bytes) {
  return copyAndWait(context, stream, data, host, bytes,
                     [&](const DriverTable &driver, CUstream own) {
                       return driver.cuMemcpyHtoDAsync(toAddress(data), host,
                                                       bytes, own);
                     });
}

int sparseconv_memory_download(sparseconv_context *context,
                               sparseconv_stream stream, void *host,
                               const void *data, uint64_t bytes) {
  return copyAndWait(context, stream, data, host, bytes,
                     [&](const DriverTable &driver, CUstream own) {
                       return driver.cuMemcpyDtoHAsync(host, toAddress(data),
                                                       bytes, own);
                     });
}

int sparseconv_stream_wait(sparseconv_context *context,
                           sparseconv_stream stream, sparseconv_stream other) {
  return within(context, [&](Context &context) {
    if (stream == other)
      return Error::success();
    return context.order(toStream(stream), toStream(other));
  });
}
