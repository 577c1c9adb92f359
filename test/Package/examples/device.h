//===- device.h - memory and a stream of the caller's ---------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
/*
 * The few functions of the CUDA driver that the examples call. The driver is
 * opened at run time, so that they build where no CUDA toolkit is; with one,
 * include <cuda.h> and link libcuda instead. For a plan for CPUs all memory is
 * the host's, and there are no streams.
 */

#ifndef EXAMPLES_DEVICE_H
#define EXAMPLES_DEVICE_H

#include "sparseconv/Runtime/CudaRuntime.h"
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct device {
  int is_cpu;
  int (*init)(unsigned flags);
  int (*retain_context)(void **context, int ordinal);
  int (*release_context)(int ordinal);
  int (*set_current)(void *context);
  int (*create_stream)(void **stream, unsigned flags);
  int (*destroy_stream)(void *stream);
  int (*wait)(void *stream);
  int (*allocate)(uint64_t *pointer, size_t bytes);
  int (*free)(uint64_t pointer);
  int (*allocate_pinned)(void **pointer, size_t bytes, unsigned flags);
  int (*free_pinned)(void *pointer);
  int (*get_memory)(size_t *available, size_t *total);
  int (*upload)(uint64_t target, const void *source, size_t bytes,
                void *stream);
  int (*download)(void *target, uint64_t source, size_t bytes, void *stream);
} device;

/* A context of the runtime for a target: "cuda", "cpu", or "cpu:avx2" for code
 * of a level of vectors. */
static inline int open_target(const char *target, device *result,
                              sparseconv_context **context) {
  memset(result, 0, sizeof(*result));
  result->is_cpu = strncmp(target, "cpu", 3) == 0;
  if (!result->is_cpu)
    return sparseconv_context_create(0, context);
  return sparseconv_context_create_cpu(target[3] == ':' ? target + 4 : NULL,
                                       /*num_threads=*/0, context);
}

/* Makes the primary context of the GPU current, which the runtime uses, too.
 * Functions return 0, or an error of CUDA's, as these do. */
static inline int device_enter(device *it) {
  const struct {
    const char *name;
    void *function;
  } functions[] = {
      {"cuInit", &it->init},
      {"cuDevicePrimaryCtxRetain", &it->retain_context},
      {"cuDevicePrimaryCtxRelease_v2", &it->release_context},
      {"cuCtxSetCurrent", &it->set_current},
      {"cuStreamCreate", &it->create_stream},
      {"cuStreamDestroy_v2", &it->destroy_stream},
      {"cuStreamSynchronize", &it->wait},
      {"cuMemAlloc_v2", &it->allocate},
      {"cuMemFree_v2", &it->free},
      {"cuMemHostAlloc", &it->allocate_pinned},
      {"cuMemFreeHost", &it->free_pinned},
      {"cuMemGetInfo_v2", &it->get_memory},
      {"cuMemcpyHtoDAsync_v2", &it->upload},
      {"cuMemcpyDtoHAsync_v2", &it->download},
  };
  void *library, *context = NULL;
  size_t i;
  int code;
  if (it->is_cpu)
    return 0;
  library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  for (i = 0; i != sizeof(functions) / sizeof(*functions); ++i) {
    void *function = library ? dlsym(library, functions[i].name) : NULL;
    if (!function)
      return 500; /* CUDA_ERROR_NOT_FOUND */
    memcpy(functions[i].function, &function, sizeof(function));
  }
  code = it->init(0);
  if (!code)
    code = it->retain_context(&context, 0);
  return code ? code : it->set_current(context);
}

static inline void device_leave(device *it) {
  if (!it->is_cpu && it->release_context)
    it->release_context(0);
}

static inline int device_create_stream(device *it, void **stream) {
  *stream = NULL;
  return it->is_cpu ? 0 : it->create_stream(stream, /*non-blocking*/ 1);
}
static inline void device_destroy_stream(device *it, void *stream) {
  if (!it->is_cpu)
    it->destroy_stream(stream);
}

static inline int device_allocate(device *it, void **data, size_t bytes) {
  uint64_t pointer = 0;
  int code;
  *data = NULL;
  if (it->is_cpu)
    return posix_memalign(data, 64, bytes ? bytes : 1);
  code = it->allocate(&pointer, bytes ? bytes : 1);
  *data = (void *)(uintptr_t)pointer;
  return code;
}
static inline void device_free(device *it, void *data) {
  if (it->is_cpu)
    free(data);
  else if (data)
    it->free((uintptr_t)data);
}

/* Memory of the host that the device copies without waiting. */
static inline int device_allocate_pinned(device *it, void **data,
                                         size_t bytes) {
  *data = NULL;
  if (it->is_cpu)
    return posix_memalign(data, 64, bytes ? bytes : 1);
  return it->allocate_pinned(data, bytes ? bytes : 1, 0);
}
static inline void device_free_pinned(device *it, void *data) {
  if (it->is_cpu)
    free(data);
  else if (data)
    it->free_pinned(data);
}

static inline int device_upload(device *it, void *data, const void *host,
                                size_t bytes, void *stream) {
  if (it->is_cpu && bytes)
    memcpy(data, host, bytes);
  return it->is_cpu || !bytes
             ? 0
             : it->upload((uintptr_t)data, host, bytes, stream);
}
/* And waits. */
static inline int device_download(device *it, void *host, const void *data,
                                  size_t bytes, void *stream) {
  int code;
  if (it->is_cpu && bytes)
    memcpy(host, data, bytes);
  if (it->is_cpu || !bytes)
    return 0;
  code = it->download(host, (uintptr_t)data, bytes, stream);
  return code ? code : it->wait(stream);
}

/* Bytes of the device that nobody has allocated. */
static inline size_t device_available(device *it) {
  size_t available = 0, total = 0;
  if (!it->is_cpu)
    it->get_memory(&available, &total);
  return available;
}

#endif /* EXAMPLES_DEVICE_H */
