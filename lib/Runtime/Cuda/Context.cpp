//===- Context.cpp - a device and what its programs share -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "sparseconv/Support/EarlyLaunch.h"

using namespace sparseconv;
using namespace sparseconv::cuda;
using std::to_string;

CurrentContext::CurrentContext(const Context &context)
    : context(context), result(context.driver.cuCtxPushCurrent(context.get())) {
}

CurrentContext::~CurrentContext() {
  CUcontext popped;
  if (result == CUDA_SUCCESS)
    context.driver.cuCtxPopCurrent(&popped);
}

Error CurrentContext::take() const {
  return context.check(result, "the context cannot be made current");
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

Error Context::describe(const DriverTable &driver, CUresult result,
                        std::string_view what) {
  if (result == CUDA_SUCCESS)
    return Error::success();
  const char *name = nullptr, *text = nullptr;
  driver.cuGetErrorName(result, &name);
  driver.cuGetErrorString(result, &text);
  int code = result == CUDA_ERROR_OUT_OF_MEMORY ? SPARSECONV_OUT_OF_MEMORY
             : result == CUDA_ERROR_NO_DEVICE   ? SPARSECONV_NO_DEVICE
                                                : SPARSECONV_CUDA_ERROR;
  return Error(code, std::string(what) + ": " +
                         (name ? name : "CUDA error " + to_string(result)) +
                         (text ? std::string(" (") + text + ")" : ""));
}

Error Context::check(CUresult result, std::string_view what) const {
  return describe(driver, result, what);
}

//===----------------------------------------------------------------------===//
// Context
//===----------------------------------------------------------------------===//

Error Context::create(const DriverTable &driver, int ordinal,
                      std::shared_ptr<Context> &context) {
  if (Error error = describe(driver, driver.cuInit(0),
                             "the CUDA driver cannot be initialised"))
    return error;
  int count = 0;
  if (Error error = describe(driver, driver.cuDeviceGetCount(&count),
                             "the devices cannot be counted"))
    return error;
  if (count == 0)
    return Error(SPARSECONV_NO_DEVICE, "there is no CUDA device");
  if (ordinal < 0 || ordinal >= count)
    return Error(SPARSECONV_NO_DEVICE, "there is no device " +
                                           to_string(ordinal) + ", only 0 .. " +
                                           to_string(count - 1));
  std::shared_ptr<Context> result(new Context(driver));
  if (Error error = result->initialise(ordinal))
    return error;
  context = std::move(result);
  return Error::success();
}

Error Context::initialise(int ordinal) {
  std::string what = "device " + to_string(ordinal);
  if (Error error = check(driver.cuDeviceGet(&device, ordinal), what))
    return error;
  char name[256] = {};
  if (Error error =
          check(driver.cuDeviceGetName(name, sizeof(name) - 1, device), what))
    return error;
  deviceName = name;
  int hasPools = 0;
  struct {
    int attribute;
    int *value;
  } attributes[] = {
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &maxSharedBytes},
      {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, &hasPools},
  };
  for (auto &entry : attributes)
    if (Error error = check(
            driver.cuDeviceGetAttribute(entry.value, entry.attribute, device),
            what))
      return error;
  chip = "sm_" + to_string(10 * major + minor);
  // What only Hopper has is in the "a" form of its chip.
  if (major == 9)
    chip += 'a';
  if (!hasPools)
    return Error(SPARSECONV_CUDA_ERROR,
                 what + " (" + deviceName + ") has no memory pools");
  if (Error error = check(driver.cuDevicePrimaryCtxRetain(&handle, device),
                          "the context of " + what))
    return error;
  CurrentContext current(*this);
  if (Error error = current.take())
    return error;
  CUmemPoolProps props;
  props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.locationType = CU_MEM_LOCATION_TYPE_DEVICE;
  props.locationId = device;
  if (Error error = check(driver.cuMemPoolCreate(&pool, &props),
                          "the memory pool of " + what))
    return error;
  // Keep what is freed: instances come and go.
  uint64_t threshold = ~uint64_t(0);
  if (Error error =
          check(driver.cuMemPoolSetAttribute(
                    pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold),
                "the memory pool of " + what))
    return error;
  return check(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
               "a stream of " + what);
}

Context::~Context() {
  if (!handle)
    return;
  {
    CurrentContext current(*this);
    if (stream) {
      driver.cuStreamSynchronize(stream);
      driver.cuStreamDestroy(stream);
    }
    if (pool)
      driver.cuMemPoolDestroy(pool);
  }
  driver.cuDevicePrimaryCtxRelease(device);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Error Context::allocate(uint64_t bytes, const std::string &what,
                        CUdeviceptr &pointer) const {
  pointer = 0;
  CUdeviceptr result = 0;
  if (Error error = allocate(bytes, what, result, stream))
    return error;
  CUresult waited = wait();
  if (waited == CUDA_SUCCESS)
    pointer = result;
  else
    free(result);
  return check(waited, what);
}

Error Context::allocate(uint64_t bytes, const std::string &what,
                        CUdeviceptr &pointer, CUstream user) const {
  pointer = 0;
  CUresult status =
      driver.cuMemAllocFromPoolAsync(&pointer, bytes ? bytes : 1, pool, user);
  if (status == CUDA_ERROR_OUT_OF_MEMORY && !trim())
    status =
        driver.cuMemAllocFromPoolAsync(&pointer, bytes ? bytes : 1, pool, user);
  if (status == CUDA_SUCCESS)
    return Error::success();
  std::string text = what + " (" + to_string(bytes) + " bytes";
  size_t available = 0, total = 0;
  if (status == CUDA_ERROR_OUT_OF_MEMORY &&
      driver.cuMemGetInfo(&available, &total) == CUDA_SUCCESS)
    text += ", " + to_string(available) + " of " + to_string(total) +
            " are free on the device";
  return check(status, text + ")");
}

void Context::free(CUdeviceptr pointer) const {
  if (pointer)
    driver.cuMemFreeAsync(pointer, stream);
}

CUresult Context::wait() const {
  CUresult result = driver.cuStreamSynchronize(stream);
  if (result != CUDA_SUCCESS)
    driver.cuCtxSynchronize(); // what is in flight has to end all the same
  return result;
}

Error Context::synchronise(std::string_view what) const {
  return check(wait(), what);
}

Error Context::trim() const {
  if (Error error = synchronise("trimming the memory pool"))
    return error;
  return check(driver.cuMemPoolTrimTo(pool, 0), "trimming the memory pool");
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

LoadedModule::~LoadedModule() {
  if (!handle)
    return;
  CurrentContext current(*context);
  context->driver.cuModuleUnload(handle);
}

/// How well an image fits: the higher the better, 0 not at all. Machine code
/// runs on later chips of its generation, PTX on all later ones, but code for
/// "sm_90a" on 9.0 alone ("sm_100f": on 10.x).
static int getFitness(const plan::Image &image, int major, int minor) {
  int number = 0;
  char suffix = 0;
  for (char c : image.chip.substr(3)) {
    if (c >= '0' && c <= '9')
      number = 10 * number + (c - '0');
    else
      suffix = c;
  }
  int device = 10 * major + minor;
  bool isCubin = image.kind == plan::Image::Kind::Cubin;
  if (number > device || (suffix == 'a' && number != device))
    return 0;
  if ((suffix == 'f' || isCubin) && number / 10 != major)
    return 0;
  return 1 + (isCubin ? 100000 : 0) + 10 * number + (suffix ? 1 : 0);
}

Error Context::loadImage(const plan::Image &image, CUmodule &result) const {
  // The driver expects PTX to end in a zero.
  std::string bytes(image.bytes);
  char log[4096] = {};
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): values travel as pointers.
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log) - 1)};
  CUresult status =
      driver.cuModuleLoadDataEx(&result, bytes.c_str(), 2, options, values);
  Error error =
      check(status,
            std::string(image.kind == plan::Image::Kind::Ptx ? "PTX" : "code") +
                " for " + image.chip + " on " + deviceName);
  if (!error || !log[0])
    return error;
  return Error(error.getCode(), error.getText() + ": " + log);
}

Error Context::order(CUstream stream, CUstream other) const {
  CUevent event = nullptr;
  Error error = check(driver.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING),
                      "creating an event");
  if (error)
    return error;
  CUresult result = driver.cuEventRecord(event, other);
  bool isRecorded = result == CUDA_SUCCESS;
  if (isRecorded)
    result = driver.cuStreamWaitEvent(stream, event, 0);
  driver.cuEventDestroy(event);
  return check(result, isRecorded ? "waiting for the other stream"
                                  : "recording the other stream");
}

Error Context::loadModule(const plan::Module &module,
                          std::shared_ptr<LoadedModule> &loaded) {
  std::multimap<int, const plan::Image *, std::greater<>> candidates;
  std::string chips;
  for (const plan::Image &image : module.images) {
    chips += (chips.empty() ? "" : ", ") + image.chip +
             (image.kind == plan::Image::Kind::Ptx ? " (PTX)" : "");
    if (int fitness = getFitness(image, major, minor))
      candidates.emplace(fitness, &image);
  }
  std::string what = "module '" + module.name + "'";
  if (candidates.empty())
    return Error(SPARSECONV_WRONG_CHIP, what + " has code for " + chips +
                                            ", none of which runs on " + chip +
                                            " (" + deviceName + ")");
  std::lock_guard<std::mutex> lock(mutex);
  Error first = Error::success();
  for (auto [fitness, image] : candidates) {
    auto it = modules.find(image->bytes);
    if (it != modules.end() && (loaded = it->second.lock()))
      return Error::success();
    auto owner = std::make_shared<LoadedModule>(shared_from_this());
    owner->kind = image->kind;
    owner->startsEarly = sparseconv::startsEarly(image->chip);
    Error error = loadImage(*image, owner->handle);
    if (!error) {
      loaded = std::move(owner);
      for (auto entry = modules.begin(); entry != modules.end();)
        entry = entry->second.expired() ? modules.erase(entry) : ++entry;
      modules[std::string(image->bytes)] = loaded;
      return Error::success();
    }
    if (!first)
      first = std::move(error).within(what);
  }
  return first;
}
