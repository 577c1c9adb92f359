//===- CudaDevice.cpp - a GPU behind the C interface ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDevice.h"
#include "Program.h"

using namespace sparseconv;
using namespace sparseconv::cuda;

static CUstream toStream(sparseconv_stream stream) {
  return static_cast<CUstream>(stream);
}

static CUdeviceptr toAddress(const void *data) {
  return reinterpret_cast<uintptr_t>(data);
}

static Error getDriver(const DriverTable *&driver) {
  std::string reason;
  int code = loadDriver(driver, reason);
  return Error(code, std::move(reason));
}

Error cuda::countDevices(int &count) {
  const DriverTable *driver = nullptr;
  if (Error error = getDriver(driver))
    return error;
  CUresult result = driver->cuInit(0);
  if (result == CUDA_SUCCESS)
    result = driver->cuDeviceGetCount(&count);
  if (result == CUDA_ERROR_NO_DEVICE) {
    count = 0;
    return Error::success();
  }
  return Context::describe(*driver, result, "the devices cannot be counted");
}

Error cuda::createDevice(int ordinal,
                         std::shared_ptr<runtime::Device> &device) {
  const DriverTable *driver = nullptr;
  if (Error error = getDriver(driver))
    return error;
  std::shared_ptr<Context> context;
  if (Error error = Context::create(*driver, ordinal, context))
    return error;
  device = std::make_shared<CudaDevice>(std::move(context));
  return Error::success();
}

/// Calls `body` with the context current.
template <typename Body>
static Error within(const Context &context, const Body &body) {
  CurrentContext current(context);
  if (Error error = current.take())
    return error;
  return body();
}

Error CudaDevice::trim() {
  return within(*context, [&] { return context->trim(); });
}

Error CudaDevice::synchronise() {
  return within(*context, [&] {
    return context->check(context->driver.cuCtxSynchronize(),
                          "waiting for the device");
  });
}

Error CudaDevice::load(std::string file,
                       std::shared_ptr<runtime::Program> &program) {
  std::shared_ptr<Program> loaded;
  Error error = Program::load(context, std::move(file), loaded);
  program = std::move(loaded);
  return error;
}

Error CudaDevice::allocate(sparseconv_stream stream, uint64_t bytes,
                           void **data) {
  return within(*context, [&] {
    CUdeviceptr pointer = 0;
    Error error = context->allocate(bytes, "memory", pointer, toStream(stream));
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address to a caller.
    *data = reinterpret_cast<void *>(static_cast<uintptr_t>(pointer));
    return error;
  });
}

Error CudaDevice::free(sparseconv_stream stream, void *data) {
  return within(*context, [&] {
    return context->check(
        context->driver.cuMemFreeAsync(toAddress(data), toStream(stream)),
        "freeing memory");
  });
}

/// Waits for a copy; the host's memory is its caller's again in any case.
Error CudaDevice::finishCopy(CUresult enqueued, CUstream stream,
                             uint64_t bytes) {
  CUresult result = enqueued;
  if (result == CUDA_SUCCESS)
    result = context->driver.cuStreamSynchronize(stream);
  if (result != CUDA_SUCCESS)
    context->driver.cuCtxSynchronize();
  return context->check(result, "copying " + std::to_string(bytes) + " bytes");
}

Error CudaDevice::upload(sparseconv_stream stream, void *data, const void *host,
                         uint64_t bytes) {
  return within(*context, [&] {
    CUstream own = toStream(stream);
    return finishCopy(
        context->driver.cuMemcpyHtoDAsync(toAddress(data), host, bytes, own),
        own, bytes);
  });
}

Error CudaDevice::download(sparseconv_stream stream, void *host,
                           const void *data, uint64_t bytes) {
  return within(*context, [&] {
    CUstream own = toStream(stream);
    return finishCopy(
        context->driver.cuMemcpyDtoHAsync(host, toAddress(data), bytes, own),
        own, bytes);
  });
}

Error CudaDevice::wait(sparseconv_stream stream, sparseconv_stream other) {
  return within(*context, [&] {
    if (stream == other)
      return Error::success();
    return context->order(toStream(stream), toStream(other));
  });
}
