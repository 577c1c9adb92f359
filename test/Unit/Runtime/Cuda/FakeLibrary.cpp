//===- FakeLibrary.cpp - the fake driver as libcuda.so.1 ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For whole programs on machines without a device. Kernels are those that the
// PTX of a plan declares, with its parameters, and do nothing, so results have
// no rows. When the process ends, what a driver would not forgive is printed,
// and so is what lives; then the status is 3.
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include "sparseconv/Runtime/PlanParams.h"
#include <cstdio>
#include <unistd.h>

using namespace sparseconv;
using namespace sparseconv::cuda;

namespace {
/// In the runtime nothing of a process's end is a call of the driver.
struct Report {
  ~Report() {
    FakeDriver &driver = FakeDriver::get();
    std::string live = driver.getLive();
    for (const std::string &text : driver.misuse)
      std::fprintf(stderr, "fake driver: %s\n", text.c_str());
    if (!live.empty())
      std::fprintf(stderr, "fake driver: at the end there are %s\n",
                   live.c_str());
    std::fflush(nullptr);
    if (!live.empty() || !driver.misuse.empty())
      _exit(3);
  }
};
} // namespace

/// The PTX of a module as the driver loads it. Kernels of other modules that
/// have the same names stay where they are.
static void addKernels(const char *image) {
  auto &kernels = FakeDriver::get().kernels;
  static std::vector<std::decay_t<decltype(kernels)>::node_type> others;
  for (const auto &[name, places] : plan::readPtxKernels(image)) {
    FakeDriver::Kernel kernel = {{}, [](const FakeLaunch &) {}};
    for (const plan::ParamPlace &place : places)
      kernel.params.push_back(place.size);
    if (kernels.count(name))
      others.push_back(kernels.extract(name));
    kernels[name] = kernel;
  }
}

// What examples call beside the runtime.
extern "C" {
CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
  return FakeDriver::getTable().cuMemAllocFromPoolAsync(pointer, bytes, nullptr,
                                                        nullptr);
}
CUresult cuMemFree_v2(CUdeviceptr pointer) {
  return pointer ? FakeDriver::getTable().cuMemFreeAsync(pointer, nullptr)
                 : CUDA_SUCCESS;
}
}

// The symbols of the driver, whose names may end in a version.
// NOLINTBEGIN(bugprone-macro-parentheses): names.
#define CUDA_DRIVER_FUNCTION(name, symbol, params, arguments)                  \
  extern "C" CUresult library_##name params __asm__(symbol);                   \
  CUresult library_##name params {                                             \
    return callDriver<&DriverTable::name> arguments;                           \
  }
// NOLINTEND(bugprone-macro-parentheses)

/// A function of the table. The first call makes the fake driver, and then what
/// reports of it, which therefore goes first.
template <auto function, typename... Arguments>
static CUresult callDriver(Arguments... arguments) {
  FakeDriver::get();
  static Report report;
  if constexpr (std::is_same_v<decltype(function),
                               decltype(&DriverTable::cuModuleLoadDataEx)>)
    [](CUmodule *, const void *image, unsigned, int *, void **) {
      addKernels(static_cast<const char *>(image));
    }(arguments...);
  return (FakeDriver::getTable().*function)(arguments...);
}

#include "sparseconv/Runtime/CudaDriver.def"
