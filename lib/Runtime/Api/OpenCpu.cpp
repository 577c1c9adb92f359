//===- OpenCpu.cpp - the library that runs plans for CPUs -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Api.h"
#include <dlfcn.h>
#include <unistd.h>

using namespace sparseconv;
using namespace sparseconv::runtime;

using OpenDevice = int(uint32_t version, const char *level, int numThreads,
                       void *device, void *error);

/// Looked for beside this library, and then where the system looks. It stays
/// open until the process ends.
static Error openLibrary(OpenDevice *&function) {
  const char *name = "libsparseconv-cpu-runtime.so";
  std::string path;
  Dl_info self;
  if (dladdr(reinterpret_cast<void *>(&openLibrary), &self) && self.dli_fname) {
    path = self.dli_fname;
    path.resize(path.rfind('/') + 1);
  }
  std::string reason;
  auto tryOpen = [&](const std::string &file) {
    void *opened = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    const char *text = opened ? nullptr : dlerror();
    // That of the file that is there says more.
    if (text && reason.empty())
      reason = text;
    return opened;
  };
  void *library = nullptr;
  if (access((path + name).c_str(), F_OK) == 0)
    library = tryOpen(path + name);
  if (!library)
    library = tryOpen(name);
  if (!library)
    return Error(SPARSECONV_FILE_ERROR,
                 std::string("code for CPUs needs ") + name + ": " +
                     (reason.empty() ? "it cannot be opened" : reason));
  function = reinterpret_cast<OpenDevice *>(
      dlsym(library, "sparseconv_cpu_open_device"));
  if (function)
    return Error::success();
  return Error(SPARSECONV_FILE_ERROR, std::string(name) +
                                          " is of another version than the "
                                          "runtime");
}

Error runtime::openCpu(std::string_view level, int numThreads,
                       std::shared_ptr<Device> &device) {
  OpenDevice *open = nullptr;
  if (Error error = openLibrary(open))
    return error;
  Error error = Error::success();
  open(plan::kVersion, std::string(level).c_str(), numThreads, &device, &error);
  return error;
}
