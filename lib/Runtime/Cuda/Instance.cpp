//===- Instance.cpp - a function and its memory ---------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instance.h"
#include "sparseconv/Runtime/PlanParams.h"
#include <cstring>

using namespace sparseconv;
using namespace sparseconv::cuda;
using std::to_string;

Instance::Instance(std::shared_ptr<Program> owner,
                   const Program::Function &entry,
                   const plan::Capacities &capacities, uint32_t flags)
    : program(std::move(owner)), context(*program->context),
      driver(context.driver), entry(entry), function(entry.plan),
      capacities(capacities), flags(flags), boundInputs(function.inputs.size()),
      schedule(makeSchedule(getFirstPhase())) {
  if (isExact())
    restSchedule = makeSchedule(plan::Phase::Rest);
  findReports();
}

Error Program::createInstance(const Function &function,
                              const plan::Capacities &capacities,
                              uint32_t flags,
                              std::unique_ptr<runtime::Instance> &instance) {
  std::unique_ptr<Instance> created;
  Error error = Instance::create(shared_from_this(), function, capacities,
                                 flags, created);
  instance = std::move(created);
  return error;
}

Error Instance::create(std::shared_ptr<Program> program,
                       const Program::Function &function,
                       const plan::Capacities &capacities, uint32_t flags,
                       std::unique_ptr<Instance> &instance) {
  std::unique_ptr<Instance> result(
      new Instance(std::move(program), function, capacities, flags));
  CurrentContext current(result->context);
  if (Error error = current.take())
    return error;
  if (Error error = result->initialise()) {
    result.reset(); // while the context is current
    return error;
  }
  instance = std::move(result);
  return Error::success();
}

Error Instance::check(CUresult result, std::string_view what) const {
  if (result == CUDA_SUCCESS)
    return Error::success();
  std::string text = function.describe() + ": ";
  return context.check(result, text.append(what));
}

Error Instance::initialise() {
  if (Error error = createStreams())
    return error;
  if (Error error = placeMemory())
    return error;
  return addStaging(0);
}

/// All that depends on capacities, which grow where what prepares needs more.
Error Instance::placeMemory() {
  return repeat([&] { return placeMemoryOnce(); });
}

Error Instance::placeMemoryOnce() {
  releaseMemory();
  std::string reason;
  std::optional<plan::Layout> result =
      plan::layOut(function, schedule, capacities, reason);
  if (!result)
    return invalidArgument(reason);
  layout = std::move(*result);
  if (Error error = checkValues())
    return error;
  if (Error error = allocateArena())
    return error;
  if (Error error = fillArena())
    return error;
  prepareLaunches();
  if (Error error = prepare())
    return error;
  isPlaced = true;
  return Error::success();
}

/// Finds the buffers of inputs and outputs. A buffer has room for the value at
/// its capacity.
Error Instance::checkValues() {
  inputBuffers.resize(function.inputs.size());
  outputBuffers.resize(function.outputs.size());
  ownInputs.resize(function.inputs.size());
  ownOutputs.resize(function.outputs.size());
  for (uint32_t b = 0; b != function.buffers.size(); ++b) {
    const plan::Buffer &buffer = function.buffers[b];
    bool isInput = buffer.kind == plan::Buffer::Kind::Input;
    if (!isInput && buffer.kind != plan::Buffer::Kind::Output)
      continue;
    (isInput ? inputBuffers : outputBuffers)[buffer.index] = b;
    const plan::Value &value =
        (isInput ? function.inputs : function.outputs)[buffer.index];
    const std::vector<int64_t> &sizes =
        isInput ? capacities.inputs[buffer.index]
                : layout.outputCapacities[buffer.index];
    auto bytes = plan::countBytes(value.type, sizes.data(), sizes.size());
    if (!bytes || *bytes > uint64_t(layout.bufferBytes[b]))
      return Error(SPARSECONV_INVALID_PLAN,
                   function.describe() + ": buffer '" + buffer.name + "' of " +
                       to_string(layout.bufferBytes[b]) +
                       " bytes is too small for '" + value.name + "'");
  }
  return Error::success();
}

Error Instance::createStreams() {
  if (Error error =
          check(driver.cuStreamCreate(&ownStream, CU_STREAM_NON_BLOCKING),
                "creating a stream"))
    return error;
  for (uint32_t s = 1; s < function.numStreams; ++s)
    if (Error error = check(driver.cuStreamCreate(&streams.emplace_back(),
                                                  CU_STREAM_NON_BLOCKING),
                            "creating a stream"))
      return error;
  if (function.numStreams > 1)
    if (Error error =
            check(driver.cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING),
                  "creating an event"))
      return error;
  events.resize(function.steps.size());
  return createEvents();
}

/// For the steps that others wait for.
Error Instance::createEvents() {
  for (size_t i = 0; i != events.size(); ++i)
    if ((schedule.signals[i] || (restSchedule && restSchedule->signals[i])) &&
        !events[i])
      if (Error error =
              check(driver.cuEventCreate(&events[i], CU_EVENT_DISABLE_TIMING),
                    "creating an event"))
        return error;
  return Error::success();
}

Error Instance::allocateArena() {
  return context.allocate(
      layout.arenaBytes, "the working memory of " + function.describe(), arena);
}

/// Addresses that are the same in every run, and persistent memory as zeros.
Error Instance::fillArena() {
  addresses.resize(function.buffers.size());
  for (uint32_t b = 0; b != function.buffers.size(); ++b) {
    const plan::Buffer &buffer = function.buffers[b];
    if (buffer.kind == plan::Buffer::Kind::Constant) {
      if (Error error = program->getConstant(buffer.index, addresses[b]))
        return error;
      continue;
    }
    if (layout.bufferOffsets[b] < 0)
      continue;
    addresses[b] = arena + layout.bufferOffsets[b];
    if (buffer.kind == plan::Buffer::Kind::Persistent && layout.bufferBytes[b])
      if (Error error = check(driver.cuMemsetD8Async(addresses[b], 0,
                                                     layout.bufferBytes[b],
                                                     context.getStream()),
                              "zeroing buffer '" + buffer.name + "'"))
        return error;
  }
  return context.synchronise(function.describe());
}

/// The value of a parameter, but for the address of an input or output.
uint64_t Instance::getParam(const plan::Param &param, uint64_t number) const {
  switch (param.kind) {
  case plan::Param::Kind::Buffer:
    return addresses[param.index] + number;
  case plan::Param::Kind::Slot:
    return arena + 8 * (kStatusWords + uint64_t(param.index));
  case plan::Param::Kind::Status:
    return arena;
  case plan::Param::Kind::I32:
  case plan::Param::Kind::I64:
    return static_cast<uint64_t>(param.value);
  case plan::Param::Kind::Capacity:
    return number;
  }
  return 0;
}

void Instance::prepareLaunches() {
  launches.resize(function.steps.size());
  for (size_t i = 0; i != launches.size(); ++i)
    prepareLaunch(i);
}

void Instance::prepareLaunch(size_t index) {
  Launch &launch = launches[index];
  launch.patches.clear();
  const std::vector<plan::Param> &params = function.steps[index].params;
  plan::ParamPlaces places = plan::getPlaces(params);
  launch.blockBytes = plan::getBlockBytes(places);
  launch.block.assign((launch.blockBytes + 7) / 8, 0);
  auto *block = reinterpret_cast<char *>(launch.block.data());
  for (uint32_t p = 0; p != params.size(); ++p) {
    const plan::Param &param = params[p];
    uint64_t number = layout.steps[index].params[p];
    plan::Buffer::Kind kind = param.kind == plan::Param::Kind::Buffer
                                  ? function.buffers[param.index].kind
                                  : plan::Buffer::Kind::Scratch;
    if (kind == plan::Buffer::Kind::Input ||
        kind == plan::Buffer::Kind::Output) {
      launch.patches.push_back({places[p].offset / 8, param.index, number});
      continue;
    }
    // The first bytes of a 32-bit value, as hosts are little endian.
    uint64_t value = getParam(param, number);
    std::memcpy(block + places[p].offset, &value, places[p].size);
  }
}

Error Instance::addStaging(size_t place) {
  staging.reserve(staging.size() + 1);
  Staging added;
  CUresult result = driver.cuEventCreate(&added.done, CU_EVENT_DISABLE_TIMING);
  if (result != CUDA_SUCCESS)
    return check(result, "creating an event");
  void *memory = nullptr;
  result = driver.cuMemHostAlloc(&memory, 2 * layout.scalarBytes, 0);
  if (result != CUDA_SUCCESS) {
    driver.cuEventDestroy(added.done);
    return check(result, "allocating pinned memory");
  }
  added.up = static_cast<int64_t *>(memory);
  added.down = added.up + layout.scalarBytes / 8;
  staging.insert(staging.begin() + place, added);
  return Error::success();
}

Instance::~Instance() {
  CurrentContext current(context);
  for (Staging &entry : staging)
    if (entry.inFlight && waitForEnd(entry))
      driver.cuCtxSynchronize();
  releaseMemory();
  for (const Staging &entry : staging) {
    driver.cuEventDestroy(entry.done);
    driver.cuMemFreeHost(entry.up);
  }
  for (CUevent event : events)
    if (event)
      driver.cuEventDestroy(event);
  if (fork)
    driver.cuEventDestroy(fork);
  for (CUstream stream : streams)
    if (stream)
      driver.cuStreamDestroy(stream);
  if (ownStream)
    driver.cuStreamDestroy(ownStream);
  for (CUdeviceptr pointer : ownInputs)
    context.free(pointer);
}
