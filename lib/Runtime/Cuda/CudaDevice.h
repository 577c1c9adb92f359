//===- CudaDevice.h - a GPU behind the C interface --------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_RUNTIME_CUDA_CUDADEVICE_H
#define SPARSECONV_LIB_RUNTIME_CUDA_CUDADEVICE_H

#include "Context.h"
#include "sparseconv/Runtime/Device.h"

namespace sparseconv::cuda {

class CudaDevice final : public runtime::Device {
public:
  explicit CudaDevice(std::shared_ptr<Context> context)
      : context(std::move(context)) {}

  const std::string &getChip() const override { return context->chip; }
  const std::string &getName() const override { return context->deviceName; }
  Error trim() override;
  Error synchronise() override;
  Error load(std::string file,
             std::shared_ptr<runtime::Program> &program) override;
  Error allocate(sparseconv_stream stream, uint64_t bytes,
                 void **data) override;
  Error free(sparseconv_stream stream, void *data) override;
  Error upload(sparseconv_stream stream, void *data, const void *host,
               uint64_t bytes) override;
  Error download(sparseconv_stream stream, void *host, const void *data,
                 uint64_t bytes) override;
  Error wait(sparseconv_stream stream, sparseconv_stream other) override;

private:
  Error finishCopy(CUresult enqueued, CUstream stream, uint64_t bytes);

  std::shared_ptr<Context> context;
};

} // namespace sparseconv::cuda

#endif // SPARSECONV_LIB_RUNTIME_CUDA_CUDADEVICE_H
