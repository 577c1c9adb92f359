//===- MemoryApi.cpp - the C interface to device memory -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Api.h"

using namespace sparseconv;
using namespace sparseconv::runtime;

int sparseconv_memory_allocate(sparseconv_context *context,
                               sparseconv_stream stream, uint64_t bytes,
                               void **data) {
  if (data)
    *data = nullptr;
  return within(context, [&](Device &device) -> Error {
    if (!data)
      return isNull("data");
    return device.allocate(stream, bytes, data);
  });
}

int sparseconv_memory_free(sparseconv_context *context,
                           sparseconv_stream stream, void *data) {
  return within(context, [&](Device &device) {
    return data ? device.free(stream, data) : Error::success();
  });
}

int sparseconv_memory_upload(sparseconv_context *context,
                             sparseconv_stream stream, void *data,
                             const void *host, uint64_t bytes) {
  return within(context, [&](Device &device) -> Error {
    if (!bytes)
      return Error::success();
    if (!data || !host)
      return isNull("data or host");
    return device.upload(stream, data, host, bytes);
  });
}

int sparseconv_memory_download(sparseconv_context *context,
                               sparseconv_stream stream, void *host,
                               const void *data, uint64_t bytes) {
  return within(context, [&](Device &device) -> Error {
    if (!bytes)
      return Error::success();
    if (!data || !host)
      return isNull("data or host");
    return device.download(stream, host, data, bytes);
  });
}

int sparseconv_stream_wait(sparseconv_context *context,
                           sparseconv_stream stream, sparseconv_stream other) {
  return within(context,
                [&](Device &device) { return device.wait(stream, other); });
}
