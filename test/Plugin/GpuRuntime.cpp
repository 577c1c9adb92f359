//===- GpuRuntime.cpp - what gpu-to-llvm calls, on the CUDA driver --------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Debian's packages do not have upstream's libmlir_cuda_runtime. For tests this
// library has the functions of it that our host code needs. The driver is
// opened when the first one is called. What it refuses ends the process with
// status 1.
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Runtime/CudaDriver.h"
#include "llvm/Support/Compiler.h"
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

using namespace sparseconv::cuda;

static constexpr unsigned kAttachGlobal = 1;    // CU_MEM_ATTACH_GLOBAL
static constexpr int kJitOptimizationLevel = 7; // CU_JIT_OPTIMIZATION_LEVEL

[[noreturn]] static void fail(const char *what, const char *why) {
  std::fflush(stdout);
  std::fprintf(stderr, "gpu runtime: error: %s: %s\n", what, why);
  // Without what a program does at its end: unloading would come here again.
  std::_Exit(1);
}

/// Calls a function of the driver.
template <typename... Args> static void call(const char *name, Args... args) {
  static void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail(name, "there is no CUDA driver on this machine");
  auto *function =
      reinterpret_cast<CUresult (*)(Args...)>(dlsym(library, name));
  if (!function)
    fail(name, "the driver has no such function");
  CUresult result = function(args...);
  // Code that is unloaded where a process ends may come after the driver.
  constexpr int gone = 4; // CUDA_ERROR_DEINITIALIZED
  if (result == CUDA_SUCCESS || result == gone)
    return;
  const char *text = nullptr;
  if (auto *describe = reinterpret_cast<CUresult (*)(CUresult, const char **)>(
          dlsym(library, "cuGetErrorString")))
    describe(result, &text);
  fail(name, text ? text : "unknown error");
}

/// Makes the first device that of this thread.
static void useDevice() {
  static CUcontext context = [] {
    CUdevice device = 0;
    CUcontext context = nullptr;
    call("cuInit", 0u);
    call("cuDeviceGet", &device, 0);
    call("cuDevicePrimaryCtxRetain", &context, device);
    return context;
  }();
  call("cuCtxSetCurrent", context);
}

// NOLINTBEGIN(readability-identifier-naming): upstream's names.
#define EXPORTED extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT

EXPORTED CUmodule mgpuModuleLoad(const void *image, size_t size) {
  useDevice();
  CUmodule module = nullptr;
  call("cuModuleLoadData", &module, image);
  return module;
}

EXPORTED CUmodule mgpuModuleLoadJIT(const void *ptx, int level) {
  useDevice();
  CUmodule module = nullptr;
  int option = kJitOptimizationLevel;
  void *value = reinterpret_cast<void *>(static_cast<uintptr_t>(level));
  call("cuModuleLoadDataEx", &module, ptx, 1u, &option, &value);
  return module;
}

EXPORTED void mgpuModuleUnload(CUmodule module) {
  useDevice();
  call("cuModuleUnload", module);
}

EXPORTED CUfunction mgpuModuleGetFunction(CUmodule module, const char *name) {
  useDevice();
  CUfunction function = nullptr;
  call("cuModuleGetFunction", &function, module, name);
  return function;
}

EXPORTED void mgpuLaunchKernel(CUfunction function, intptr_t gridX,
                               intptr_t gridY, intptr_t gridZ, intptr_t blockX,
                               intptr_t blockY, intptr_t blockZ, int32_t shared,
                               CUstream stream, void **params, void **extra,
                               size_t count) {
  useDevice();
  if (shared > 0)
    call("cuFuncSetAttribute", function,
         static_cast<int>(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES),
         static_cast<int>(shared));
  auto size = [](intptr_t extent) { return static_cast<unsigned>(extent); };
  call("cuLaunchKernel", function, size(gridX), size(gridY), size(gridZ),
       size(blockX), size(blockY), size(blockZ), static_cast<unsigned>(shared),
       stream, params, extra);
}

EXPORTED CUstream mgpuStreamCreate() {
  useDevice();
  CUstream stream = nullptr;
  call("cuStreamCreate", &stream,
       static_cast<unsigned>(CU_STREAM_NON_BLOCKING));
  return stream;
}

EXPORTED void mgpuStreamDestroy(CUstream stream) {
  useDevice();
  call("cuStreamDestroy_v2", stream);
}

EXPORTED void mgpuStreamSynchronize(CUstream stream) {
  useDevice();
  call("cuStreamSynchronize", stream);
}

EXPORTED void *mgpuMemAlloc(uint64_t bytes, CUstream stream,
                            bool isHostShared) {
  useDevice();
  CUdeviceptr address = 0;
  if (bytes != 0 && isHostShared)
    call("cuMemAllocManaged", &address, static_cast<size_t>(bytes),
         kAttachGlobal);
  else if (bytes != 0)
    call("cuMemAlloc_v2", &address, static_cast<size_t>(bytes));
  return reinterpret_cast<void *>(address);
}

EXPORTED void mgpuMemFree(void *address, CUstream stream) {
  useDevice();
  call("cuStreamSynchronize", stream);
  call("cuMemFree_v2",
       static_cast<CUdeviceptr>(reinterpret_cast<uintptr_t>(address)));
}
// NOLINTEND(readability-identifier-naming)
