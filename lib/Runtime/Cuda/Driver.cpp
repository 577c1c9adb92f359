//===- Driver.cpp - the CUDA driver as a table of functions ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Runtime/CudaDriver.h"
#include "sparseconv/Runtime/CudaRuntime.h"
#include <atomic>
#include <dlfcn.h>
#include <mutex>
#include <utility>

using namespace sparseconv;
using namespace sparseconv::cuda;

/// The first version with all functions of CudaDriver.def.
static constexpr int kMinimumVersion = 11080;

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

namespace {
struct LoadedDriver {
  DriverTable table;
  int code = SPARSECONV_OK;
  std::string reason;

  LoadedDriver() { code = load(); }

private:
  int load();
};
} // namespace

static std::string versionName(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

/// The library stays open: the driver does not survive being closed.
int LoadedDriver::load() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *text = dlerror();
    reason = std::string("there is no CUDA driver on this machine (") +
             (text ? text : "libcuda.so.1 cannot be opened") + ")";
    return SPARSECONV_NO_DRIVER;
  }
  if (void *function = dlsym(library, "cuDriverGetVersion")) {
    int version = 0;
    reinterpret_cast<CUresult (*)(int *)>(function)(&version);
    if (version != 0 && version < kMinimumVersion) {
      reason = "the driver supports CUDA " + versionName(version) +
               ", this runtime needs " + versionName(kMinimumVersion);
      return SPARSECONV_DRIVER_TOO_OLD;
    }
  }
  const char *missing = nullptr;
  // NOLINTBEGIN(bugprone-macro-parentheses): a type.
#define CUDA_DRIVER_FUNCTION(name, symbol, params, arguments)                  \
  table.name = reinterpret_cast<CUresult(*) params>(dlsym(library, symbol));   \
  if (!table.name)                                                             \
    missing = symbol;
#define CUDA_DRIVER_OPTIONAL_FUNCTION(name, symbol, params, arguments)         \
  table.name = reinterpret_cast<CUresult(*) params>(dlsym(library, symbol));
#include "sparseconv/Runtime/CudaDriver.def"
  // NOLINTEND(bugprone-macro-parentheses)
  if (!missing)
    return SPARSECONV_OK;
  reason = std::string("the driver has no function ") + missing +
           ", this runtime needs one for CUDA " + versionName(kMinimumVersion);
  return SPARSECONV_DRIVER_TOO_OLD;
}

static std::atomic<const DriverTable *> replacement{nullptr};

int sparseconv::cuda::loadDriver(const DriverTable *&table,
                                 std::string &reason) {
  if (const DriverTable *other = replacement) {
    table = other;
    return SPARSECONV_OK;
  }
  static const LoadedDriver driver;
  table = &driver.table;
  reason = driver.reason;
  return driver.code;
}

void sparseconv::cuda::replaceDriver(const DriverTable *table) {
  replacement = table;
}

//===----------------------------------------------------------------------===//
// A log of calls
//===----------------------------------------------------------------------===//

static std::atomic<const DriverTable *> logged{nullptr};
static std::mutex logMutex;
static std::vector<const char *> &getLog() {
  static std::vector<const char *> log;
  return log;
}

static void note(const char *name) {
  std::lock_guard<std::mutex> lock(logMutex);
  getLog().push_back(name);
}

namespace {
#define CUDA_DRIVER_FUNCTION(name, symbol, params, arguments)                  \
  CUresult log_##name params {                                                 \
    note(#name);                                                               \
    return logged.load()->name arguments;                                      \
  }
#include "sparseconv/Runtime/CudaDriver.def"
} // namespace

const DriverTable &sparseconv::cuda::logDriverCalls(const DriverTable &inner) {
  static DriverTable table;
  // NOLINTNEXTLINE(bugprone-macro-parentheses): a name.
#define CUDA_DRIVER_FUNCTION(name, symbol, params, arguments)                  \
  table.name = inner.name ? log_##name : nullptr;
#include "sparseconv/Runtime/CudaDriver.def"
  logged = &inner;
  return table;
}

std::vector<const char *> sparseconv::cuda::takeDriverCalls() {
  std::lock_guard<std::mutex> lock(logMutex);
  return std::exchange(getLog(), {});
}
