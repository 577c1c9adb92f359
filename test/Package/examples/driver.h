//===- driver.h - the CUDA driver, opened at run time ---------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
/*
 * The few functions of the CUDA driver that the examples call, so that they
 * build where no CUDA toolkit is. With one, include <cuda.h> and link libcuda
 * instead.
 */

#ifndef EXAMPLES_DRIVER_H
#define EXAMPLES_DRIVER_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t device_pointer; /* CUdeviceptr */

typedef struct driver {
  int (*init)(unsigned flags);
  int (*retain_context)(void **context, int device);
  int (*release_context)(int device);
  int (*set_current)(void *context);
  int (*create_stream)(void **stream, unsigned flags);
  int (*destroy_stream)(void *stream);
  int (*wait_for_stream)(void *stream);
  int (*allocate)(device_pointer *pointer, size_t bytes);
  int (*free)(device_pointer pointer);
  int (*allocate_pinned)(void **pointer, size_t bytes, unsigned flags);
  int (*free_pinned)(void *pointer);
  int (*get_memory)(size_t *available, size_t *total);
  int (*upload)(device_pointer target, const void *source, size_t bytes,
                void *stream);
  int (*download)(void *target, device_pointer source, size_t bytes,
                  void *stream);
} driver;

/* Opens the driver that sparseconv_context_create has found. Nonzero where a
 * function is missing. */
static inline int open_driver(driver *cuda) {
  const struct {
    const char *name;
    void *function;
  } functions[] = {
      {"cuInit", &cuda->init},
      {"cuDevicePrimaryCtxRetain", &cuda->retain_context},
      {"cuDevicePrimaryCtxRelease_v2", &cuda->release_context},
      {"cuCtxSetCurrent", &cuda->set_current},
      {"cuStreamCreate", &cuda->create_stream},
      {"cuStreamDestroy_v2", &cuda->destroy_stream},
      {"cuStreamSynchronize", &cuda->wait_for_stream},
      {"cuMemAlloc_v2", &cuda->allocate},
      {"cuMemFree_v2", &cuda->free},
      {"cuMemHostAlloc", &cuda->allocate_pinned},
      {"cuMemFreeHost", &cuda->free_pinned},
      {"cuMemGetInfo_v2", &cuda->get_memory},
      {"cuMemcpyHtoDAsync_v2", &cuda->upload},
      {"cuMemcpyDtoHAsync_v2", &cuda->download},
  };
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  size_t i;
  if (!library)
    return 1;
  for (i = 0; i != sizeof(functions) / sizeof(*functions); ++i) {
    *(void **)functions[i].function = dlsym(library, functions[i].name);
    if (!*(void **)functions[i].function)
      return 1;
  }
  return 0;
}

#endif /* EXAMPLES_DRIVER_H */
