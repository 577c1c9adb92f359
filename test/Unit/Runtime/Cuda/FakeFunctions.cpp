//===- FakeFunctions.cpp - the functions of the fake driver ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include <cstdlib>
#include <cstring>

using namespace sparseconv::cuda;
using std::string;
using std::to_string;

static FakeDriver &fake() { return FakeDriver::get(); }

// NOLINTBEGIN(llvm-prefer-static-over-anonymous-namespace,
// readability-identifier-naming): the names of the driver.
namespace {
namespace impl {
CUresult cuInit(unsigned) {
  return fake().devices ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}
CUresult cuDriverGetVersion(int *version) {
  *version = fake().version;
  return 0;
}
CUresult cuGetErrorName(CUresult error, const char **text) {
  *text = error == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
                                            : "CUDA_ERROR_FAKE";
  return 0;
}
CUresult cuGetErrorString(CUresult error, const char **text) {
  *text = error == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory" : "fake failure";
  return 0;
}
CUresult cuDeviceGetCount(int *count) {
  *count = fake().devices;
  return 0;
}
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  *device = ordinal;
  return 0;
}
CUresult cuDeviceGetName(char *name, int size, CUdevice) {
  std::strncpy(name, "Fake 9000", size);
  return 0;
}
CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice) {
  *value =
      attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR   ? fake().major
      : attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? fake().minor
      : attribute == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
          ? fake().maxShared
          : 1;
  return 0;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice) {
  *context = static_cast<CUcontext>(fake().create("context"));
  return 0;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) {
  for (auto &[handle, kind] : fake().live)
    if (kind == "context")
      return fake().destroy("context", handle) ? 0 : 1;
  fake().misuse.push_back("released no context");
  return 1;
}
CUresult cuCtxPushCurrent(CUcontext) {
  fake().create("current context");
  return 0;
}
CUresult cuCtxPopCurrent(CUcontext *) {
  for (auto &[handle, kind] : fake().live)
    if (kind == "current context")
      return fake().destroy("current context", handle) ? 0 : 1;
  fake().misuse.push_back("popped no context");
  return 1;
}
CUresult cuCtxSynchronize() { return fake().wait(); }

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            int *options, void **values) {
  string text = static_cast<const char *>(image);
  if (text.rfind(fake().badImage, 0) == 0) {
    for (unsigned i = 0; i != count; ++i)
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
        std::strcpy(static_cast<char *>(values[i]), "line 1: syntax error");
    return 218;
  }
  fake().images.push_back(text);
  *module = static_cast<CUmodule>(fake().create("module"));
  return 0;
}
CUresult cuModuleUnload(CUmodule module) {
  return fake().destroy("module", module) ? 0 : 1;
}
CUresult cuModuleGetFunction(CUfunction *function, CUmodule, const char *name) {
  auto it = fake().kernels.find(name);
  if (it == fake().kernels.end())
    return 500;
  *function = reinterpret_cast<CUfunction>(&it->second);
  fake().functions[*function] = name;
  return 0;
}
CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  fake().attributes[fake().functions[function] + " " + to_string(attribute)] =
      value;
  return 0;
}

/// Where the parameter lies in a launch's block, and where that ends.
size_t getOffset(const FakeDriver::Kernel &kernel, size_t index) {
  size_t offset = 0;
  for (size_t i = 0; i != index; ++i)
    offset =
        (offset + kernel.params[i] - 1) / kernel.params[i] * kernel.params[i] +
        kernel.params[i];
  return index == kernel.params.size()
             ? offset
             : (offset + kernel.params[index] - 1) / kernel.params[index] *
                   kernel.params[index];
}
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset,
                            size_t *size) {
  auto *kernel = reinterpret_cast<FakeDriver::Kernel *>(function);
  if (index >= kernel->params.size())
    return CUDA_ERROR_INVALID_VALUE;
  *offset = getOffset(*kernel, index);
  *size = kernel->params[index];
  return 0;
}

/// Reads a launch's parameters; whether they are what the kernel takes.
bool readParams(CUfunction function, void **extra, FakeLaunch &launch) {
  auto *kernel = reinterpret_cast<FakeDriver::Kernel *>(function);
  auto *block = static_cast<const char *>(extra[1]);
  if (*static_cast<const size_t *>(extra[3]) !=
      getOffset(*kernel, kernel->params.size()))
    return false;
  for (size_t i = 0; i != kernel->params.size(); ++i) {
    uint64_t &value = launch.params.emplace_back();
    std::memcpy(&value, block + getOffset(*kernel, i), kernel->params[i]);
  }
  return true;
}
std::function<void()> makeAction(CUfunction function,
                                 const FakeLaunch &launch) {
  auto *kernel = reinterpret_cast<FakeDriver::Kernel *>(function);
  return [kernel, launch] {
    fake().launches.push_back(launch);
    kernel->body(launch);
  };
}
CUresult launch(CUfunction function, FakeLaunch launch, CUstream stream,
                void **extra) {
  if (!readParams(function, extra, launch))
    return CUDA_ERROR_INVALID_VALUE;
  return fake().enqueue(stream, "launch " + fake().functions[function],
                        makeAction(function, launch));
}
CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                        unsigned, unsigned blockX, unsigned, unsigned,
                        unsigned shared, CUstream stream, void **,
                        void **extra) {
  return launch(function, {gridX, gridY, blockX, shared, 1, {}}, stream, extra);
}
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                          void **, void **extra) {
  return launch(function,
                {config->gridDimX,
                 config->gridDimY,
                 config->blockDimX,
                 config->sharedMemBytes,
                 config->attrs[0].value.clusterDim.x,
                 {}},
                config->hStream, extra);
}

CUresult cuStreamCreate(CUstream *stream, unsigned) {
  *stream = static_cast<CUstream>(fake().create("stream"));
  return 0;
}
CUresult cuStreamDestroy(CUstream stream) {
  return fake().destroy("stream", stream) ? 0 : 1;
}
CUresult cuStreamSynchronize(CUstream) { return fake().wait(); }
CUresult cuStreamWaitEvent(CUstream, CUevent, unsigned) { return 0; }
CUresult cuStreamIsCapturing(CUstream stream, int *status) {
  *status = stream && stream == fake().captured;
  return 0;
}
CUresult cuStreamGetId(CUstream stream, uint64_t *id) {
  auto found = fake().streamIds.find(stream);
  *id = found == fake().streamIds.end() ? reinterpret_cast<uintptr_t>(stream)
                                        : found->second;
  return 0;
}
CUresult cuEventCreate(CUevent *event, unsigned flags) {
  *event = static_cast<CUevent>(fake().create("event"));
  fake().events[*event].isTimed = flags != CU_EVENT_DISABLE_TIMING;
  return 0;
}
CUresult cuEventDestroy(CUevent event) {
  fake().events.erase(event);
  return fake().destroy("event", event) ? 0 : 1;
}
CUresult cuEventRecord(CUevent handle, CUstream stream) {
  FakeDriver::Event &event = fake().events[handle];
  if (event.isTimed)
    fake().misuse.push_back("order between streams by an event with timing");
  event = {};
  fake().enqueue(stream, "", [] {});
  event.ticket = fake().issued;
  return 0;
}
CUresult cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end) {
  const FakeDriver::Event &first = fake().events[begin];
  const FakeDriver::Event &last = fake().events[end];
  if (!first.isTimed || !last.isTimed || first.time < 0 || last.time < 0)
    return CUDA_ERROR_INVALID_VALUE;
  *milliseconds = last.time - first.time;
  return 0;
}
CUresult cuEventQuery(CUevent event) {
  return fake().events[event].ticket <= fake().done ? 0 : CUDA_ERROR_NOT_READY;
}
CUresult cuEventSynchronize(CUevent) { return fake().wait(); }

CUresult cuMemGetInfo(size_t *available, size_t *total) {
  *total = fake().memory;
  *available = fake().memory - fake().getUsedMemory();
  return 0;
}
CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *) {
  *pool = static_cast<CUmemoryPool>(fake().create("pool"));
  return 0;
}
CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return fake().destroy("pool", pool) ? 0 : 1;
}
CUresult cuMemPoolSetAttribute(CUmemoryPool, int, void *) { return 0; }
CUresult cuMemPoolTrimTo(CUmemoryPool, size_t) { return 0; }
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *pointer, size_t bytes,
                                 CUmemoryPool, CUstream) {
  if (bytes > fake().memory - fake().getUsedMemory())
    return CUDA_ERROR_OUT_OF_MEMORY;
  std::vector<char> data(bytes, char(0xCD));
  *pointer = reinterpret_cast<uintptr_t>(data.data());
  fake().allocations[*pointer] = std::move(data);
  fake().live[toPointer(*pointer)] = "memory";
  return 0;
}
CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream) {
  fake().drain();
  if (!fake().allocations.erase(pointer))
    fake().misuse.push_back("freed no memory");
  fake().live.erase(toPointer(pointer));
  return 0;
}
CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  *pointer = std::malloc(bytes);
  fake().live[*pointer] = "pinned";
  return 0;
}
CUresult cuMemFreeHost(void *pointer) {
  return fake().destroy("pinned", pointer) ? 0 : 1;
}

template <typename T>
std::function<void()> makeFill(CUdeviceptr target, T value, size_t count) {
  if (!fake().isMemory(target, count * sizeof(T)))
    fake().misuse.push_back("memset outside memory");
  return [=] {
    auto *data = static_cast<T *>(toPointer(target));
    for (size_t i = 0; i != count; ++i)
      data[i] = value;
  };
}
template <typename T>
CUresult fill(CUdeviceptr target, T value, size_t count, CUstream stream) {
  return fake().enqueue(
      stream, "memset " + to_string(count) + "x" + to_string(sizeof(T)),
      makeFill(target, value, count));
}
CUresult cuMemsetD8Async(CUdeviceptr target, unsigned char value, size_t count,
                         CUstream stream) {
  return fill(target, value, count, stream);
}
CUresult cuMemsetD16Async(CUdeviceptr target, unsigned short value,
                          size_t count, CUstream stream) {
  return fill(target, value, count, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr target, unsigned value, size_t count,
                          CUstream stream) {
  return fill(target, value, count, stream);
}
std::function<void()> makeCopy(const char *kind, void *target,
                               const void *source, size_t bytes) {
  auto isOutside = [&](const void *pointer) {
    return !fake().isMemory(reinterpret_cast<uintptr_t>(pointer), bytes);
  };
  if ((kind[0] == 'D' && isOutside(source)) ||
      (kind[3] == 'D' && isOutside(target)))
    fake().misuse.push_back(string(kind) + " outside memory");
  return [=] { std::memcpy(target, source, bytes); };
}
CUresult copy(const char *kind, void *target, const void *source, size_t bytes,
              CUstream stream) {
  return fake().enqueue(stream, string(kind) + " " + to_string(bytes),
                        makeCopy(kind, target, source, bytes));
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr target, const void *source, size_t bytes,
                           CUstream stream) {
  return copy("HtoD", toPointer(target), source, bytes, stream);
}
CUresult cuMemcpyDtoHAsync(void *target, CUdeviceptr source, size_t bytes,
                           CUstream stream) {
  return copy("DtoH", target, toPointer(source), bytes, stream);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr target, CUdeviceptr source, size_t bytes,
                           CUstream stream) {
  return copy("DtoD", toPointer(target), toPointer(source), bytes, stream);
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                     unsigned long long) {
  *exec = static_cast<CUgraphExec>(fake().create("executable graph"));
  fake().graphs[*exec] = fake().graphs[graph];
  fake().graphs[*exec].source = graph;
  return 0;
}
CUresult cuGraphCreate(CUgraph *graph, unsigned) {
  *graph = static_cast<CUgraph>(fake().create("graph"));
  fake().graphs[*graph] = {};
  return 0;
}
size_t getNumber(CUgraphNode node) {
  return reinterpret_cast<uintptr_t>(node) - 1;
}
bool readNode(const CUkernelNodeParams &params, FakeLaunch &launch) {
  launch = {params.gridDimX,
            params.gridDimY,
            params.blockDimX,
            params.sharedMemBytes,
            1,
            {}};
  return readParams(params.func, params.extra, launch);
}
/// Work that takes a while.
std::function<void()> withClock(std::function<void()> action) {
  return [action = std::move(action)] {
    action();
    ++fake().clock;
  };
}
struct Before {
  const CUgraphNode *nodes;
  size_t size;
};
CUresult addNode(CUgraphNode *node, CUgraph handle, Before before,
                 std::function<void()> action) {
  FakeDriver::Graph &graph = fake().graphs[handle];
  std::vector<size_t> others;
  for (size_t i = 0; i != before.size; ++i) {
    others.push_back(getNumber(before.nodes[i]));
    if (others.back() >= graph.nodes.size())
      return CUDA_ERROR_INVALID_VALUE;
  }
  graph.before.push_back(std::move(others));
  graph.nodes.push_back(std::move(action));
  *node = reinterpret_cast<CUgraphNode>(graph.nodes.size());
  return 0;
}
CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph,
                              const CUgraphNode *before, size_t numBefore,
                              const CUkernelNodeParams *params) {
  FakeLaunch launch;
  if (!readNode(*params, launch))
    return CUDA_ERROR_INVALID_VALUE;
  return addNode(node, graph, {before, numBefore},
                 withClock(makeAction(params->func, launch)));
}
CUresult cuGraphAddDependencies(CUgraph handle, const CUgraphNode *from,
                                const CUgraphNode *to, const CUgraphEdge *edges,
                                size_t count) {
  FakeDriver::Graph &graph = fake().graphs[handle];
  for (size_t i = 0; i != count; ++i) {
    size_t first = getNumber(from[i]), second = getNumber(to[i]);
    bool isKnown = first < graph.nodes.size() && second < graph.nodes.size();
    if (!isKnown || edges[i].type != CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC ||
        edges[i].fromPort != CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC)
      return CUDA_ERROR_INVALID_VALUE;
    graph.before[second].push_back(first);
    ++graph.earlyEdges;
  }
  return 0;
}
CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph,
                              const CUgraphNode *before, size_t numBefore,
                              const CUmemsetNodeParams *params, CUcontext) {
  if (params->height != 1 || params->width == 0)
    return CUDA_ERROR_INVALID_VALUE;
  CUdeviceptr target = params->dst;
  std::function<void()> action =
      params->elementSize == 1
          ? makeFill(target, uint8_t(params->value), params->width)
      : params->elementSize == 2
          ? makeFill(target, uint16_t(params->value), params->width)
          : makeFill(target, uint32_t(params->value), params->width);
  return addNode(node, graph, {before, numBefore}, withClock(action));
}
CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph,
                              const CUgraphNode *before, size_t numBefore,
                              const CUmemcpy3D *params, CUcontext) {
  if (params->Height != 1 || params->Depth != 1 || params->WidthInBytes == 0 ||
      params->srcMemoryType != CU_MEMORYTYPE_DEVICE ||
      params->dstMemoryType != CU_MEMORYTYPE_DEVICE)
    return CUDA_ERROR_INVALID_VALUE;
  return addNode(
      node, graph, {before, numBefore},
      withClock(makeCopy("DtoD", toPointer(params->dstDevice),
                         toPointer(params->srcDevice), params->WidthInBytes)));
}
CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph,
                                   const CUgraphNode *before, size_t numBefore,
                                   CUevent event) {
  return addNode(node, graph, {before, numBefore},
                 [event] { fake().events[event].time = fake().clock; });
}
CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph,
                             const CUgraphNode *before, size_t numBefore) {
  return addNode(node, graph, {before, numBefore}, [] {});
}
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode, int attribute,
                                       const void *) {
  fake().attributes["node " + to_string(attribute)] += 1;
  return 0;
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUkernelNodeParams *params) {
  FakeDriver::Graph &graph = fake().graphs[exec];
  if (!fake().live.count(graph.source))
    fake().misuse.push_back("a node of a graph that is gone");
  FakeLaunch launch;
  if (!readNode(*params, launch))
    return CUDA_ERROR_INVALID_VALUE;
  graph.nodes.at(getNumber(node)) = withClock(makeAction(params->func, launch));
  return 0;
}
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  FakeDriver::Graph graph = fake().graphs[exec];
  return fake().enqueue(stream, "graph", [graph] { graph.run(); });
}
CUresult cuGraphExecDestroy(CUgraphExec exec) {
  fake().graphs.erase(exec);
  return fake().destroy("executable graph", exec) ? 0 : 1;
}
CUresult cuGraphDestroy(CUgraph graph) {
  fake().graphs.erase(graph);
  return fake().destroy("graph", graph) ? 0 : 1;
}
} // namespace impl

struct Inside {
  Inside() { FakeDriver::isInside = true; }
  ~Inside() { FakeDriver::isInside = false; }
};

#define CUDA_DRIVER_FUNCTION(name, symbol, params, arguments)                  \
  CUresult entry_##name params {                                               \
    std::lock_guard<std::recursive_mutex> lock(fake().mutex);                  \
    Inside inside;                                                             \
    if (CUresult result = fake().enter(#name))                                 \
      return result;                                                           \
    return impl::name arguments;                                               \
  }
#include "sparseconv/Runtime/CudaDriver.def"
} // namespace
// NOLINTEND(llvm-prefer-static-over-anonymous-namespace,
// readability-identifier-naming)

const DriverTable &FakeDriver::getTable() {
  static const DriverTable table = {
#define CUDA_DRIVER_FUNCTION(name, symbol, params, arguments) entry_##name,
#include "sparseconv/Runtime/CudaDriver.def"
  };
  return table;
}

const DriverTable &FakeDriver::getOldTable() {
  static const DriverTable table = [] {
    DriverTable old = getTable();
    old.cuFuncGetParamInfo = nullptr;
    old.cuStreamGetId = nullptr;
    old.cuGraphAddDependencies = nullptr;
    return old;
  }();
  return table;
}
