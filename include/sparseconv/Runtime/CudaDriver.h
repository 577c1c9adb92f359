//===- CudaDriver.h - the CUDA driver as a table of functions ---*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entry points of the driver that the runtime uses, with declarations of
// our own, and the table that holds them. Tests replace it.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_RUNTIME_CUDADRIVER_H
#define SPARSECONV_RUNTIME_CUDADRIVER_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses): the
// driver's names, and parameter lists.
namespace sparseconv::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUgraph = struct CUgraph_st *;
using CUgraphExec = struct CUgraphExec_st *;
using CUgraphNode = struct CUgraphNode_st *;
using CUmemoryPool = struct CUmemPoolHandle_st *;

enum : CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_NOT_READY = 600,
};
enum : int {
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
  CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC = 1,
  CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC = 1,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
  CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4,
  CU_MEM_ALLOCATION_TYPE_PINNED = 1,
  CU_MEM_LOCATION_TYPE_DEVICE = 1,
  CU_MEMORYTYPE_DEVICE = 2,
  CU_STREAM_CAPTURE_STATUS_NONE = 0,
};
/// What the driver takes as the pointers of a list.
enum : uintptr_t {
  CU_LAUNCH_PARAM_END = 0,
  CU_LAUNCH_PARAM_BUFFER_POINTER = 1,
  CU_LAUNCH_PARAM_BUFFER_SIZE = 2,
};
enum : unsigned {
  CU_EVENT_DEFAULT = 0,
  CU_EVENT_DISABLE_TIMING = 2,
  CU_STREAM_NON_BLOCKING = 1,
};

struct CUmemPoolProps {
  int allocType = 0;
  int handleTypes = 0;
  int locationType = 0;
  int locationId = 0;
  void *win32SecurityAttributes = nullptr;
  size_t maxSize = 0;
  unsigned short usage = 0;
  unsigned char reserved[54] = {};
};
static_assert(sizeof(CUmemPoolProps) == 88, "layout of the driver");

struct CUlaunchAttribute {
  int id = 0;
  char pad[4] = {};
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } clusterDim;
  } value = {};
};
static_assert(sizeof(CUlaunchAttribute) == 72, "layout of the driver");

struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute *attrs;
  unsigned numAttrs;
};
static_assert(sizeof(CUlaunchConfig) == 56, "layout of the driver");

/// CUDA_KERNEL_NODE_PARAMS_v2.
struct CUkernelNodeParams {
  CUfunction func;
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  void **kernelParams, **extra;
  void *kern;
  CUcontext ctx;
};
static_assert(sizeof(CUkernelNodeParams) == 72, "layout of the driver");

/// CUgraphEdgeData: by default its second node waits for the first one to end.
struct CUgraphEdge {
  unsigned char fromPort, toPort, type, reserved[5];
};
static_assert(sizeof(CUgraphEdge) == 8, "layout of the driver");

/// CUDA_MEMSET_NODE_PARAMS_v1: rows of `width` elements.
struct CUmemsetNodeParams {
  CUdeviceptr dst;
  size_t pitch;
  unsigned value, elementSize;
  size_t width, height;
};
static_assert(sizeof(CUmemsetNodeParams) == 40, "layout of the driver");

/// CUDA_MEMCPY3D_v2.
struct CUmemcpy3D {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  int srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  void *srcArray, *reserved0;
  size_t srcPitch, srcHeight;
  size_t dstXInBytes, dstY, dstZ, dstLOD;
  int dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  void *dstArray, *reserved1;
  size_t dstPitch, dstHeight;
  size_t WidthInBytes, Height, Depth;
};
static_assert(sizeof(CUmemcpy3D) == 200, "layout of the driver");

/// A pointer for each function of CudaDriver.def.

struct DriverTable {
#define CUDA_DRIVER_FUNCTION(name, symbol, params, arguments)                  \
  CUresult(*name) params = nullptr;
#include "sparseconv/Runtime/CudaDriver.def"
};

/// Opens the driver's library, once. Returns a sparseconv_code and, on failure,
/// the reason.
int loadDriver(const DriverTable *&table, std::string &reason);

/// Takes the place of the driver in the C interface for all contexts that are
/// created from now on; nullptr brings the driver back.
void replaceDriver(const DriverTable *table);

/// A table that passes every call on to `inner` and notes its name, in order.
/// One at a time; `inner` has to outlive its use.
const DriverTable &logDriverCalls(const DriverTable &inner);
/// The names since the last call of this function.
std::vector<const char *> takeDriverCalls();

} // namespace sparseconv::cuda
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)

#endif // SPARSECONV_RUNTIME_CUDADRIVER_H
