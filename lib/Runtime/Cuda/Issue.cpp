//===- Issue.cpp - putting a run's work on streams ------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instance.h"
#include <algorithm>

using namespace sparseconv;
using namespace sparseconv::cuda;
using std::to_string;

/// A caller that never waits is slowed down beyond this.
static constexpr size_t kMaxStaging = 256;

std::string Instance::getStepName(uint32_t index) const {
  const plan::Step &step = function.steps[index];
  std::string text = "step " + to_string(index);
  switch (step.kind) {
  case plan::Step::Kind::Launch:
    text += ", kernel '" + program->getPlan().kernels[step.kernel].name + "'";
    break;
  case plan::Step::Kind::Memset:
    text += ", memset of '" + function.buffers[step.target].name + "'";
    break;
  case plan::Step::Kind::Copy:
    text += ", copy to '" + function.buffers[step.target].name + "'";
    break;
  }
  if (step.op == plan::kNone)
    return text;
  const plan::Op &op = function.ops[step.op];
  if (!op.name.empty())
    text += " of " + op.name;
  if (!op.location.empty())
    text += " at " + op.location;
  return text;
}

//===----------------------------------------------------------------------===//
// Around a run
//===----------------------------------------------------------------------===//

Error Instance::checkStream(CUstream stream) const {
  int capturing = CU_STREAM_CAPTURE_STATUS_NONE;
  if (Error error = check(driver.cuStreamIsCapturing(stream, &capturing),
                          "looking at the stream"))
    return error;
  if (capturing != CU_STREAM_CAPTURE_STATUS_NONE)
    return invalidArgument(function.describe() +
                           ": the stream is being captured; capture the "
                           "instance instead");
  return Error::success();
}

/// Whether the device has the sizes of a run already, and the host all that the
/// run could tell it.
bool Instance::repeatsLast(const InputSizes &sizes) const {
  return tellsNothing() && !uploaded.empty() &&
         std::equal(sizes.slots.begin(), sizes.slots.end(),
                    uploaded.begin() + kStatusWords, uploaded.end());
}

/// Stands for the default stream, which is there as long as its context.
static constexpr CUstream kDefaultStream = nullptr;
static constexpr uint64_t kDefaultId = ~uint64_t(0);

/// Finds what tells a stream from all others, also from one that has its handle
/// after it, where the driver says.
Error Instance::findId(CUstream stream, std::optional<uint64_t> &id) const {
  id.reset();
  if (stream == kDefaultStream)
    id = kDefaultId;
  if (id || !driver.cuStreamGetId)
    return Error::success();
  return check(driver.cuStreamGetId(stream, &id.emplace()),
               "looking at the stream");
}

/// Whether the last run is known to be over, or to be on the stream of this
/// one, which comes behind it anyway.
bool Instance::isBehind(const Staging &last) const {
  return !last.inFlight || (lastId && lastId == runId);
}

/// Records the end of a run, if that has not been done. It was then on the
/// default stream, and its end is recorded behind all that is there by now.
CUresult Instance::recordEnd(Staging &run) {
  if (run.isRecorded)
    return CUDA_SUCCESS;
  CUresult result = driver.cuEventRecord(run.done, kDefaultStream);
  run.isRecorded = result == CUDA_SUCCESS;
  return result;
}

CUresult Instance::queryEnd(Staging &run) {
  CUresult result = recordEnd(run);
  return result == CUDA_SUCCESS ? driver.cuEventQuery(run.done) : result;
}

CUresult Instance::waitForEnd(Staging &run) {
  CUresult result = recordEnd(run);
  return result == CUDA_SUCCESS ? driver.cuEventSynchronize(run.done) : result;
}

CUresult Instance::orderBehind(Staging &run, CUstream stream) {
  CUresult result = recordEnd(run);
  return result == CUDA_SUCCESS ? driver.cuStreamWaitEvent(stream, run.done, 0)
                                : result;
}

/// Orders the stream behind the last run, whose pinned memory this one takes:
/// nothing goes up or comes down.
Error Instance::followRun(CUstream stream) {
  Staging &last = staging[latest];
  if (!isBehind(last)) {
    CUresult result = queryEnd(last);
    if (result == CUDA_ERROR_NOT_READY)
      result = orderBehind(last, stream);
    if (Error error = check(result, "waiting for the run before"))
      return error;
  }
  state = State::NotEnqueued;
  return Error::success();
}

/// Takes pinned memory that no run in flight uses, and orders the stream behind
/// the last run.
Error Instance::beginRun(CUstream stream, const InputSizes &sizes) {
  if (Error error = checkStream(stream))
    return error;
  if (Error error = findId(stream, runId))
    return error;
  if (repeatsLast(sizes))
    return followRun(stream);
  size_t previous = latest, free = staging.size();
  for (size_t i = 1; i <= staging.size() && free == staging.size(); ++i) {
    Staging &entry = staging[(previous + i) % staging.size()];
    if (entry.inFlight) {
      CUresult result = queryEnd(entry);
      if (result == CUDA_ERROR_NOT_READY)
        break; // those behind it are of later runs
      if (Error error = check(result, "an earlier run failed"))
        return error;
      finishUnread(entry);
    }
    free = (previous + i) % staging.size();
  }
  if (free == staging.size() && free < kMaxStaging) {
    free = (previous + 1) % staging.size();
    if (Error error = addStaging(free))
      return error;
    previous += free <= previous;
  } else if (free == staging.size()) {
    free = (previous + 1) % staging.size();
    if (Error error = check(waitForEnd(staging[free]), "an earlier run failed"))
      return error;
    finishUnread(staging[free]);
  }
  if (!isBehind(staging[previous]))
    if (Error error = check(orderBehind(staging[previous], stream),
                            "waiting for the run before"))
      return error;
  latest = free;
  state = State::NotEnqueued;
  return Error::success();
}

bool Instance::tellsNothing() const { return !reports && !isExact(); }

Error Instance::upload(CUstream stream, const InputSizes &sizes) {
  if (repeatsLast(sizes))
    return Error::success();
  Staging &entry = staging[latest];
  std::fill_n(entry.up, kStatusWords, 0);
  std::copy(sizes.slots.begin(), sizes.slots.end(), entry.up + kStatusWords);
  for (size_t i = 0; i != layout.growables.size(); ++i)
    entry.up[kStatusWords + function.growables[i].slot] =
        layout.growables[i].capacity;
  if (tellsNothing()) {
    size_t words = kStatusWords + sizes.slots.size();
    std::copy_n(entry.up, words, entry.down);
    uploaded.assign(entry.up, entry.up + words);
  }
  return check(
      driver.cuMemcpyHtoDAsync(arena, entry.up, layout.scalarBytes, stream),
      "uploading the sizes");
}

Error Instance::endRun(CUstream stream) {
  Staging &entry = staging[latest];
  if (!tellsNothing())
    if (Error error = check(driver.cuMemcpyDtoHAsync(
                                entry.down, arena, layout.scalarBytes, stream),
                            "downloading the sizes"))
      return error;
  // The host has what a run could tell already, so that hardly anybody asks for
  // its end. A stream that may be gone by then cannot wait.
  entry.isRecorded = !tellsNothing() || stream != kDefaultStream;
  if (entry.isRecorded)
    if (Error error = check(driver.cuEventRecord(entry.done, stream),
                            "recording the end of the run"))
      return error;
  entry.inFlight = true;
  lastId = runId;
  outputAddresses.clear();
  for (uint32_t buffer : outputBuffers)
    outputAddresses.push_back(addresses[buffer]);
  state = State::Pending;
  return Error::success();
}

/// Waits until nothing of a run is in flight any more.
void Instance::abandon(CUstream stream) {
  bool failed = driver.cuStreamSynchronize(stream) != CUDA_SUCCESS;
  for (CUstream other : streams)
    failed |= driver.cuStreamSynchronize(other) != CUDA_SUCCESS;
  if (failed)
    driver.cuCtxSynchronize();
}

Instance::Attempt::~Attempt() {
  if (instance.state != State::NotEnqueued)
    return;
  instance.abandon(stream);
  instance.uploaded.clear();
}

//===----------------------------------------------------------------------===//
// Poison
//===----------------------------------------------------------------------===//

Error Instance::poison(CUdeviceptr pointer, uint64_t bytes, CUstream stream,
                       const std::string &what) {
  if (bytes < 2)
    return Error::success();
  return check(driver.cuMemsetD16Async(pointer, kPoison, bytes / 2, stream),
               "poisoning " + what);
}

/// What lies behind the exact sizes in the instance's own input buffers.
Error Instance::poisonTails(const InputSizes &sizes, CUstream stream) {
  if (!(flags & SPARSECONV_POISON))
    return Error::success();
  for (size_t i = 0; i != function.inputs.size(); ++i) {
    CUdeviceptr address = addresses[inputBuffers[i]];
    uint64_t begin = (sizes.bytes[i] + 1) / 2 * 2;
    uint64_t room = getRoom(/*isInput=*/true, i);
    if (boundInputs[i] || address != ownInputs[i] || begin >= room)
      continue;
    if (Error error = poison(address + begin, room - begin, stream,
                             "input '" + function.inputs[i].name + "'"))
      return error;
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Writes the addresses of inputs and outputs into a launch's parameters.
void Instance::fillBlock(uint32_t index) {
  Launch &launch = launches[index];
  for (const Launch::Patch &patch : launch.patches)
    launch.block[patch.place] = addresses[patch.buffer] + patch.offset;
}

// NOLINTBEGIN(performance-no-int-to-ptr): what the driver takes for pointers.
Instance::ExtraParams::ExtraParams(Launch &launch)
    : list{reinterpret_cast<void *>(CU_LAUNCH_PARAM_BUFFER_POINTER),
           launch.block.data(),
           reinterpret_cast<void *>(CU_LAUNCH_PARAM_BUFFER_SIZE),
           &launch.blockBytes, reinterpret_cast<void *>(CU_LAUNCH_PARAM_END)},
      get(launch.blockBytes ? list : nullptr) {}
// NOLINTEND(performance-no-int-to-ptr)

CUresult Instance::launch(uint32_t index, CUstream stream) {
  const plan::Step &step = function.steps[index];
  const plan::StepSizes &sizes = layout.steps[index];
  fillBlock(index);
  ExtraParams parameters(launches[index]);
  CUfunction kernel = program->getKernel(step.kernel);
  if (step.cluster == 1)
    return driver.cuLaunchKernel(kernel, sizes.gridX, sizes.gridY, 1,
                                 step.blockX, 1, 1, step.dynamicSharedBytes,
                                 stream, nullptr, parameters.get);
  CUlaunchAttribute attribute;
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {step.cluster, 1, 1};
  CUlaunchConfig config = {unsigned(sizes.gridX),
                           unsigned(sizes.gridY),
                           1,
                           step.blockX,
                           1,
                           1,
                           step.dynamicSharedBytes,
                           stream,
                           &attribute,
                           1};
  return driver.cuLaunchKernelEx(&config, kernel, nullptr, parameters.get);
}

Error Instance::issueStep(uint32_t index, CUstream stream) {
  const plan::Step &step = function.steps[index];
  const plan::StepSizes &sizes = layout.steps[index];
  CUresult result = CUDA_SUCCESS;
  if (step.kind == plan::Step::Kind::Launch) {
    result = launch(index, stream);
  } else if (sizes.bytes != 0) {
    CUdeviceptr target = addresses[step.target] + sizes.targetOffset;
    if (step.kind == plan::Step::Kind::Copy)
      result = driver.cuMemcpyDtoDAsync(
          target, addresses[step.source] + sizes.sourceOffset, sizes.bytes,
          stream);
    else if (step.valueBytes == 1)
      result = driver.cuMemsetD8Async(target, step.value, sizes.bytes, stream);
    else
      result =
          driver.cuMemsetD32Async(target, step.value, sizes.bytes / 4, stream);
  }
  return result == CUDA_SUCCESS ? Error::success()
                                : check(result, getStepName(index));
}

/// Whether what a buffer holds is of one run.
bool Instance::isScratch(uint32_t buffer) const {
  plan::Buffer::Kind kind = function.buffers[buffer].kind;
  return kind == plan::Buffer::Kind::Scratch ||
         (kind == plan::Buffer::Kind::Prepared &&
          !schedule.keepsBuffer(buffer));
}

/// The buffers to poison before a step, or before all of a part (plan::kNone).
std::vector<uint32_t> Instance::getPoisoned(uint32_t step,
                                            const plan::Schedule &part) const {
  std::vector<uint32_t> result;
  if (!(flags & SPARSECONV_POISON))
    return result;
  // Where several streams use the arena, only its beginning is in order.
  bool isByStep = function.numStreams == 1;
  for (uint32_t b = 0; b != function.buffers.size(); ++b) {
    const plan::Buffer &buffer = function.buffers[b];
    uint32_t when = isScratch(b) && isByStep ? buffer.firstStep : plan::kNone;
    bool isHere = isScratch(b) ? part.placesBuffer(b)
                               : buffer.kind == plan::Buffer::Kind::Output &&
                                     part.getPhase() != plan::Phase::Rest;
    if (when == step && isHere)
      result.push_back(b);
  }
  return result;
}

Error Instance::poisonBuffers(uint32_t step, const plan::Schedule &part,
                              CUstream stream) {
  for (uint32_t b : getPoisoned(step, part))
    if (Error error = poison(addresses[b], layout.bufferBytes[b], stream,
                             "buffer '" + function.buffers[b].name + "'"))
      return error;
  return Error::success();
}

/// The steps of a part of a run, on the caller's stream and those of the
/// instance.
Error Instance::issue(const plan::Schedule &part, CUstream stream) {
  if (Error error = poisonBuffers(plan::kNone, part, stream))
    return error;
  if (fork)
    if (Error error = check(driver.cuEventRecord(fork, stream), "forking"))
      return error;
  for (uint32_t i = 0; i != function.steps.size(); ++i) {
    if (part.leavesOut(i))
      continue;
    CUstream own = getStream(function.steps[i].stream, stream);
    const plan::Schedule::Waits &waits = part.waits[i];
    if (waits.forFork)
      if (Error error =
              check(driver.cuStreamWaitEvent(own, fork, 0), "forking"))
        return error;
    for (uint32_t other : waits.steps)
      if (Error error = check(driver.cuStreamWaitEvent(own, events[other], 0),
                              "waiting for step " + to_string(other)))
        return error;
    if (Error error = poisonBuffers(i, part, own))
      return error;
    if (Error error = issueStep(i, own))
      return error;
    if (part.signals[i])
      if (Error error = check(driver.cuEventRecord(events[i], own),
                              "recording step " + to_string(i)))
        return error;
    if (flags & SPARSECONV_SYNCHRONOUS)
      if (CUresult result = driver.cuStreamSynchronize(own))
        return check(result, getStepName(i));
  }
  for (uint32_t last : part.joins)
    if (Error error = check(driver.cuStreamWaitEvent(stream, events[last], 0),
                            "waiting for step " + to_string(last)))
      return error;
  return Error::success();
}
