//===- Context.h - a device and what its programs share ---------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_RUNTIME_CUDA_CONTEXT_H
#define SPARSECONV_LIB_RUNTIME_CUDA_CONTEXT_H

#include "Error.h"
#include "sparseconv/Runtime/CudaDriver.h"
#include "sparseconv/Runtime/Plan.h"
#include <map>
#include <memory>
#include <mutex>

namespace sparseconv::cuda {

class Context;

/// Makes a context current as long as it lives.
class CurrentContext {
public:
  explicit CurrentContext(const Context &context);
  ~CurrentContext();
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;

  /// Whether that worked.
  Error take() const;

private:
  const Context &context;
  CUresult result;
};

/// Device code in a context; shared by the programs that have the same.
class LoadedModule {
public:
  explicit LoadedModule(std::shared_ptr<Context> context)
      : context(std::move(context)) {}
  ~LoadedModule();

  /// Null until it is loaded.
  CUmodule handle = nullptr;
  /// What it was loaded from.
  plan::Image::Kind kind = plan::Image::Kind::Ptx;
  /// Whether its kernels wait for those before them by themselves.
  bool startsEarly = false;

private:
  std::shared_ptr<Context> context;
};

/// The primary context of a device, a pool of memory and a stream for what does
/// not belong to a run. Safe to use from several threads.
class Context : public std::enable_shared_from_this<Context> {
public:
  static Error create(const DriverTable &driver, int device,
                      std::shared_ptr<Context> &context);
  ~Context();

  const DriverTable &driver;
  std::string deviceName, chip;
  int maxSharedBytes = 0;

  CUcontext get() const { return handle; }
  /// Its order with other streams is kept by waiting for it.
  CUstream getStream() const { return stream; }

  /// An error that says what failed, with the driver's name and text.
  static Error describe(const DriverTable &driver, CUresult result,
                        std::string_view what);
  Error check(CUresult result, std::string_view what) const;

  /// Device memory that is ready for use on any stream. `what` is for the
  /// message: "the arena of function 'main'".
  Error allocate(uint64_t bytes, const std::string &what,
                 CUdeviceptr &pointer) const;
  /// The same for use on one stream, without waiting.
  Error allocate(uint64_t bytes, const std::string &what, CUdeviceptr &pointer,
                 CUstream stream) const;
  /// Nothing may use the memory any more.
  void free(CUdeviceptr pointer) const;
  Error trim() const;
  /// Work on `stream` from now on waits for what is on `other`.
  Error order(CUstream stream, CUstream other) const;
  /// Waits for the context's stream, and after a failure for all there is.
  CUresult wait() const;
  Error synchronise(std::string_view what) const;

  /// Loads the best image for this device.
  Error loadModule(const plan::Module &module,
                   std::shared_ptr<LoadedModule> &loaded);

private:
  explicit Context(const DriverTable &driver) : driver(driver) {}
  Error initialise(int ordinal);
  Error loadImage(const plan::Image &image, CUmodule &handle) const;

  CUdevice device = 0;
  int major = 0, minor = 0;
  CUcontext handle = nullptr;
  CUmemoryPool pool = nullptr;
  CUstream stream = nullptr;
  std::mutex mutex;
  /// By the bytes of the image.
  std::map<std::string, std::weak_ptr<LoadedModule>, std::less<>> modules;
};

} // namespace sparseconv::cuda

#endif // SPARSECONV_LIB_RUNTIME_CUDA_CONTEXT_H
