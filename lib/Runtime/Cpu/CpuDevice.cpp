//===- CpuDevice.cpp - a CPU behind the C interface -----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuDevice.h"
#include "sparseconv/Runtime/CpuRuntime.h"
#include "sparseconv/Support/NumThreads.h"
#include "sparseconv/Support/VectorLevels.h"
#include <cstdlib>
#include <cstring>

using namespace sparseconv;
using namespace sparseconv::cpu;
using runtime::invalidArgument;

Error cpu::checkStream(sparseconv_stream stream) {
  if (!stream)
    return Error::success();
  return invalidArgument("a CPU has no streams: pass NULL");
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

Error CpuDevice::create(std::string_view level, int numThreads,
                        std::shared_ptr<runtime::Device> &device) {
  if (numThreads < 0 || numThreads > kMaxThreads)
    return invalidArgument("the number of threads is " +
                           std::to_string(numThreads) + ", and not 0 to " +
                           std::to_string(kMaxThreads));
  for (std::string_view known : kVectorLevels)
    if ((level.empty() || level == known) && hasVectorLevel(known)) {
      device.reset(new CpuDevice(level, known, numThreads));
      return Error::success();
    }
  return Error(SPARSECONV_WRONG_CHIP,
               "this processor has no vectors of the level '" +
                   std::string(level) + "'; there are avx512, avx2 and sse2");
}

Error CpuDevice::trim() {
  sparseconv_cpu_pool_trim();
  return Error::success();
}

Error CpuDevice::load(std::string file,
                      std::shared_ptr<runtime::Program> &program) {
  return guard([&] {
    std::shared_ptr<Program> loaded;
    if (Error error = Program::load(std::move(file), wanted, loaded))
      return error;
    program = std::make_shared<LoadedPlan>(std::move(loaded), numThreads);
    return Error::success();
  });
}

Error CpuDevice::allocate(sparseconv_stream stream, uint64_t bytes,
                          void **data) {
  if (Error error = checkStream(stream))
    return error;
  constexpr uint64_t alignment = 64, most = uint64_t(1) << 47;
  if (bytes <= most)
    *data = std::aligned_alloc(alignment,
                               (bytes + alignment) / alignment * alignment);
  if (*data)
    return Error::success();
  return Error(SPARSECONV_OUT_OF_MEMORY, describeMissing(bytes));
}

Error CpuDevice::free(sparseconv_stream stream, void *data) {
  if (Error error = checkStream(stream))
    return error;
  std::free(data);
  return Error::success();
}

Error CpuDevice::upload(sparseconv_stream stream, void *data, const void *host,
                        uint64_t bytes) {
  if (Error error = checkStream(stream))
    return error;
  std::memcpy(data, host, bytes);
  return Error::success();
}

Error CpuDevice::download(sparseconv_stream stream, void *host,
                          const void *data, uint64_t bytes) {
  return upload(stream, host, data, bytes);
}

Error CpuDevice::wait(sparseconv_stream stream, sparseconv_stream other) {
  return checkStream(stream ? stream : other);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

Error LoadedPlan::bindConstant(const std::string &name,
                               std::string_view bytes) {
  return guard([&] { return program->bindConstant(name, bytes); });
}

/// What `libsparseconv-runtime.so` opens this library for. `device` is a
/// std::shared_ptr<runtime::Device>; both libraries are of one version.
extern "C" int sparseconv_cpu_open_device(uint32_t version, const char *level,
                                          int numThreads, void *device,
                                          void *error) {
  auto &reason = *static_cast<Error *>(error);
  reason =
      version == plan::kVersion
          ? guard([&] {
              return CpuDevice::create(
                  level, numThreads,
                  *static_cast<std::shared_ptr<runtime::Device> *>(device));
            })
          : Error(SPARSECONV_FILE_ERROR,
                  "libsparseconv-cpu-runtime.so is of another version");
  return reason.getCode();
}
